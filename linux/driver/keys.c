// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * Keys and the slots of rings. A slot has one key at a time; only requests of that key name it.
 */

#include <linux/delay.h>
#include <linux/slab.h>

#include "card.h"

/* A slot is busy for some tens of cycles. */
#define KEY_WAIT (1 * HZ)

static int key_size(unsigned int bytes)
{
	switch (bytes) {
	case 10:
		return KEY_SIZE_80;
	case 16:
		return KEY_SIZE_128;
	case 24:
		return KEY_SIZE_192;
	case 32:
		return KEY_SIZE_256;
	default:
		return -EINVAL;
	}
}

bool card_key_bytes_supported(u32 capability, unsigned int bytes)
{
	switch (bytes) {
	case 10:
		return capability & ACCEL_KEY_80;
	case 16:
		return capability & ACCEL_KEY_128;
	case 24:
		return capability & ACCEL_KEY_192;
	case 32:
		return capability & ACCEL_KEY_256;
	default:
		return false;
	}
}

/* A key of this size, with a tweak key of the same size or none. */
struct card_key *card_key_create(struct card *card, const u8 *key, unsigned int bytes,
				 const u8 *tweak)
{
	struct card_key *result;
	int size = key_size(bytes);

	if (size < 0)
		return ERR_PTR(size);
	result = kzalloc(sizeof(*result), GFP_KERNEL);
	if (!result)
		return ERR_PTR(-ENOMEM);
	kref_init(&result->references);
	card_get(card);
	result->card = card;
	result->size = size;
	memcpy(result->key, key, bytes);
	if (tweak) {
		result->has_tweak = true;
		memcpy(result->tweak_key, tweak, bytes);
	}
	return result;
}

static void card_key_free(struct card_key *key)
{
	struct card *card = key->card;

	kfree_sensitive(key);
	card_put(card);
}

static void card_key_release(struct kref *references)
{
	struct card_key *key = container_of(references, struct card_key, references);
	struct card *card = key->card;
	bool gone;

	spin_lock_bh(&card->keys_lock);
	gone = card->gone;
	if (!gone) {
		list_add_tail(&key->node, &card->erasing);
		queue_work(card->work, &card->erase_keys);
	}
	spin_unlock_bh(&card->keys_lock);
	if (gone)
		card_key_free(key);
}

void card_key_put(struct card_key *key)
{
	if (key)
		kref_put(&key->references, card_key_release);
}

static int card_key_wait(struct card_ring *ring)
{
	unsigned long end = jiffies + KEY_WAIT;
	bool late;
	u32 status;

	/* An erase waits for the message in progress. */
	spin_lock_bh(&ring->lock);
	if (ring->seen != ring->given && time_before(end, ring->deadline))
		end = ring->deadline;
	spin_unlock_bh(&ring->lock);
	do {
		late = time_after(jiffies, end);
		spin_lock_bh(&ring->lock);
		status = card_read32(ring->registers + RING_STATUS);
		spin_unlock_bh(&ring->lock);
		if (!(status & RING_STATUS_KEY_BUSY))
			return 0;
		usleep_range(20, 50);
	} while (!late);
	return -ETIMEDOUT;
}

static int slot_command(struct card_ring *ring, unsigned int slot, u32 command, unsigned int size,
			const __le32 *key)
{
	unsigned int word;

	spin_lock_bh(&ring->lock);
	for (word = 0; key && word < 8; word++)
		card_write32(le32_to_cpu(key[word]), ring->registers + RING_KEY + 4 * word);
	card_write32(slot | size << RING_KEY_SLOT_SIZE_SHIFT, ring->registers + RING_KEY_SLOT);
	card_write32(command, ring->registers + RING_CONTROL);
	spin_unlock_bh(&ring->lock);
	return card_key_wait(ring);
}

static int slot_erase(struct card_ring *ring, unsigned int slot)
{
	int result = slot_command(ring, slot, RING_CONTROL_ERASE_KEY, 0, NULL);

	if (!result)
		ring->slots[slot].written = false;
	return result;
}

/* A slot that no message uses, an empty one if there is one; under the ring's lock. */
int card_key_choose_slot(struct card_ring *ring)
{
	unsigned int slot, best = 0;

	for (slot = 1; slot <= ring->card->key_slots; slot++) {
		struct card_slot *here = &ring->slots[slot];

		if (here->users)
			continue;
		if (!here->key)
			return slot;
		if (!best || here->used < ring->slots[best].used)
			best = slot;
	}
	if (!best)
		return -EBUSY;
	ring->slots[best].key->slot[ring->index] = 0;
	ring->slots[best].key = NULL;
	return best;
}

/* Store a key in a slot that nobody has; from the card's work alone. */
int card_key_load(struct card_ring *ring, struct card_key *key, unsigned int slot)
{
	int result = 0;

	if (ring->slots[slot].written)
		result = slot_erase(ring, slot);
	ring->slots[slot].written = true;
	if (!result)
		result = slot_command(ring, slot, RING_CONTROL_STORE_KEY, key->size, key->key);
	if (!result && key->has_tweak)
		result = slot_command(ring, slot, RING_CONTROL_STORE_TWEAK_KEY, key->size,
				      key->tweak_key);
	return result;
}

/* Overwrite the slots of keys that nobody has any more. */
void card_key_erase_work(struct work_struct *work)
{
	struct card *card = container_of(work, struct card, erase_keys);
	unsigned int index;

	for (;;) {
		struct card_key *key;

		spin_lock_bh(&card->keys_lock);
		key = list_first_entry_or_null(&card->erasing, struct card_key, node);
		if (key)
			list_del(&key->node);
		spin_unlock_bh(&card->keys_lock);
		if (!key)
			break;
		for (index = 0; index < card->ring_count; index++) {
			struct card_ring *ring = &card->rings[index];
			unsigned int slot;
			bool works;

			spin_lock_bh(&ring->lock);
			slot = key->slot[index];
			key->slot[index] = 0;
			if (slot)
				ring->slots[slot].key = NULL;
			works = ring->state == RING_WORKS;
			spin_unlock_bh(&ring->lock);
			/* A ring that does not work is reset before it works again. */
			if (slot && works)
				slot_erase(ring, slot);
		}
		card_key_free(key);
	}
}
