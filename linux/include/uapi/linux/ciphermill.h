/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Copyright Ciphermill contributors.
 *
 * The character devices of the driver ciphermill: /dev/ciphermillC-R is ring R of card C. One
 * process opens it at a time; another one gets EBUSY. Everything below is the same for programs
 * of 32 and of 64 bits, and zero wherever a field is called `reserved`.
 *
 * A device is used in two ways, also both at once:
 *
 * As a stream, like a pair of pipes: CIPHERMILL_IOC_KEY and CIPHERMILL_IOC_CONFIGURE, then
 * write() takes bytes and read() gives the bytes that came out of the cipher, in order. write()
 * blocks (or fails with EAGAIN) while the bytes inside are ciphermill_info.stream_bytes or more,
 * until some are read; poll() works. ECB and CBC give whole blocks of 16 bytes (PRESENT, which has
 * streams of ECB alone: 8) and keep the rest until more is written; XTS keeps what is less than a data unit until CIPHERMILL_IOC_FINISH; CTR
 * gives every byte. GCM, Ascon-AEAD128 and digests are one message of the configured lengths:
 * associated data first, then the text. An error ends the stream until the next
 * CIPHERMILL_IOC_CONFIGURE or CIPHERMILL_IOC_ABORT.
 *
 * By messages: CIPHERMILL_IOC_MESSAGE runs one message between buffers of the caller and waits
 * for its end. The card reads and writes these buffers themselves; nothing is copied, except the
 * plaintext of an authenticated cipher, which the caller gets when its tag is right, and where
 * the machine's caches are not coherent and a destination does not fill their lines.
 */
#ifndef _UAPI_LINUX_CIPHERMILL_H
#define _UAPI_LINUX_CIPHERMILL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of this interface; ciphermill_info.abi. */
#define CIPHERMILL_ABI 1

/* Fields of `configuration`, which are those of the accelerator's register CONFIGURATION. */
#define CIPHERMILL_ECB 0
#define CIPHERMILL_CBC 1
#define CIPHERMILL_CTR 2
#define CIPHERMILL_GCM 3
#define CIPHERMILL_XTS 4
#define CIPHERMILL_AEAD 5 /* Ascon-AEAD128 */
#define CIPHERMILL_DIGEST 6
#define CIPHERMILL_MODE 0x7
#define CIPHERMILL_DECRYPT 0x8
/* Bits of the counter of CTR, at the end of the IV. */
#define CIPHERMILL_COUNTER_32 0x00
#define CIPHERMILL_COUNTER_64 0x40
#define CIPHERMILL_COUNTER_128 0x80
#define CIPHERMILL_COUNTER_MASK 0xc0
/* 0: Ascon-Hash256; 1 to 6: SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224, SHA-512/256. */
#define CIPHERMILL_HASH(n) ((n) << 10)
#define CIPHERMILL_HASH_MASK 0x1c00
/* HMAC: the associated data is the key. */
#define CIPHERMILL_AUTHENTICATE 0x2000

/* Most segments of a source or a destination. */
#define CIPHERMILL_SEGMENTS 256

/**
 * struct ciphermill_info - what a device is, and what it has done
 * @abi: CIPHERMILL_ABI of the driver.
 * @version: VERSION of the card: major << 16 | minor << 8 | patch.
 * @accelerator: VERSION of the ring's channel (hw/accel/accel.rdl).
 * @capability: its CAPABILITY.
 * @geometry: its GEOMETRY.
 * @ring: number of the ring.
 * @rings: rings of the card.
 * @key_slots: keys that the ring holds at once; there may be more, which are loaded when needed.
 * @khz: the card's clock.
 * @message_bytes: the longest message, associated data included.
 * @stream_bytes: bytes inside a stream from which write() blocks.
 * @state: 0: works, 1: stopped (suspended, or being reset), 2: removed.
 * @messages: messages that ended on this ring, of the kernel too.
 * @doorbells: writes of the ring's doorbell.
 * @interrupts: interrupts of the ring.
 * @lost_interrupts: times that a completion was found without an interrupt.
 * @recoveries: times that the ring was reset.
 */
struct ciphermill_info {
	__u32 abi;
	__u32 version;
	__u32 accelerator;
	__u32 capability;
	__u32 geometry;
	__u32 ring;
	__u32 rings;
	__u32 key_slots;
	__u32 khz;
	__u32 message_bytes;
	__u32 stream_bytes;
	__u32 state;
	__u64 messages;
	__u64 doorbells;
	__u64 interrupts;
	__u64 lost_interrupts;
	__u64 recoveries;
	__u64 reserved[4];
};

/**
 * struct ciphermill_key - the key of a device file, until the next one or until the file is closed
 * @bytes: 10 (PRESENT), 16, 24 or 32; 0 removes the key.
 * @tweak_bytes: as @bytes for XTS, else 0.
 * @key: the key, or Key 1 of XTS.
 * @tweak_key: Key 2 of XTS, which differs from @key.
 *
 * No other file can use it, and nothing reads it back.
 */
struct ciphermill_key {
	__u32 bytes;
	__u32 tweak_bytes;
	__u8 key[32];
	__u8 tweak_key[32];
};

/**
 * struct ciphermill_configuration - what a stream does
 * @configuration: mode, direction, counter, hash.
 * @unit_bytes: XTS: bytes of a data unit, a multiple of 16; else 0.
 * @associated_bytes: GCM, AEAD: associated data, HMAC: key, written before the text; else 0.
 * @text_bytes: GCM, AEAD, digests: bytes of the text; else 0.
 * @iv: CBC, CTR: IV; GCM: IV in 12 bytes; AEAD: nonce; XTS: number of the first data unit.
 * @tag: decryption of GCM and AEAD: the tag that came with the message.
 */
struct ciphermill_configuration {
	__u32 configuration;
	__u32 unit_bytes;
	__u32 associated_bytes;
	__u32 text_bytes;
	__u8 iv[16];
	__u8 tag[16];
	__u32 reserved[4];
};

/**
 * struct ciphermill_segment - bytes in the caller's memory
 * @address: the first one.
 * @bytes: their number, 1 or more.
 */
struct ciphermill_segment {
	__u64 address;
	__u64 bytes;
};

/**
 * struct ciphermill_message - a message between buffers of the caller
 * @configuration: as in struct ciphermill_configuration.
 * @unit_bytes: as there; 0 for the whole text.
 * @source: address of an array of struct ciphermill_segment: the text.
 * @destination: the same for the output; as many bytes as the text, or as the digest. It may be the
 *	source, but not overlap it otherwise.
 * @associated: address of the associated data, or of HMAC's key.
 * @associated_bytes: their number.
 * @source_segments: segments at @source; 0 for no text.
 * @destination_segments: segments at @destination.
 * @flags: zero.
 * @iv: as there. Messages do not change it.
 * @tag: encryption: set to the tag; decryption: the tag that came with the message.
 * @status: set to the status word of the card's completion (hw/card/README.md).
 * @count: set to the bytes of output.
 *
 * A message that was begun and fails leaves zeros at the destination.
 */
struct ciphermill_message {
	__u32 configuration;
	__u32 unit_bytes;
	__u64 source;
	__u64 destination;
	__u64 associated;
	__u32 associated_bytes;
	__u32 source_segments;
	__u32 destination_segments;
	__u32 flags;
	__u8 iv[16];
	__u8 tag[16];
	__u32 status;
	__u32 count;
	__u32 reserved[4];
};

#define CIPHERMILL_IOC_MAGIC 0xc1

/* struct ciphermill_info. */
#define CIPHERMILL_IOC_INFO _IOR(CIPHERMILL_IOC_MAGIC, 0, struct ciphermill_info)

/*
 * Set the key. EINVAL: no such size, or not of this device; XTS with equal keys. A stream that is
 * configured goes on with the key that stood then.
 */
#define CIPHERMILL_IOC_KEY _IOW(CIPHERMILL_IOC_MAGIC, 1, struct ciphermill_key)

/*
 * Begin a stream. EBUSY: bytes of the last one are still inside; EOPNOTSUPP: the device does not
 * have this; EINVAL: lengths that do not fit, or a reserved field that is not zero; ENOKEY: no key
 * of this mode.
 */
#define CIPHERMILL_IOC_CONFIGURE _IOW(CIPHERMILL_IOC_MAGIC, 2, struct ciphermill_configuration)

/* The tag of the stream's GCM or AEAD. EAGAIN: the message has not ended; EINVAL: no tag. */
#define CIPHERMILL_IOC_TAG _IOR(CIPHERMILL_IOC_MAGIC, 3, __u8[16])

/*
 * No more is written: XTS runs what it kept, and read() gives 0 when everything was read. EINVAL:
 * what was written ends within a block, or the message lacks bytes.
 */
#define CIPHERMILL_IOC_FINISH _IO(CIPHERMILL_IOC_MAGIC, 4)

/* Drop everything that is inside the stream, which then needs a new configuration. */
#define CIPHERMILL_IOC_ABORT _IO(CIPHERMILL_IOC_MAGIC, 5)

/*
 * Run one message. Beside the errors of CIPHERMILL_IOC_CONFIGURE: EFAULT: memory that is not the
 * caller's; E2BIG: longer than ciphermill_info.message_bytes or too many segments; EBADMSG: a wrong
 * tag; EIO: the card failed, or was reset meanwhile; ENODEV: it was removed.
 */
#define CIPHERMILL_IOC_MESSAGE _IOWR(CIPHERMILL_IOC_MAGIC, 6, struct ciphermill_message)

#endif
