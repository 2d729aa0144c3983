// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * A card: what it says it is, its rings, its reset, and its end.
 */

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "card.h"

/* Entries of a ring, if the card has as many. */
#define LOG2_ENTRIES 8
#define LEAST_LOG2_ENTRIES 1
/* A reset overwrites memories. */
#define RESET_WAIT (2 * HZ)
/* Resets of a ring without a completion between, after which the card is reset, or given up. */
#define FAILURES_RESET 3
#define FAILURES_END 8

unsigned int card_message_bytes = 4 << 20;
module_param_named(message_bytes, card_message_bytes, uint, 0444);
MODULE_PARM_DESC(message_bytes, "Longest message of user space");

bool card_bounce;
module_param_named(bounce, card_bounce, bool, 0644);
MODULE_PARM_DESC(bounce, "Copy what the device writes, also where it could write to its user");

static unsigned int watch_ms = 100;
module_param(watch_ms, uint, 0644);
MODULE_PARM_DESC(watch_ms, "Time between two looks for lost interrupts and hung devices");

static LIST_HEAD(cards);
static DEFINE_SPINLOCK(cards_lock);
static DEFINE_IDA(numbers);

void card_get(struct card *card)
{
	kref_get(&card->references);
}

static void card_free(struct kref *references)
{
	struct card *card = container_of(references, struct card, references);

	kfree(card);
}

void card_put(struct card *card)
{
	kref_put(&card->references, card_free);
}

/* A card with a ring that can do all of this, with a reference; NULL if there is none. */
struct card *card_find(u32 capability)
{
	struct card *card, *found = NULL;

	spin_lock_bh(&cards_lock);
	list_for_each_entry(card, &cards, node) {
		if (!card_choose_ring(card, capability, 0))
			continue;
		card_get(card);
		found = card;
		break;
	}
	spin_unlock_bh(&cards_lock);
	return found;
}

static u32 card_read(struct card *card, unsigned int offset)
{
	u32 value;

	local_bh_disable();
	value = card_read32(card->registers + offset);
	local_bh_enable();
	return value;
}

static int card_check_version(struct card *card, unsigned int base, u32 magic, unsigned int major,
			      const char *what)
{
	u32 identification = card_read(card, base + CARD_IDENTIFICATION);
	u32 version = card_read(card, base + CARD_VERSION);

	if (identification != magic) {
		dev_err(card->device, "%s identifies itself as %#010x instead of %#010x\n", what,
			identification, magic);
		return -ENODEV;
	}
	if (FIELD_GET(CARD_VERSION_MAJOR, version) != major) {
		dev_err(card->device, "%s has version %u.%u: this driver knows %u only\n", what,
			(u32)FIELD_GET(CARD_VERSION_MAJOR, version), version >> 8 & 0xff, major);
		return -ENODEV;
	}
	return 0;
}

static int card_lies(struct card *card, const char *about, u32 value)
{
	dev_err(card->device, "the card's %s cannot be %#x: it is not used\n", about, value);
	return -ENODEV;
}

static int card_check_channel(struct card *card, struct card_ring *ring, unsigned int base)
{
	u32 capability;
	int result;

	result = card_check_version(card, base, ACCEL_MAGIC, ACCEL_MAJOR, "the accelerator");
	if (result)
		return result;
	capability = card_read(card, base + CARD_CAPABILITY);
	ring->accelerator = card_read(card, base + CARD_VERSION);
	ring->capability = capability;
	ring->geometry = card_read(card, base + ACCEL_GEOMETRY);
	if (FIELD_GET(ACCEL_ALGORITHM, capability) != ACCEL_ALGORITHM_AES)
		return 0;
	if (!(capability & (ACCEL_KEY_128 | ACCEL_KEY_192 | ACCEL_KEY_256)) ||
	    !(capability & (ACCEL_ENCRYPT | ACCEL_DECRYPT)))
		return card_lies(card, "CAPABILITY of the accelerator", capability);
	return 0;
}

/* Read what the card says it is; nothing is believed that would lead outside its registers. */
static int card_check(struct card *card, resource_size_t bytes, unsigned int *rings,
		      unsigned int *log2, u32 *channels)
{
	u32 capability, offset;
	int result;

	if (bytes < 2 * CARD_PAGE)
		return card_lies(card, "number of bytes of registers", bytes);
	result = card_check_version(card, 0, CARD_MAGIC, 1, "the card");
	if (result)
		return result;
	card->version = card_read(card, CARD_VERSION);
	card->khz = card_read(card, CARD_CLOCK);
	capability = card_read(card, CARD_CAPABILITY);
	*rings = FIELD_GET(CARD_CAPABILITY_RINGS, capability);
	card->key_slots = FIELD_GET(CARD_CAPABILITY_KEY_SLOTS, capability);
	*log2 = FIELD_GET(CARD_CAPABILITY_LOG2_ENTRIES, capability);
	offset = card_read(card, CARD_CHANNEL_OFFSET);
	if (!*rings || *rings > CARD_MAX_RINGS || *log2 < LEAST_LOG2_ENTRIES || !card->key_slots ||
	    card->key_slots == 0xff)
		return card_lies(card, "CAPABILITY", capability);
	if ((u64)(1 + *rings) * CARD_PAGE > bytes)
		return card_lies(card, "CAPABILITY", capability);
	if (offset % CARD_PAGE || offset < (1 + *rings) * CARD_PAGE ||
	    (u64)offset + *rings * CARD_PAGE > bytes)
		return card_lies(card, "CHANNEL_OFFSET", offset);
	*channels = offset;
	return 0;
}

static int card_reset_device(struct card *card)
{
	unsigned long end = jiffies + RESET_WAIT;
	bool late;
	u32 status;

	local_bh_disable();
	card_write32(CARD_CONTROL_RESET, card->registers + CARD_CONTROL);
	local_bh_enable();
	do {
		late = time_after(jiffies, end);
		status = card_read(card, CARD_STATUS);
		if (!(status & CARD_STATUS_RESETTING))
			return 0;
		usleep_range(100, 1000);
	} while (!late);
	return -ETIMEDOUT;
}

/* All requests end, and no others come. */
static void card_end(struct card *card)
{
	unsigned int at;

	for (at = 0; at < card->ring_count; at++) {
		ring_halt(&card->rings[at], RING_REMOVED);
		ring_fail_running(&card->rings[at], -ENODEV);
		ring_fail_queued(&card->rings[at], -ENODEV);
		wake_up_all(&card->rings[at].readers);
	}
}

/* Reset the whole card; messages that it had end with an error, those that wait go on. */
static void card_reset(struct card *card)
{
	unsigned int at;

	for (at = 0; at < card->ring_count; at++)
		ring_halt(&card->rings[at], RING_STOPPED);
	if (card_reset_device(card)) {
		dev_err(card->device, "it does not react to a reset: it is given up\n");
		card->bus->isolate(card->device);
		card_end(card);
		return;
	}
	for (at = 0; at < card->ring_count; at++) {
		while (ring_reap(&card->rings[at], 64))
			;
		ring_fail_running(&card->rings[at], -EIO);
		ring_forget_keys(&card->rings[at]);
		ring_run(&card->rings[at]);
	}
}

/* Messages that the ring had end with an error, since their output may be half there. */
static void card_recover_ring(struct card *card, struct card_ring *ring)
{
	bool untrusted = ring->untrusted;
	unsigned int failures;

	spin_lock_bh(&ring->lock);
	failures = ++ring->failures;
	ring->recoveries++;
	spin_unlock_bh(&ring->lock);
	if (failures > FAILURES_END) {
		dev_err(card->device, "ring %u does not work after %u resets: the card is given up\n",
			ring->index, failures - 1);
		card_reset_device(card);
		card->bus->isolate(card->device);
		card_end(card);
		return;
	}
	ring_halt(ring, RING_STOPPED);
	if (untrusted || failures > FAILURES_RESET || ring_stop(ring)) {
		card_reset(card);
		return;
	}
	while (ring_reap(ring, 64))
		;
	ring_fail_running(ring, -EIO);
	ring_run(ring);
}

static bool ring_busy(struct card_ring *ring)
{
	bool busy;

	spin_lock_bh(&ring->lock);
	busy = ring->state != RING_REMOVED && ring->outstanding;
	spin_unlock_bh(&ring->lock);
	return busy;
}

static void card_watch(struct work_struct *work)
{
	struct card *card = container_of(work, struct card, watch.work);
	bool busy = false;
	unsigned int at;

	if (card->suspended)
		return;
	for (at = 0; at < card->ring_count; at++) {
		struct card_ring *ring = &card->rings[at];

		if (ring_watch(ring))
			card_recover_ring(card, ring);
		busy |= ring_busy(ring);
	}
	if (busy)
		queue_delayed_work(card->work, &card->watch, max(1UL, msecs_to_jiffies(watch_ms)));
}

static void card_release(struct card *card)
{
	unsigned int at;

	for (at = 0; at < card->ring_count; at++)
		ring_destroy(&card->rings[at]);
	if (card->work)
		destroy_workqueue(card->work);
	ida_free(&numbers, card->number);
	card_put(card);
}

/* Look at a device and prepare its rings; it is reset, and nothing runs. */
int card_create(struct device *device, const struct card_bus *bus, void __iomem *registers,
		resource_size_t bytes, struct card **out)
{
	struct card *card, look = { .device = device, .registers = registers };
	unsigned int rings, log2, at;
	u32 offset;
	int result;

	result = card_check(&look, bytes, &rings, &log2, &offset);
	if (result)
		return result;
	card = kzalloc(struct_size(card, rings, rings), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	kref_init(&card->references);
	card->device = device;
	card->bus = bus;
	card->registers = registers;
	card->version = look.version;
	card->khz = look.khz;
	card->key_slots = look.key_slots;
	spin_lock_init(&card->keys_lock);
	INIT_LIST_HEAD(&card->erasing);
	INIT_LIST_HEAD(&card->node);
	INIT_WORK(&card->erase_keys, card_key_erase_work);
	INIT_DELAYED_WORK(&card->watch, card_watch);
	card->number = ida_alloc_max(&numbers, 7, GFP_KERNEL);
	if (card->number < 0) {
		result = card->number;
		kfree(card);
		return result;
	}
	card->work = alloc_ordered_workqueue("ciphermill%d", WQ_MEM_RECLAIM, card->number);
	if (!card->work) {
		card_release(card);
		return -ENOMEM;
	}
	result = card_reset_device(card);
	if (result) {
		dev_err(device, "it does not react to a reset\n");
		card_release(card);
		return result;
	}
	for (at = 0; !result && at < rings; at++) {
		struct card_ring *ring = &card->rings[at];

		ring->card = card;
		ring->index = at;
		ring->registers = registers + (1 + at) * CARD_PAGE;
		ring->state = RING_STOPPED;
		spin_lock_init(&ring->lock);
		INIT_LIST_HEAD(&ring->queue);
		INIT_LIST_HEAD(&ring->overflow);
		init_waitqueue_head(&ring->idle);
		init_waitqueue_head(&ring->readers);
		INIT_WORK(&ring->dispatch, ring_dispatch);
		result = card_check_version(card, (1 + at) * CARD_PAGE, RING_MAGIC, 1, "a ring");
		if (!result)
			result = card_check_channel(card, ring, offset + at * CARD_PAGE);
		if (!result)
			result = ring_create(ring, min_t(u32, log2, LOG2_ENTRIES));
		if (!result)
			card->ring_count++;
	}
	if (result) {
		card_release(card);
		return result;
	}
	*out = card;
	return 0;
}

/* Run the rings, and let others use them; interrupts are there. */
int card_start(struct card *card)
{
	unsigned int at;
	int result;

	for (at = 0; at < card->ring_count; at++)
		ring_run(&card->rings[at]);
	for (at = 0; at < card->ring_count; at++) {
		result = port_create(&card->rings[at]);
		if (result) {
			dev_err(card->device, "its character devices cannot be made: %d\n", result);
			return result;
		}
	}
	spin_lock_bh(&cards_lock);
	list_add_tail(&card->node, &cards);
	spin_unlock_bh(&cards_lock);
	result = algorithms_register(card);
	if (result)
		dev_warn(card->device, "not all algorithms are there for the kernel: %d\n", result);
	dev_info(card->device, "card %d: %u rings, %u key slots each, %u kHz\n", card->number,
		 card->ring_count, card->key_slots, card->khz);
	return 0;
}

/*
 * The device goes, perhaps it is not there any more: every request ends with -ENODEV, open files
 * and tfms stay and are refused, or go on in software. Interrupts are still there.
 */
void card_remove(struct card *card)
{
	unsigned int at;

	spin_lock_bh(&cards_lock);
	list_del_init(&card->node);
	spin_unlock_bh(&cards_lock);
	for (at = 0; at < card->ring_count; at++)
		port_remove(&card->rings[at]);
	for (at = 0; at < card->ring_count; at++)
		ring_halt(&card->rings[at], RING_REMOVED);
	for (at = 0; at < card->ring_count; at++)
		cancel_work_sync(&card->rings[at].dispatch);
	cancel_delayed_work_sync(&card->watch);
	/* It stops, and forgets its keys; if it cannot, it loses its way to memory. */
	if (card_reset_device(card))
		card->bus->isolate(card->device);
	card_end(card);
	for (at = 0; at < card->ring_count; at++) {
		wait_event(card->rings[at].idle, !READ_ONCE(card->rings[at].outstanding));
		/* Its lock has been left too after this. */
		ring_forget_keys(&card->rings[at]);
	}
	spin_lock_bh(&card->keys_lock);
	card->gone = true;
	spin_unlock_bh(&card->keys_lock);
	flush_work(&card->erase_keys);
}

/* The rest, without interrupts. */
void card_destroy(struct card *card)
{
	card_release(card);
}

/* What runs ends first; what comes meanwhile waits for card_resume. */
int card_suspend(struct card *card)
{
	unsigned long end = jiffies + 5 * HZ;
	unsigned int at;

	/* No recovery, which would run the rings again. */
	card->suspended = true;
	cancel_delayed_work_sync(&card->watch);
	for (at = 0; at < card->ring_count; at++)
		ring_halt(&card->rings[at], RING_STOPPED);
	for (at = 0; at < card->ring_count; at++) {
		struct card_ring *ring = &card->rings[at];

		while (READ_ONCE(ring->seen) != READ_ONCE(ring->given) && time_before(jiffies, end))
			if (!ring_reap(ring, 64))
				usleep_range(1000, 2000);
	}
	flush_workqueue(card->work);
	/* Keys do not outlive this in the device. */
	if (card_reset_device(card))
		card->bus->isolate(card->device);
	for (at = 0; at < card->ring_count; at++) {
		ring_fail_running(&card->rings[at], -EIO);
		ring_forget_keys(&card->rings[at]);
	}
	return 0;
}

int card_resume(struct card *card)
{
	card_reset(card);
	card->suspended = false;
	queue_delayed_work(card->work, &card->watch, 0);
	return 0;
}

static int __init ciphermill_init(void)
{
	int result;

	result = ports_init();
	if (result)
		return result;
	result = card_pci_register();
	if (result)
		goto no_pci;
	result = card_platform_register();
	if (result)
		goto no_platform;
	return 0;
no_platform:
	card_pci_unregister();
no_pci:
	algorithms_unregister();
	ports_exit();
	return result;
}

static void __exit ciphermill_exit(void)
{
	card_platform_unregister();
	card_pci_unregister();
	algorithms_unregister();
	ports_exit();
}

module_init(ciphermill_init);
module_exit(ciphermill_exit);
MODULE_DESCRIPTION("Ciphermill card: ciphers, authenticated ciphers and hashes");
MODULE_AUTHOR("Ciphermill contributors");
MODULE_LICENSE("GPL");
