// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The program of every measurement: runs the messages of the workload through
// the partition and reports what they cost.
#include <stddef.h>

#include "program.h"
#include "zeroise.h"

#define KEY_WORDS 8 // the longest key, 256 bits

// The key that is in place, for key caching.
static struct {
  uint32_t words[KEY_WORDS];
  unsigned bits; // 0: none
} cached;

// Constant time: looks at every word whatever they hold. What follows an 80-bit key in its
// last word counts too: where that differs the key is only sent once more.
static int same_key(const uint32_t *key, unsigned bits) {
  const uint32_t *held = cached.words;
  uint32_t difference = bits ^ cached.bits;
  difference |= (key[0] ^ held[0]) | (key[1] ^ held[1]) | (key[2] ^ held[2]);
  if (bits > 96) {
    difference |= key[3] ^ held[3];
  }
  if (bits > 128) {
    difference |= (key[4] ^ held[4]) | (key[5] ^ held[5]);
  }
  if (bits > 192) {
    difference |= (key[6] ^ held[6]) | (key[7] ^ held[7]);
  }
  return difference == 0;
}

// Sends the key, unless caching is on and it is in place.
static enum status set_key(const struct workload *work, const uint32_t *key) {
  uint32_t caching = work->flags & WORKLOAD_KEY_CACHING;
  if (caching && same_key(key, work->key_bits)) {
    return STATUS_OK;
  }
  cached.bits = 0;
  if (partition_set_key(key, work->key_bits, work->decrypt != 0) != PARTITION_OK) {
    return STATUS_KEY_REFUSED;
  }
  if (caching) {
    for (unsigned word = 0; word < (work->key_bits + 31) / 32; word++) {
      cached.words[word] = key[word];
    }
    cached.bits = work->key_bits;
  }
  return STATUS_OK;
}

// The messages, all with the key that is in place, or each with one sent for it. One look
// at the timer a message: where one ends the next begins.
static enum status run_messages(const struct workload *work, uint32_t *worst) {
  const uint32_t *key = (const uint32_t *)(uintptr_t)work->key_address;
  const uint32_t *input = (const uint32_t *)(uintptr_t)work->input_address;
  uint32_t *output = (uint32_t *)(uintptr_t)work->output_address;
  unsigned blocks = work->blocks_per_message;
  size_t message_words = (size_t)blocks << (work->cipher == CIPHER_PRESENT ? 1 : 2);
  size_t key_words = work->key_stride / 4;
  uint32_t key_each = work->flags & WORKLOAD_KEY_EACH;
  int decrypt = work->decrypt != 0;
  uint32_t slowest = 0;
  uint32_t begin = cycles();
  for (unsigned left = work->messages; left != 0; left--) {
    if (key_each) {
      enum status status = set_key(work, key);
      if (status != STATUS_OK) {
        return status;
      }
      key += key_words;
    }
    if (partition_process(input, output, blocks, decrypt) != PARTITION_OK) {
      return STATUS_PROCESS_FAILED;
    }
    input += message_words;
    output += message_words;
    uint32_t now = cycles();
    slowest = now - begin > slowest ? now - begin : slowest;
    begin = now;
  }
  *worst = slowest;
  return STATUS_OK;
}

// Whether the messages are single blocks with a key each, so that a partition may overlap
// them.
static int overlapping(const struct workload *work) {
  return work->blocks_per_message == 1 && work->messages != 0 &&
         (work->flags & (WORKLOAD_KEY_EACH | WORKLOAD_KEY_CACHING)) == WORKLOAD_KEY_EACH;
}

static enum status run_overlapping(const struct workload *work) {
  const uint32_t *key = (const uint32_t *)(uintptr_t)work->key_address;
  const uint32_t *input = (const uint32_t *)(uintptr_t)work->input_address;
  uint32_t *output = (uint32_t *)(uintptr_t)work->output_address;
  int error = partition_process_each(key, work->key_stride / 4, work->key_bits, input, output,
                                     work->messages, work->decrypt != 0);
  return error == PARTITION_OK ? STATUS_OK : STATUS_PROCESS_FAILED;
}

// Sets the first key before the measured region: every partition's key is set once where
// the workload sends none, and else this finds out what it costs and readies the hardware.
static enum status first_key(const struct workload *work, uint32_t *taken) {
  uint32_t begin = cycles();
  enum status status = set_key(work, (const uint32_t *)(uintptr_t)work->key_address);
  *taken = cycles() - begin;
  if (work->flags & WORKLOAD_KEY_EACH) {
    zeroise(&cached, sizeof cached); // the measured region sends it again
  }
  return status;
}

int main(void) {
  const struct workload *work = the_workload();
  volatile struct result *result = the_result();
  uint32_t worst = 0;
  uint32_t setup = 0;
  enum status status = well_formed(work) ? first_key(work, &setup) : STATUS_BAD_WORKLOAD;
  if (status == STATUS_OK) {
    int overlap = overlapping(work);
    register_write(SOC_SYSTEM_MEASURE, 1);
    status = overlap ? run_overlapping(work) : run_messages(work, &worst);
    register_write(SOC_SYSTEM_MEASURE, 0);
    store_counters(result);
    if (overlap && status == STATUS_OK) {
      status = run_messages(work, &worst); // once more, one at a time, for the slowest
    }
    result->worst_message_cycles = worst;
    result->key_setup_cycles = setup;
  }
  partition_zeroise();
  zeroise(&cached, sizeof cached);
  result->status = status;
  return (int)status;
}
