// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * Memory of the kernel that the device reads and writes. It is erased before it is given back.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "card.h"

/* Up to this size memory is asked for in one piece. */
#define PIECE (32 * 1024)

int buffer_create(struct card_buffer *buffer, size_t bytes)
{
	bool one = bytes <= PIECE;
	unsigned int entries = one ? 1 : DIV_ROUND_UP(bytes, PAGE_SIZE), at;
	struct scatterlist *entry;

	memset(buffer, 0, sizeof(*buffer));
	if (!bytes)
		return -EINVAL;
	buffer->bytes = bytes;
	buffer->data = one ? kzalloc(bytes, GFP_KERNEL) : vzalloc(bytes);
	if (!buffer->data)
		return -ENOMEM;
	if (sg_alloc_table(&buffer->table, entries, GFP_KERNEL)) {
		kvfree(buffer->data);
		buffer->data = NULL;
		return -ENOMEM;
	}
	if (one) {
		sg_set_buf(buffer->table.sgl, buffer->data, bytes);
		return 0;
	}
	for_each_sgtable_sg(&buffer->table, entry, at) {
		size_t begin = (size_t)at * PAGE_SIZE;

		sg_set_page(entry, vmalloc_to_page(buffer->data + begin),
			    min_t(size_t, bytes - begin, PAGE_SIZE), 0);
	}
	return 0;
}

/* In process context. */
void buffer_destroy(struct card_buffer *buffer)
{
	if (!buffer->data)
		return;
	memzero_explicit(buffer->data, buffer->bytes);
	kvfree(buffer->data);
	sg_free_table(&buffer->table);
	buffer->data = NULL;
}
