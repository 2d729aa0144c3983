// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the units for custom instructions (hw/coprocessor, "Instruction port").
// FAKE_LIMIT is the stream's number of blocks in flight.
#include "instructions.h"

#include "fake.h"

static const uint8_t forward_mix[4] = {2, 1, 1, 3};  // the column made of a byte in row 0
static const uint8_t inverse_mix[4] = {14, 9, 13, 11};

static uint8_t times(uint8_t value, unsigned factor) {
  unsigned product = 0;
  for (unsigned shifted = value; factor != 0; factor >>= 1, shifted <<= 1) {
    shifted ^= shifted & 0x100 ? 0x11B : 0;
    product ^= factor & 1 ? shifted : 0;
  }
  return (uint8_t)product;
}

// A byte in a row, substituted and, unless final, mixed into its column.
static uint32_t contribution(uint8_t byte, unsigned row, int decrypt, int final) {
  uint8_t value = 0;
  if (decrypt) {
    while ((uint8_t)aes_substitute_by_table(value) != byte) {
      value++;
    }
  } else {
    value = (uint8_t)aes_substitute_by_table(byte);
  }
  uint32_t column = 0;
  for (unsigned index = 0; index < 4; index++) {
    uint8_t factor = final ? index == 0 : decrypt ? inverse_mix[index] : forward_mix[index];
    column |= (uint32_t)times(value, factor) << (8 * ((index + row) & 3));
  }
  return column;
}

static uint32_t zkn(unsigned function, uint32_t a, uint32_t b) {
  unsigned select = function >> 5 & 3;
  unsigned kind = function & 31;
  if (kind != ZKN_AES32ESI && kind != ZKN_AES32ESMI && kind != ZKN_AES32DSI &&
      kind != ZKN_AES32DSMI) {
    broken("no such function of Zkn", function);
  }
  int decrypt = kind == ZKN_AES32DSI || kind == ZKN_AES32DSMI;
  int final = kind == ZKN_AES32ESI || kind == ZKN_AES32DSI;
  return a ^ contribution((uint8_t)(b >> (8 * select)), select, decrypt, final);
}

static uint32_t column(unsigned function, uint32_t a, uint32_t b) {
  unsigned row = function & COLUMN_HALF ? 2 : 0;
  int decrypt = (function & COLUMN_DECRYPT) != 0;
  int final = (function & COLUMN_FINAL) != 0;
  return contribution((uint8_t)(a >> (8 * row)), row, decrypt, final) ^
         contribution((uint8_t)(b >> (8 * row + 8)), row + 1, decrypt, final);
}

static uint32_t block(unsigned function, uint32_t a, uint32_t b) {
  static struct core core = {.limit = 2};
  static uint32_t key[8];
  static uint32_t text[4];
  static unsigned key_pairs;
  static unsigned text_pairs;
  if (function < 0x0C) {
    unsigned size = function >> 2;
    unsigned pair = function & 3;
    if (pair != key_pairs++) {
      broken("pairs of a key out of order", function);
    }
    key[2 * pair] = a;
    key[2 * pair + 1] = b;
    if (pair == 1 + size) {
      core_key(&core, key, 128 + 64 * size, 0);
      key_pairs = 0;
    }
  } else if (function >= BLOCK_ENCRYPT && function < BLOCK_DECRYPT + 2) {
    unsigned pair = function & 1;
    if (pair != text_pairs++) {
      broken("pairs of a block out of order", function);
    }
    text[2 * pair] = a;
    text[2 * pair + 1] = b;
    if (pair == 1) {
      core_push(&core, text, (function & 2) != 0, 0);
      text_pairs = 0;
    }
  } else if (function >= BLOCK_GET && function < BLOCK_GET + 4) {
    uint32_t word = core_word(&core, function & 3);
    if ((function & 3) == 3) {
      core_pop(&core);
    }
    return word;
  } else if (function == BLOCK_ZEROISE) {
    core_clear(&core);
  } else if (function != BLOCK_STATUS) {
    broken("no such function of the block unit", function);
  }
  return 0;
}

static uint32_t stream(unsigned function, uint32_t a, uint32_t b) {
  static struct core core = {.limit = FAKE_LIMIT};
  static uint32_t control;
  static uint32_t key[8];
  static uint32_t text[4];
  static unsigned key_words;
  static unsigned text_words;
  static unsigned pulled;
  unsigned key_bits = 128 + 64 * (control >> COPROCESSOR__CONTROL__KEY_SIZE_bp & 3);
  switch (function) {
    case STREAM_PUSH:
      text[text_words++] = a;
      text[text_words++] = b;
      if (text_words == 4) {
        core_push(&core, text, control & COPROCESSOR__CONTROL__DECRYPT_bm, 0);
        text_words = 0;
      }
      return 0;
    case STREAM_PUSH_KEY:
      key[key_words++] = a;
      key[key_words++] = b;
      if (32 * key_words == key_bits) {
        core_key(&core, key, key_bits, 0);
        key_words = 0;
      }
      return 0;
    case STREAM_PULL: {
      uint32_t word = core_word(&core, pulled++);
      if (pulled == 4) {
        core_pop(&core);
        pulled = 0;
      }
      return word;
    }
    case STREAM_CONTROL:
      if (a & COPROCESSOR__CONTROL__ZEROISE_bm) {
        core_clear(&core);
      }
      control = a;
      key_words = text_words = 0;
      return 0;
    case STREAM_STATUS:
      return 0;
    default:
      broken("no such function of the stream", function);
  }
}

uint32_t custom_instruction(unsigned unit, unsigned function, uint32_t a, uint32_t b) {
  if (unit == UNIT_ZKN) {
    return zkn(function, a, b);
  }
  switch (unit) {
    case UNIT_COLUMN:
      return column(function, a, b);
    case UNIT_BLOCK:
      return block(function, a, b);
    case UNIT_STREAM:
      return stream(function, a, b);
    default:
      broken("no such unit", unit);
  }
}
