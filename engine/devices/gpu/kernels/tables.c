// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES (FIPS 197) by table look-ups. It does not run in constant time: which bank and which line
// of the local memory are read depends on the key and on data.
//
// A table of 256 words joins SubBytes and MixColumns for row 0 of a column; for the other rows it
// is rotated. Local memory holds BANKS copies side by side, so that work-items of one group read
// different banks. The buffer `keys` holds 60 words of round keys, the table, and the 256 bytes
// of the inverse S-box, which the last round of decryption needs.

#define TABLE_WORDS (256 * BANKS)
#define KEY_WORDS 60
#define SCRATCH LOCAL_MEMORY uint32_t scratch[TABLE_WORDS + 64]

#define BYTE(word, row) (((word) >> (8 * (row))) & 0xff)

// The word of the byte in this row of a column. A row of the table has 4 * BANKS bytes, of which the
// item's copy begins at `lane`: the address is the byte in its place and `lane` beside it.
#define ROW_BYTES (4 * BANKS)
INLINE uint32_t look_up(LOCAL const uint32_t *table, uint32_t lane, uint32_t column, const int row) {
  const uint32_t moved = row == 0 ? column * ROW_BYTES : (column >> 8 * row) * ROW_BYTES;
  const uint32_t address = (moved & (0xff * ROW_BYTES)) | lane;
  return *(LOCAL const uint32_t *)((LOCAL const unsigned char *)table + address);
}

// Column c of the next state takes row r from column (c + r * step) % 4.
INLINE uint32_t mixed_column(LOCAL const uint32_t *table, uint32_t lane, const uint32_t *state,
                             const int c, const int step) {
  uint32_t column = look_up(table, lane, state[c], 0);
  UNROLL for (int r = 1; r < 4; r++) {
    uint32_t word = look_up(table, lane, state[(c + r * step) % 4], r);
    column ^= ROTATE_LEFT(word, 8 * r);
  }
  return column;
}

// The second byte of a table's word is that of the S-box (FIPS 197, 5.1.3: row 0 counts once in
// row 1).
INLINE uint32_t last_column(LOCAL const uint32_t *table, uint32_t lane, const uint32_t *state,
                            const int c) {
  uint32_t column = 0;
  UNROLL for (int r = 0; r < 4; r++)
    column |= BYTE(look_up(table, lane, state[(c + r) % 4], r), 1) << (8 * r);
  return column;
}

INLINE uint32_t last_inverse_column(LOCAL const uint32_t *bytes, const uint32_t *state,
                                    const int c) {
  uint32_t column = 0;
  UNROLL for (int r = 0; r < 4; r++) {
    uint32_t byte = BYTE(state[(c + 3 * r) % 4], r);
    column |= BYTE(bytes[byte / 4], byte % 4) << (8 * r);
  }
  return column;
}

// For decryption `keys` holds the keys of the equivalent inverse cipher in their order of use
// (FIPS 197, 5.3.5), and the table joins InvSubBytes and InvMixColumns.
INLINE void crypt(uint32_t *state, GLOBAL const uint32_t *keys, uint32_t rounds,
                  LOCAL const uint32_t *table, uint32_t lane, LOCAL const uint32_t *bytes,
                  const int inverse) {
  const int step = inverse ? 3 : 1;
  UNROLL for (int c = 0; c < 4; c++) state[c] ^= keys[c];
  for (uint32_t round = 1; round <= rounds; round++) {
    uint32_t next[4];
    UNROLL for (int c = 0; c < 4; c++) {
      if (round != rounds)
        next[c] = mixed_column(table, lane, state, c, step);
      else if (inverse)
        next[c] = last_inverse_column(bytes, state, c);
      else
        next[c] = last_column(table, lane, state, c);
    }
    UNROLL for (int c = 0; c < 4; c++) state[c] = next[c] ^ keys[4 * round + c];
  }
}

// What a mode does with AES: to `data`, or without them to counter blocks. `before` and `after` are
// added to its input and output where they are given.
INLINE void process(GLOBAL const uint32_t *data, const int has_data,
                    GLOBAL const uint32_t *before, const int has_before,
                    GLOBAL const uint32_t *after, const int has_after, GLOBAL uint32_t *output,
                    GLOBAL const uint32_t *keys, uint32_t rounds, uint32_t blocks,
                    counter_t counter, LOCAL uint32_t *scratch, const int inverse) {
  LOCAL uint32_t *bytes = scratch + TABLE_WORDS;
  for (uint32_t n = LOCAL_ID; n < TABLE_WORDS; n += LOCAL_SIZE)
    scratch[n] = keys[KEY_WORDS + n / BANKS];
  for (uint32_t n = LOCAL_ID; n < 64; n += LOCAL_SIZE) bytes[n] = keys[KEY_WORDS + 256 + n];
  BARRIER();
  const uint32_t lane = 4 * (LOCAL_ID % BANKS);
  for (uint32_t n = GROUP_ID * LOCAL_SIZE + LOCAL_ID; n < blocks; n += GROUPS * LOCAL_SIZE) {
    uint32_t state[4];
    if (!has_data) {
      uint32_t carry = n;
      UNROLL for (int c = 3; c >= 0; c--) {
        uint32_t word = counter.words[c] + carry;
        carry = IS_LESS(word, carry);
        state[c] = swap_bytes(word);
      }
    } else {
      UNROLL for (int c = 0; c < 4; c++) state[c] = data[4 * n + c];
    }
    if (has_before) UNROLL for (int c = 0; c < 4; c++) state[c] ^= before[4 * n + c];
    crypt(state, keys, rounds, scratch, lane, bytes, inverse);
    if (has_after) UNROLL for (int c = 0; c < 4; c++) state[c] ^= after[4 * n + c];
    UNROLL for (int c = 0; c < 4; c++) output[4 * n + c] = state[c];
  }
}
