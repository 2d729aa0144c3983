/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright Ciphermill contributors. */
#ifndef CARD_H
#define CARD_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "card_registers.h"

#define CARD_MAX_RINGS 32
/* A message with up to so many segments on each side needs no memory of its own for the list. */
#define CARD_INLINE_SEGMENTS 8
/* Requests that wait in software, beside those that their users were told to wait for. */
#define CARD_QUEUE 256

struct card;
struct card_ring;

/* What the front ends (pci.c, platform.c) know how to do. */
struct card_bus {
	/* Stop the device's access to memory, when it does not react to anything. */
	void (*isolate)(struct device *device);
};

/*
 * A key of an owner, a file or a tfm. It is in slots of rings only while it is used there; a slot
 * is given to another key when no message uses it, and overwritten when the key is released.
 */
struct card_key {
	struct kref references;
	struct card *card;
	struct list_head node;
	__le32 key[8];
	__le32 tweak_key[8];
	u8 size;
	bool has_tweak;
	u8 slot[CARD_MAX_RINGS]; /* 0: none. Under the ring's lock. */
};

struct card_slot {
	struct card_key *key;
	unsigned int users;
	u64 used;
	bool written;
};

/* One side of a message in the device's address space. */
struct card_side {
	dma_addr_t address;
	unsigned int segments;
	struct card_segment *list; /* of more than CARD_INLINE_SEGMENTS */
	size_t list_bytes;
	int entries; /* of the scatterlist, for unmapping */
	struct scatterlist *mapped;
	int mapped_entries;
};

struct card_request {
	/* The caller's. */
	struct card_key *key;
	u32 configuration; /* without the key's size */
	u8 iv[16];
	u32 length;
	u32 associated; /* with prefix_bytes */
	u32 unit;
	u32 output;
	u32 skip; /* bytes of the destination before the output */
	bool tag_packet;
	bool may_wait; /* for a place in the queue, however long it is */
	gfp_t gfp;
	void *prefix; /* goes before the source */
	u32 prefix_bytes;
	struct scatterlist *source;
	struct scatterlist *destination; /* may be the source */
	/*
	 * The end, in a bottom half or with bottom halves off. After an error the output is zero.
	 */
	void (*complete)(struct card_request *request, int error);
	/* A request that got -EBUSY is now in the queue. */
	void (*started)(struct card_request *request);

	/* Of the completion. */
	u8 tag[16];
	u32 status;
	u32 count;

	/* The core's. */
	struct list_head node;
	struct card_ring *ring;
	struct card_side in;
	struct card_side out;
	dma_addr_t prefix_address;
	u8 slot;
};

enum ring_state { RING_WORKS, RING_STOPPED, RING_REMOVED };

struct card_ring {
	struct card *card;
	unsigned int index;
	void __iomem *registers;
	u32 accelerator; /* VERSION of the accelerator's channel */
	u32 capability;
	u32 geometry;
	unsigned int depth; /* requests that are given to the device at once */

	spinlock_t lock; /* for everything up to slots */
	enum ring_state state;
	u32 log2;
	u32 mask;
	struct card_descriptor *descriptors;
	dma_addr_t descriptors_at;
	struct card_completion *completions;
	dma_addr_t completions_at;
	struct card_segment *segments;
	dma_addr_t segments_at;
	struct card_request **running; /* by entry */
	u32 given; /* descriptors written, modulo 2^32 */
	u32 rung; /* of these, those that the device knows of */
	u32 seen; /* completions read */
	u32 generation;
	struct list_head queue;
	struct list_head overflow;
	unsigned int queued;
	unsigned int outstanding; /* requests that have not ended */
	wait_queue_head_t idle;
	wait_queue_head_t readers; /* of the character device, and writers */
	unsigned long deadline;
	bool polled; /* by the thread of its interrupt, with interrupts off */
	bool untrusted; /* a completion was none that the device could give */
	unsigned int failures; /* resets since the last message that ended well */
	struct card_slot *slots;
	u64 clock;
	struct work_struct dispatch;

	u64 messages;
	u64 doorbells;
	u64 interrupts;
	u64 lost_interrupts;
	u64 recoveries;

	struct card_port *port; /* the character device */
};

struct card {
	struct kref references;
	struct list_head node;
	int number;
	struct device *device;
	const struct card_bus *bus;
	void __iomem *registers;
	u32 version;
	u32 khz;
	unsigned int key_slots;
	bool suspended;
	/* Everything that waits for the device: key slots, resets. One after the other. */
	struct workqueue_struct *work;
	struct delayed_work watch;
	struct work_struct erase_keys;
	spinlock_t keys_lock; /* for the next two */
	struct list_head erasing;
	bool gone;
	unsigned int ring_count;
	struct card_ring rings[];
};

/*
 * Registers. The bus of User Mode Linux loses its queue of accesses when its own interrupt comes in
 * the middle of one (arch/um/drivers/virt-pci.c of 6.1 has no lock).
 */
static inline u32 card_read32(const void __iomem *at)
{
	unsigned long flags = 0;
	u32 value;

	if (IS_ENABLED(CONFIG_UML))
		local_irq_save(flags);
	value = readl(at);
	if (IS_ENABLED(CONFIG_UML))
		local_irq_restore(flags);
	return value;
}

static inline void card_write32(u32 value, void __iomem *at)
{
	unsigned long flags = 0;

	if (IS_ENABLED(CONFIG_UML))
		local_irq_save(flags);
	writel(value, at);
	if (IS_ENABLED(CONFIG_UML))
		local_irq_restore(flags);
}

extern unsigned int card_message_bytes;
extern bool card_bounce;

/* core.c */
int card_create(struct device *device, const struct card_bus *bus, void __iomem *registers,
		resource_size_t bytes, struct card **result);
int card_start(struct card *card);
void card_remove(struct card *card);
void card_destroy(struct card *card);
int card_suspend(struct card *card);
int card_resume(struct card *card);
void card_get(struct card *card);
void card_put(struct card *card);
struct card *card_find(u32 capability);

/* ring.c */
int ring_create(struct card_ring *ring, u32 log2);
void ring_destroy(struct card_ring *ring);
irqreturn_t ring_interrupt(int irq, void *data);
irqreturn_t ring_interrupt_thread(int irq, void *data);
unsigned int ring_reap(struct card_ring *ring, unsigned int budget);
void ring_dispatch(struct work_struct *work);
bool ring_watch(struct card_ring *ring);
int ring_stop(struct card_ring *ring);
void ring_run(struct card_ring *ring);
void ring_halt(struct card_ring *ring, enum ring_state state);
void ring_fail_running(struct card_ring *ring, int error);
void ring_fail_queued(struct card_ring *ring, int error);
void ring_forget_keys(struct card_ring *ring);
/* -EINPROGRESS, -EBUSY (it waits, and so does the caller, for `started`), or why it is refused. */
int card_submit(struct card_ring *ring, struct card_request *request);
struct card_ring *card_choose_ring(struct card *card, u32 capability, unsigned int first);

/* request.c */
int request_map(struct card_ring *ring, struct card_request *request);
void request_unmap(struct card_ring *ring, struct card_request *request);
void request_describe(struct card_ring *ring, struct card_request *request, unsigned int entry);
int request_error(const struct card_request *request);
void request_erase_output(struct card_request *request);

/* keys.c */
struct card_key *card_key_create(struct card *card, const u8 *key, unsigned int bytes,
				 const u8 *tweak);
void card_key_put(struct card_key *key);
int card_key_load(struct card_ring *ring, struct card_key *key, unsigned int slot);
void card_key_erase_work(struct work_struct *work);
int card_key_choose_slot(struct card_ring *ring);
bool card_key_bytes_supported(u32 capability, unsigned int bytes);

/* buffer.c */
struct card_buffer {
	void *data;
	size_t bytes;
	struct sg_table table;
};

int buffer_create(struct card_buffer *buffer, size_t bytes);
void buffer_destroy(struct card_buffer *buffer);

/* port.c: character devices */
int ports_init(void);
void ports_exit(void);
int port_create(struct card_ring *ring);
void port_remove(struct card_ring *ring);

/* message.c: messages between buffers of user space */
struct port_file;
long message_ioctl(struct card_ring *ring, struct card_key *key, void __user *argument);
int message_check(const struct card_ring *ring, u32 configuration, const struct card_key *key);
u32 message_block_bytes(const struct card_ring *ring);
u32 message_digest_bytes(u32 configuration);

/* crypto_*.c: the kernel's crypto API */
int algorithms_register(struct card *card);
void algorithms_unregister(void);
int skciphers_register(u32 capability);
void skciphers_unregister(void);
int aeads_register(u32 capability);
void aeads_unregister(void);
int hashes_register(u32 capability);
void hashes_unregister(void);

/* pci.c, platform.c */
int card_pci_register(void);
void card_pci_unregister(void);
int card_platform_register(void);
void card_platform_unregister(void);

#endif
