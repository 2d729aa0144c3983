// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
#include "present_table.h"

#include "present_sbox.h"

// pLayer brings bit i to bit 16 i mod 63 (and 63 to 63). So the bits of byte k come to
// where those of byte 0 come, 2k higher: bits 0, 1, 16 and 17 of each half.
#define BIT(s, from, to) ((uint32_t)((s) >> (from) & 1) << (to))
#define LOW(s) BIT(s, 0, 0) | BIT(s, 1, 16) | BIT(s, 4, 1) | BIT(s, 5, 17)
#define HIGH(s) BIT(s, 2, 0) | BIT(s, 3, 16) | BIT(s, 6, 1) | BIT(s, 7, 17)
#define ENCRYPT(s) {HIGH(s), LOW(s)},

// The inverse brings bit i to bit 4 i mod 63. So the bits of byte k come to every fourth
// bit from k / 2 on, of the low half for even k and of the high half for odd k.
#define SPREAD(s)                                                                        \
  (BIT(s, 0, 0) | BIT(s, 1, 4) | BIT(s, 2, 8) | BIT(s, 3, 12) | BIT(s, 4, 16) |          \
   BIT(s, 5, 20) | BIT(s, 6, 24) | BIT(s, 7, 28)),
#define BYTE(s) s,

static const struct present_word encrypt_table[256] = {PRESENT_SBOX_PAIRS(ENCRYPT)};
static const uint32_t decrypt_table[256] = {PRESENT_INVERSE_SBOX_PAIRS(SPREAD)};
static const uint8_t inverse_sbox[256] = {PRESENT_INVERSE_SBOX_PAIRS(BYTE)};

// SubBytes and pLayer on four bytes of which the lowest is byte `first` of the state.
static inline struct present_word half_round(uint32_t half, unsigned first) {
  struct present_word sum = {0, 0};
  for (unsigned byte = 0; byte < 4; byte++) {
    const struct present_word *entry = &encrypt_table[half >> (8 * byte) & 0xFF];
    sum.high |= entry->high << (2 * (first + byte));
    sum.low |= entry->low << (2 * (first + byte));
  }
  return sum;
}

void present_table_encrypt(const struct present_schedule *schedule, const uint32_t *input,
                           uint32_t *output, unsigned blocks) {
  for (; blocks != 0; blocks--, input += 2, output += 2) {
    struct present_word state = present_load(input);
    const struct present_word *key = schedule->keys;
    for (const struct present_word *last = key + 31; key != last; key++) {
      struct present_word upper = half_round(state.high ^ key->high, 4);
      struct present_word lower = half_round(state.low ^ key->low, 0);
      state.high = upper.high | lower.high;
      state.low = upper.low | lower.low;
    }
    state.high ^= key->high;
    state.low ^= key->low;
    present_store(state, output);
  }
}

// One half after the table: bytes `first`, + 2, + 4 and + 6 of the state.
static inline uint32_t gather(const uint32_t *table, struct present_word state, unsigned first) {
  return table[state.low >> (8 * first) & 0xFF] |
         table[state.low >> (8 * first + 16) & 0xFF] << 1 |
         table[state.high >> (8 * first) & 0xFF] << 2 |
         table[state.high >> (8 * first + 16) & 0xFF] << 3;
}

// The inverse pLayer alone, a bit at a time.
static struct present_word inverse_layer(struct present_word word) {
  struct present_word result = {0, 0};
  for (unsigned bit = 0; bit < 32; bit++) {
    // Byte bit / 8 of each half: byte k = bit / 8 and 4 + bit / 8 of the state.
    unsigned place = 4 * (bit & 7) + (bit >> 4);
    uint32_t *half = bit & 8 ? &result.high : &result.low;
    *half |= (word.low >> bit & 1) << place | (word.high >> bit & 1) << (place + 2);
  }
  return result;
}

// The inner round keys go through the inverse pLayer, so that a round of decryption is
// look-ups (inverse S-box, then inverse pLayer) and then the key.
void present_table_invert(struct present_schedule *schedule) {
  for (unsigned index = 1; index < PRESENT_ROUND_KEYS; index++) {
    schedule->keys[index] = inverse_layer(schedule->keys[index]);
  }
}

void present_table_decrypt(const struct present_schedule *schedule, const uint32_t *input,
                           uint32_t *output, unsigned blocks) {
  for (; blocks != 0; blocks--, input += 2, output += 2) {
    struct present_word state = inverse_layer(present_load(input));
    const struct present_word *key = schedule->keys + 31;
    state.high ^= key->high;
    state.low ^= key->low;
    while (--key != schedule->keys) {
      struct present_word next = {gather(decrypt_table, state, 1), gather(decrypt_table, state, 0)};
      state.high = next.high ^ key->high;
      state.low = next.low ^ key->low;
    }
    struct present_word last = {0, 0};
    for (unsigned byte = 0; byte < 32; byte += 8) {
      last.high |= (uint32_t)inverse_sbox[state.high >> byte & 0xFF] << byte;
      last.low |= (uint32_t)inverse_sbox[state.low >> byte & 0xFF] << byte;
    }
    last.high ^= key->high;
    last.low ^= key->low;
    present_store(last, output);
  }
}
