// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ciphermill.h>

#include "reference.h"

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

void random_seed(uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15 + 1;
	for (unsigned int at = 0; at < 16; at++)
		next();
}

uint32_t random_below(uint32_t bound)
{
	return bound ? (next() >> 11) % bound : 0;
}

void fill_random(void *to, size_t bytes)
{
	uint8_t *at = to;

	while (bytes--)
		*at++ = next() >> 24;
}

static void need(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "OpenSSL cannot do this: %s\n", what);
		exit(2);
	}
}

static const EVP_CIPHER *cipher_of(uint32_t mode, unsigned int key_bytes)
{
	char name[32];
	static const char *const names[] = { "ECB", "CBC", "CTR", "GCM", "XTS" };

	snprintf(name, sizeof(name), "AES-%u-%s", key_bytes * 8, names[mode]);
	return EVP_get_cipherbyname(name);
}

/* Run one piece; XTS: one data unit. */
static void run(struct sample *s, int encrypt, const uint8_t *from, uint8_t *to, size_t bytes,
		const uint8_t *iv)
{
	uint32_t mode = s->configuration & CIPHERMILL_MODE;
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const EVP_CIPHER *cipher = cipher_of(mode, s->key_bytes);
	uint8_t key[64];
	int done = 0, rest = 0;

	memcpy(key, s->key, s->key_bytes);
	memcpy(key + s->key_bytes, s->tweak_key, s->key_bytes <= 32 ? s->key_bytes : 32);
	need(cipher && EVP_CipherInit_ex(context, cipher, NULL, key, iv, encrypt), "init");
	EVP_CIPHER_CTX_set_padding(context, 0);
	if (s->associated_bytes)
		need(EVP_CipherUpdate(context, NULL, &done, s->associated, s->associated_bytes),
		     "associated data");
	if (bytes)
		need(EVP_CipherUpdate(context, to, &done, from, bytes), "update");
	if (mode == CIPHERMILL_GCM && !encrypt)
		goto end; /* the tag comes from an encryption */
	need(EVP_CipherFinal_ex(context, to + done, &rest), "final");
	if (mode == CIPHERMILL_GCM)
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, s->tag);
end:
	EVP_CIPHER_CTX_free(context);
}

static void count_little_endian(uint8_t *iv)
{
	for (int at = 0; at < 16 && !++iv[at]; at++)
		;
}

static void encrypt_all(struct sample *s, const uint8_t *from, uint8_t *to, int encrypt)
{
	if ((s->configuration & CIPHERMILL_MODE) != CIPHERMILL_XTS) {
		run(s, encrypt, from, to, s->text_bytes, s->iv);
		return;
	}
	uint8_t iv[16];

	memcpy(iv, s->iv, 16);
	for (size_t at = 0; at < s->text_bytes; at += s->unit) {
		size_t here = s->text_bytes - at < s->unit ? s->text_bytes - at : s->unit;

		run(s, encrypt, from + at, to + at, here, iv);
		count_little_endian(iv);
	}
}

static void digest(struct sample *s)
{
	static const char *const names[] = { NULL, "SHA224", "SHA256", "SHA384", "SHA512",
					     "SHA512-224", "SHA512-256" };
	const EVP_MD *md = EVP_get_digestbyname(names[(s->configuration >> 10) & 7]);
	unsigned int bytes = 0;

	need(md != NULL, "hash");
	s->output_bytes = EVP_MD_size(md);
	s->expected = calloc(1, 64);
	if (s->configuration & CIPHERMILL_AUTHENTICATE)
		need(HMAC(md, s->associated_bytes ? s->associated : (const uint8_t *)"",
			  s->associated_bytes, s->text, s->text_bytes, s->expected, &bytes) != NULL,
		     "hmac");
	else
		need(EVP_Digest(s->text, s->text_bytes, s->expected, &bytes, md, NULL), "digest");
}

void sample_make(struct sample *s, uint32_t configuration, unsigned int key_bytes,
		 size_t text_bytes, size_t associated_bytes, uint32_t unit)
{
	uint32_t mode = configuration & CIPHERMILL_MODE;

	memset(s, 0, sizeof(*s));
	s->configuration = configuration;
	s->key_bytes = key_bytes;
	s->unit = unit;
	s->text_bytes = text_bytes;
	s->associated_bytes = associated_bytes;
	s->output_bytes = text_bytes;
	s->associated = malloc(associated_bytes + 1);
	s->text = malloc(text_bytes + 1);
	fill_random(s->key, 32);
	fill_random(s->tweak_key, 32);
	fill_random(s->iv, 16);
	if (mode == CIPHERMILL_CTR && random_below(4) == 0)
		memset(s->iv + 2, 0xff, 13); /* carries */
	fill_random(s->associated, associated_bytes);
	fill_random(s->text, text_bytes);
	if (mode == CIPHERMILL_DIGEST) {
		digest(s);
		return;
	}
	s->expected = malloc(text_bytes + 32);
	if (!(configuration & CIPHERMILL_DECRYPT)) {
		encrypt_all(s, s->text, s->expected, 1);
		return;
	}
	/* The text is what an encryption gives, so that its tag is known. */
	memcpy(s->expected, s->text, text_bytes);
	encrypt_all(s, s->expected, s->text, 1);
}

void sample_free(struct sample *s)
{
	free(s->associated);
	free(s->text);
	free(s->expected);
}
