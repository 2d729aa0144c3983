// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

#include "accel.h"

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
// The generated header ends with static_assert, which C99 lacks.
#define static_assert(condition, message) typedef char accel_t_is_packed[(condition) ? 1 : -1]
#endif
#include "accel_registers.h"

#define OFFSET(name) ((uint32_t)offsetof(accel_t, name))
#define ALL_ERRORS                                                                       \
  (ACCEL__ERROR__LENGTH_bm | ACCEL__ERROR__COUNTER_bm | ACCEL__ERROR__NO_KEY_bm |          \
   ACCEL__ERROR__UNSUPPORTED_bm | ACCEL__ERROR__BUSY_bm | ACCEL__ERROR__FRAMING_bm)

static uint32_t get(const struct accel *device, uint32_t offset) {
  return device->bus.read(device->bus.context, offset);
}

static void put(const struct accel *device, uint32_t offset, uint32_t value) {
  device->bus.write(device->bus.context, offset, value);
}

// Byte 0 of a word is its least significant one, whatever the processor's order is.
static uint32_t word_of(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static void put_bytes(const struct accel *device, uint32_t offset, const uint8_t *bytes,
                      size_t count) {
  for (size_t n = 0; n < count; n += 4) put(device, offset + (uint32_t)n, word_of(bytes + n));
}

// Waits until all bits of STATUS in `mask` are 0.
static enum accel_status wait_clear(const struct accel *device, uint32_t mask) {
  uint32_t left = device->poll_limit;
  while (get(device, OFFSET(STATUS)) & mask) {
    if (device->poll_limit != 0 && --left == 0) return ACCEL_TIMEOUT;
  }
  return ACCEL_OK;
}

static uint64_t get_two(const struct accel *device, uint32_t low, uint32_t high) {
  return (uint64_t)get(device, high) << 32 | get(device, low);
}

static uint32_t read_word(void *context, uint32_t offset) {
  return ((volatile uint32_t *)context)[offset / 4];
}

static void write_word(void *context, uint32_t offset, uint32_t value) {
  ((volatile uint32_t *)context)[offset / 4] = value;
}

struct accel_bus accel_memory_mapped(volatile uint32_t *base) {
  // The context has no volatile; read_word and write_word put it back.
  return (struct accel_bus){read_word, write_word, (void *)(uintptr_t)base};
}

enum accel_status accel_open(const struct accel *device) {
  if (get(device, OFFSET(IDENTIFICATION)) != ACCEL__IDENTIFICATION__MAGIC_reset)
    return ACCEL_NO_DEVICE;
  const uint32_t major =
      (get(device, OFFSET(VERSION)) & ACCEL__VERSION__MAJOR_bm) >> ACCEL__VERSION__MAJOR_bp;
  if (major != ACCEL__VERSION__MAJOR_reset) return ACCEL_NO_DEVICE;
  return wait_clear(device, ACCEL__STATUS__ZEROISING_bm | ACCEL__STATUS__BUSY_bm);
}

enum accel_status accel_set_key(const struct accel *device, const uint8_t *key, size_t bytes) {
  if (key == NULL || (bytes != 16 && bytes != 24 && bytes != 32)) return ACCEL_INVALID;
  const uint32_t size = (uint32_t)(bytes / 8 - 2); // 0, 1, 2
  // KEY ignores writes while an earlier key still waits for the core.
  const enum accel_status ready =
      wait_clear(device, ACCEL__STATUS__BUSY_bm | ACCEL__STATUS__ZEROISING_bm |
                             ACCEL__STATUS__KEY_PENDING_bm);
  if (ready != ACCEL_OK) return ready;
  put(device, OFFSET(ERROR), ALL_ERRORS);
  put_bytes(device, OFFSET(KEY), key, bytes);
  put(device, OFFSET(CONFIGURATION), size << ACCEL__CONFIGURATION__KEY_SIZE_bp);
  put(device, OFFSET(CONTROL), ACCEL__CONTROL__LOAD_KEY_bm);
  const enum accel_status taken = wait_clear(device, ACCEL__STATUS__KEY_PENDING_bm);
  if (taken != ACCEL_OK) return taken;
  return accel_error(device) ? ACCEL_REFUSED : ACCEL_OK;
}

// Stops a message, and drops what is in the device and what was sent to it.
static void stop(const struct accel *device) {
  put(device, OFFSET(CONTROL), ACCEL__CONTROL__ABORT_bm);
  (void)wait_clear(device, ACCEL__STATUS__BUSY_bm);
}

enum accel_status accel_process(const struct accel *device, const struct accel_message *message) {
  if (message->length != 0 && (message->input == NULL || message->output == NULL))
    return ACCEL_INVALID;
  if (message->mode != ACCEL_CTR && message->length % ACCEL_BLOCK_BYTES != 0)
    return ACCEL_INVALID;
  const enum accel_status ready =
      wait_clear(device, ACCEL__STATUS__BUSY_bm | ACCEL__STATUS__ZEROISING_bm);
  if (ready != ACCEL_OK) return ready;

  put(device, OFFSET(ERROR), ALL_ERRORS);
  put(device, OFFSET(CONFIGURATION),
      (uint32_t)message->mode << ACCEL__CONFIGURATION__MODE_bp |
          (uint32_t)message->direction << ACCEL__CONFIGURATION__DIRECTION_bp |
          (uint32_t)message->counter << ACCEL__CONFIGURATION__COUNTER_WIDTH_bp);
  if (message->iv != NULL) put_bytes(device, OFFSET(IV), message->iv, ACCEL_BLOCK_BYTES);
  put(device, OFFSET(MESSAGE_LENGTH_LOW), (uint32_t)message->length);
  put(device, OFFSET(MESSAGE_LENGTH_HIGH), (uint32_t)((uint64_t)message->length >> 32));
  put(device, OFFSET(CONTROL), ACCEL__CONTROL__START_bm);
  // The device refuses a message at once: nothing was sent yet, so nothing is dropped.
  if (accel_error(device) & ~(uint32_t)ACCEL__ERROR__FRAMING_bm) return ACCEL_REFUSED;

  if (message->length != 0 &&
      device->streams.transfer(device->streams.context, message->input, message->output,
                               message->length) != 0) {
    stop(device);
    return ACCEL_TRANSFER;
  }
  const enum accel_status ended = wait_clear(device, ACCEL__STATUS__BUSY_bm);
  if (ended != ACCEL_OK || accel_error(device) != 0) {
    stop(device);
    return ended != ACCEL_OK ? ended : ACCEL_REFUSED;
  }
  return ACCEL_OK;
}

void accel_read_iv(const struct accel *device, uint8_t iv[ACCEL_BLOCK_BYTES]) {
  for (uint32_t n = 0; n < ACCEL_BLOCK_BYTES; n += 4) {
    const uint32_t word = get(device, OFFSET(IV) + n);
    for (uint32_t byte = 0; byte < 4; byte++) iv[n + byte] = (uint8_t)(word >> 8 * byte);
  }
}

enum accel_status accel_zeroise(const struct accel *device) {
  put(device, OFFSET(CONTROL), ACCEL__CONTROL__ZEROISE_bm);
  return wait_clear(device, ACCEL__STATUS__ZEROISING_bm | ACCEL__STATUS__BUSY_bm);
}

uint64_t accel_cycles(const struct accel *device) {
  return get_two(device, OFFSET(CYCLES_LOW), OFFSET(CYCLES_HIGH));
}

uint32_t accel_error(const struct accel *device) { return get(device, OFFSET(ERROR)); }
