// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * SHA-2 and HMAC with it. The card needs the length of a message before its first byte, and its
 * state cannot be read: `digest` runs there, and messages in pieces in software.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <crypto/internal/hash.h>
#include <crypto/sha2.h>

#include <linux/ciphermill.h>

#include "crypto.h"

struct hash {
	struct ahash_alg alg;
	u32 configuration;
	u32 needs;
	bool registered;
};

struct hash_tfm {
	struct crypto_owner owner;
	struct crypto_ahash *fallback;
	u8 *key; /* of HMAC, for the device to read */
	unsigned int key_bytes;
};

struct hash_request {
	struct card_request request;
	struct scatterlist output;
	u8 *digest;
	struct ahash_request fallback; /* with its context behind it */
};

static struct hash *hash_of(struct crypto_ahash *tfm)
{
	return container_of(crypto_hash_alg_common(tfm), struct hash, alg.halg);
}

static struct ahash_request *hash_software(struct ahash_request *req)
{
	struct hash_tfm *tfm = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	struct hash_request *context = ahash_request_ctx(req);

	ahash_request_set_tfm(&context->fallback, tfm->fallback);
	ahash_request_set_callback(&context->fallback, req->base.flags, req->base.complete,
				   req->base.data);
	ahash_request_set_crypt(&context->fallback, req->src, req->result, req->nbytes);
	return &context->fallback;
}

static int hash_first(struct ahash_request *req)
{
	return crypto_ahash_init(hash_software(req));
}

static int hash_update(struct ahash_request *req)
{
	return crypto_ahash_update(hash_software(req));
}

static int hash_final(struct ahash_request *req)
{
	return crypto_ahash_final(hash_software(req));
}

static int hash_finup(struct ahash_request *req)
{
	return crypto_ahash_finup(hash_software(req));
}

static int hash_export(struct ahash_request *req, void *to)
{
	return crypto_ahash_export(hash_software(req), to);
}

static int hash_import(struct ahash_request *req, const void *from)
{
	return crypto_ahash_import(hash_software(req), from);
}

static struct ahash_request *hash_req(struct card_request *request)
{
	struct hash_request *context = container_of(request, struct hash_request, request);

	return container_of((void *)context, struct ahash_request, __ctx);
}

static void hash_complete(struct card_request *request, int error)
{
	struct ahash_request *req = hash_req(request);
	struct hash_request *context = ahash_request_ctx(req);

	if (!error)
		memcpy(req->result, context->digest, request->output);
	kfree_sensitive(context->digest);
	ahash_request_complete(req, error);
}

static void hash_started(struct card_request *request)
{
	ahash_request_complete(hash_req(request), -EINPROGRESS);
}

static int hash_digest(struct ahash_request *req)
{
	struct crypto_ahash *tfm = crypto_ahash_reqtfm(req);
	struct hash_request *context = ahash_request_ctx(req);
	struct hash_tfm *owner = crypto_ahash_ctx(tfm);
	struct card_request *request = &context->request;
	struct hash *hash = hash_of(tfm);
	struct card_ring *ring;
	int result;

	ring = crypto_owner_ring(&owner->owner, hash->needs);
	if (!ring)
		return crypto_ahash_digest(hash_software(req));
	crypto_prepare(request, &req->base);
	context->digest = kzalloc(SHA512_DIGEST_SIZE, request->gfp | __GFP_NOWARN);
	if (!context->digest)
		return crypto_ahash_digest(hash_software(req));
	request->output = crypto_ahash_digestsize(tfm);
	sg_init_one(&context->output, context->digest, request->output);
	request->configuration = CIPHERMILL_DIGEST | hash->configuration;
	request->prefix = owner->key;
	request->prefix_bytes = owner->key_bytes;
	request->associated = owner->key_bytes;
	request->length = req->nbytes;
	request->source = req->src;
	request->destination = &context->output;
	request->complete = hash_complete;
	request->started = hash_started;
	result = card_submit(ring, request);
	if (crypto_submitted(result))
		return result;
	kfree_sensitive(context->digest);
	return crypto_ahash_digest(hash_software(req));
}

static int hash_set_key(struct crypto_ahash *tfm, const u8 *key, unsigned int bytes)
{
	struct hash_tfm *context = crypto_ahash_ctx(tfm);
	int result = crypto_ahash_setkey(context->fallback, key, bytes);
	u8 *copy = NULL;

	if (result)
		return result;
	if (bytes) {
		copy = kmemdup(key, bytes, GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	kfree_sensitive(context->key);
	context->key = copy;
	context->key_bytes = bytes;
	return 0;
}

static int hash_tfm_init(struct crypto_tfm *base)
{
	struct crypto_ahash *tfm = __crypto_ahash_cast(base);
	struct hash_tfm *context = crypto_ahash_ctx(tfm);
	struct hash *hash = hash_of(tfm);
	static atomic_t turn;

	context->fallback = crypto_alloc_ahash(crypto_tfm_alg_name(base), 0,
					       CRYPTO_ALG_NEED_FALLBACK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	if (crypto_ahash_statesize(context->fallback) > hash->alg.halg.statesize) {
		crypto_free_ahash(context->fallback);
		return -EINVAL;
	}
	context->owner.first = (unsigned int)atomic_inc_return(&turn);
	context->owner.card = card_find(hash->needs);
	crypto_ahash_set_reqsize(tfm, sizeof(struct hash_request) +
				 crypto_ahash_reqsize(context->fallback));
	return 0;
}

static void hash_tfm_exit(struct crypto_tfm *base)
{
	struct hash_tfm *context = crypto_tfm_ctx(base);

	crypto_owner_exit(&context->owner);
	crypto_free_ahash(context->fallback);
	kfree_sensitive(context->key);
}

#define HASH(NAME, DRIVER, NUMBER, NEEDS, SHA, STATE, KEY, HMAC) { \
	.configuration = CIPHERMILL_HASH(NUMBER) | (HMAC), \
	.needs = (NEEDS), \
	.alg = { \
		.halg.digestsize = SHA##_DIGEST_SIZE, \
		.halg.statesize = sizeof(struct STATE), \
		.halg.base.cra_name = NAME, \
		.halg.base.cra_driver_name = DRIVER "-ciphermill", \
		.halg.base.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK | \
				       CRYPTO_ALG_ALLOCATES_MEMORY | CRYPTO_ALG_KERN_DRIVER_ONLY, \
		.halg.base.cra_blocksize = SHA##_BLOCK_SIZE, \
		.halg.base.cra_ctxsize = sizeof(struct hash_tfm), \
		.halg.base.cra_module = THIS_MODULE, \
		.halg.base.cra_init = hash_tfm_init, \
		.halg.base.cra_exit = hash_tfm_exit, \
		.init = hash_first, \
		.update = hash_update, \
		.final = hash_final, \
		.finup = hash_finup, \
		.digest = hash_digest, \
		.export = hash_export, \
		.import = hash_import, \
		.setkey = (KEY), \
	}, \
}

static struct hash hashes[] = {
	HASH("sha224", "sha224", 1, ACCEL_SHA2_32, SHA224, sha256_state, NULL, 0),
	HASH("hmac(sha224)", "hmac-sha224", 1, ACCEL_SHA2_32, SHA224, sha256_state, hash_set_key,
	     CIPHERMILL_AUTHENTICATE),
	HASH("sha256", "sha256", 2, ACCEL_SHA2_32, SHA256, sha256_state, NULL, 0),
	HASH("hmac(sha256)", "hmac-sha256", 2, ACCEL_SHA2_32, SHA256, sha256_state, hash_set_key,
	     CIPHERMILL_AUTHENTICATE),
	HASH("sha384", "sha384", 3, ACCEL_SHA2_64, SHA384, sha512_state, NULL, 0),
	HASH("hmac(sha384)", "hmac-sha384", 3, ACCEL_SHA2_64, SHA384, sha512_state, hash_set_key,
	     CIPHERMILL_AUTHENTICATE),
	HASH("sha512", "sha512", 4, ACCEL_SHA2_64, SHA512, sha512_state, NULL, 0),
	HASH("hmac(sha512)", "hmac-sha512", 4, ACCEL_SHA2_64, SHA512, sha512_state, hash_set_key,
	     CIPHERMILL_AUTHENTICATE),
};

int hashes_register(u32 capability)
{
	unsigned int at;
	int result;

	for (at = 0; at < ARRAY_SIZE(hashes); at++) {
		struct hash *hash = &hashes[at];

		if (hash->registered || !(capability & hash->needs))
			continue;
		/* A kernel without this in software would refuse its tests. */
		if (!crypto_has_ahash(hash->alg.halg.base.cra_name, 0, CRYPTO_ALG_NEED_FALLBACK))
			continue;
		hash->alg.halg.base.cra_priority = crypto_priority;
		result = crypto_register_ahash(&hash->alg);
		if (result)
			return result;
		hash->registered = true;
	}
	return 0;
}

void hashes_unregister(void)
{
	unsigned int at;

	for (at = 0; at < ARRAY_SIZE(hashes); at++)
		if (hashes[at].registered)
			crypto_unregister_ahash(&hashes[at].alg);
}
