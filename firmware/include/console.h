// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The characters that a program shows.
#ifndef CIPHERMILL_CONSOLE_H
#define CIPHERMILL_CONSOLE_H

#include <stdint.h>

void console_text(const char *text);
void console_hexadecimal(uint32_t value); // eight digits
void console_decimal(uint32_t value);

#endif
