// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The program of every measurement on elliptic curves: runs the operations of the workload
// through the partition and reports their cycles.
#include "program.h"

static int well_formed_operations(const struct workload *work) {
  uint32_t places =
      work->input_address | work->output_address | work->input_stride | work->output_stride;
  return work->magic == WORKLOAD_MAGIC && (places & 3) == 0;
}

static enum status run_operations(const struct workload *work, uint32_t *worst) {
  const uint32_t *operands = (const uint32_t *)(uintptr_t)work->input_address;
  uint32_t *results = (uint32_t *)(uintptr_t)work->output_address;
  uint32_t slowest = 0;
  uint32_t begin = cycles();
  for (unsigned left = work->messages; left != 0; left--) {
    if (partition_operate((enum workload_operation)work->operation, work->key_bits, operands,
                          work->message_bytes, results) != PARTITION_OK) {
      return STATUS_PROCESS_FAILED;
    }
    operands += work->input_stride / 4;
    results += work->output_stride / 4;
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
  enum status status = well_formed_operations(work) ? STATUS_OK : STATUS_BAD_WORKLOAD;
  if (status == STATUS_OK) {
    register_write(SOC_SYSTEM_MEASURE, 1);
    status = run_operations(work, &worst);
    register_write(SOC_SYSTEM_MEASURE, 0);
    store_counters(result);
    result->worst_message_cycles = worst;
  }
  partition_zeroise();
  result->status = status;
  return (int)status;
}
