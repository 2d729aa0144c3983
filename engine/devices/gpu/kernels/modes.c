// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The modes of SP 800-38A and 800-38E, each with the encryption or decryption of `process`.
// `input`, `output` and `masks` begin with the chunk's first block, but for CBC, where the block
// before it (the IV, or the ciphertext before the chunk) stands in front of the input.

#define ARGUMENTS                                                                           \
  GLOBAL const uint32_t *input, GLOBAL uint32_t *output, GLOBAL const uint32_t *keys,       \
      GLOBAL const uint32_t *masks, uint32_t rounds, uint32_t blocks, uint32_t counter0,    \
      uint32_t counter1, uint32_t counter2, uint32_t counter3
#define GIVEN(buffer) buffer, 1
#define ABSENT 0, 0
#define PROCESS(data, before, after, inverse)                                               \
  SCRATCH;                                                                                  \
  counter_t counter = {{counter0, counter1, counter2, counter3}};                           \
  process(data, before, after, output, keys, rounds, blocks, counter, scratch, inverse)

KERNEL void ecb_encrypt(ARGUMENTS) { PROCESS(GIVEN(input), ABSENT, ABSENT, 0); }

KERNEL void ecb_decrypt(ARGUMENTS) { PROCESS(GIVEN(input), ABSENT, ABSENT, 1); }

KERNEL void cbc_decrypt(ARGUMENTS) { PROCESS(GIVEN(input + 4), ABSENT, GIVEN(input), 1); }

KERNEL void ctr(ARGUMENTS) { PROCESS(ABSENT, ABSENT, GIVEN(input), 0); }

KERNEL void xts_encrypt(ARGUMENTS) { PROCESS(GIVEN(input), GIVEN(masks), GIVEN(masks), 0); }

KERNEL void xts_decrypt(ARGUMENTS) { PROCESS(GIVEN(input), GIVEN(masks), GIVEN(masks), 1); }
