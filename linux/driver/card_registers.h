/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copyright Ciphermill contributors.
 *
 * Registers and structures in memory of the card. Written by hand from hw/card/card.rdl,
 * hw/card/card_ring.rdl and hw/card/README.md: the generated headers are under the Apache licence
 * and include headers of the C library. tests/test_linux.py compares them.
 */
#ifndef CARD_REGISTERS_H
#define CARD_REGISTERS_H

#include <linux/bits.h>
#include <linux/types.h>

#define CARD_PAGE 4096

/* Header of each register map. */
#define CARD_IDENTIFICATION 0x000
#define CARD_VERSION 0x004
#define CARD_VERSION_MAJOR GENMASK(23, 16)
#define CARD_CAPABILITY 0x008

/* Page 0: the card. */
#define CARD_MAGIC 0x44434d43
#define CARD_CAPABILITY_RINGS GENMASK(7, 0)
#define CARD_CAPABILITY_KEY_SLOTS GENMASK(15, 8)
#define CARD_CAPABILITY_LOG2_ENTRIES GENMASK(20, 16)
#define CARD_CLOCK 0x00c
#define CARD_CONTROL 0x010
#define CARD_CONTROL_RESET BIT(0)
#define CARD_STATUS 0x018
#define CARD_STATUS_RESETTING BIT(1)
#define CARD_CHANNEL_OFFSET 0x020

/* Page 1 + n: ring n. */
#define RING_MAGIC 0x47524d43
#define RING_CONTROL 0x010
#define RING_CONTROL_ABORT BIT(0)
#define RING_CONTROL_STORE_KEY BIT(1)
#define RING_CONTROL_STORE_TWEAK_KEY BIT(2)
#define RING_CONTROL_ERASE_KEY BIT(3)
#define RING_ENABLE 0x014
#define RING_STATUS 0x018
#define RING_STATUS_BUSY BIT(0)
#define RING_STATUS_STOPPING BIT(1)
#define RING_STATUS_KEY_BUSY BIT(2)
#define RING_ERROR 0x01c
#define RING_ERROR_FETCH BIT(0)
#define RING_ERROR_COMPLETION BIT(1)
#define RING_ERROR_GEOMETRY BIT(2)
#define RING_ERROR_DOORBELL BIT(3)
#define RING_ERROR_HANG BIT(4)
#define RING_LOW 0x020
#define RING_HIGH 0x024
#define RING_COMPLETIONS_LOW 0x028
#define RING_COMPLETIONS_HIGH 0x02c
#define RING_ENTRIES 0x030
#define RING_DOORBELL 0x034
#define RING_COMPLETED 0x038
#define RING_INTERRUPT_MESSAGES 0x040
#define RING_INTERRUPT_CYCLES 0x044
#define RING_INTERRUPT_ENABLE 0x048
#define RING_ACKNOWLEDGED 0x04c
#define RING_KEY_SLOT 0x060
#define RING_KEY_SLOT_SIZE_SHIFT 8
#define RING_KEY 0x080

/* The registers of a channel of the accelerator. */
#define ACCEL_MAGIC 0x4c494d43
#define ACCEL_MAJOR 2
#define ACCEL_GEOMETRY 0x00c
#define ACCEL_ALGORITHM GENMASK(3, 0)
#define ACCEL_ALGORITHM_AES 0
#define ACCEL_ALGORITHM_ASCON 1
#define ACCEL_ALGORITHM_SHA2 2
#define ACCEL_ALGORITHM_PRESENT 4
#define ACCEL_ENCRYPT BIT(10)
#define ACCEL_DECRYPT BIT(11)
#define ACCEL_KEY_128 BIT(12)
#define ACCEL_KEY_192 BIT(13)
#define ACCEL_KEY_256 BIT(14)
#define ACCEL_ECB BIT(15)
#define ACCEL_CBC BIT(16)
#define ACCEL_CTR BIT(17)
#define ACCEL_GCM BIT(21)
#define ACCEL_XTS BIT(22)
#define ACCEL_AEAD BIT(23)
#define ACCEL_DIGEST BIT(24)
#define ACCEL_SHA2_32 BIT(25)
#define ACCEL_SHA2_64 BIT(26)
#define ACCEL_KEY_80 BIT(28)

#define CONFIGURATION_MODE GENMASK(2, 0)
#define CONFIGURATION_DECRYPT BIT(3)
#define CONFIGURATION_KEY_SIZE_SHIFT 4
#define CONFIGURATION_COUNTER_128 (2 << 6)
#define CONFIGURATION_HASH GENMASK(12, 10)
#define CONFIGURATION_AUTHENTICATE BIT(13)

#define KEY_SIZE_128 0
#define KEY_SIZE_192 1
#define KEY_SIZE_256 2
#define KEY_SIZE_80 3

struct card_descriptor {
	__le32 configuration;
	__le32 flags;
	__le32 iv[4];
	__le32 length;
	__le32 associated;
	__le64 source;
	__le64 destination;
	__le32 unit;
	__le32 output;
	__le64 cookie;
};

#define DESCRIPTOR_SOURCE_LIST BIT(0)
#define DESCRIPTOR_DESTINATION_LIST BIT(1)
#define DESCRIPTOR_INTERRUPT BIT(2)
#define DESCRIPTOR_TAG_PACKET BIT(3)
#define DESCRIPTOR_KEY_SLOT_SHIFT 8

struct card_completion {
	__le64 cookie;
	__le32 status;
	__le32 count;
	u8 tag[16];
};

#define COMPLETION_DONE BIT(0)
#define COMPLETION_FORGED BIT(1)
#define COMPLETION_REFUSED BIT(2)
#define COMPLETION_KEY BIT(3)
#define COMPLETION_READ BIT(4)
#define COMPLETION_WRITE BIT(5)
#define COMPLETION_LIST BIT(6)
#define COMPLETION_LENGTHS BIT(7)
#define COMPLETION_PHASE BIT(31)

/* Segment of a list; lists are aligned to its size. */
struct card_segment {
	__le64 address;
	__le32 bytes;
	__le32 zero;
};

#endif
