// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The host's request to the firmware and its result: two structures at
// fixed addresses of the image, all fields little endian.
#ifndef CIPHERMILL_WORKLOAD_H
#define CIPHERMILL_WORKLOAD_H

#include <stdint.h>

#include "algorithms.h"

#define WORKLOAD_ADDRESS 0x200u
#define RESULT_ADDRESS 0x280u

#define WORKLOAD_MAGIC 0x4B574D43u // the bytes "CMWK"

enum workload_operation {
  OPERATION_ENCRYPT = 0,
  OPERATION_DECRYPT = 1,
  OPERATION_DIGEST = 2,
  OPERATION_AUTHENTICATE = 3, // HMAC
  // On elliptic curves: keys are among the operands, which are the message.
  OPERATION_GENERATE_KEY = 4,
  OPERATION_SIGN = 5,
  OPERATION_VERIFY = 6,
  OPERATION_AGREE = 7,
};

// Flags of a workload.
#define WORKLOAD_KEY_CACHING 0x1u // a key that is already in place is not set again
#define WORKLOAD_KEY_EACH 0x2u    // a key is sent for each message, within the measured region

// Filled in by the host before the run.
struct workload {
  uint32_t magic;              // 0x00 WORKLOAD_MAGIC
  uint32_t algorithm;          // 0x04 enum workload_algorithm (algorithms.h)
  uint32_t key_bits;           // 0x08 bits of a key, or of a curve; 0: none
  uint32_t operation;          // 0x0C enum workload_operation
  uint32_t blocks_per_message; // 0x10 whole blocks, of block ciphers
  uint32_t messages;           // 0x14
  uint32_t flags;              // 0x18 WORKLOAD_*
  uint32_t key_address;        // 0x1C multiple of 4
  uint32_t input_address;      // 0x20 multiple of 4; the messages one after another
  uint32_t output_address;     // 0x24 multiple of 4; likewise
  uint32_t key_stride;         // 0x28 WORKLOAD_KEY_EACH: bytes from one message's key to the
                               //      next one's, multiple of 4; 0 sends the same key again
  uint32_t message_bytes;      // 0x2C bytes of a message's text
  uint32_t associated_bytes;   // 0x30 bytes of associated data with each message
  uint32_t nonce_address;      // 0x34 multiple of 4; 16 bytes a message
  uint32_t associated_address; // 0x38 multiple of 4; each message's begins at a whole word
  uint32_t input_stride;       // 0x3C bytes from one message to the next: text up to a whole
                               //      word, then the tag to compare
  uint32_t output_stride;      // 0x40 the same of what comes out
};

// Filled in by the firmware at the end. Cycles and counts are those of the
// measured region, from the first message to the last.
struct result {
  uint32_t status;               // 0x00 enum status
  uint32_t reserved;             // 0x04
  uint64_t cycles;               // 0x08 cycles in all = processor + bus + accelerator
  uint64_t processor;            // 0x10 cycles in which the processor worked
  uint64_t bus;                  // 0x18 cycles in which it waited for a bus
  uint64_t accelerator;          // 0x20 cycles in which it waited for an algorithm in hardware
  uint64_t instructions;         // 0x28 instructions retired
  uint64_t transactions;         // 0x30 peripheral transfers, and beats of the DMA engine
  uint64_t worst_message_cycles; // 0x38 cycles of the slowest message (where messages overlap:
                                 //      of a message by itself, in a second run)
  uint64_t key_setup_cycles;     // 0x40 cycles of the first key set-up, before that region
  uint64_t encrypt_cycles;       // 0x48 encrypt_show_decrypt: cycles to encrypt the array
  uint64_t decrypt_cycles;       // 0x50 encrypt_show_decrypt: cycles to decrypt it
};

// How a run ended: the value of FINISH and of result.status.
enum status {
  STATUS_OK = 0,
  STATUS_BAD_WORKLOAD = 1,      // magic, algorithm, alignment or a count is wrong
  STATUS_KEY_REFUSED = 2,       // the partition does not take this algorithm, key size or operation
  STATUS_PROCESS_FAILED = 3,    // the partition reported an error or refusal, or a tag is wrong
  STATUS_WRONG_RESULT = 4,      // encrypt_show_decrypt: text or vector did not come back
  STATUS_STACK_OVERFLOW = 5,    // the stack overflowed into the data below it
  STATUS_TRAP = 0x100,          // plus the cause (mcause); an interrupt has 0x80 added
};

_Static_assert(sizeof(struct workload) <= RESULT_ADDRESS - WORKLOAD_ADDRESS, "overlaps result");
_Static_assert(sizeof(struct result) == 0x58, "the host reads this layout");

#endif
