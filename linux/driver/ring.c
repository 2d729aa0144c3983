// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * A ring: requests go to the device, or into the queue while it has no place or their key no slot;
 * completions come back by an interrupt, and by polling while there are many.
 *
 * Registers are read and written with bottom halves off, so that one access is in progress at a
 * time on the bus of User Mode Linux, which has no lock.
 */

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "card.h"

/* Completions that are taken at once. */
#define BUDGET 64
/* Time between two looks of a ring under load. */
#define POLL_LEAST_US 10U
#define POLL_MOST_US 1000U
/* A ring that has so many messages is told of more by one doorbell for so many. */
#define DOORBELL_BUSY 16
#define DOORBELL_MOST 16

static unsigned int timeout_ms = 10000;
module_param(timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms, "Time after which a message, beside its length, has hung");

static unsigned int slowest_kib = 64;
module_param(slowest_kib, uint, 0644);
MODULE_PARM_DESC(slowest_kib, "KiB a second that the slowest device reaches, for timeouts");

static unsigned int interrupt_messages = 16;
module_param(interrupt_messages, uint, 0444);
MODULE_PARM_DESC(interrupt_messages, "Interrupt after so many messages while a ring is busy");

static unsigned int interrupt_us = 100;
module_param(interrupt_us, uint, 0444);
MODULE_PARM_DESC(interrupt_us, "And no later than so many microseconds");

static unsigned int depth = 64;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "Messages that a ring has at once; more wait, and follow with one doorbell");

int ring_create(struct card_ring *ring, u32 log2)
{
	struct device *device = ring->card->device;
	unsigned int entries = 1 << log2;

	ring->log2 = log2;
	ring->mask = entries - 1;
	ring->depth = clamp(depth, 1U, entries);
	ring->descriptors = dma_alloc_coherent(device, entries * sizeof(*ring->descriptors),
					       &ring->descriptors_at, GFP_KERNEL);
	ring->completions = dma_alloc_coherent(device, entries * sizeof(*ring->completions),
					       &ring->completions_at, GFP_KERNEL);
	ring->segments = dma_alloc_coherent(device, 2 * CARD_INLINE_SEGMENTS * entries *
					    sizeof(*ring->segments), &ring->segments_at,
					    GFP_KERNEL);
	ring->running = kcalloc(entries, sizeof(*ring->running), GFP_KERNEL);
	ring->slots = kcalloc(ring->card->key_slots + 1, sizeof(*ring->slots), GFP_KERNEL);
	if (ring->descriptors && ring->completions && ring->segments && ring->running &&
	    ring->slots)
		return 0;
	ring_destroy(ring);
	return -ENOMEM;
}

static void erase_and_free(struct device *device, size_t bytes, void *memory, dma_addr_t address)
{
	if (!memory)
		return;
	memzero_explicit(memory, bytes);
	dma_free_coherent(device, bytes, memory, address);
}

void ring_destroy(struct card_ring *ring)
{
	struct device *device = ring->card->device;
	unsigned int entries = ring->mask + 1;

	erase_and_free(device, entries * sizeof(*ring->descriptors), ring->descriptors,
		       ring->descriptors_at);
	erase_and_free(device, entries * sizeof(*ring->completions), ring->completions,
		       ring->completions_at);
	erase_and_free(device, 2 * CARD_INLINE_SEGMENTS * entries * sizeof(*ring->segments),
		       ring->segments, ring->segments_at);
	ring->descriptors = NULL;
	ring->completions = NULL;
	ring->segments = NULL;
	kfree(ring->running);
	ring->running = NULL;
	kfree(ring->slots);
	ring->slots = NULL;
}

static unsigned long ring_timeout(const struct card_request *request)
{
	u64 kib = ((u64)request->length + request->associated) >> 10;

	return msecs_to_jiffies(timeout_ms) + div_u64(kib * HZ, max(slowest_kib, 1U));
}

/* All that follow up to ring_reap: under the ring's lock. */

static bool key_ready(struct card_ring *ring, struct card_request *request)
{
	return !request->key || request->key->slot[ring->index];
}

static bool can_push(struct card_ring *ring, struct card_request *request)
{
	return ring->state == RING_WORKS && ring->given - ring->seen < ring->depth &&
	       key_ready(ring, request);
}

static void ring_push(struct card_ring *ring, struct card_request *request)
{
	unsigned int entry = ring->given & ring->mask;

	request->slot = 0;
	if (request->key) {
		request->slot = request->key->slot[ring->index];
		ring->slots[request->slot].users++;
		ring->slots[request->slot].used = ++ring->clock;
	}
	request_describe(ring, request, entry);
	ring->running[entry] = request;
	if (ring->given == ring->seen)
		ring->deadline = jiffies + ring_timeout(request);
	ring->given++;
}

static void ring_doorbell(struct card_ring *ring)
{
	if (ring->rung == ring->given)
		return;
	/* The write orders the descriptors before it. */
	card_write32(ring->given, ring->registers + RING_DOORBELL);
	ring->rung = ring->given;
	ring->doorbells++;
}

/* Give the device what waits, as far as it goes. */
static void ring_advance(struct card_ring *ring)
{
	struct card_request *request, *next;

	list_for_each_entry_safe(request, next, &ring->queue, node) {
		if (!can_push(ring, request))
			break;
		list_del(&request->node);
		ring->queued--;
		ring_push(ring, request);
	}
	ring_doorbell(ring);
	request = list_first_entry_or_null(&ring->queue, struct card_request, node);
	if (ring->state == RING_WORKS && request && !key_ready(ring, request))
		queue_work(ring->card->work, &ring->dispatch);
}

/* The end of a request, without the lock. */
static void request_end(struct card_ring *ring, struct card_request *request, int error)
{
	request_unmap(ring, request);
	if (error)
		request_erase_output(request);
	card_key_put(request->key);
	local_bh_disable();
	/* The ring may go after this, and the request within the call. */
	spin_lock(&ring->lock);
	if (!--ring->outstanding)
		wake_up(&ring->idle);
	spin_unlock(&ring->lock);
	request->complete(request, error);
	local_bh_enable();
}

/* Requests whose users were told to wait come into the queue, and they go on. */
static void ring_promote(struct card_ring *ring)
{
	struct card_request *request;

	spin_lock_bh(&ring->lock);
	while (ring->queued < CARD_QUEUE && ring->state != RING_REMOVED) {
		request = list_first_entry_or_null(&ring->overflow, struct card_request, node);
		if (!request)
			break;
		list_del(&request->node);
		ring->queued++;
		spin_unlock(&ring->lock);
		request->started(request);
		spin_lock(&ring->lock);
		list_add_tail(&request->node, &ring->queue);
	}
	ring_advance(ring);
	spin_unlock_bh(&ring->lock);
	if (READ_ONCE(ring->state) == RING_REMOVED)
		ring_fail_queued(ring, -ENODEV);
}

/* Take completions; how many there were. */
unsigned int ring_reap(struct card_ring *ring, unsigned int budget)
{
	struct card_request *request, *next;
	unsigned int count = 0;
	LIST_HEAD(ended);

	spin_lock_bh(&ring->lock);
	while (count < budget && ring->seen != ring->given && !ring->untrusted) {
		unsigned int entry = ring->seen & ring->mask;
		struct card_completion *completion = &ring->completions[entry];
		u32 status = le32_to_cpu(READ_ONCE(completion->status));
		bool pass = ring->seen >> ring->log2 & 1;

		if (!!(status & COMPLETION_PHASE) == pass)
			break;
		/* The rest of the completion after its phase. */
		dma_rmb();
		request = ring->running[entry];
		if (le64_to_cpu(completion->cookie) != ((u64)ring->generation << 32 | ring->seen)) {
			ring->untrusted = true;
			break;
		}
		request->status = status & ~COMPLETION_PHASE;
		request->count = le32_to_cpu(completion->count);
		memcpy(request->tag, completion->tag, sizeof(request->tag));
		ring->running[entry] = NULL;
		if (request->slot)
			ring->slots[request->slot].users--;
		ring->seen++;
		ring->messages++;
		count++;
		list_add_tail(&request->node, &ended);
	}
	if (count) {
		ring->failures = 0;
		if (ring->seen != ring->given)
			ring->deadline = jiffies +
				ring_timeout(ring->running[ring->seen & ring->mask]);
		ring_advance(ring);
	}
	spin_unlock_bh(&ring->lock);
	list_for_each_entry_safe(request, next, &ended, node)
		request_end(ring, request, request_error(request));
	if (count && !list_empty(&ring->overflow))
		ring_promote(ring);
	return count;
}

irqreturn_t ring_interrupt(int irq, void *data)
{
	struct card_ring *ring = data;

	ring->interrupts++;
	return IRQ_WAKE_THREAD;
}

/* Messages that the device has. */
static unsigned int ring_depth(struct card_ring *ring)
{
	unsigned int given;

	spin_lock_bh(&ring->lock);
	given = ring->state == RING_WORKS ? ring->given - ring->seen : 0;
	spin_unlock_bh(&ring->lock);
	return given;
}

/* Interrupts again, also for what came meanwhile; under the ring's lock. */
static void ring_unmask(struct card_ring *ring)
{
	if (ring->state != RING_WORKS || ring->polled)
		return;
	card_write32(ring->seen, ring->registers + RING_ACKNOWLEDGED);
	card_write32(1, ring->registers + RING_INTERRUPT_ENABLE);
}

/* Look for completions without interrupts, as long as there are many messages or any completion. */
static void ring_poll(struct card_ring *ring)
{
	unsigned int count, sleep_us = clamp(interrupt_us, POLL_LEAST_US, POLL_MOST_US);

	spin_lock_bh(&ring->lock);
	ring->polled = true;
	if (ring->state == RING_WORKS)
		card_write32(0, ring->registers + RING_INTERRUPT_ENABLE);
	spin_unlock_bh(&ring->lock);
	do {
		usleep_range(sleep_us / 2, sleep_us);
		count = 0;
		while (ring_reap(ring, BUDGET)) {
			count++;
			cond_resched();
		}
		if (!count)
			sleep_us = min(2 * sleep_us, POLL_MOST_US);
	} while (count || ring_depth(ring) >= max(interrupt_messages, 1U));
	spin_lock_bh(&ring->lock);
	ring->polled = false;
	ring_unmask(ring);
	spin_unlock_bh(&ring->lock);
}

/* One interrupt, and as many completions as there are; while there are many, no interrupts. */
irqreturn_t ring_interrupt_thread(int irq, void *data)
{
	struct card_ring *ring = data;
	unsigned int count;

	count = ring_reap(ring, BUDGET);
	if (!count) {
		/* An error of the ring interrupts too. */
		spin_lock_bh(&ring->lock);
		if (ring->state == RING_WORKS && ring->seen != ring->given)
			mod_delayed_work(ring->card->work, &ring->card->watch, 0);
		spin_unlock_bh(&ring->lock);
	} else if (count + ring_depth(ring) >= max(interrupt_messages, 2U)) {
		ring_poll(ring);
	}
	return IRQ_HANDLED;
}

/* Load the keys of requests that wait for one; in the card's work. */
void ring_dispatch(struct work_struct *work)
{
	struct card_ring *ring = container_of(work, struct card_ring, dispatch);
	struct card_request *request;

	spin_lock_bh(&ring->lock);
	for (;;) {
		struct card_key *key;
		int slot, result;

		ring_advance(ring);
		request = list_first_entry_or_null(&ring->queue, struct card_request, node);
		if (!request || ring->state != RING_WORKS || key_ready(ring, request))
			break;
		slot = card_key_choose_slot(ring);
		if (slot < 0)
			break; /* a completion brings this work back */
		key = request->key;
		kref_get(&key->references);
		spin_unlock_bh(&ring->lock);
		result = card_key_load(ring, key, slot);
		spin_lock_bh(&ring->lock);
		if (!result) {
			ring->slots[slot].key = key;
			ring->slots[slot].used = ++ring->clock;
			key->slot[ring->index] = slot;
		}
		spin_unlock_bh(&ring->lock);
		card_key_put(key);
		spin_lock_bh(&ring->lock);
		if (result) {
			/* The watch resets the card. */
			ring->untrusted = true;
			mod_delayed_work(ring->card->work, &ring->card->watch, 0);
			break;
		}
	}
	spin_unlock_bh(&ring->lock);
}

/* Look after a ring; whether it needs a reset. */
bool ring_watch(struct card_ring *ring)
{
	struct device *device = ring->card->device;
	u32 seen, given, error = 0;
	bool late = false;

	spin_lock_bh(&ring->lock);
	seen = ring->seen;
	given = ring->given;
	spin_unlock_bh(&ring->lock);
	if (READ_ONCE(ring->state) != RING_WORKS)
		return false;
	if (seen != given && ring_reap(ring, BUDGET)) {
		while (ring_reap(ring, BUDGET))
			cond_resched();
		spin_lock_bh(&ring->lock);
		if (!ring->polled)
			ring->lost_interrupts++;
		ring_unmask(ring);
		spin_unlock_bh(&ring->lock);
	}
	spin_lock_bh(&ring->lock);
	if (ring->state == RING_WORKS && (ring->seen != ring->given || ring->untrusted)) {
		error = card_read32(ring->registers + RING_ERROR);
		/* Of a device that is gone, or of a bus that was late once. */
		if (error == U32_MAX)
			error = card_read32(ring->registers + RING_ERROR);
		late = ring->seen != ring->given && time_after(jiffies, ring->deadline);
	}
	late |= ring->untrusted;
	spin_unlock_bh(&ring->lock);
	if (error)
		dev_warn_ratelimited(device, "ring %u stopped with error %#x: it is reset\n",
				     ring->index, error);
	else if (late)
		dev_warn_ratelimited(device, "ring %u %s: it is reset\n", ring->index,
				     ring->untrusted ? "gave a completion that is none" : "hangs");
	return error || late;
}

/* Drop what the ring is doing; afterwards it touches no memory. */
int ring_stop(struct card_ring *ring)
{
	unsigned long end = jiffies + HZ;
	u32 status, enable;
	bool late;

	spin_lock_bh(&ring->lock);
	card_write32(0, ring->registers + RING_INTERRUPT_ENABLE);
	card_write32(RING_CONTROL_ABORT, ring->registers + RING_CONTROL);
	spin_unlock_bh(&ring->lock);
	do {
		late = time_after(jiffies, end);
		spin_lock_bh(&ring->lock);
		status = card_read32(ring->registers + RING_STATUS);
		enable = card_read32(ring->registers + RING_ENABLE);
		spin_unlock_bh(&ring->lock);
		if (!(status & (RING_STATUS_BUSY | RING_STATUS_STOPPING)) && !enable)
			return 0;
		usleep_range(100, 500);
	} while (!late);
	return -ETIMEDOUT;
}

/* Begin anew with empty rings. */
void ring_run(struct card_ring *ring)
{
	u64 cycles = (u64)interrupt_us * ring->card->khz;
	void __iomem *at = ring->registers;

	spin_lock_bh(&ring->lock);
	if (ring->state == RING_REMOVED) {
		spin_unlock_bh(&ring->lock);
		return;
	}
	memset(ring->descriptors, 0, (ring->mask + 1) * sizeof(*ring->descriptors));
	memset(ring->completions, 0, (ring->mask + 1) * sizeof(*ring->completions));
	ring->given = 0;
	ring->rung = 0;
	ring->seen = 0;
	ring->generation++;
	ring->untrusted = false;
	card_write32(U32_MAX, at + RING_ERROR);
	card_write32(lower_32_bits(ring->descriptors_at), at + RING_LOW);
	card_write32(upper_32_bits(ring->descriptors_at), at + RING_HIGH);
	card_write32(lower_32_bits(ring->completions_at), at + RING_COMPLETIONS_LOW);
	card_write32(upper_32_bits(ring->completions_at), at + RING_COMPLETIONS_HIGH);
	card_write32(ring->log2, at + RING_ENTRIES);
	card_write32(interrupt_messages, at + RING_INTERRUPT_MESSAGES);
	card_write32(clamp_t(u64, div_u64(cycles, 1000), 1, U32_MAX), at + RING_INTERRUPT_CYCLES);
	card_write32(0, at + RING_ACKNOWLEDGED);
	card_write32(0, at + RING_DOORBELL);
	card_write32(1, at + RING_ENABLE);
	card_write32(!ring->polled, at + RING_INTERRUPT_ENABLE);
	ring->state = RING_WORKS;
	ring_advance(ring);
	spin_unlock_bh(&ring->lock);
	if (!list_empty(&ring->overflow))
		ring_promote(ring);
}

/* Nothing more goes to the device. */
void ring_halt(struct card_ring *ring, enum ring_state state)
{
	spin_lock_bh(&ring->lock);
	if (ring->state != RING_REMOVED)
		ring->state = state;
	spin_unlock_bh(&ring->lock);
}

/* End what the device had; it has been stopped. */
void ring_fail_running(struct card_ring *ring, int error)
{
	struct card_request *request, *next;
	LIST_HEAD(ended);

	spin_lock_bh(&ring->lock);
	while (ring->seen != ring->given) {
		unsigned int entry = ring->seen++ & ring->mask;

		request = ring->running[entry];
		ring->running[entry] = NULL;
		request->status = 0;
		request->count = 0;
		if (request->slot)
			ring->slots[request->slot].users--;
		list_add_tail(&request->node, &ended);
	}
	ring->rung = ring->given;
	spin_unlock_bh(&ring->lock);
	list_for_each_entry_safe(request, next, &ended, node)
		request_end(ring, request, error);
}

/* End what waits. */
void ring_fail_queued(struct card_ring *ring, int error)
{
	struct card_request *request, *next;
	LIST_HEAD(waiting);
	LIST_HEAD(ended);

	spin_lock_bh(&ring->lock);
	list_splice_tail_init(&ring->queue, &ended);
	list_splice_tail_init(&ring->overflow, &waiting);
	ring->queued = 0;
	spin_unlock_bh(&ring->lock);
	/* Who was told to wait is told that it goes on, before anything else. */
	local_bh_disable();
	list_for_each_entry(request, &waiting, node)
		request->started(request);
	local_bh_enable();
	list_splice_tail(&waiting, &ended);
	list_for_each_entry_safe(request, next, &ended, node)
		request_end(ring, request, error);
}

/* The device has no keys any more. */
void ring_forget_keys(struct card_ring *ring)
{
	unsigned int slot;

	spin_lock_bh(&ring->lock);
	for (slot = 1; slot <= ring->card->key_slots; slot++) {
		if (ring->slots[slot].key)
			ring->slots[slot].key->slot[ring->index] = 0;
		memset(&ring->slots[slot], 0, sizeof(ring->slots[slot]));
	}
	spin_unlock_bh(&ring->lock);
}

static void ring_unget(struct card_ring *ring)
{
	spin_lock_bh(&ring->lock);
	if (!--ring->outstanding)
		wake_up(&ring->idle);
	spin_unlock_bh(&ring->lock);
}

int card_submit(struct card_ring *ring, struct card_request *request)
{
	int result = 0;

	request->ring = ring;
	request->status = 0;
	request->count = 0;
	spin_lock_bh(&ring->lock);
	if (ring->state == RING_REMOVED)
		result = -ENODEV;
	else if (!request->may_wait && ring->queued >= CARD_QUEUE)
		result = -ENOSPC;
	else
		ring->outstanding++;
	spin_unlock_bh(&ring->lock);
	if (result)
		return result;
	result = request_map(ring, request);
	if (result) {
		ring_unget(ring);
		return result;
	}
	spin_lock_bh(&ring->lock);
	if (ring->state == RING_REMOVED) {
		spin_unlock_bh(&ring->lock);
		request_unmap(ring, request);
		ring_unget(ring);
		return -ENODEV;
	}
	if (request->key)
		kref_get(&request->key->references);
	result = -EINPROGRESS;
	if (list_empty(&ring->queue) && can_push(ring, request)) {
		ring_push(ring, request);
		/* A busy ring is told of several at once, at the next completion at the latest. */
		if (ring->rung - ring->seen < DOORBELL_BUSY ||
		    ring->given - ring->rung >= DOORBELL_MOST)
			ring_doorbell(ring);
	} else if (ring->queued < CARD_QUEUE || !request->may_wait || !request->started) {
		ring->queued++;
		list_add_tail(&request->node, &ring->queue);
		ring_advance(ring);
	} else {
		list_add_tail(&request->node, &ring->overflow);
		result = -EBUSY;
	}
	/* Under the lock: the work is there as long as the ring is. */
	queue_delayed_work(ring->card->work, &ring->card->watch, HZ / 10);
	spin_unlock_bh(&ring->lock);
	return result;
}

/* The ring with the least to do that can do all of this; NULL if there is none. */
struct card_ring *card_choose_ring(struct card *card, u32 capability, unsigned int first)
{
	struct card_ring *best = NULL;
	unsigned int at;

	for (at = 0; at < card->ring_count; at++) {
		struct card_ring *ring = &card->rings[(first + at) % card->ring_count];

		if ((ring->capability & capability) != capability ||
		    READ_ONCE(ring->state) == RING_REMOVED)
			continue;
		/* PRESENT has modes of the same names. */
		if (capability & (ACCEL_ENCRYPT | ACCEL_DECRYPT) &&
		    FIELD_GET(ACCEL_ALGORITHM, ring->capability) != ACCEL_ALGORITHM_AES)
			continue;
		if (!best || READ_ONCE(ring->outstanding) < READ_ONCE(best->outstanding))
			best = ring;
	}
	return best;
}
