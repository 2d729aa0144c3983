// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Tests the driver on the host against a fake of the device's registers, which ends
// the test when a rule of the device is broken. `make driver` runs it. The fake adds
// the key to each byte; the self-test of the RTL checks the ciphers.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel.h"

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#define static_assert(condition, message) typedef char accel_t_is_packed[(condition) ? 1 : -1]
#endif
#include "accel_registers.h"

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      printf("FAIL: line %d: %s\n", __LINE__, #condition);               \
      exit(1);                                                           \
    }                                                                    \
  } while (0)
#define AT(name) (offsetof(accel_t, name) / 4)

struct fake {
  uint32_t registers[sizeof(accel_t) / 4];
  uint32_t key_words; // bit n: KEY[n] was written since the last load
  uint8_t key[32];
  int key_loaded, busy_reads, hangs, broken_stream, aborted;
  uint64_t expected;  // bytes of the message in progress
};

static uint32_t fake_read(void *context, uint32_t offset) {
  struct fake *fake = context;
  CHECK(offset % 4 == 0 && offset < sizeof(accel_t));
  CHECK(offset < offsetof(accel_t, KEY) || offset >= offsetof(accel_t, IV_BLOCKS_LOW));
  if (offset / 4 != AT(STATUS)) return fake->registers[offset / 4];
  uint32_t status = fake->key_loaded ? ACCEL__STATUS__KEY_LOADED_bm : 0;
  if (fake->hangs || fake->busy_reads > 0) status |= ACCEL__STATUS__BUSY_bm;
  if (fake->busy_reads > 0) fake->busy_reads--;
  return status;
}

static void control(struct fake *fake, uint32_t value) {
  static const uint32_t whole[] = {0x0f, 0x3f, 0xff};
  const uint32_t configuration = fake->registers[AT(CONFIGURATION)];
  if (value & ACCEL__CONTROL__LOAD_KEY_bm) {
    const uint32_t size = (configuration & ACCEL__CONFIGURATION__KEY_SIZE_bm) >>
                          ACCEL__CONFIGURATION__KEY_SIZE_bp;
    CHECK(size < 3 && (fake->key_words & whole[size]) == whole[size]);
    fake->key_loaded = size != 1; // this build leaves 192 bits out
    if (!fake->key_loaded) fake->registers[AT(ERROR)] |= ACCEL__ERROR__UNSUPPORTED_bm;
    memcpy(fake->key, &fake->registers[AT(KEY)], sizeof fake->key);
    memset(&fake->registers[AT(KEY)], 0, sizeof fake->key);
    fake->key_words = 0;
  }
  if (value & ACCEL__CONTROL__START_bm) {
    fake->expected = (uint64_t)fake->registers[AT(MESSAGE_LENGTH_HIGH)] << 32 |
                     fake->registers[AT(MESSAGE_LENGTH_LOW)];
    fake->busy_reads = 3;
    if (!fake->key_loaded) {
      fake->registers[AT(ERROR)] |= ACCEL__ERROR__NO_KEY_bm;
      fake->busy_reads = 0;
    }
  }
  if (value & ACCEL__CONTROL__ABORT_bm) {
    fake->aborted = 1;
    fake->busy_reads = 2;
  }
  if (value & ACCEL__CONTROL__ZEROISE_bm) {
    fake->key_loaded = 0;
    memset(fake->key, 0, sizeof fake->key);
    memset(&fake->registers[AT(IV)], 0, 16);
  }
}

static void fake_write(void *context, uint32_t offset, uint32_t value) {
  struct fake *fake = context;
  CHECK(offset % 4 == 0 && offset < sizeof(accel_t));
  const size_t word = offset / 4;
  CHECK(fake->busy_reads == 0 || word == AT(CONTROL) || word == AT(ERROR));
  if (word == AT(CONTROL)) {
    control(fake, value);
  } else if (word == AT(ERROR)) {
    fake->registers[word] &= ~value;
  } else {
    if (word >= AT(KEY) && word < AT(KEY) + 8) fake->key_words |= 1u << (word - AT(KEY));
    CHECK(word >= AT(CONFIGURATION) && word != AT(STATUS));
    fake->registers[word] = value;
  }
}

static int fake_transfer(void *context, const uint8_t *input, uint8_t *output, size_t length) {
  struct fake *fake = context;
  CHECK(length == fake->expected);
  if (fake->broken_stream) return -1;
  for (size_t n = 0; n < length; n++) output[n] = (uint8_t)(input[n] + fake->key[n % 16]);
  return 0;
}

int main(void) {
  struct fake fake;
  memset(&fake, 0, sizeof fake);
  fake.registers[AT(IDENTIFICATION)] = 0x4c494d43;
  fake.registers[AT(VERSION)] = ACCEL__VERSION__MAJOR_reset << ACCEL__VERSION__MAJOR_bp;
  fake.registers[AT(CYCLES_LOW)] = 7;
  fake.registers[AT(CYCLES_HIGH)] = 1;
  struct accel device = {{fake_read, fake_write, &fake}, {fake_transfer, &fake}, 1000};
  uint8_t key[32], iv[16], data[48], again[16];
  for (size_t n = 0; n < sizeof key; n++) key[n] = (uint8_t)(3 * n + 1);
  for (size_t n = 0; n < sizeof iv; n++) iv[n] = (uint8_t)(0xf0 + n);
  memset(data, 9, sizeof data);
  struct accel_message message = {ACCEL_CTR, ACCEL_ENCRYPT, ACCEL_COUNTER_64, iv, data, data, 45};

  CHECK(accel_open(&device) == ACCEL_OK);
  CHECK(accel_process(&device, &message) == ACCEL_REFUSED);
  CHECK(accel_error(&device) == ACCEL__ERROR__NO_KEY_bm);
  CHECK(accel_set_key(&device, key, 20) == ACCEL_INVALID);
  CHECK(accel_set_key(&device, key, 24) == ACCEL_REFUSED);
  CHECK(accel_set_key(&device, key, 16) == ACCEL_OK);
  CHECK(memcmp(fake.key, key, 16) == 0);
  CHECK(accel_set_key(&device, key, 32) == ACCEL_OK);
  CHECK(memcmp(fake.key, key, 32) == 0);

  CHECK(accel_process(&device, &message) == ACCEL_OK);
  CHECK(fake.registers[AT(CONFIGURATION)] == (2u | 1u << 6));
  CHECK(data[0] == 9 + key[0] && data[44] == 9 + key[12] && data[45] == 9);
  accel_read_iv(&device, again);
  CHECK(memcmp(again, iv, sizeof iv) == 0);
  CHECK(accel_cycles(&device) == 0x100000007u);

  message.iv = NULL; // the chain goes on: IV is not written
  fake.registers[AT(IV)] = 5;
  CHECK(accel_process(&device, &message) == ACCEL_OK && fake.registers[AT(IV)] == 5);
  message.mode = ACCEL_CBC;
  CHECK(accel_process(&device, &message) == ACCEL_INVALID);
  message.length = 0;
  CHECK(accel_process(&device, &message) == ACCEL_OK);

  message.length = 32;
  fake.broken_stream = 1;
  CHECK(accel_process(&device, &message) == ACCEL_TRANSFER && fake.aborted);
  fake.broken_stream = 0;
  CHECK(accel_zeroise(&device) == ACCEL_OK && !fake.key_loaded);
  fake.hangs = 1;
  CHECK(accel_process(&device, &message) == ACCEL_TIMEOUT);
  fake.hangs = 0;
  fake.registers[AT(VERSION)] = 3u << 16;
  CHECK(accel_open(&device) == ACCEL_NO_DEVICE);
  fake.registers[AT(IDENTIFICATION)] = 0;
  CHECK(accel_open(&device) == ACCEL_NO_DEVICE);

  volatile uint32_t memory[sizeof(accel_t) / 4] = {0};
  const struct accel_bus bus = accel_memory_mapped(memory);
  bus.write(bus.context, offsetof(accel_t, ERROR), 42);
  CHECK(memory[AT(ERROR)] == 42 && bus.read(bus.context, offsetof(accel_t, ERROR)) == 42);
  printf("PASS: driver\n");
  return 0;
}
