/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright Ciphermill contributors. */
/* What a message should give, from OpenSSL. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

struct sample {
	uint32_t configuration;
	unsigned int key_bytes; /* 0: no key */
	uint8_t key[32];
	uint8_t tweak_key[32];
	uint8_t iv[16];
	uint8_t tag[16];
	uint32_t unit;
	size_t associated_bytes;
	size_t text_bytes;
	size_t output_bytes;
	uint8_t *associated;
	uint8_t *text;
	uint8_t *expected;
};

/* Fill a sample of this configuration and size with random content and its result. */
void sample_make(struct sample *sample, uint32_t configuration, unsigned int key_bytes,
		 size_t text_bytes, size_t associated_bytes, uint32_t unit);
void sample_free(struct sample *sample);
void fill_random(void *to, size_t bytes);
/* Another sequence; without it a program has the same one each time. */
void random_seed(uint64_t seed);
uint32_t random_below(uint32_t bound);

#endif
