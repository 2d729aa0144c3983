// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The program of every measurement of an algorithm that takes messages of any length: runs
// those of the workload through the partition and reports their cycles.
#include "key.h"

#define NONCE_WORDS 4

static uint32_t words(uint32_t bytes) { return (bytes + 3) / 4; }

static int well_formed_messages(const struct workload *work) {
  uint32_t places = work->key_address | work->input_address | work->output_address |
                    work->nonce_address | work->associated_address | work->key_stride |
                    work->input_stride | work->output_stride;
  return work->magic == WORKLOAD_MAGIC && work->operation <= OPERATION_AUTHENTICATE &&
         work->key_bits <= 32 * KEY_WORDS && (places & 3) == 0;
}

static enum status run_messages(const struct workload *work, uint32_t *worst) {
  const uint32_t *key = (const uint32_t *)(uintptr_t)work->key_address;
  uint32_t *input = (uint32_t *)(uintptr_t)work->input_address;
  int digest = work->operation == OPERATION_DIGEST;
  int decrypt = work->operation == OPERATION_DECRYPT;
  struct partition_message message = {
      .nonce = (const uint32_t *)(uintptr_t)work->nonce_address,
      .associated = (const uint32_t *)(uintptr_t)work->associated_address,
      .associated_bytes = work->associated_bytes,
      .input = input,
      .bytes = work->message_bytes,
      .output = (uint32_t *)(uintptr_t)work->output_address,
  };
  uint32_t slowest = 0;
  uint32_t begin = cycles();
  for (unsigned left = work->messages; left != 0; left--) {
    if (!digest && (work->flags & WORKLOAD_KEY_EACH) != 0) {
      enum status status = set_key(work, key);
      if (status != STATUS_OK) {
        return status;
      }
      key += work->key_stride / 4;
    }
    message.tag = (decrypt ? input : message.output) + words(work->message_bytes);
    if (partition_run((enum workload_operation)work->operation, &message) != PARTITION_OK) {
      return STATUS_PROCESS_FAILED;
    }
    message.nonce += NONCE_WORDS;
    message.associated += words(work->associated_bytes);
    input += work->input_stride / 4;
    message.input = input;
    message.output += work->output_stride / 4;
    uint32_t now = cycles();
    slowest = now - begin > slowest ? now - begin : slowest;
    begin = now;
  }
  *worst = slowest;
  return STATUS_OK;
}

int main(void) {
  const struct workload *work = the_workload();
  volatile struct result *result = the_result();
  uint32_t worst = 0;
  uint32_t setup = 0;
  enum status status = well_formed_messages(work) ? STATUS_OK : STATUS_BAD_WORKLOAD;
  if (status == STATUS_OK && work->operation != OPERATION_DIGEST) {
    status = first_key(work, &setup);
  }
  if (status == STATUS_OK) {
    register_write(SOC_SYSTEM_MEASURE, 1);
    status = run_messages(work, &worst);
    register_write(SOC_SYSTEM_MEASURE, 0);
    store_counters(result);
    result->worst_message_cycles = worst;
    result->key_setup_cycles = setup;
  }
  partition_zeroise();
  zeroise(&cached, sizeof cached);
  result->status = status;
  return (int)status;
}
