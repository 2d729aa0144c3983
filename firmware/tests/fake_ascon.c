// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the Ascon coprocessor (hw/coprocessor, "Ascon coprocessor"). What it computes is
// that of ciphers/ascon.c, from all that has been pushed so far.
#include "ascon.h"
#include "coprocessor.h"
#include "fake.h"

#define MAXIMUM_BYTES 4096
#define BLOCK_BYTES 16
#define OPERATION(name) COPROCESSOR_ASCON__MESSAGE__OPERATION__##name

static uint32_t key[4], nonce[4], block[4];
static unsigned key_written, block_written; // a bit a word
static int keyed, inside;
static uint32_t operation, associated_bytes, text_bytes, error;
static uint8_t associated[MAXIMUM_BYTES], text[MAXIMUM_BYTES]; // plain, but to hash
static uint32_t associated_in, text_in;
static uint8_t out[2 * BLOCK_BYTES];
static unsigned out_bytes, out_read;

static void seal(uint32_t bytes, uint8_t *coded, uint8_t *tag) {
  ascon_aead128_encrypt((const uint8_t *)key, (const uint8_t *)nonce, associated, associated_bytes,
                        text, bytes, coded, tag);
}

// The message is over where all of it has gone in; to encrypt or hash, where all was read too.
static void complete(void) {
  static uint8_t coded[MAXIMUM_BYTES];
  if (!inside || associated_in < associated_bytes || text_in < text_bytes || out_bytes != 0 ||
      operation == OPERATION(DECRYPT)) {
    return;
  }
  if (operation == OPERATION(DIGEST)) {
    ascon_hash256(text, text_bytes, out);
    out_bytes = ASCON_DIGEST_BYTES;
  } else {
    seal(text_bytes, coded, out);
    out_bytes = ASCON_TAG_BYTES;
  }
  inside = 0;
}

static void start(void) {
  if (inside || out_bytes != 0 || (operation != OPERATION(DIGEST) && !keyed)) {
    broken("a start out of turn", operation);
  }
  if (text_bytes > MAXIMUM_BYTES - BLOCK_BYTES || associated_bytes > MAXIMUM_BYTES - BLOCK_BYTES) {
    broken("a message that is too long", text_bytes);
  }
  associated_in = operation == OPERATION(DIGEST) ? associated_bytes : 0;
  text_in = 0;
  inside = 1;
  complete();
}

static void push(void) {
  static uint8_t coded[MAXIMUM_BYTES];
  uint8_t tag[ASCON_TAG_BYTES];
  if (!inside || out_bytes != 0) {
    broken("a block out of turn", text_in);
  }
  if (associated_in < associated_bytes) {
    memcpy(associated + associated_in, block, BLOCK_BYTES);
    associated_in += BLOCK_BYTES;
    complete();
    return;
  }
  if (text_in >= text_bytes) { // to decrypt: the tag
    seal(text_bytes, coded, tag);
    error |= memcmp(tag, block, sizeof tag) ? COPROCESSOR_ASCON__ERROR__TAG_bm : 0;
    inside = 0;
    return;
  }
  memcpy(text + text_in, block, BLOCK_BYTES);
  uint32_t left = text_bytes - text_in;
  uint32_t bytes = left < BLOCK_BYTES ? left : BLOCK_BYTES;
  if (operation == OPERATION(DECRYPT)) { // encrypted zeros are the keystream
    memset(text + text_in, 0, bytes);
    seal(text_in + bytes, coded, tag);
    for (uint32_t index = 0; index < bytes; index++) {
      text[text_in + index] = coded[text_in + index] ^ ((const uint8_t *)block)[index];
    }
    memcpy(coded + text_in, text + text_in, bytes);
  } else if (operation == OPERATION(ENCRYPT)) {
    seal(text_in + bytes, coded, tag);
  }
  if (operation != OPERATION(DIGEST)) {
    memset(out, 0, sizeof out);
    memcpy(out, coded + text_in, bytes);
    out_bytes = BLOCK_BYTES;
  }
  text_in += BLOCK_BYTES;
  complete();
}

void register_write(uint32_t address, uint32_t value) {
  uint32_t word = address >> 2 & 3;
  if (address >= ASCON(DATA_IN) && address < ASCON(DATA_OUT)) {
    block[word] = value;
    block_written |= 1u << word;
    if (word == 3) {
      if (block_written != 15) {
        broken("a block without all of its words", block_written);
      }
      block_written = 0;
      push();
    }
  } else if (address >= ASCON(KEY) && address < ASCON(NONCE)) {
    key[word] = value;
    key_written |= 1u << word;
    if (word == 3) {
      if (key_written != 15 || inside) {
        broken("a key without all of its words, or in a message", key_written);
      }
      key_written = 0;
      keyed = 1;
    }
  } else if (address >= ASCON(NONCE) && address < ASCON(ASSOCIATED_BYTES)) {
    nonce[word] = value;
  } else if (address == ASCON(MESSAGE)) {
    operation = value;
  } else if (address == ASCON(ASSOCIATED_BYTES)) {
    associated_bytes = value;
  } else if (address == ASCON(TEXT_BYTES)) {
    text_bytes = value;
  } else if (address == ASCON(ERROR)) {
    error &= ~value;
  } else if (address == ASCON(CONTROL) && value == COPROCESSOR_ASCON__CONTROL__START_bm) {
    start();
  } else if (address == ASCON(CONTROL)) {
    inside = 0;
    out_bytes = out_read = 0;
    if (value & COPROCESSOR_ASCON__CONTROL__ZEROISE_bm) {
      keyed = 0;
    }
  } else {
    broken("a write to no register", address);
  }
}

uint32_t register_read(uint32_t address) {
  if (address == ASCON(IDENTIFICATION)) {
    return COPROCESSOR_ASCON__IDENTIFICATION__MAGIC_reset;
  }
  if (address == ASCON(ERROR)) {
    return error;
  }
  if (address < ASCON(DATA_OUT) || out_bytes == 0) {
    broken("a read of nothing", address);
  }
  uint32_t value;
  memcpy(&value, out + out_read + (address & 12), sizeof value);
  if ((address & 12) == 12) {
    out_read += BLOCK_BYTES;
    if (out_read == out_bytes) {
      out_read = out_bytes = 0;
      complete();
    }
  }
  return value;
}
