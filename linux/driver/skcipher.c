// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * ecb(aes), cbc(aes), ctr(aes) and xts(aes). In software: sizes of keys that the card lacks,
 * ciphertext stealing, messages that find no room, and everything when the card is gone.
 */

#include <linux/module.h>
#include <crypto/aes.h>
#include <crypto/algapi.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include <crypto/xts.h>

#include <linux/ciphermill.h>

#include "crypto.h"

struct cipher {
	struct skcipher_alg alg;
	u32 mode;
	u32 needs;
	bool registered;
};

struct cipher_tfm {
	struct crypto_owner owner;
	struct crypto_skcipher *fallback;
};

struct cipher_request {
	struct card_request request;
	u8 last[AES_BLOCK_SIZE]; /* CBC decryption: the next IV */
	struct skcipher_request fallback; /* with its context behind it */
};

static struct cipher *cipher_of(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct cipher, alg);
}

static int cipher_set_key(struct crypto_skcipher *tfm, const u8 *key, unsigned int bytes)
{
	struct cipher_tfm *context = crypto_skcipher_ctx(tfm);
	struct cipher *cipher = cipher_of(tfm);
	bool xts = cipher->mode == CIPHERMILL_XTS;
	int result;

	crypto_skcipher_clear_flags(context->fallback, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(context->fallback,
				  crypto_skcipher_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	result = crypto_skcipher_setkey(context->fallback, key, bytes);
	if (result)
		return result;
	if (xts)
		bytes /= 2;
	return crypto_owner_set_key(&context->owner, cipher->needs, key, bytes,
				    xts ? key + bytes : NULL);
}

static void cipher_next_iv(struct skcipher_request *req)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	struct cipher_request *context = skcipher_request_ctx(req);
	u32 blocks;

	switch (cipher_of(tfm)->mode) {
	case CIPHERMILL_CBC:
		if (context->request.configuration & CONFIGURATION_DECRYPT)
			memcpy(req->iv, context->last, AES_BLOCK_SIZE);
		else
			scatterwalk_map_and_copy(req->iv, req->dst, req->cryptlen - AES_BLOCK_SIZE,
						 AES_BLOCK_SIZE, 0);
		break;
	case CIPHERMILL_CTR:
		blocks = DIV_ROUND_UP(req->cryptlen, AES_BLOCK_SIZE);
		while (blocks--)
			crypto_inc(req->iv, AES_BLOCK_SIZE);
		break;
	}
}

static struct skcipher_request *cipher_req(struct card_request *request)
{
	struct cipher_request *context = container_of(request, struct cipher_request, request);

	return container_of((void *)context, struct skcipher_request, __ctx);
}

static void cipher_complete(struct card_request *request, int error)
{
	struct skcipher_request *req = cipher_req(request);

	if (!error)
		cipher_next_iv(req);
	skcipher_request_complete(req, error);
}

static void cipher_started(struct card_request *request)
{
	skcipher_request_complete(cipher_req(request), -EINPROGRESS);
}

static int cipher_software(struct skcipher_request *req, bool decrypt)
{
	struct cipher_tfm *tfm = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	struct cipher_request *context = skcipher_request_ctx(req);

	skcipher_request_set_tfm(&context->fallback, tfm->fallback);
	skcipher_request_set_callback(&context->fallback, req->base.flags, req->base.complete,
				      req->base.data);
	skcipher_request_set_crypt(&context->fallback, req->src, req->dst, req->cryptlen, req->iv);
	return decrypt ? crypto_skcipher_decrypt(&context->fallback) :
			 crypto_skcipher_encrypt(&context->fallback);
}

static int cipher_crypt(struct skcipher_request *req, bool decrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	struct cipher_request *context = skcipher_request_ctx(req);
	struct cipher_tfm *owner = crypto_skcipher_ctx(tfm);
	struct card_request *request = &context->request;
	struct cipher *cipher = cipher_of(tfm);
	bool partial = req->cryptlen % AES_BLOCK_SIZE;
	struct card_ring *ring;
	int result;

	if (cipher->mode == CIPHERMILL_XTS && req->cryptlen < AES_BLOCK_SIZE)
		return -EINVAL;
	if (partial && (cipher->mode == CIPHERMILL_ECB || cipher->mode == CIPHERMILL_CBC))
		return -EINVAL;
	if (!req->cryptlen)
		return 0;
	ring = owner->owner.key ? crypto_owner_ring(&owner->owner, cipher->needs) : NULL;
	if (!ring || (partial && cipher->mode == CIPHERMILL_XTS))
		return cipher_software(req, decrypt);
	crypto_prepare(request, &req->base);
	request->key = owner->owner.key;
	request->configuration = cipher->mode | CONFIGURATION_COUNTER_128 |
				 (decrypt ? CONFIGURATION_DECRYPT : 0);
	if (req->iv && cipher->mode != CIPHERMILL_ECB)
		memcpy(request->iv, req->iv, AES_BLOCK_SIZE);
	request->length = req->cryptlen;
	request->output = req->cryptlen;
	request->unit = cipher->mode == CIPHERMILL_XTS ? req->cryptlen : 0;
	request->source = req->src;
	request->destination = req->dst;
	request->complete = cipher_complete;
	request->started = cipher_started;
	if (cipher->mode == CIPHERMILL_CBC && decrypt)
		scatterwalk_map_and_copy(context->last, req->src, req->cryptlen - AES_BLOCK_SIZE,
					 AES_BLOCK_SIZE, 0);
	result = card_submit(ring, request);
	return crypto_submitted(result) ? result : cipher_software(req, decrypt);
}

static int cipher_encrypt(struct skcipher_request *req)
{
	return cipher_crypt(req, false);
}

static int cipher_decrypt(struct skcipher_request *req)
{
	return cipher_crypt(req, true);
}

static int cipher_init(struct crypto_skcipher *tfm)
{
	struct cipher_tfm *context = crypto_skcipher_ctx(tfm);
	static atomic_t turn;

	context->fallback = crypto_alloc_skcipher(crypto_tfm_alg_name(&tfm->base), 0,
						  CRYPTO_ALG_NEED_FALLBACK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	context->owner.first = (unsigned int)atomic_inc_return(&turn);
	crypto_skcipher_set_reqsize(tfm, sizeof(struct cipher_request) +
				    crypto_skcipher_reqsize(context->fallback));
	return 0;
}

static void cipher_exit(struct crypto_skcipher *tfm)
{
	struct cipher_tfm *context = crypto_skcipher_ctx(tfm);

	crypto_owner_exit(&context->owner);
	crypto_free_skcipher(context->fallback);
}

#define CIPHER(NAME, DRIVER, MODE, NEEDS, IV, BLOCK, LEAST, MOST) { \
	.mode = (MODE), \
	.needs = (NEEDS) | ACCEL_ENCRYPT | ACCEL_DECRYPT, \
	.alg = { \
		.base.cra_name = (NAME), \
		.base.cra_driver_name = (DRIVER), \
		.base.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK | \
				  CRYPTO_ALG_KERN_DRIVER_ONLY, \
		.base.cra_blocksize = (BLOCK), \
		.base.cra_ctxsize = sizeof(struct cipher_tfm), \
		.base.cra_module = THIS_MODULE, \
		.min_keysize = (LEAST), \
		.max_keysize = (MOST), \
		.ivsize = (IV), \
		.chunksize = AES_BLOCK_SIZE, \
		.setkey = cipher_set_key, \
		.encrypt = cipher_encrypt, \
		.decrypt = cipher_decrypt, \
		.init = cipher_init, \
		.exit = cipher_exit, \
	}, \
}

static struct cipher ciphers[] = {
	CIPHER("ecb(aes)", "ecb-aes-ciphermill", CIPHERMILL_ECB, ACCEL_ECB,
	       0, AES_BLOCK_SIZE, 16, 32),
	CIPHER("cbc(aes)", "cbc-aes-ciphermill", CIPHERMILL_CBC, ACCEL_CBC,
	       AES_BLOCK_SIZE, AES_BLOCK_SIZE, 16, 32),
	CIPHER("ctr(aes)", "ctr-aes-ciphermill", CIPHERMILL_CTR, ACCEL_CTR,
	       AES_BLOCK_SIZE, 1, 16, 32),
	CIPHER("xts(aes)", "xts-aes-ciphermill", CIPHERMILL_XTS, ACCEL_XTS,
	       AES_BLOCK_SIZE, AES_BLOCK_SIZE, 32, 64),
};

int skciphers_register(u32 capability)
{
	unsigned int at;
	int result;

	for (at = 0; at < ARRAY_SIZE(ciphers); at++) {
		struct cipher *cipher = &ciphers[at];

		if (cipher->registered || (capability & cipher->needs) != cipher->needs)
			continue;
		cipher->alg.base.cra_priority = crypto_priority;
		result = crypto_register_skcipher(&cipher->alg);
		if (result)
			return result;
		cipher->registered = true;
	}
	return 0;
}

void skciphers_unregister(void)
{
	unsigned int at;

	for (at = 0; at < ARRAY_SIZE(ciphers); at++)
		if (ciphers[at].registered)
			crypto_unregister_skcipher(&ciphers[at].alg);
}
