// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * gcm(aes). The card gives the tag of 16 bytes; it is cut, and compared, here.
 */

#include <linux/module.h>
#include <crypto/aes.h>
#include <crypto/algapi.h>
#include <crypto/gcm.h>
#include <crypto/internal/aead.h>
#include <crypto/scatterwalk.h>

#include <linux/ciphermill.h>

#include "crypto.h"

#define NEEDS (ACCEL_GCM | ACCEL_ENCRYPT | ACCEL_DECRYPT)
#define TAG_BYTES 16

struct gcm_tfm {
	struct crypto_owner owner;
	struct crypto_aead *fallback;
};

struct gcm_request {
	struct card_request request;
	u8 tag[TAG_BYTES];
	struct aead_request fallback; /* with its context behind it */
};

static int gcm_set_key(struct crypto_aead *tfm, const u8 *key, unsigned int bytes)
{
	struct gcm_tfm *context = crypto_aead_ctx(tfm);
	int result;

	crypto_aead_clear_flags(context->fallback, CRYPTO_TFM_REQ_MASK);
	crypto_aead_set_flags(context->fallback, crypto_aead_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	result = crypto_aead_setkey(context->fallback, key, bytes);
	if (result)
		return result;
	return crypto_owner_set_key(&context->owner, NEEDS, key, bytes, NULL);
}

static int gcm_set_authsize(struct crypto_aead *tfm, unsigned int bytes)
{
	struct gcm_tfm *context = crypto_aead_ctx(tfm);
	int result = crypto_gcm_check_authsize(bytes);

	return result ? result : crypto_aead_setauthsize(context->fallback, bytes);
}

static struct aead_request *gcm_req(struct card_request *request)
{
	struct gcm_request *context = container_of(request, struct gcm_request, request);

	return container_of((void *)context, struct aead_request, __ctx);
}

static void gcm_complete(struct card_request *request, int error)
{
	struct aead_request *req = gcm_req(request);
	unsigned int bytes = crypto_aead_authsize(crypto_aead_reqtfm(req));
	struct gcm_request *context = aead_request_ctx(req);

	if (!error && request->configuration & CONFIGURATION_DECRYPT) {
		if (crypto_memneq(request->tag, context->tag, bytes)) {
			request_erase_output(request);
			error = -EBADMSG;
		}
	} else if (!error) {
		scatterwalk_map_and_copy(request->tag, req->dst, req->assoclen + req->cryptlen,
					 bytes, 1);
	}
	memzero_explicit(context->tag, sizeof(context->tag));
	aead_request_complete(req, error);
}

static void gcm_started(struct card_request *request)
{
	aead_request_complete(gcm_req(request), -EINPROGRESS);
}

static int gcm_software(struct aead_request *req, bool decrypt)
{
	struct gcm_tfm *tfm = crypto_aead_ctx(crypto_aead_reqtfm(req));
	struct gcm_request *context = aead_request_ctx(req);

	aead_request_set_tfm(&context->fallback, tfm->fallback);
	aead_request_set_callback(&context->fallback, req->base.flags, req->base.complete,
				  req->base.data);
	aead_request_set_crypt(&context->fallback, req->src, req->dst, req->cryptlen, req->iv);
	aead_request_set_ad(&context->fallback, req->assoclen);
	return decrypt ? crypto_aead_decrypt(&context->fallback) :
			 crypto_aead_encrypt(&context->fallback);
}

static int gcm_crypt(struct aead_request *req, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	unsigned int bytes = crypto_aead_authsize(tfm), text = req->cryptlen;
	struct gcm_request *context = aead_request_ctx(req);
	struct gcm_tfm *owner = crypto_aead_ctx(tfm);
	struct card_request *request = &context->request;
	struct card_ring *ring;
	int result;

	ring = owner->owner.key ? crypto_owner_ring(&owner->owner, NEEDS) : NULL;
	if (!ring)
		return gcm_software(req, decrypt);
	crypto_prepare(request, &req->base);
	if (decrypt) {
		text -= bytes;
		scatterwalk_map_and_copy(context->tag, req->src, req->assoclen + text, bytes, 0);
	}
	request->key = owner->owner.key;
	request->configuration = CIPHERMILL_GCM | (decrypt ? CONFIGURATION_DECRYPT : 0);
	memcpy(request->iv, req->iv, GCM_AES_IV_SIZE);
	request->associated = req->assoclen;
	request->length = text;
	request->output = text;
	request->skip = req->assoclen;
	request->source = req->src;
	request->destination = req->dst;
	request->complete = gcm_complete;
	request->started = gcm_started;
	result = card_submit(ring, request);
	return crypto_submitted(result) ? result : gcm_software(req, decrypt);
}

static int gcm_encrypt(struct aead_request *req)
{
	return gcm_crypt(req, false);
}

static int gcm_decrypt(struct aead_request *req)
{
	return gcm_crypt(req, true);
}

static int gcm_init(struct crypto_aead *tfm)
{
	struct gcm_tfm *context = crypto_aead_ctx(tfm);
	static atomic_t turn;

	context->fallback = crypto_alloc_aead("gcm(aes)", 0, CRYPTO_ALG_NEED_FALLBACK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	context->owner.first = (unsigned int)atomic_inc_return(&turn);
	crypto_aead_set_reqsize(tfm, sizeof(struct gcm_request) +
				crypto_aead_reqsize(context->fallback));
	return 0;
}

static void gcm_exit(struct crypto_aead *tfm)
{
	struct gcm_tfm *context = crypto_aead_ctx(tfm);

	crypto_owner_exit(&context->owner);
	crypto_free_aead(context->fallback);
}

static struct aead_alg gcm = {
	.base.cra_name = "gcm(aes)",
	.base.cra_driver_name = "gcm-aes-ciphermill",
	.base.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_KERN_DRIVER_ONLY,
	.base.cra_blocksize = 1,
	.base.cra_ctxsize = sizeof(struct gcm_tfm),
	.base.cra_module = THIS_MODULE,
	.ivsize = GCM_AES_IV_SIZE,
	.maxauthsize = TAG_BYTES,
	.chunksize = AES_BLOCK_SIZE,
	.setkey = gcm_set_key,
	.setauthsize = gcm_set_authsize,
	.encrypt = gcm_encrypt,
	.decrypt = gcm_decrypt,
	.init = gcm_init,
	.exit = gcm_exit,
};

static bool registered;

int aeads_register(u32 capability)
{
	int result = 0;

	if (!registered && (capability & NEEDS) == NEEDS) {
		gcm.base.cra_priority = crypto_priority;
		result = crypto_register_aead(&gcm);
		registered = !result;
	}
	return result;
}

void aeads_unregister(void)
{
	if (registered)
		crypto_unregister_aead(&gcm);
}
