// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition iterative: elliptic curves in the coprocessor. The processor carries operands
// and results to and from the register window.
#include "coprocessor.h"
#include "ecc_request.h"
#include "push_blocks.h"

#define MASK(name) COPROCESSOR_ECC__##name##_bm

static int identified; // the coprocessor is the one

static int has_curve(unsigned curve) {
  if (!identified) {
    identified =
        register_read(ECC(IDENTIFICATION)) == COPROCESSOR_ECC__IDENTIFICATION__MAGIC_reset;
  }
  uint32_t curves = identified ? register_read(ECC(CAPABILITY)) & MASK(CAPABILITY__CURVES) : 0;
  return (curves >> COPROCESSOR_ECC__CAPABILITY__CURVES_bp >> curve & 1) != 0;
}

// Waits for a block of results, or for the end, and returns STATUS. The counters count it as
// waiting.
static uint32_t wait(void) {
  uint32_t status;
  register_write(SOC_SYSTEM_IDLE, 1);
  do {
    status = register_read(ECC(STATUS));
  } while ((status & (MASK(STATUS__AVAILABLE) | MASK(STATUS__ENDED))) == 0);
  register_write(SOC_SYSTEM_IDLE, 0);
  return status;
}

int partition_operate(enum workload_operation operation, unsigned curve_bits,
                      const uint32_t *operands, size_t bytes, uint32_t *results) {
  struct ecc_request request;
  if (!ecc_find(operation, curve_bits, bytes, &request)) {
    return PARTITION_OPERANDS;
  }
  if (!has_curve(request.curve)) {
    return PARTITION_HARDWARE;
  }
  register_write(ECC(OPERATION),
                 request.operation << COPROCESSOR_ECC__OPERATION__OPERATION_bp |
                     request.curve << COPROCESSOR_ECC__OPERATION__CURVE_bp);
  register_write(ECC(CONTROL), MASK(CONTROL__START));
  push_blocks(ECC(DATA_IN), operands, bytes);
  size_t words = (request.result_bytes + 3) / 4;
  uint32_t status = wait();
  for (size_t word = 0; status & MASK(STATUS__AVAILABLE); status = wait()) {
    for (unsigned index = 0; index < BLOCK_WORDS; index++, word++) {
      uint32_t read = register_read(ECC(DATA_OUT) + 4 * index);
      if (word < words) {
        results[word] = read;
      }
    }
  }
  if (register_read(ECC(ERROR)) != 0) {
    register_write(ECC(CONTROL), MASK(CONTROL__ZEROISE));
    return PARTITION_HARDWARE;
  }
  unsigned outcome = (status & MASK(STATUS__OUTCOME)) >> COPROCESSOR_ECC__STATUS__OUTCOME_bp;
  return ecc_end(operation, outcome, results);
}

void partition_zeroise(void) { register_write(ECC(CONTROL), MASK(CONTROL__ZEROISE)); }
