// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the accelerator with Ascon or SHA-2 and the DMA engine (hw/accel, hw/dma). A message
// is over when its last transfer was requested. Results come from ciphers/ascon.c and
// ciphers/sha2.c. The host's addresses are longer than a register: the heap of the test and the
// driver's variables have the same upper half, for which the test is linked with -no-pie. The
// file that includes this defines ACCELERATOR_CAPABILITY, the word of CAPABILITY.
#include "accel_registers.h"
#include "ascon.h"
#include "dma_registers.h"
#include "fake.h"
#include "sha2.h"
#include "soc.h"

#define MODE(name) ACCEL__CONFIGURATION__MODE__##name
#define READ DMA__FLAGS__READ_bm
#define WRITE DMA__FLAGS__WRITE_bm

static uint32_t configuration, length, associated_length, source, destination, flags;
static uint32_t key[4], core_key_words[4], nonce[4], tag[4];
static unsigned key_written, nonce_written; // a bit a word
static int keyed, inside, forged, idle, ended;
static unsigned sweep = 3; // polls until the sweep after reset is over
static const uint32_t *associated, *text, *given_tag;
static uint32_t *output;

static void *in_heap(uint32_t address) {
  static void *any; // one allocation, to see where the heap is
  if (any == NULL) {
    any = malloc(1);
  }
  return (void *)(((uintptr_t)any & ~(uintptr_t)0xFFFFFFFF) | address);
}

// The function of SHA-2 that is chosen; NULL for Ascon-Hash256.
static const struct sha2_function *sha2_chosen(void) {
  static const struct sha2_function *const functions[] = {NULL,    &sha224, &sha256,    &sha384,
                                                          &sha512, &sha512_224, &sha512_256};
  uint32_t hash =
      (configuration & ACCEL__CONFIGURATION__HASH_bm) >> ACCEL__CONFIGURATION__HASH_bp;
  uint32_t needed = hash == 0   ? ACCEL__CAPABILITY__DIGEST_bm
                    : hash <= 2 ? ACCEL__CAPABILITY__SHA2_32_bm
                                : ACCEL__CAPABILITY__SHA2_64_bm;
  if (hash >= sizeof functions / sizeof functions[0] || !(ACCELERATOR_CAPABILITY & needed)) {
    broken("a hash that is not there", hash);
  }
  return functions[hash];
}

// Whether associated data, or a key of HMAC, go before the text.
static int has_head(void) {
  return associated_length != 0 &&
         ((configuration & ACCEL__CONFIGURATION__MODE_bm) != MODE(DIGEST) ||
          (configuration & ACCEL__CONFIGURATION__AUTHENTICATE_bm));
}

// Runs the message, once all its packets were requested.
static void complete(void) {
  int digest = (configuration & ACCEL__CONFIGURATION__MODE_bm) == MODE(DIGEST);
  int decrypt = !digest && (configuration & ACCEL__CONFIGURATION__DIRECTION_bm);
  if ((length && text == NULL) || (has_head() && associated == NULL) ||
      (decrypt && given_tag == NULL) || (digest && output == NULL)) {
    return;
  }
  if (digest) {
    const struct sha2_function *function = sha2_chosen();
    if (function == NULL) {
      ascon_hash256((const uint8_t *)text, length, (uint8_t *)output);
    } else if (configuration & ACCEL__CONFIGURATION__AUTHENTICATE_bm) {
      sha2_hmac(function, (const uint8_t *)associated, associated_length, (const uint8_t *)text,
                length, (uint8_t *)output);
    } else {
      sha2_digest(function, (const uint8_t *)text, length, (uint8_t *)output);
    }
  } else if (decrypt) {
    uint8_t *plain = malloc(length);
    forged = ascon_aead128_decrypt((uint8_t *)core_key_words, (uint8_t *)nonce,
                                   (const uint8_t *)associated, associated_length,
                                   (const uint8_t *)text, length, plain,
                                   (const uint8_t *)given_tag) != 0;
    if (length != 0) { // the plaintext has left before the verdict: anything, here
      forged ? memset(output, 0x5A, length) : memcpy(output, plain, length);
    }
    free(plain);
  } else {
    ascon_aead128_encrypt((uint8_t *)core_key_words, (uint8_t *)nonce, (const uint8_t *)associated,
                          associated_length, (const uint8_t *)text, length, (uint8_t *)output,
                          (uint8_t *)tag);
  }
  inside = 0;
  ended = 1;
}

static void start(void) {
  uint32_t mode = configuration & ACCEL__CONFIGURATION__MODE_bm;
  if (inside || ended || (mode != MODE(DIGEST) && mode != MODE(AEAD)) ||
      (mode == MODE(AEAD) && (!keyed || nonce_written != 15))) {
    broken("a start out of turn", configuration);
  }
  nonce_written = 0; // none serves twice
  associated = text = given_tag = NULL;
  output = NULL;
  forged = 0;
  inside = 1;
  memset(tag, 0, sizeof tag);
  complete();
}

static void transfer(uint32_t bytes) {
  const uint32_t *from = flags & READ ? in_heap(source) : NULL;
  uint32_t *to = flags & WRITE ? in_heap(destination) : NULL;
  int digest = (configuration & ACCEL__CONFIGURATION__MODE_bm) == MODE(DIGEST);
  if (!inside || !(flags & DMA__FLAGS__MESSAGE_END_bm) || (((uintptr_t)from | (uintptr_t)to) & 3)) {
    broken("a transfer out of turn", bytes);
  }
  if (has_head() && associated == NULL) {
    if (bytes != associated_length || to) {
      broken("associated data or a key of another length", bytes);
    }
    associated = from;
  } else if (length && text == NULL) {
    if (bytes != length || (to == NULL) != digest) {
      broken("a text of another length", bytes);
    }
    text = from;
    output = to;
  } else if (digest) {
    const struct sha2_function *function = sha2_chosen();
    if (bytes != (function == NULL ? ASCON_DIGEST_BYTES : function->digest_bytes) || from) {
      broken("a digest of another length", bytes);
    }
    output = to;
  } else {
    if (bytes != ASCON_TAG_BYTES || to) {
      broken("a tag of another length", bytes);
    }
    given_tag = from;
  }
  complete();
}

static void control(uint32_t value) {
  if (value & ACCEL__CONTROL__LOAD_KEY_bm) {
    if (key_written != 15 || sweep || (configuration & ACCEL__CONFIGURATION__KEY_SIZE_bm)) {
      broken("a key load too early, or without all words of the key", key_written);
    }
    memcpy(core_key_words, key, sizeof key);
    key_written = 0;
    keyed = 1;
  }
  if (value & ACCEL__CONTROL__ZEROISE_bm) {
    keyed = inside = 0;
  }
  if (value & ACCEL__CONTROL__START_bm) {
    start();
  }
}

void register_write(uint32_t address, uint32_t value) {
  switch (address) {
    case SOC_ACCELERATOR_CONFIGURATION:
      configuration = value;
      return;
    case SOC_ACCELERATOR_CONTROL:
      control(value);
      return;
    case SOC_ACCELERATOR_MESSAGE_LENGTH_LOW:
      length = value;
      return;
    case SOC_ACCELERATOR_AAD_LENGTH_LOW:
      associated_length = value;
      return;
    case SOC_DMA_SOURCE:
      source = value;
      return;
    case SOC_DMA_DESTINATION:
      destination = value;
      return;
    case SOC_DMA_FLAGS:
      flags = value;
      return;
    case SOC_DMA_LENGTH:
      transfer(value);
      return;
    case SOC_ACCELERATOR_INTERRUPT_STATE:
      ended = 0;
      return;
    case SOC_SYSTEM_IDLE:
      idle = (int)value;
      return;
    case SOC_ACCELERATOR_INTERRUPT_ENABLE:
    case SOC_DMA_INTERRUPT_ENABLE:
      return;
    default:
      if (address >= SOC_ACCELERATOR_IV && address < SOC_ACCELERATOR_IV + 16) {
        nonce[(address - SOC_ACCELERATOR_IV) / 4] = value;
        nonce_written |= 1u << (address - SOC_ACCELERATOR_IV) / 4;
      } else if (address >= SOC_ACCELERATOR_KEY && address < SOC_ACCELERATOR_KEY + 16) {
        key[(address - SOC_ACCELERATOR_KEY) / 4] = value;
        key_written |= 1u << (address - SOC_ACCELERATOR_KEY) / 4;
      } else {
        broken("a write to a register that it needs not", address);
      }
  }
}

uint32_t register_read(uint32_t address) {
  switch (address) {
    case SOC_ACCELERATOR_IDENTIFICATION:
      return ACCEL__IDENTIFICATION__MAGIC_reset;
    case SOC_ACCELERATOR_CAPABILITY:
      return ACCELERATOR_CAPABILITY;
    case SOC_DMA_IDENTIFICATION:
      return DMA__IDENTIFICATION__MAGIC_reset;
    case SOC_ACCELERATOR_STATUS:
      return (sweep && --sweep ? ACCEL__STATUS__ZEROISING_bm : 0) |
             (forged ? ACCEL__STATUS__FORGED_bm : 0);
    case SOC_DMA_STATUS:
      return 0;
    case SOC_ACCELERATOR_INTERRUPT_STATE:
      return ended ? ACCEL__INTERRUPT_STATE__DONE_bm : 0;
    case SOC_SYSTEM_INTERRUPT_PENDING:
      if (inside && !idle) {
        broken("waiting that the counters do not see", 0);
      }
      return ended ? SOC_SYSTEM__INTERRUPT_PENDING__ACCELERATOR_bm : 0;
    default:
      if (address < SOC_ACCELERATOR_TAG || address >= SOC_ACCELERATOR_TAG + 16) {
        broken("a read of a register that it needs not", address);
      }
      return tag[(address - SOC_ACCELERATOR_TAG) / 4];
  }
}
