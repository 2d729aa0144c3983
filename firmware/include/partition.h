// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The interface of every partition between processor and hardware.
// A program links exactly one partition.
#ifndef CIPHERMILL_PARTITION_H
#define CIPHERMILL_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "workload.h"

enum partition_error {
  PARTITION_OK = 0,
  PARTITION_KEY_SIZE = 1,  // no such key size here
  PARTITION_NO_KEY = 2,    // no key was set, or not for this direction
  PARTITION_HARDWARE = 3,  // the hardware is missing, is another one, or reported an error
  PARTITION_TAG = 4,       // the tag is not the message's
  PARTITION_OPERANDS = 5,  // no such operation or curve, or an operand is refused
};

// Puts a key in place for one direction.
//
// Keys and blocks are bytes in memory order, held in aligned words. A partition
// keeps what it needs: the caller may overwrite the key afterwards.
//
// key       key_bits / 8 bytes
// decrypt   0: blocks will be encrypted, 1: decrypted
// Returns PARTITION_OK or what is wrong; then no key is in place.
int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt);

// A partition of a block cipher has partition_process and partition_block_words; one of an
// algorithm that takes messages of any length has partition_run instead. One of elliptic
// curves has partition_operate, and no partition_set_key.

// Encrypts or decrypts whole blocks, each by itself (ECB).
//
// input, output   blocks * partition_block_words words; they may be the same
//                 buffer, but may not overlap otherwise
// Returns PARTITION_OK, or an error and an output that must not be used.
int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt);

// Encrypts or decrypts single blocks, each with a key of its own, which it may send while
// the blocks before are still under way. A partition that can do no better leaves it to
// drivers/process_each.c, which sets a key and processes a block in turn.
//
// keys            the first key; the others follow at every key_words words
// input, output   blocks * partition_block_words words, as above
// Returns as partition_process; the last key is in place.
int partition_process_each(const uint32_t *keys, unsigned key_words, unsigned key_bits,
                           const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt);

// A message of any length. Its parts are bytes in memory order and begin at whole words.
struct partition_message {
  const uint32_t *nonce;      // 16 bytes, with a key
  const uint32_t *associated; // data that the tag covers too, with a key
  size_t associated_bytes;
  const uint32_t *input;
  size_t bytes;               // of the input, a tag apart
  uint32_t *output;           // as many bytes, or those of a digest or code; may be the input
  uint32_t *tag;              // encrypt: is made; decrypt: is compared
};

// Runs an operation on one message, with the key that is in place where it needs one. Bytes
// from the end of input or associated data to a whole word may be read, those of the output
// may be overwritten with zeros.
//
// Returns PARTITION_OK, or an error and an output that must not be used: it has been
// overwritten with zeros where the tag is wrong.
int partition_run(enum workload_operation operation, const struct partition_message *message);

// Runs an operation on an elliptic curve. Its operands and results are integers of whole
// bytes, the most significant one first, one behind the other, and begin at a whole word
// (hw/ecc/README.md names them). Keys are operands.
//
// curve_bits      256, 384 or 521
// bytes           of all operands
// results         may be the operands; bytes from their end to a whole word may be
//                 overwritten with zeros. Of a verification: a byte, 1 if the signature is
//                 authentic, else 0
// Returns PARTITION_OK, or an error and results that must not be used.
int partition_operate(enum workload_operation operation, unsigned curve_bits,
                      const uint32_t *operands, size_t bytes, uint32_t *results);

// Removes the key and everything derived from it, from memory and hardware.
void partition_zeroise(void);

// Words in a block: 4 for AES, 2 for PRESENT.
extern const unsigned partition_block_words;

#endif
