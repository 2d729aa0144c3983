// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The algorithms, a row each. No program branches on the name of one.
//
// NAME     as in src/ciphermill/algorithms
// NUMBER   Algorithm<Name> in hw/soc/rtl/soc_pkg.sv; the host writes it into a workload
// WORDS    words in a block of a block cipher: a power of two
#ifndef CIPHERMILL_ALGORITHMS_H
#define CIPHERMILL_ALGORITHMS_H

// ROW(x, NAME, NUMBER, WORDS), in the order of the numbers
#define BLOCK_CIPHERS(ROW, x) \
  ROW(x, AES, 0, 4)           \
  ROW(x, PRESENT, 1, 2)

// Algorithms that take messages of any length. ROW(x, NAME, NUMBER)
#define MESSAGE_ALGORITHMS(ROW, x) \
  ROW(x, ASCON, 2)                 \
  ROW(x, SHA_256, 3)               \
  ROW(x, SHA_512, 4)               \
  ROW(x, ECC, 5)

#define ALGORITHM_ROW(x, NAME, NUMBER, ...) ALGORITHM_##NAME = (NUMBER),
enum workload_algorithm {
  BLOCK_CIPHERS(ALGORITHM_ROW, )
  BLOCK_CIPHERS_END, // one more than the last of them
  MESSAGE_ALGORITHMS(ALGORITHM_ROW, )
};
#undef ALGORITHM_ROW

// Whether a number is that of a block cipher.
#define IS_BLOCK_CIPHER(number) \
  ((number) < BLOCK_CIPHERS_END MESSAGE_ALGORITHMS(ALGORITHM_IS_NOT, number))
#define ALGORITHM_IS_NOT(number, NAME, NUMBER) \
  && ((NUMBER) >= BLOCK_CIPHERS_END || (number) != (NUMBER))

// Words in a block, and the same as a power of two. A row of the usual size costs no code;
// meaningless where the number is not that of a block cipher.
#define USUAL_WORDS 4
#define BLOCK_WORDS_OF(number) (BLOCK_CIPHERS(WORDS_OF_ROW, number) USUAL_WORDS)
#define BLOCK_SHIFT_OF(number) (BLOCK_CIPHERS(SHIFT_OF_ROW, number) __builtin_ctz(USUAL_WORDS))
#define IS_UNUSUAL(number, NUMBER, WORDS) ((WORDS) != USUAL_WORDS && (number) == (NUMBER))
#define WORDS_OF_ROW(number, NAME, NUMBER, WORDS) IS_UNUSUAL(number, NUMBER, WORDS) ? (WORDS) :
#define SHIFT_OF_ROW(number, NAME, NUMBER, WORDS) \
  IS_UNUSUAL(number, NUMBER, WORDS) ? __builtin_ctz(WORDS) :

#endif
