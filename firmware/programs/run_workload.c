// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The program of every measurement: runs the messages of the workload through
// the partition and reports what they cost.
#include <stddef.h>

#include "partition.h"
#include "soc.h"
#include "workload.h"
#include "zeroise.h"

#define KEY_WORDS 8 // the longest key, 256 bits

// The key that is in place, for key caching.
static struct {
  uint32_t words[KEY_WORDS];
  unsigned bits; // 0: none
} cached;

// Constant time: looks at every word whatever they hold.
static int same_key(const uint32_t *key, unsigned bits) {
  uint32_t difference = bits ^ cached.bits;
  for (unsigned word = 0; word < (bits + 31) / 32; word++) {
    uint32_t mask = 32 * word + 32 <= bits ? 0xFFFFFFFF : 0xFFFF;
    difference |= (key[word] ^ cached.words[word]) & mask;
  }
  return difference == 0;
}

// Sends the key, unless caching is on and it is in place; notes what it cost.
static enum status set_key(const struct workload *work, const uint32_t *key, uint32_t *slowest) {
  uint32_t begin = clocks();
  if (!(work->flags & WORKLOAD_KEY_CACHING) || !same_key(key, work->key_bits)) {
    cached.bits = 0;
    if (partition_set_key(key, work->key_bits, work->decrypt != 0) != PARTITION_OK) {
      return STATUS_KEY_REFUSED;
    }
    if (work->flags & WORKLOAD_KEY_CACHING) {
      for (unsigned word = 0; word < (work->key_bits + 31) / 32; word++) {
        cached.words[word] = key[word];
      }
      cached.bits = work->key_bits;
    }
  }
  uint32_t taken = clocks() - begin;
  if (taken > *slowest) {
    *slowest = taken;
  }
  return STATUS_OK;
}

static int well_formed(const struct workload *work) {
  unsigned words = work->cipher == CIPHER_PRESENT ? 2 : 4;
  uint32_t addresses = work->key_address | work->input_address | work->output_address;
  return work->magic == WORKLOAD_MAGIC && work->cipher <= CIPHER_PRESENT &&
         words == partition_block_words && work->key_bits <= 32 * KEY_WORDS &&
         ((addresses | work->key_stride) & 3) == 0 && work->blocks_per_message != 0;
}

// The measured region.
static enum status run_messages(const struct workload *work, uint32_t *worst, uint32_t *setup) {
  const uint32_t *key = (const uint32_t *)(uintptr_t)work->key_address;
  const uint32_t *input = (const uint32_t *)(uintptr_t)work->input_address;
  uint32_t *output = (uint32_t *)(uintptr_t)work->output_address;
  unsigned blocks = work->blocks_per_message;
  unsigned block_shift = work->cipher == CIPHER_PRESENT ? 1 : 2;
  for (unsigned message = 0; message < work->messages; message++) {
    uint32_t begin = clocks();
    if (work->flags & WORKLOAD_KEY_EACH) {
      enum status status = set_key(work, key, setup);
      if (status != STATUS_OK) {
        return status;
      }
      key += work->key_stride / 4;
    }
    if (partition_process(input, output, blocks, work->decrypt != 0) != PARTITION_OK) {
      return STATUS_PROCESS_FAILED;
    }
    uint32_t taken = clocks() - begin;
    if (taken > *worst) {
      *worst = taken;
    }
    input += (size_t)blocks << block_shift;
    output += (size_t)blocks << block_shift;
  }
  return STATUS_OK;
}

static uint64_t counter(uint32_t address) {
  return register_read(address) | (uint64_t)register_read(address + 4) << 32;
}

int main(void) {
  const struct workload *work = (const struct workload *)(uintptr_t)WORKLOAD_ADDRESS;
  volatile struct result *result = (volatile struct result *)(uintptr_t)RESULT_ADDRESS;
  uint32_t worst = 0;
  uint32_t setup = 0;
  enum status status = well_formed(work) ? STATUS_OK : STATUS_BAD_WORKLOAD;
  if (status == STATUS_OK && !(work->flags & WORKLOAD_KEY_EACH)) {
    status = set_key(work, (const uint32_t *)(uintptr_t)work->key_address, &setup);
  }
  if (status == STATUS_OK) {
    register_write(SYSTEM_MEASURE, 1);
    status = run_messages(work, &worst, &setup);
    register_write(SYSTEM_MEASURE, 0);
    result->cycles = counter(SYSTEM_CYCLES);
    result->processor = counter(SYSTEM_PROCESSOR);
    result->bus = counter(SYSTEM_BUS);
    result->accelerator = counter(SYSTEM_ACCELERATOR);
    result->instructions = counter(SYSTEM_INSTRUCTIONS);
    result->transactions = counter(SYSTEM_TRANSACTIONS);
    result->worst_message_cycles = worst;
    result->key_setup_cycles = setup;
  }
  partition_zeroise();
  zeroise(&cached, sizeof cached);
  result->status = status;
  return (int)status;
}
