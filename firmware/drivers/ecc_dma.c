// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma: the accelerator fetches the operands and stores the results itself. The
// processor starts the accelerator and the transfers, and is free until the interrupt.
#include "ecc_request.h"
#include "message_dma.h"

#define CURVES \
  (ACCEL__CAPABILITY__P_256_bm | ACCEL__CAPABILITY__P_384_bm | ACCEL__CAPABILITY__P_521_bm)

int partition_operate(enum workload_operation operation, unsigned curve_bits,
                      const uint32_t *operands, size_t bytes, uint32_t *results) {
  struct ecc_request request;
  if (!ecc_find(operation, curve_bits, bytes, &request)) {
    return PARTITION_OPERANDS;
  }
  if (!accelerator_has(ACCEL__CAPABILITY__ALGORITHM_bm | CURVES, ALGORITHM(ECC) | CURVES)) {
    return PARTITION_HARDWARE;
  }
  register_write(SOC_ACCELERATOR_CONFIGURATION,
                 request.operation << ACCEL__CONFIGURATION__OPERATION_bp |
                     request.curve << ACCEL__CONFIGURATION__CURVE_bp);
  register_write(SOC_ACCELERATOR_MESSAGE_LENGTH_LOW, bytes);
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__START_bm);
  transfer(READ, operands, NULL, bytes);
  transfer(WRITE, NULL, results, request.result_bytes);
  int error = wait_for_accelerator();
  if (error != PARTITION_OK) {
    return error;
  }
  uint32_t status;
  do {
    status = register_read(SOC_ACCELERATOR_STATUS);
  } while (status & ACCEL__STATUS__BUSY_bm); // the sweep after an operation
  unsigned outcome = (status & ACCEL__STATUS__OUTCOME_bm) >> ACCEL__STATUS__OUTCOME_bp;
  if (outcome != ECC_OUTCOME(GOOD) && request.result_bytes != 0) {
    dma_recover(); // no results come, for which a transfer waits
    return PARTITION_OPERANDS;
  }
  error = wait_for_transfers();
  return error == PARTITION_OK ? ecc_end(operation, outcome, results) : error;
}

void partition_zeroise(void) {
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__ZEROISE_bm);
  while (register_read(SOC_ACCELERATOR_STATUS) & ACCEL__STATUS__ZEROISING_bm) {
    // A start before the end of the sweep would be refused.
  }
}
