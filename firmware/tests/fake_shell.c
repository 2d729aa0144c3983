// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the coprocessor shell in its stream modes (hw/coprocessor, "Coprocessor
// shell"). FAKE_PRESENT says which cipher.
#include "coprocessor.h"
#include "fake.h"

#define TEXT_WORDS (FAKE_PRESENT ? 2u : 4u)
#define KEY_WORDS (FAKE_PRESENT ? 3u : 4u)

static struct core core = {.limit = 2};
static uint32_t control; // as it was written
static uint32_t words[8]; // of a key, if it is due, and of a text
static unsigned written;
static unsigned read_words;

static uint32_t instruction_of(uint32_t word) {
  return word & COPROCESSOR_SHELL__COMMAND__INSTRUCTION_bm;
}

static int is_stream(uint32_t word) {
  return instruction_of(word) == SHELL_INSTRUCTION(STREAM) ||
         instruction_of(word) == SHELL_INSTRUCTION(STREAM_KEY);
}

void register_write(uint32_t address, uint32_t value) {
  unsigned with_key = instruction_of(control) == SHELL_INSTRUCTION(STREAM_KEY) ? KEY_WORDS : 0;
  if (address == SHELL(COMMAND)) {
    if (instruction_of(value) == SHELL_INSTRUCTION(ZEROISE)) {
      core_clear(&core);
      written = read_words = 0;
    } else if (!is_stream(value)) {
      broken("an instruction that the driver needs not", value);
    }
    control = value;
    written = 0;
  } else if (address != SHELL(DATA_IN) || !is_stream(control)) {
    broken("a write without a stream mode", address);
  } else {
    words[written++] = value;
    if (written == with_key + TEXT_WORDS) {
      if (with_key) {
        core_key(&core, words, FAKE_PRESENT ? 80 : 128, FAKE_PRESENT);
      }
      int decrypt = (control & COPROCESSOR_SHELL__COMMAND__DECRYPT_bm) != 0;
      core_push(&core, words + with_key, decrypt, FAKE_PRESENT);
      written = 0;
    }
  }
}

uint32_t register_read(uint32_t address) {
  if (address == SHELL(COMMAND)) {
    return 0;
  }
  if (address != SHELL(DATA_OUT)) {
    broken("a read of no register", address);
  }
  uint32_t value = core_word(&core, read_words);
  if (++read_words == TEXT_WORDS) {
    read_words = 0;
    core_pop(&core);
  }
  return value;
}
