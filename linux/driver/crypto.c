// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The kernel's crypto API. Algorithms are registered when the first card has them, and stay until
 * the module goes: a tfm outlives its card, and goes on in software then.
 */

#include <linux/module.h>
#include <linux/mutex.h>

#include "crypto.h"

int crypto_priority = 300;
module_param_named(priority, crypto_priority, int, 0444);
MODULE_PARM_DESC(priority, "Priority among the kernel's algorithms; the generic ones have 100");

static bool kernel_crypto = true;
module_param(kernel_crypto, bool, 0444);
MODULE_PARM_DESC(kernel_crypto, "Register algorithms with the kernel");

static DEFINE_MUTEX(registering);

static u32 key_capability(unsigned int bytes)
{
	switch (bytes) {
	case 16:
		return ACCEL_KEY_128;
	case 24:
		return ACCEL_KEY_192;
	default:
		return ACCEL_KEY_256;
	}
}

/* Give a tfm another key; without a card that takes it, the tfm works in software. */
int crypto_owner_set_key(struct crypto_owner *owner, u32 needs, const u8 *key, unsigned int bytes,
			 const u8 *tweak)
{
	struct card *card = card_find(needs | key_capability(bytes));
	struct card_key *made = NULL;

	if (card && !(tweak && bytes == 24))
		made = card_key_create(card, key, bytes, tweak);
	if (IS_ERR(made)) {
		card_put(card);
		return PTR_ERR(made);
	}
	crypto_owner_exit(owner);
	owner->card = card;
	owner->key = made;
	return 0;
}

void crypto_owner_exit(struct crypto_owner *owner)
{
	card_key_put(owner->key);
	if (owner->card)
		card_put(owner->card);
	owner->key = NULL;
	owner->card = NULL;
}

/* A ring for the next message of a tfm; NULL: in software. */
struct card_ring *crypto_owner_ring(struct crypto_owner *owner, u32 needs)
{
	if (!owner->card)
		return NULL;
	return card_choose_ring(owner->card, needs, owner->first);
}

void crypto_prepare(struct card_request *request, struct crypto_async_request *base)
{
	memset(request, 0, sizeof(*request));
	request->may_wait = base->flags & CRYPTO_TFM_REQ_MAY_BACKLOG;
	/* What finds no memory runs in software: nobody waits for memory in the path of a write. */
	request->gfp = GFP_ATOMIC;
}

/* Whether the request is with the card now; else it is run in software. */
bool crypto_submitted(int result)
{
	return result == -EINPROGRESS || result == -EBUSY;
}

int algorithms_register(struct card *card)
{
	u32 capability = 0;
	unsigned int at;
	int result = 0;

	if (!kernel_crypto)
		return 0;
	mutex_lock(&registering);
	for (at = 0; !result && at < card->ring_count; at++) {
		capability = card->rings[at].capability;
		result = hashes_register(capability);
		if ((capability & ACCEL_ALGORITHM) != ACCEL_ALGORITHM_AES || result)
			continue;
		result = skciphers_register(capability);
		if (!result)
			result = aeads_register(capability);
	}
	mutex_unlock(&registering);
	return result;
}

void algorithms_unregister(void)
{
	hashes_unregister();
	aeads_unregister();
	skciphers_unregister();
}
