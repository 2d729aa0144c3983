// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What the partitions of elliptic curves share: the numbers of an operation and its curve, and
// what an outcome means. The numbers of operations, curves and outcomes are the
// same in software (ciphers/ecc.h), coprocessor and accelerator.
#ifndef CIPHERMILL_ECC_REQUEST_H
#define CIPHERMILL_ECC_REQUEST_H

#include "coprocessor_ecc_registers.h"
#include "partition.h"

#define ECC_OPERATION(name) COPROCESSOR_ECC__OPERATION__OPERATION__##name
#define ECC_OUTCOME(name) COPROCESSOR_ECC__STATUS__OUTCOME__##name

struct ecc_request {
  unsigned operation, curve;
  size_t result_bytes;
};

static const struct {
  uint8_t number, operands, results; // integers in and out
} ecc_operations[] = {
    [OPERATION_GENERATE_KEY - OPERATION_GENERATE_KEY] = {ECC_OPERATION(GENERATE), 1, 3},
    [OPERATION_SIGN - OPERATION_GENERATE_KEY] = {ECC_OPERATION(SIGN), 3, 2},
    [OPERATION_VERIFY - OPERATION_GENERATE_KEY] = {ECC_OPERATION(VERIFY), 5, 0},
    [OPERATION_AGREE - OPERATION_GENERATE_KEY] = {ECC_OPERATION(AGREE), 3, 1},
};

// Returns whether there is such an operation and curve, with operands of so many bytes.
static inline int ecc_find(enum workload_operation operation, unsigned curve_bits, size_t bytes,
                           struct ecc_request *request) {
  static const uint16_t curves[][2] = {{256, 32}, {384, 48}, {521, 66}}; // bits, bytes
  if (operation < OPERATION_GENERATE_KEY || operation > OPERATION_AGREE) {
    return 0;
  }
  unsigned index = (unsigned)operation - OPERATION_GENERATE_KEY;
  for (unsigned curve = 0; curve < sizeof curves / sizeof curves[0]; curve++) {
    size_t size = curves[curve][1];
    if (curves[curve][0] == curve_bits && bytes == size * ecc_operations[index].operands) {
      request->operation = ecc_operations[index].number;
      request->curve = curve;
      request->result_bytes = size * ecc_operations[index].results;
      return 1;
    }
  }
  return 0;
}

// Returns what an outcome means, and writes the verdict of a verification.
static inline int ecc_end(enum workload_operation operation, unsigned outcome,
                          uint32_t *results) {
  if (operation == OPERATION_VERIFY &&
      (outcome == ECC_OUTCOME(GOOD) || outcome == ECC_OUTCOME(INVALID))) {
    *results = outcome == ECC_OUTCOME(GOOD);
    return PARTITION_OK;
  }
  return outcome == ECC_OUTCOME(GOOD) ? PARTITION_OK : PARTITION_OPERANDS;
}

#endif
