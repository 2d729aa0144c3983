// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: elliptic curves by the processor alone, in constant time.
#include "ecc.h"
#include "ecc_request.h"

int partition_operate(enum workload_operation operation, unsigned curve_bits,
                      const uint32_t *operands, size_t bytes, uint32_t *results) {
  static const struct ecc_curve *const curves[] = {&ecc_p256, &ecc_p384, &ecc_p521};
  struct ecc_request request;
  if (!ecc_find(operation, curve_bits, bytes, &request)) {
    return PARTITION_OPERANDS;
  }
  unsigned outcome = ecc_run(curves[request.curve], (enum ecc_operation)request.operation,
                             (const uint8_t *)operands, (uint8_t *)results);
  return ecc_end(operation, outcome, results);
}

void partition_zeroise(void) {} // nothing stays
