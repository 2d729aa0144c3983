/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright Ciphermill contributors. */
#ifndef CARD_CRYPTO_H
#define CARD_CRYPTO_H

#include <linux/crypto.h>

#include "card.h"

/* The part of a tfm's context that knows its card. */
struct crypto_owner {
	struct card *card;
	struct card_key *key;
	unsigned int first;
};

extern int crypto_priority;

int crypto_owner_set_key(struct crypto_owner *owner, u32 needs, const u8 *key, unsigned int bytes,
			 const u8 *tweak);
void crypto_owner_exit(struct crypto_owner *owner);
struct card_ring *crypto_owner_ring(struct crypto_owner *owner, u32 needs);
void crypto_prepare(struct card_request *request, struct crypto_async_request *base);
bool crypto_submitted(int result);

#endif
