// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the block coprocessors (hw/coprocessor, "Registers of the block
// coprocessors"). FAKE_KIND is the kind in IDENTIFICATION, FAKE_LIMIT the blocks in flight.
#include "coprocessor.h"
#include "fake.h"

#define PRESENT (FAKE_KIND >= COPROCESSOR__IDENTIFICATION__KIND__PRESENT_ITERATIVE)
#define ONE_ROUND                               \
  (FAKE_KIND == COPROCESSOR__IDENTIFICATION__KIND__ROUND || \
   FAKE_KIND == COPROCESSOR__IDENTIFICATION__KIND__LINEAR_LAYER)
#define WORDS (PRESENT ? 2u : 4u)

static struct core core = {.limit = FAKE_LIMIT};
static uint32_t control;
static uint32_t key[8];
static unsigned key_written; // a bit a word
static uint32_t text[4];
static unsigned text_written;
static unsigned key_loaded; // for one round

static uint8_t inverse_of(uint8_t value) {
  for (unsigned guess = 0;; guess++) {
    if ((aes_substitute_by_table(guess) & 0xFF) == value) {
      return (uint8_t)guess;
    }
  }
}

static uint8_t times(uint8_t value, unsigned factor) {
  unsigned product = 0;
  for (unsigned shifted = value; factor != 0; factor >>= 1, shifted <<= 1) {
    shifted ^= shifted & 0x100 ? 0x11B : 0;
    product ^= factor & 1 ? shifted : 0;
  }
  return (uint8_t)product;
}

static void mix(uint8_t *state, const unsigned *row) {
  for (uint8_t *column = state; column < state + 16; column += 4) {
    uint8_t before[4];
    memcpy(before, column, 4);
    for (unsigned index = 0; index < 4; index++) {
      column[index] = 0;
      for (unsigned other = 0; other < 4; other++) {
        column[index] ^= times(before[other], row[(other - index) & 3]);
      }
    }
  }
}

// ShiftRows, SubBytes (round only), and then, in this order: MixColumns and AddRoundKey,
// or AddRoundKey and InvMixColumns.
static void one_round(const uint32_t *block, uint32_t *result) {
  static const unsigned forward[4] = {2, 3, 1, 1};
  static const unsigned inverse[4] = {14, 11, 13, 9};
  const uint8_t *from = (const uint8_t *)block;
  uint8_t *state = (uint8_t *)result;
  int decrypt = control & COPROCESSOR__CONTROL__DECRYPT_bm;
  int final = control & COPROCESSOR__CONTROL__FINAL_ROUND_bm;
  for (unsigned index = 0; index < 16; index++) {
    unsigned shift = 4 * (index & 3);
    uint8_t value = from[(decrypt ? index - shift : index + shift) & 15];
    if (FAKE_KIND == COPROCESSOR__IDENTIFICATION__KIND__ROUND) {
      value = decrypt ? inverse_of(value) : (uint8_t)aes_substitute_by_table(value);
    }
    state[index] = value;
  }
  if (!decrypt && !final) {
    mix(state, forward);
  }
  for (unsigned word = 0; word < 4; word++) {
    result[word] ^= key[word];
  }
  if (decrypt && !final) {
    mix(state, inverse);
  }
}

static void push(void) {
  if (text_written != (1u << WORDS) - 1) {
    broken("a push without all words of the block", text_written);
  }
  text_written = 0;
  if (!ONE_ROUND) {
    core_push(&core, text, control & COPROCESSOR__CONTROL__DECRYPT_bm, PRESENT);
  } else if (!key_loaded || core.count == core.limit) {
    broken("a block without a key or above the limit", key_loaded);
  } else {
    one_round(text, core.results[core.count++]);
  }
}

static void write_key(unsigned word, uint32_t value) {
  unsigned size = control >> COPROCESSOR__CONTROL__KEY_SIZE_bp & 3;
  unsigned bits = PRESENT ? (size ? 128 : 80) : ONE_ROUND ? 128 : 128 + 64 * size;
  unsigned words = (bits + 31) / 32;
  if (word >= words) {
    broken("a word beyond the key", word);
  }
  key[word] = value;
  key_written |= 1u << word;
  if (word == words - 1) {
    if (key_written != (1u << words) - 1) {
      broken("a key without all its words", key_written);
    }
    key_written = 0;
    key_loaded = 1;
    if (!ONE_ROUND) {
      core_key(&core, key, bits, PRESENT);
      memset(key, 0, sizeof key);
    }
  }
}

void register_write(uint32_t address, uint32_t value) {
  if (address == SOC_COPROCESSOR_CONTROL) {
    if (value & COPROCESSOR__CONTROL__ZEROISE_bm) {
      core_clear(&core);
      memset(key, 0, sizeof key);
      key_loaded = key_written = text_written = 0;
    }
    control = value & 0xF;
    if (control & COPROCESSOR__CONTROL__FINAL_ROUND_bm && !ONE_ROUND) {
      broken("a final round that is not for this kind", value);
    }
  } else if (address >= SOC_COPROCESSOR_KEY && address < SOC_COPROCESSOR_KEY + sizeof((coprocessor_t *)0)->KEY) {
    write_key((address - SOC_COPROCESSOR_KEY) / 4, value);
  } else if (address >= SOC_COPROCESSOR_DATA_IN && address < SOC_COPROCESSOR_DATA_OUT) {
    unsigned word = address / 4 % WORDS;
    text[word] = value;
    text_written |= 1u << word;
    if (word == WORDS - 1) {
      push();
    }
  } else {
    broken("a write to no register", address);
  }
}

uint32_t register_read(uint32_t address) {
  if (address == SOC_COPROCESSOR_IDENTIFICATION) {
    return COPROCESSOR__IDENTIFICATION__MAGIC_reset |
           (uint32_t)FAKE_KIND << COPROCESSOR__IDENTIFICATION__KIND_bp |
           (uint32_t)COPROCESSOR__IDENTIFICATION__MAP_reset << COPROCESSOR__IDENTIFICATION__MAP_bp;
  }
  if (address == SOC_COPROCESSOR_STATUS) {
    return 0;
  }
  if (address < SOC_COPROCESSOR_DATA_OUT || address >= SOC_COPROCESSOR_BASE + sizeof(coprocessor_t)) {
    broken("a read of no register", address);
  }
  unsigned word = address / 4 % WORDS;
  uint32_t value = core_word(&core, word);
  if (word == WORDS - 1) {
    core_pop(&core);
  }
  return value;
}
