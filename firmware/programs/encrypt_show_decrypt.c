// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The program of Levi and Steinberg, "AES-256 Accelerator for Cadence Processor"
// (sections 3 and 4.2): an array of 32-bit numbers that count up is encrypted, shown,
// decrypted and shown again. Before that, the four stages of the paper's simulation, for
// a waveform: a known text is encrypted and decrypted, then decrypted and encrypted.
//
// The workload gives the key and the length of the array (blocks_per_message); the array
// is at input_address, what it becomes at output_address. The result has the cycles of
// both directions, each with its key set-up; the counters are those of the encryption.
#include <stddef.h>

#include "console.h"
#include "program.h"

#define STAGE_KEY_BITS 256
#define NUMBERS_A_LINE 8

// The paper's vector, section 3, as words of memory: bytes in order, lowest first.
#define WORD(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
static const uint32_t stage_key[8] = {
    WORD(0x2b, 0x7e, 0x15, 0x16), WORD(0x28, 0xae, 0xd2, 0xa6), WORD(0xab, 0xf7, 0x15, 0x88),
    WORD(0x09, 0xcf, 0x4f, 0x3c), WORD(0x76, 0x2e, 0x71, 0x60), WORD(0xf3, 0x8b, 0x4d, 0xa5),
    WORD(0x6a, 0x78, 0x4d, 0x90), WORD(0x45, 0x19, 0x0c, 0xfe)};
static const uint32_t stage_plain[4] = {
    WORD(0x32, 0x43, 0xf6, 0xa8), WORD(0x88, 0x5a, 0x30, 0x8d), WORD(0x31, 0x31, 0x98, 0xa2),
    WORD(0xe0, 0x37, 0x07, 0x34)};
static const uint32_t stage_coded[4] = {
    WORD(0x1a, 0x6e, 0x6c, 0x2c), WORD(0x66, 0x2e, 0x7d, 0xa6), WORD(0x50, 0x1f, 0xfb, 0x62),
    WORD(0xbc, 0x9e, 0x93, 0xf3)};

static int differ(const uint32_t *first, const uint32_t *second, unsigned words) {
  uint32_t difference = 0;
  for (unsigned word = 0; word < words; word++) {
    difference |= first[word] ^ second[word];
  }
  return difference != 0;
}

static void show(const char *title, const uint32_t *words, unsigned count) {
  console_text(title);
  for (unsigned word = 0; word < count; word++) {
    console_text(word % NUMBERS_A_LINE == 0 ? "\n " : " ");
    console_hexadecimal(words[word]);
  }
  console_text("\n");
}

// Sets the key and runs the blocks; notes the cycles of both.
static enum status run(const uint32_t *key, unsigned key_bits, const uint32_t *input,
                       uint32_t *output, unsigned blocks, int decrypt, uint32_t *taken) {
  uint32_t begin = cycles();
  if (partition_set_key(key, key_bits, decrypt) != PARTITION_OK) {
    return STATUS_KEY_REFUSED;
  }
  if (partition_process(input, output, blocks, decrypt) != PARTITION_OK) {
    return STATUS_PROCESS_FAILED;
  }
  *taken = cycles() - begin;
  return STATUS_OK;
}

// Encrypt, decrypt; then decrypt, encrypt: each pair gives back what it was given.
static enum status four_stages(void) {
  static const int directions[4] = {0, 1, 1, 0};
  uint32_t text[4];
  for (unsigned word = 0; word < 4; word++) {
    text[word] = stage_plain[word];
  }
  for (unsigned stage = 0; stage < 4; stage++) {
    uint32_t taken;
    enum status status = run(stage_key, STAGE_KEY_BITS, text, text, 1, directions[stage], &taken);
    if (status != STATUS_OK) {
      return status;
    }
    show(directions[stage] ? "decrypted" : "encrypted", text, 4);
    if ((stage == 0 && differ(text, stage_coded, 4)) ||
        (stage & 1 && differ(text, stage_plain, 4))) {
      return STATUS_WRONG_RESULT;
    }
  }
  return STATUS_OK;
}

static enum status the_array(const struct workload *work, volatile struct result *result) {
  const uint32_t *key = (const uint32_t *)(uintptr_t)work->key_address;
  uint32_t *numbers = (uint32_t *)(uintptr_t)work->input_address;
  uint32_t *coded = (uint32_t *)(uintptr_t)work->output_address;
  unsigned words = work->blocks_per_message * partition_block_words;
  uint32_t taken;
  for (unsigned word = 0; word < words; word++) {
    numbers[word] = word;
  }
  show("array", numbers, words);
  register_write(SOC_SYSTEM_MEASURE, 1);
  enum status status =
      run(key, work->key_bits, numbers, coded, work->blocks_per_message, 0, &taken);
  register_write(SOC_SYSTEM_MEASURE, 0);
  if (status != STATUS_OK) {
    return status;
  }
  store_counters(result);
  result->encrypt_cycles = taken;
  show("encrypted", coded, words);
  status = run(key, work->key_bits, coded, numbers, work->blocks_per_message, 1, &taken);
  if (status != STATUS_OK) {
    return status;
  }
  result->decrypt_cycles = taken;
  show("decrypted", numbers, words);
  for (unsigned word = 0; word < words; word++) {
    if (numbers[word] != word) {
      return STATUS_WRONG_RESULT;
    }
  }
  console_text("cycles to encrypt ");
  console_decimal((uint32_t)result->encrypt_cycles);
  console_text(", to decrypt ");
  console_decimal((uint32_t)result->decrypt_cycles);
  console_text("\n");
  return STATUS_OK;
}

int main(void) {
  const struct workload *work = the_workload();
  volatile struct result *result = the_result();
  enum status status = well_formed(work) ? STATUS_OK : STATUS_BAD_WORKLOAD;
  if (status == STATUS_OK && work->algorithm == ALGORITHM_AES && work->key_bits == STAGE_KEY_BITS) {
    status = four_stages();
  }
  if (status == STATUS_OK) {
    status = the_array(work, result);
  }
  partition_zeroise();
  result->status = status;
  return (int)status;
}
