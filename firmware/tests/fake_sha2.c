// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the SHA-2 coprocessor (hw/coprocessor, "SHA-2 coprocessor"). Digests are those of
// ciphers/sha2.c.
#include "coprocessor.h"
#include "fake.h"
#include "sha2.h"

#define BLOCK_BYTES 16

static const struct sha2_function *const functions[] = {&sha224, &sha256,     &sha384,
                                                        &sha512, &sha512_224, &sha512_256};
static struct sha2 state;
static uint32_t block[4];
static unsigned block_written; // a bit a word
static uint32_t function, bytes, left;
static int inside; // takes blocks
static uint8_t out[SHA2_MAXIMUM_DIGEST_BYTES];
static unsigned out_left;

static void complete(void) {
  if (left == 0) {
    out_left = functions[function]->digest_bytes;
    memset(out, 0, sizeof out);
    sha2_end(&state, out);
    inside = 0;
  }
}

static void start(void) {
  if (inside || out_left != 0 || function >= sizeof functions / sizeof functions[0]) {
    broken("a start out of turn", function);
  }
  sha2_begin(&state, functions[function]);
  inside = 1;
  left = bytes;
  complete();
}

static void push(void) {
  if (!inside || block_written != 15) {
    broken("a block out of turn, or without all of its words", block_written);
  }
  uint32_t taken = left < BLOCK_BYTES ? left : BLOCK_BYTES;
  block_written = 0;
  sha2_add(&state, (const uint8_t *)block, taken);
  left -= taken;
  complete();
}

void register_write(uint32_t address, uint32_t value) {
  uint32_t word = address >> 2 & 3;
  if (address >= SHA2(DATA_IN) && address < SHA2(DATA_OUT)) {
    block[word] = value;
    block_written |= 1u << word;
    if (word == 3) {
      push();
    }
  } else if (address == SHA2(MESSAGE)) {
    function = value;
  } else if (address == SHA2(MESSAGE_BYTES)) {
    bytes = value;
  } else if (address == SHA2(CONTROL) && value == COPROCESSOR_SHA2__CONTROL__START_bm) {
    start();
  } else if (address == SHA2(CONTROL) && value == COPROCESSOR_SHA2__CONTROL__ZEROISE_bm) {
    inside = 0;
    out_left = 0;
  } else {
    broken("a write to no register", address);
  }
}

uint32_t register_read(uint32_t address) {
  if (address == SHA2(IDENTIFICATION)) {
    return COPROCESSOR_SHA2__IDENTIFICATION__MAGIC_reset;
  }
  if (address == SHA2(CAPABILITY)) {
    return COPROCESSOR_SHA2__CAPABILITY__FUNCTIONS_bm;
  }
  if (address == SHA2(ERROR)) {
    return 0;
  }
  if (address < SHA2(DATA_OUT) || out_left == 0) {
    broken("a read of nothing", address);
  }
  uint32_t value;
  memcpy(&value, out + (address & 12), sizeof value);
  if ((address & 12) == 12) {
    memmove(out, out + BLOCK_BYTES, sizeof out - BLOCK_BYTES);
    out_left -= out_left < BLOCK_BYTES ? out_left : BLOCK_BYTES;
  }
  return value;
}
