// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES (FIPS 197) in bit slices. It runs in constant time: no address and no branch depends on
// the key or on data.
//
// A state has 32 * COLUMNS words. Word 32c + 8r + b holds bit b of the byte in row r and column
// c, of many blocks. With one lane, all four columns stand in words of their own, and ShiftRows
// moves nothing. With more lanes, lane v holds column v % 4 of block v / 4: memory is read as it
// is, and ShiftRows exchanges lanes.
//
// With one lane, loops over S-boxes are unrolled, since registers have no addresses there. With more
// lanes they are loops: a processor has registers for one S-box and its state in the cache.

#if LANES == 1
#define COLUMNS 4
#define ROLL UNROLL
#else
#define COLUMNS 1
#define ROLL _Pragma("nounroll")
#endif

#define EXCHANGE_ALL(w, distance, exchange)                              \
  UNROLL for (int n = 0; n < 32; n++) if (!(n & distance)) exchange(w[n], w[n + distance])

// Transposes 32 by 32 bits in each lane: bit i of word j and bit j of word i change places. Each
// step exchanges the upper bits of one word with the lower ones of another.
INLINE void transpose(word_t *w) {
  EXCHANGE_ALL(w, 16, EXCHANGE_16);
  EXCHANGE_ALL(w, 8, EXCHANGE_8);
#define EXCHANGE_4(low, high) EXCHANGE(low, high, 0x0f0f0f0fu, 4)
  EXCHANGE_ALL(w, 4, EXCHANGE_4);
#define EXCHANGE_2(low, high) EXCHANGE(low, high, 0x33333333u, 2)
  EXCHANGE_ALL(w, 2, EXCHANGE_2);
#define EXCHANGE_1(low, high) EXCHANGE(low, high, 0x55555555u, 1)
  EXCHANGE_ALL(w, 1, EXCHANGE_1);
}

// Row r of a column becomes 2 (a[r] + a[r+1]) + a[r+1] + a[r+2] + a[r+3] (FIPS 197, 5.1.3), and a
// round key is added where `has_key` is 1, from word `key` on. A sum of three is one instruction of
// some devices.
INLINE void mix_column(word_t *a, GLOBAL const uint32_t *keys, uint32_t key, const int has_key) {
  word_t pair[32], first[8];
  UNROLL for (int n = 0; n < 32; n++) pair[n] = a[n] ^ a[(n + 8) % 32];
  UNROLL for (int b = 0; b < 8; b++) first[b] = a[b];
  UNROLL for (int n = 0; n < 32; n++) {
    const int b = n % 8, r = n / 8;
    const word_t next = r == 3 ? first[b] : a[(n + 8) % 32];
    word_t sum, last = has_key ? LOAD(key + n, keys) : (word_t)0;
    XOR3(sum, pair[8 * r + (b + 7) % 8], next, pair[(n + 16) % 32]);
    if (b == 1 || b == 3 || b == 4)
      XOR3(a[n], sum, pair[8 * r + 7], last);
    else
      a[n] = sum ^ last;
  }
}

// The matrix of InvMixColumns (FIPS 197, 5.3.3) is that of MixColumns times the circulant of
// 5, 0, 4, 0: first 4 (a[r] + a[r+2]) is added to both rows.
INLINE void inverse_mix_column(word_t *a) {
  UNROLL for (int r = 0; r < 2; r++) {
    word_t pair[8];
    UNROLL for (int b = 0; b < 8; b++) pair[b] = a[8 * r + b] ^ a[8 * r + 16 + b];
    UNROLL for (int b = 0; b < 8; b++) {
      word_t fourth = pair[6];
      if (b == 1) fourth ^= pair[7];
      if (b == 2) fourth = pair[0] ^ pair[7];
      if (b == 3) fourth ^= pair[1];
      if (b == 4) fourth ^= pair[2] ^ pair[7];
      if (b == 5) fourth = pair[3] ^ pair[7];
      if (b >= 6) fourth = pair[b - 2];
      a[8 * r + b] ^= fourth;
      a[8 * r + 16 + b] ^= fourth;
    }
  }
  mix_column(a, 0, 0, 0);
}

#if LANES == 4
#define TURN(x, n) ((n) == 1 ? (x).s1230 : (n) == 2 ? (x).s2301 : (x).s3012)
#elif LANES == 8
#define TURN(x, n) ((n) == 1 ? (x).s12305674 : (n) == 2 ? (x).s23016745 : (x).s30127456)
#elif LANES == 16
#define TURN(x, n) ((n) == 1   ? (x).s123056749ab8defc  \
                    : (n) == 2 ? (x).s23016745ab89efcd \
                               : (x).s30127456b89afcde)
#endif

// Row r moves by r columns to the left (FIPS 197, 5.1.2), or back to the right.
INLINE void shift_rows(word_t *state, const int back) {
  UNROLL for (int r = 1; r < 4; r++) {
    const int turn = back ? 4 - r : r;
    UNROLL for (int b = 0; b < 8; b++) {
#if COLUMNS == 4
      word_t row[4];
      UNROLL for (int c = 0; c < 4; c++) row[c] = state[32 * c + 8 * r + b];
      UNROLL for (int c = 0; c < 4; c++) state[32 * c + 8 * r + b] = row[(c + turn) % 4];
#else
      state[8 * r + b] = TURN(state[8 * r + b], turn);
#endif
    }
  }
}

// Bit b of byte r in column c of round k's key, as a word of ones or of zeros, is word
// (k * COLUMNS + c) * 32 + 8r + b; with more lanes it has the column of each lane.
INLINE void add_round_key(word_t *state, GLOBAL const uint32_t *keys, uint32_t round) {
  UNROLL for (int n = 0; n < 32 * COLUMNS; n++) state[n] ^= LOAD(round * 32 * COLUMNS + n, keys);
}

INLINE void encrypt(word_t *state, GLOBAL const uint32_t *keys, uint32_t rounds) {
  add_round_key(state, keys, 0);
  for (uint32_t round = 1; round <= rounds; round++) {
    ROLL for (int n = 0; n < 4 * COLUMNS; n++) aes_sbox_circuit(state + 8 * n);
    shift_rows(state, 0);
    if (round != rounds)
      UNROLL for (int c = 0; c < COLUMNS; c++)
          mix_column(state + 32 * c, keys, 32 * (round * COLUMNS + c), 1);
    else
      add_round_key(state, keys, round);
  }
}

INLINE void decrypt(word_t *state, GLOBAL const uint32_t *keys, uint32_t rounds) {
  for (uint32_t round = rounds; round >= 1; round--) {
    add_round_key(state, keys, round);
    if (round != rounds) UNROLL for (int c = 0; c < COLUMNS; c++) inverse_mix_column(state + 32 * c);
    shift_rows(state, 1);
    ROLL for (int n = 0; n < 4 * COLUMNS; n++) aes_inverse_sbox_circuit(state + 8 * n);
  }
  add_round_key(state, keys, 0);
}

// A unit is what a word of each column holds: one block, or LANES / 4 blocks. A work-item has 32
// of them, LOCAL_SIZE apart, so that its neighbours in the group read memory's neighbours.
#define UNIT(n) ((GROUP_ID * 32 + (n)) * LOCAL_SIZE + LOCAL_ID)

#if LANES == 1
#define WORD(unit, column, data) ((data)[4 * (unit) + (column)])
#define STORE(value, unit, column, data) (data)[4 * (unit) + (column)] = (value)
#else
#define WORD(unit, column, data) LOAD(unit, data)
#define STORE(value, unit, column, data) JOIN(vstore, LANES)(value, unit, data)
#define LANE_BLOCKS (LANES / 4)
#if LANES == 4
#define LANE_BLOCK (word_t)(0)
#define LANE_COLUMN (word_t)(0, 1, 2, 3)
#elif LANES == 8
#define LANE_BLOCK (word_t)(0, 0, 0, 0, 1, 1, 1, 1)
#define LANE_COLUMN (word_t)(0, 1, 2, 3, 0, 1, 2, 3)
#else
#define LANE_BLOCK (word_t)(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
#define LANE_COLUMN (word_t)(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3)
#endif
#endif

// Counter blocks: the first one plus the block's number, modulo 2^128 (SP 800-38A, appendix B.1).
#if COLUMNS == 4

// A word of ones where this bit is 1, otherwise of zeros.
#define SPREAD(word, bit) (0u - ((word) >> (bit) & 1))

// Adds a number to a counter's four words, the highest first.
INLINE void add(uint32_t *words, uint32_t number) {
  UNROLL for (int c = 3; c >= 0; c--) {
    words[c] += number;
    number = words[c] < number;
  }
}

// In bit slices at once. Unit n's number is LOCAL_SIZE * n more than unit 0's, so that only five bits
// differ from unit to unit, and those above them where a carry leaves these.
INLINE void count(word_t *state, counter_t first) {
  const uint32_t digits[5] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
  uint32_t carried[4], carry = 0;
  add(first.words, UNIT(0));
  UNROLL for (int c = 0; c < 4; c++) carried[c] = first.words[c];
  add(carried, 32u << GROUP_SHIFT);
  UNROLL for (int place = 0; place < 128; place++) {
    const int c = 3 - place / 32, digit = place - GROUP_SHIFT;
    // Column c has the number's highest byte in row 0.
    const int n = 32 * c + (24 ^ (place % 32 & 24)) + place % 8;
    state[n] = SPREAD(first.words[c], place % 32);
    if (digit >= 0 && digit < 5) {
      const uint32_t sum = state[n], added = digits[digit < 0 || digit > 4 ? 0 : digit];
      state[n] ^= added ^ carry;
      carry = (sum & added) | (carry & (sum ^ added));
    } else if (digit > 4) {
      SELECT(state[n], carry, SPREAD(carried[c], place % 32), state[n]);
    }
  }
}

#else

// Word n of `words` is unit n's.
INLINE void count(word_t *words, counter_t first) {
  UNROLL for (int n = 0; n < 32; n++) {
    word_t block = (word_t)(UNIT(n) * LANE_BLOCKS) + LANE_BLOCK;
    word_t counter[4];
    counter[3] = block + first.words[3];
    word_t carry = IS_LESS(counter[3], block);
    UNROLL for (int c = 2; c >= 0; c--) {
      counter[c] = carry + first.words[c];
      carry &= IS_LESS(counter[c], (word_t)1);
    }
    word_t column = 0;
    UNROLL for (int c = 0; c < 4; c++) column |= -IS_LESS(LANE_COLUMN ^ (word_t)c, (word_t)1) & counter[c];
    words[n] = swap_bytes(column);
  }
  transpose(words);
}

#endif

// What a mode does with AES: to `data`, or without them to counter blocks. `before` and `after` are
// added to its input and output where they are given. It computes whole groups: buffers are
// as long as all of them, and what stands behind the last block is not looked at.
INLINE void process(GLOBAL const uint32_t *data, const int has_data,
                    GLOBAL const uint32_t *before, const int has_before,
                    GLOBAL const uint32_t *after, const int has_after, GLOBAL uint32_t *output,
                    GLOBAL const uint32_t *keys, uint32_t rounds, uint32_t blocks,
                    counter_t counter, LOCAL uint32_t *scratch, const int inverse) {
  word_t state[32 * COLUMNS];
  if (!has_data) {
    count(state, counter);
  } else {
    UNROLL for (int n = 0; n < 32; n++) UNROLL for (int c = 0; c < COLUMNS; c++) {
      word_t word = WORD(UNIT(n), c, data);
      state[32 * c + n] = has_before ? word ^ WORD(UNIT(n), c, before) : word;
    }
    UNROLL for (int c = 0; c < COLUMNS; c++) transpose(state + 32 * c);
  }
  if (inverse)
    decrypt(state, keys, rounds);
  else
    encrypt(state, keys, rounds);
  UNROLL for (int c = 0; c < COLUMNS; c++) transpose(state + 32 * c);
  UNROLL for (int n = 0; n < 32; n++) UNROLL for (int c = 0; c < COLUMNS; c++) {
    word_t word = state[32 * c + n];
    if (has_after) word ^= WORD(UNIT(n), c, after);
    STORE(word, UNIT(n), c, output);
  }
}

// Tables need local memory; bit slices need none.
#define SCRATCH LOCAL uint32_t *scratch = 0
