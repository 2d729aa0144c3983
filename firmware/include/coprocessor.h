// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Registers of the block coprocessors and of the coprocessor shell (hw/coprocessor).
#ifndef CIPHERMILL_COPROCESSOR_H
#define CIPHERMILL_COPROCESSOR_H

#include "soc.h"

#define COPROCESSOR_ID (COPROCESSOR_BASE + 0x000u)      // RO: COPROCESSOR_MAGIC, kind, version
#define COPROCESSOR_CONTROL (COPROCESSOR_BASE + 0x004u) // RW
#define COPROCESSOR_STATUS (COPROCESSOR_BASE + 0x008u)  // RO
#define COPROCESSOR_KEY (COPROCESSOR_BASE + 0x020u)     // WO: 8 words, the last one loads
#define COPROCESSOR_DATA_IN (COPROCESSOR_BASE + 0x100u) // WO: a block's last word pushes it
#define COPROCESSOR_DATA_OUT (COPROCESSOR_BASE + 0x200u) // RO: a block's last word pops it
#define COPROCESSOR_DATA_OUT_WIDE (COPROCESSOR_BASE + 0x280u) // RO: a wide beat has two blocks

#define COPROCESSOR_MAGIC 0x434Du // in the high half of ID
#define KIND_UNROLLED 0x10u
#define KIND_UNROLLED_PIPELINED 0x11u
#define KIND_ITERATIVE 0x12u
#define KIND_ROUND 0x13u
#define KIND_LINEAR_LAYER 0x14u
#define KIND_PRESENT_ITERATIVE 0x20u
#define KIND_PRESENT_UNROLLED 0x21u

#define CONTROL_DECRYPT 0x1u
#define CONTROL_KEY_SIZE_SHIFT 1
#define CONTROL_FINAL_ROUND 0x8u
#define CONTROL_ZEROISE 0x100u

#define STATUS_BUSY 0x1u
#define STATUS_OUTPUT 0x2u
#define STATUS_INPUT 0x4u
#define STATUS_ERROR 0x8u

// Whether the coprocessor is there and of the kind that the driver was written for.
static inline int coprocessor_is(uint32_t kind) {
  return register_read(COPROCESSOR_ID) >> 8 == (COPROCESSOR_MAGIC << 8 | kind);
}

// The shell.
#define SHELL_CONTROL (COPROCESSOR_BASE + 0x0u)  // W: an instruction; R: STATUS bits as above
#define SHELL_DATA_IN (COPROCESSOR_BASE + 0x4u)  // W
#define SHELL_DATA_OUT (COPROCESSOR_BASE + 0x8u) // R

#define SHELL_STREAM 5u     // DATA_IN is text, DATA_OUT results, word after word
#define SHELL_STREAM_KEY 6u // a fresh key comes before each text
#define SHELL_ZEROISE 7u
#define SHELL_DECRYPT 0x100u

#endif
