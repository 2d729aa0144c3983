// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the ECC coprocessor (hw/coprocessor, "ECC coprocessor"). Results are those of
// ciphers/ecc.c.
#include "coprocessor.h"
#include "ecc.h"
#include "fake.h"

#define BLOCK_BYTES 16
#define MOST_BYTES (5 * ECC_MAXIMUM_BYTES + BLOCK_BYTES)
#define FIELD(value, name) \
  (((value) & COPROCESSOR_ECC__##name##_bm) >> COPROCESSOR_ECC__##name##_bp)

static const struct ecc_curve *const curves[] = {&ecc_p256, &ecc_p384, &ecc_p521};
static const unsigned operands_of[] = {1, 1, 3, 5, 3}, results_of[] = {3, 2, 2, 0, 1};
static uint32_t operation, block[4];
static unsigned block_written; // a bit a word
static uint8_t in[MOST_BYTES], out[MOST_BYTES];
static unsigned wanted, taken, out_left, polls, outcome;
static int inside, ended, idle;

static void start(void) {
  unsigned curve = FIELD(operation, OPERATION__CURVE);
  unsigned number = FIELD(operation, OPERATION__OPERATION);
  if (inside || out_left != 0 || curve > 2 || number > ECC_AGREE) {
    broken("a start out of turn", operation);
  }
  inside = 1;
  ended = 0;
  taken = 0;
  wanted = operands_of[number] * curves[curve]->bytes;
}

static void push(void) {
  if (!inside || taken >= wanted || block_written != 15) {
    broken("a block out of turn, or without all of its words", block_written);
  }
  memcpy(in + taken, block, BLOCK_BYTES);
  block_written = 0;
  taken += BLOCK_BYTES;
  if (taken >= wanted) {
    const struct ecc_curve *curve = curves[FIELD(operation, OPERATION__CURVE)];
    unsigned number = FIELD(operation, OPERATION__OPERATION);
    memset(out, 0, sizeof out);
    outcome = ecc_run(curve, (enum ecc_operation)number, in, out);
    out_left = outcome == ECC_GOOD ? results_of[number] * curve->bytes : 0;
    polls = 3;
  }
}

static uint32_t status(void) {
  if (!idle) {
    broken("a poll that the counters do not count as waiting", 0);
  }
  if (inside && taken >= wanted && polls != 0 && --polls == 0 && out_left == 0) {
    inside = 0;
    ended = 1;
  }
  if (polls != 0 || (inside && taken < wanted)) {
    return COPROCESSOR_ECC__STATUS__BUSY_bm;
  }
  return out_left != 0 ? COPROCESSOR_ECC__STATUS__AVAILABLE_bm
                       : COPROCESSOR_ECC__STATUS__ENDED_bm * (uint32_t)ended |
                             outcome << COPROCESSOR_ECC__STATUS__OUTCOME_bp;
}

void register_write(uint32_t address, uint32_t value) {
  uint32_t word = address >> 2 & 3;
  if (address >= ECC(DATA_IN) && address < ECC(DATA_OUT)) {
    block[word] = value;
    block_written |= 1u << word;
    if (word == 3) {
      push();
    }
  } else if (address == ECC(OPERATION)) {
    operation = value;
  } else if (address == ECC(CONTROL) && value == COPROCESSOR_ECC__CONTROL__START_bm) {
    start();
  } else if (address == ECC(CONTROL) && value == COPROCESSOR_ECC__CONTROL__ZEROISE_bm) {
    inside = ended = 0;
    out_left = 0;
  } else if (address == SOC_SYSTEM_IDLE) {
    idle = (int)value;
  } else {
    broken("a write to no register", address);
  }
}

uint32_t register_read(uint32_t address) {
  if (address == ECC(IDENTIFICATION)) {
    return COPROCESSOR_ECC__IDENTIFICATION__MAGIC_reset;
  }
  if (address == ECC(CAPABILITY)) {
    return COPROCESSOR_ECC__CAPABILITY__CURVES_bm;
  }
  if (address == ECC(ERROR)) {
    return 0;
  }
  if (address == ECC(STATUS)) {
    return status();
  }
  if (address < ECC(DATA_OUT) || out_left == 0 || polls != 0) {
    broken("a read of nothing", address);
  }
  uint32_t value;
  memcpy(&value, out + (address & 12), sizeof value);
  if ((address & 12) == 12) {
    memmove(out, out + BLOCK_BYTES, sizeof out - BLOCK_BYTES);
    out_left -= out_left < BLOCK_BYTES ? out_left : BLOCK_BYTES;
    polls = 2;
  }
  return value;
}
