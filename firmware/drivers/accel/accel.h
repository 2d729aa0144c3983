// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Driver of the accelerator, by polling. C99, no heap, no globals, no library but
// <string.h>'s types; one device structure for each accelerator.
//
// Data goes through the device's streams, not its registers: a transfer function of
// yours moves it (a DMA engine, a stream FIFO). Registers are reached by two functions
// of yours, or by accel_memory_mapped.

#ifndef ACCEL_H
#define ACCEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCEL_BLOCK_BYTES 16

enum accel_status {
  ACCEL_OK = 0,
  ACCEL_NO_DEVICE,    // IDENTIFICATION or the major VERSION is another
  ACCEL_INVALID,      // a length or value that cannot be; the device was not touched
  ACCEL_REFUSED,      // the device set ERROR, see accel_error
  ACCEL_TIMEOUT,      // it stayed busy for longer than poll_limit reads of STATUS
  ACCEL_TRANSFER,     // the transfer function failed; the message was aborted
};

enum accel_mode { ACCEL_ECB = 0, ACCEL_CBC = 1, ACCEL_CTR = 2 };
enum accel_direction { ACCEL_ENCRYPT = 0, ACCEL_DECRYPT = 1 };
enum accel_counter { ACCEL_COUNTER_32 = 0, ACCEL_COUNTER_64 = 1, ACCEL_COUNTER_128 = 2 };

// How registers are reached; offsets are bytes from the first register.
struct accel_bus {
  uint32_t (*read)(void *context, uint32_t offset);
  void (*write)(void *context, uint32_t offset, uint32_t value);
  void *context;
};

// Sends `length` bytes to the device's input stream, with TLAST on the last one, and
// takes as many from its output. Both at once: the device holds some blocks only.
// Returns 0, or anything else when it failed.
struct accel_streams {
  int (*transfer)(void *context, const uint8_t *input, uint8_t *output, size_t length);
  void *context;
};

struct accel {
  struct accel_bus bus;
  struct accel_streams streams;
  uint32_t poll_limit; // reads of STATUS before ACCEL_TIMEOUT; 0 never gives up
};

struct accel_message {
  enum accel_mode mode;
  enum accel_direction direction;
  enum accel_counter counter; // CTR only: bits of the IV that count
  const uint8_t *iv;          // 16 bytes; NULL goes on where the last message ended
  const uint8_t *input;
  uint8_t *output;            // may be the input
  size_t length;              // bytes; whole blocks but in CTR (padding is yours)
};

// Returns a bus that reads and writes words of memory from `base` on.
struct accel_bus accel_memory_mapped(volatile uint32_t *base);

// Sees that the device is there, and waits until it has swept itself after reset.
// Returns ACCEL_OK, ACCEL_NO_DEVICE or ACCEL_TIMEOUT.
enum accel_status accel_open(const struct accel *device);

// Loads a key of 16, 24 or 32 bytes, which stays until the next one or a zeroise.
// Returns ACCEL_OK, ACCEL_INVALID, ACCEL_REFUSED (a size that this build leaves out)
// or ACCEL_TIMEOUT. The caller clears its own copy.
enum accel_status accel_set_key(const struct accel *device, const uint8_t *key, size_t bytes);

// Processes one message from start to end. After a failure `output` must not be used, and
// the device is ready for the next message. After ACCEL_TIMEOUT it may still be busy, and
// takes a message only once accel_open or accel_zeroise returns ACCEL_OK.
enum accel_status accel_process(const struct accel *device, const struct accel_message *message);

// Reads the state that a message ended with: the IV to go on with.
void accel_read_iv(const struct accel *device, uint8_t iv[ACCEL_BLOCK_BYTES]);

// Clears key, IV and all data in the device, and waits until that is done.
enum accel_status accel_zeroise(const struct accel *device);

// Core cycles that the last message took.
uint64_t accel_cycles(const struct accel *device);

// The ERROR register, whose bits accel_registers.h names. The next call that starts
// something clears it.
uint32_t accel_error(const struct accel *device);

#ifdef __cplusplus
}
#endif

#endif
