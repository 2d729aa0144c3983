// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The program of every measurement of a block cipher: runs the messages of the workload
// through the partition and reports their cycles.
#include <stddef.h>

#include "key.h"

// The messages, all with the key that is in place, or each with one sent for it. One look
// at the timer a message: where one ends the next begins.
static enum status run_messages(const struct workload *work, uint32_t *worst) {
  const uint32_t *key = (const uint32_t *)(uintptr_t)work->key_address;
  const uint32_t *input = (const uint32_t *)(uintptr_t)work->input_address;
  uint32_t *output = (uint32_t *)(uintptr_t)work->output_address;
  unsigned blocks = work->blocks_per_message;
  size_t message_words = (size_t)blocks << BLOCK_SHIFT_OF(work->algorithm);
  size_t key_words = work->key_stride / 4;
  uint32_t key_each = work->flags & WORKLOAD_KEY_EACH;
  int decrypt = work->operation != OPERATION_ENCRYPT;
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
                                     work->messages, work->operation != OPERATION_ENCRYPT);
  return error == PARTITION_OK ? STATUS_OK : STATUS_PROCESS_FAILED;
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
