// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Common to the programs: the workload, and the counters of a measured region.
#ifndef CIPHERMILL_PROGRAM_H
#define CIPHERMILL_PROGRAM_H

#include "partition.h"
#include "soc.h"
#include "workload.h"

static inline const struct workload *the_workload(void) {
  return (const struct workload *)(uintptr_t)WORKLOAD_ADDRESS;
}

static inline volatile struct result *the_result(void) {
  return (volatile struct result *)(uintptr_t)RESULT_ADDRESS;
}

// Whether the linked partition of a block cipher can run the workload.
static inline int well_formed(const struct workload *work) {
  unsigned words = BLOCK_WORDS_OF(work->algorithm);
  uint32_t addresses = work->key_address | work->input_address | work->output_address;
  return work->magic == WORKLOAD_MAGIC && IS_BLOCK_CIPHER(work->algorithm) &&
         words == partition_block_words && work->key_bits <= 256 &&
         ((addresses | work->key_stride) & 3) == 0 && work->blocks_per_message != 0;
}

static inline uint64_t counter(uint32_t address) {
  return register_read(address) | (uint64_t)register_read(address + 4) << 32;
}

// Copies the counters to the result, after the measured region.
static inline void store_counters(volatile struct result *result) {
  result->cycles = counter(SOC_SYSTEM_CYCLES_LOW);
  result->processor = counter(SOC_SYSTEM_PROCESSOR_LOW);
  result->bus = counter(SOC_SYSTEM_BUS_LOW);
  result->accelerator = counter(SOC_SYSTEM_ACCELERATOR_LOW);
  result->instructions = counter(SOC_SYSTEM_INSTRUCTIONS_LOW);
  result->transactions = counter(SOC_SYSTEM_TRANSACTIONS_LOW);
}

#endif
