// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the accelerator with elliptic curves and the DMA engine (hw/accel, hw/dma). Results
// are those of ciphers/ecc.c. The host's addresses are longer than a register: a register's
// value stands for an address in the heap of the test.
#include "accel_registers.h"
#include "dma_registers.h"
#include "ecc.h"
#include "fake.h"
#include "soc.h"

#define FIELD(name) \
  ((configuration & ACCEL__CONFIGURATION__##name##_bm) >> ACCEL__CONFIGURATION__##name##_bp)

static const struct ecc_curve *const curves[] = {&ecc_p256, &ecc_p384, &ecc_p521};
static const unsigned operands_of[] = {1, 1, 3, 5, 3}, results_of[] = {3, 2, 2, 0, 1};
static uint32_t configuration, length, source, destination, flags;
static const uint8_t *operands;
static uint8_t *results;
static unsigned outcome, sweep = 3; // polls until a sweep is over
static int inside, ended, idle, stuck; // stuck: a transfer waits for results that do not come

static void *in_heap(uint32_t address) {
  static void *any; // one allocation, to see where the heap is
  if (any == NULL) {
    any = malloc(1);
  }
  return (void *)(((uintptr_t)any & ~(uintptr_t)0xFFFFFFFF) | address);
}

static const struct ecc_curve *curve(void) {
  if (FIELD(CURVE) > 2 || FIELD(OPERATION) > ECC_AGREE) {
    broken("an operation or curve that is not there", configuration);
  }
  return curves[FIELD(CURVE)];
}

static void complete(void) {
  if (operands == NULL || (results_of[FIELD(OPERATION)] != 0 && results == NULL)) {
    return;
  }
  outcome = ecc_run(curve(), (enum ecc_operation)FIELD(OPERATION), operands, results);
  stuck = outcome != ECC_GOOD && results != NULL;
  inside = 0;
  ended = 1;
  sweep = 3;
}

static void control(uint32_t value) {
  if (value & ACCEL__CONTROL__START_bm) {
    if (inside || ended || stuck || sweep != 0 ||
        length != operands_of[FIELD(OPERATION)] * curve()->bytes) {
      broken("a start out of turn, or of another length", length);
    }
    operands = NULL;
    results = NULL;
    inside = 1;
  } else {
    inside = 0; // abort, zeroise
    sweep = 3;
  }
}

static void transfer(uint32_t bytes) {
  unsigned given = results_of[FIELD(OPERATION)] * curve()->bytes;
  if (!inside || !(flags & DMA__FLAGS__MESSAGE_END_bm)) {
    broken("a transfer out of turn", bytes);
  }
  if (operands == NULL) {
    if (bytes != length || !(flags & DMA__FLAGS__READ_bm) || (flags & DMA__FLAGS__WRITE_bm)) {
      broken("operands of another length", bytes);
    }
    operands = in_heap(source);
  } else {
    if (bytes != given || !(flags & DMA__FLAGS__WRITE_bm) || (flags & DMA__FLAGS__READ_bm)) {
      broken("results of another length", bytes);
    }
    results = in_heap(destination);
  }
  complete();
}

void register_write(uint32_t address, uint32_t value) {
  switch (address) {
    case SOC_ACCELERATOR_CONFIGURATION:
      configuration = value;
      return;
    case SOC_ACCELERATOR_CONTROL:
      control(value);
      return;
    case SOC_ACCELERATOR_MESSAGE_LENGTH_LOW:
      length = value;
      return;
    case SOC_DMA_SOURCE:
      source = value;
      return;
    case SOC_DMA_DESTINATION:
      destination = value;
      return;
    case SOC_DMA_FLAGS:
      flags = value;
      return;
    case SOC_DMA_LENGTH:
      transfer(value);
      return;
    case SOC_DMA_CONTROL:
      stuck = 0; // abort
      return;
    case SOC_ACCELERATOR_INTERRUPT_STATE:
      ended = 0;
      return;
    case SOC_SYSTEM_IDLE:
      idle = (int)value;
      return;
    case SOC_ACCELERATOR_ERROR:
    case SOC_ACCELERATOR_INTERRUPT_ENABLE:
    case SOC_DMA_ERROR:
    case SOC_DMA_INTERRUPT_STATE:
    case SOC_DMA_INTERRUPT_ENABLE:
      return;
    default:
      broken("a write to a register that it needs not", address);
  }
}

uint32_t register_read(uint32_t address) {
  switch (address) {
    case SOC_ACCELERATOR_IDENTIFICATION:
      return ACCEL__IDENTIFICATION__MAGIC_reset;
    case SOC_DMA_IDENTIFICATION:
      return DMA__IDENTIFICATION__MAGIC_reset;
    case SOC_ACCELERATOR_CAPABILITY:
      return ACCEL__CAPABILITY__ALGORITHM__ECC << ACCEL__CAPABILITY__ALGORITHM_bp |
             ACCEL__CAPABILITY__P_256_bm | ACCEL__CAPABILITY__P_384_bm |
             ACCEL__CAPABILITY__P_521_bm;
    case SOC_ACCELERATOR_STATUS:
      if (sweep != 0) {
        sweep--;
        return ACCEL__STATUS__BUSY_bm | ACCEL__STATUS__ZEROISING_bm;
      }
      return outcome << ACCEL__STATUS__OUTCOME_bp;
    case SOC_ACCELERATOR_INTERRUPT_STATE:
      return ACCEL__INTERRUPT_STATE__DONE_bm * (uint32_t)ended;
    case SOC_DMA_STATUS:
      if (stuck) {
        broken("a wait for a transfer that does not end", 0);
      }
      return 0;
    case SOC_SYSTEM_INTERRUPT_PENDING:
      if (idle && !ended) {
        broken("a wait for a message that does not end", 0);
      }
      return ended ? SOC_SYSTEM__INTERRUPT_PENDING__ACCELERATOR_bm : 0;
    default:
      broken("a read of a register that it needs not", address);
  }
}
