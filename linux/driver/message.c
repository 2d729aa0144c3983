// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * What user space may ask a device for, and messages between buffers of user space: their pages are
 * pinned for the time of the message, and the device reads and writes them.
 */

#include <linux/bitfield.h>
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <crypto/algapi.h>

#include <linux/ciphermill.h>

#include "card.h"

#define ALLOWED (CIPHERMILL_MODE | CIPHERMILL_DECRYPT | CIPHERMILL_COUNTER_MASK | \
		 CIPHERMILL_HASH_MASK | CIPHERMILL_AUTHENTICATE)

u32 message_digest_bytes(u32 configuration)
{
	static const u8 bytes[] = { 32, 28, 32, 48, 64, 28, 32, 0 };

	return bytes[FIELD_GET(CIPHERMILL_HASH_MASK, configuration)];
}

static u32 digest_needs(u32 configuration)
{
	switch (FIELD_GET(CIPHERMILL_HASH_MASK, configuration)) {
	case 0:
		return ACCEL_DIGEST;
	case 1:
	case 2:
		return ACCEL_SHA2_32;
	default:
		return ACCEL_SHA2_64;
	}
}

/* Bytes of a block of the ring's cipher. */
u32 message_block_bytes(const struct card_ring *ring)
{
	return FIELD_GET(ACCEL_ALGORITHM, ring->capability) == ACCEL_ALGORITHM_PRESENT ? 8 : 16;
}

/* Whether a ring can do this at all: 0, or -EINVAL, -EOPNOTSUPP, -ENOKEY. */
int message_check(const struct card_ring *ring, u32 configuration, const struct card_key *key)
{
	static const u32 modes[] = { ACCEL_ECB, ACCEL_CBC, ACCEL_CTR, ACCEL_GCM, ACCEL_XTS,
				     ACCEL_AEAD };
	u32 mode = configuration & CIPHERMILL_MODE, needs;

	if (configuration & ~ALLOWED || mode > CIPHERMILL_DIGEST)
		return -EINVAL;
	if (mode != CIPHERMILL_CTR && configuration & CIPHERMILL_COUNTER_MASK)
		return -EINVAL;
	if (FIELD_GET(CIPHERMILL_COUNTER_MASK, configuration) == 3)
		return -EINVAL;
	if (mode == CIPHERMILL_DIGEST) {
		if (configuration & CIPHERMILL_DECRYPT || !message_digest_bytes(configuration))
			return -EINVAL;
		if (configuration & CIPHERMILL_AUTHENTICATE &&
		    !(configuration & CIPHERMILL_HASH_MASK))
			return -EINVAL;
		needs = digest_needs(configuration);
	} else {
		if (configuration & (CIPHERMILL_HASH_MASK | CIPHERMILL_AUTHENTICATE))
			return -EINVAL;
		needs = modes[mode];
		/* CTR and GCM decrypt with the cipher's encryption (SP 800-38A, 6.5). */
		if (configuration & CIPHERMILL_DECRYPT && mode != CIPHERMILL_CTR &&
		    mode != CIPHERMILL_GCM)
			needs |= ACCEL_DECRYPT;
		else
			needs |= ACCEL_ENCRYPT;
	}
	if ((ring->capability & needs) != needs)
		return -EOPNOTSUPP;
	/* A counter is not longer than a block. */
	if (configuration & CIPHERMILL_COUNTER_128 && message_block_bytes(ring) == 8)
		return -EOPNOTSUPP;
	if (mode == CIPHERMILL_DIGEST)
		return 0;
	if (!key)
		return -ENOKEY;
	return key->has_tweak == (mode == CIPHERMILL_XTS) ? 0 : -ENOKEY;
}

struct pinned {
	struct page **pages;
	unsigned int count;
	bool write;
	struct sg_table table;
};

static void pinned_release(struct pinned *pinned)
{
	if (pinned->count)
		unpin_user_pages_dirty_lock(pinned->pages, pinned->count, pinned->write);
	kvfree(pinned->pages);
	sg_free_table(&pinned->table);
	memset(pinned, 0, sizeof(*pinned));
}

/* Pin the pages of segments of the caller's memory; a tail of 16 bytes may come behind them. */
static int pinned_create(struct pinned *pinned, const struct ciphermill_segment *segments,
			 unsigned int count, bool write, void *tail)
{
	struct scatterlist *entry;
	unsigned long pages = 0;
	unsigned int at;
	int result = 0;

	pinned->write = write;
	for (at = 0; at < count; at++)
		pages += DIV_ROUND_UP(offset_in_page(segments[at].address) + segments[at].bytes,
				      PAGE_SIZE);
	pinned->pages = kvcalloc(pages, sizeof(*pinned->pages), GFP_KERNEL);
	if (!pinned->pages)
		return -ENOMEM;
	for (at = 0; !result && at < count; at++) {
		unsigned int here = DIV_ROUND_UP(offset_in_page(segments[at].address) +
						 segments[at].bytes, PAGE_SIZE);

		while (here) {
			unsigned long address = segments[at].address & PAGE_MASK;
			unsigned long done = DIV_ROUND_UP(offset_in_page(segments[at].address) +
							  segments[at].bytes, PAGE_SIZE) - here;
			int got = pin_user_pages_fast(address + done * PAGE_SIZE, here,
						      write ? FOLL_WRITE : 0,
						      pinned->pages + pinned->count);

			if (got <= 0) {
				result = -EFAULT;
				break;
			}
			pinned->count += got;
			here -= got;
		}
	}
	if (!result)
		result = sg_alloc_table(&pinned->table, pages + !!tail, GFP_KERNEL);
	if (result) {
		pinned_release(pinned);
		return result;
	}
	entry = pinned->table.sgl;
	pages = 0;
	for (at = 0; at < count; at++) {
		unsigned long offset = offset_in_page(segments[at].address);
		u64 bytes = segments[at].bytes;

		while (bytes) {
			unsigned int here = min_t(u64, bytes, PAGE_SIZE - offset);

			sg_set_page(entry, pinned->pages[pages++], here, offset);
			entry = sg_next(entry);
			bytes -= here;
			offset = 0;
		}
	}
	if (tail)
		sg_set_buf(entry, tail, 16);
	return 0;
}

static bool aligned(const struct ciphermill_segment *segments, unsigned int count)
{
	unsigned int line = dma_get_cache_alignment(), at;

	for (at = 0; at < count; at++)
		if (segments[at].address & (line - 1) || segments[at].bytes & (line - 1))
			return false;
	return true;
}

static int copy_out(const struct ciphermill_segment *segments, unsigned int count, const u8 *from)
{
	unsigned int at;

	for (at = 0; at < count; at++) {
		if (copy_to_user(u64_to_user_ptr(segments[at].address), from, segments[at].bytes))
			return -EFAULT;
		from += segments[at].bytes;
	}
	return 0;
}

/* A message of user space, from its ioctl to its end. */
struct port_message {
	struct ciphermill_message user;
	struct ciphermill_segment source[1 + CIPHERMILL_SEGMENTS]; /* associated data first */
	unsigned int source_count;
	struct ciphermill_segment destination[CIPHERMILL_SEGMENTS];
	u64 text;
	u64 output;
	struct pinned in;
	struct pinned out;
	struct card_buffer bounce;
	struct card_buffer tail; /* Ascon: the tag, behind the text */
	struct card_request request;
	struct completion ended;
	int error;
};

static void message_complete(struct card_request *request, int error)
{
	struct port_message *message = container_of(request, struct port_message, request);

	message->error = error;
	complete(&message->ended);
}

/* Copy segments, none of them empty, and together not too long; their bytes. */
static int copy_segments(struct ciphermill_segment *to, u64 from, unsigned int count, u64 *bytes)
{
	unsigned int at;

	*bytes = 0;
	if (count > CIPHERMILL_SEGMENTS)
		return -E2BIG;
	if (copy_from_user(to, u64_to_user_ptr(from), count * sizeof(*to)))
		return -EFAULT;
	for (at = 0; at < count; at++) {
		if (!to[at].bytes)
			return -EINVAL;
		if (to[at].bytes > card_message_bytes)
			return -E2BIG;
		*bytes += to[at].bytes;
		if (*bytes > card_message_bytes)
			return -E2BIG;
		if (!access_ok(u64_to_user_ptr(to[at].address), to[at].bytes))
			return -EFAULT;
	}
	return 0;
}

static int message_read(struct port_message *message, void __user *argument,
			const struct card_ring *ring, const struct card_key *key)
{
	struct ciphermill_message *user = &message->user;
	u32 mode, block;
	int result;

	if (copy_from_user(user, argument, sizeof(*user)))
		return -EFAULT;
	if (memchr_inv(user->reserved, 0, sizeof(user->reserved)) || user->flags)
		return -EINVAL;
	result = message_check(ring, user->configuration, key);
	if (result)
		return result;
	mode = user->configuration & CIPHERMILL_MODE;
	block = message_block_bytes(ring);
	if (user->associated_bytes > card_message_bytes)
		return -E2BIG;
	if (user->associated_bytes) {
		bool hmac = user->configuration & CIPHERMILL_AUTHENTICATE;

		if (mode != CIPHERMILL_GCM && mode != CIPHERMILL_AEAD && !hmac)
			return -EINVAL;
		if (!access_ok(u64_to_user_ptr(user->associated), user->associated_bytes))
			return -EFAULT;
		message->source[0].address = user->associated;
		message->source[0].bytes = user->associated_bytes;
		message->source_count = 1;
	}
	result = copy_segments(message->source + message->source_count, user->source,
			       user->source_segments, &message->text);
	if (!result)
		result = copy_segments(message->destination, user->destination,
				       user->destination_segments, &message->output);
	if (result)
		return result;
	message->source_count += user->source_segments;
	if (message->text + user->associated_bytes > card_message_bytes)
		return -E2BIG;
	if (message->output != (mode == CIPHERMILL_DIGEST ?
				message_digest_bytes(user->configuration) : message->text))
		return -EINVAL;
	if (mode == CIPHERMILL_XTS && message->text && user->unit_bytes % 16)
		return -EINVAL;
	if (mode != CIPHERMILL_XTS && user->unit_bytes)
		return -EINVAL;
	if ((mode == CIPHERMILL_ECB || mode == CIPHERMILL_CBC || mode == CIPHERMILL_XTS) &&
	    message->text & (block - 1))
		return -EINVAL;
	return 0;
}

/* Whether the output goes through memory of the kernel. */
static bool message_bounces(const struct port_message *message)
{
	u32 mode = message->user.configuration & CIPHERMILL_MODE;
	bool authenticated = mode == CIPHERMILL_GCM || mode == CIPHERMILL_AEAD;

	if (!message->output)
		return false;
	if (authenticated && message->user.configuration & CIPHERMILL_DECRYPT)
		return true;
	return READ_ONCE(card_bounce) ||
	       !aligned(message->destination, message->user.destination_segments);
}

static int message_prepare(struct port_message *message, struct card_key *key)
{
	struct card_request *request = &message->request;
	const struct ciphermill_message *user = &message->user;
	u32 mode = user->configuration & CIPHERMILL_MODE;
	int result = 0;

	if (mode == CIPHERMILL_AEAD && user->configuration & CIPHERMILL_DECRYPT) {
		/* Ascon compares the tag itself, which goes behind the text. */
		result = buffer_create(&message->tail, 16);
		if (result)
			return result;
		memcpy(message->tail.data, user->tag, 16);
		request->source = message->tail.table.sgl;
		request->tag_packet = true;
	}
	if (message->source_count) {
		result = pinned_create(&message->in, message->source, message->source_count, false,
				       message->tail.data);
		request->source = message->in.table.sgl;
	}
	if (!result && message_bounces(message)) {
		result = buffer_create(&message->bounce, message->output);
		request->destination = message->bounce.table.sgl;
	} else if (!result && message->output) {
		result = pinned_create(&message->out, message->destination,
				       user->destination_segments, true, NULL);
		request->destination = message->out.table.sgl;
	}
	if (result)
		return result;
	request->key = mode == CIPHERMILL_DIGEST ? NULL : key;
	request->configuration = user->configuration;
	memcpy(request->iv, user->iv, sizeof(request->iv));
	request->length = message->text;
	request->associated = user->associated_bytes;
	request->unit = user->unit_bytes;
	if (mode == CIPHERMILL_XTS && !request->unit)
		request->unit = message->text;
	request->output = message->output;
	request->may_wait = true;
	request->gfp = GFP_KERNEL;
	request->complete = message_complete;
	return 0;
}

static int message_run(struct port_message *message, struct card_ring *ring)
{
	u32 mode = message->user.configuration & CIPHERMILL_MODE;
	bool decrypt = message->user.configuration & CIPHERMILL_DECRYPT;
	int result;

	init_completion(&message->ended);
	result = card_submit(ring, &message->request);
	if (result != -EINPROGRESS && result != -EBUSY)
		return result;
	/* The device has the caller's memory until then; a hung device is reset. */
	wait_for_completion(&message->ended);
	result = message->error;
	message->user.status = message->request.status;
	message->user.count = result ? 0 : message->request.count;
	if (!result && mode == CIPHERMILL_GCM && decrypt &&
	    crypto_memneq(message->request.tag, message->user.tag, 16))
		result = -EBADMSG;
	if (!result && message->bounce.data)
		result = copy_out(message->destination, message->user.destination_segments,
				  message->bounce.data);
	if (!result && !decrypt && (mode == CIPHERMILL_GCM || mode == CIPHERMILL_AEAD))
		memcpy(message->user.tag, message->request.tag, 16);
	return result;
}

/* The destination of a message that failed is zero, also where nothing was written yet. */
static void message_clear(struct port_message *message)
{
	unsigned int at;

	for (at = 0; at < message->user.destination_segments; at++)
		if (clear_user(u64_to_user_ptr(message->destination[at].address),
			       message->destination[at].bytes))
			return;
}

long message_ioctl(struct card_ring *ring, struct card_key *key, void __user *argument)
{
	struct port_message *message = kvzalloc(sizeof(*message), GFP_KERNEL);
	long result;

	if (!message)
		return -ENOMEM;
	result = message_read(message, argument, ring, key);
	if (!result)
		result = message_prepare(message, key);
	if (!result) {
		result = message_run(message, ring);
		if (result)
			message_clear(message);
		if (copy_to_user(argument, &message->user, sizeof(message->user)) && !result)
			result = -EFAULT;
	}
	if (message->in.pages)
		pinned_release(&message->in);
	if (message->out.pages)
		pinned_release(&message->out);
	buffer_destroy(&message->bounce);
	buffer_destroy(&message->tail);
	kvfree_sensitive(message, sizeof(*message));
	return result;
}
