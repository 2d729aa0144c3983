// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include "soc.h"

static void put(char character) { register_write(SOC_SYSTEM_CONSOLE, (uint8_t)character); }

void console_text(const char *text) {
  for (; *text != '\0'; text++) {
    put(*text);
  }
}

void console_hexadecimal(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) {
    put("0123456789abcdef"[(value >> shift) & 15]);
  }
}

// By subtraction: the smallest cores have no divider.
void console_decimal(uint32_t value) {
  static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                    10000,      1000,      100,      10,      1};
  int begun = 0;
  for (unsigned place = 0; place < 10; place++) {
    char digit = '0';
    for (; value >= powers[place]; value -= powers[place]) {
      digit++;
    }
    begun |= digit != '0' || powers[place] == 1;
    if (begun) {
      put(digit);
    }
  }
}
