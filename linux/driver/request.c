// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * A message in the device's address space: mapping, lists of segments, the descriptor, and what a
 * completion means.
 */

#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "card.h"

/* Write the segments of bytes of a mapped scatterlist; how many there are, room or not. */
static unsigned int side_segments(struct card_segment *to, unsigned int room,
				  struct scatterlist *list, int entries, u32 skip, u32 bytes)
{
	struct scatterlist *entry;
	unsigned int count = 0;
	int at;

	for_each_sg(list, entry, entries, at) {
		dma_addr_t address = sg_dma_address(entry);
		u32 here = sg_dma_len(entry);

		if (!bytes)
			break;
		if (here <= skip) {
			skip -= here;
			continue;
		}
		address += skip;
		here = min(here - skip, bytes);
		skip = 0;
		bytes -= here;
		if (count < room) {
			to[count].address = cpu_to_le64(address);
			to[count].bytes = cpu_to_le32(here);
			to[count].zero = 0;
		}
		count++;
	}
	return count;
}

static u32 source_bytes(const struct card_request *request)
{
	u32 bytes = request->associated - request->prefix_bytes + request->length;

	return request->tag_packet ? bytes + 16 : bytes;
}

static unsigned int in_segments(const struct card_request *request, struct card_segment *to,
				unsigned int room)
{
	unsigned int first = request->prefix_bytes ? 1 : 0;

	if (first && room) {
		to[0].address = cpu_to_le64(request->prefix_address);
		to[0].bytes = cpu_to_le32(request->prefix_bytes);
		to[0].zero = 0;
	}
	return first + side_segments(to ? to + first : NULL, room > first ? room - first : 0,
				     request->in.mapped, request->in.entries, 0,
				     source_bytes(request));
}

static unsigned int out_segments(const struct card_request *request, struct card_segment *to,
				 unsigned int room)
{
	return side_segments(to, room, request->out.mapped, request->out.entries, request->skip,
			     request->output);
}

static int side_list(struct device *device, struct card_request *request, struct card_side *side,
		     unsigned int (*write)(const struct card_request *, struct card_segment *,
					   unsigned int))
{
	struct card_segment one;

	side->segments = write(request, NULL, 0);
	if (side->segments == 1) {
		write(request, &one, 1);
		side->address = le64_to_cpu(one.address);
	}
	if (side->segments <= CARD_INLINE_SEGMENTS)
		return 0;
	/* Memory of a size that is a power of two is aligned to it. */
	side->list_bytes = roundup_pow_of_two(side->segments * sizeof(one));
	side->list = kmalloc(side->list_bytes, request->gfp | __GFP_NOWARN);
	if (!side->list)
		return -ENOMEM;
	write(request, side->list, side->segments);
	side->address = dma_map_single(device, side->list, side->list_bytes, DMA_TO_DEVICE);
	if (dma_mapping_error(device, side->address)) {
		kfree_sensitive(side->list);
		side->list = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void side_unmap(struct device *device, struct card_side *side,
		       enum dma_data_direction direction)
{
	if (side->list) {
		dma_unmap_single(device, side->address, side->list_bytes, DMA_TO_DEVICE);
		kfree_sensitive(side->list);
	}
	if (side->mapped_entries)
		dma_unmap_sg(device, side->mapped, side->mapped_entries, direction);
	memset(side, 0, sizeof(*side));
}

static int side_map(struct device *device, struct card_side *side, struct scatterlist *list,
		    u32 bytes, enum dma_data_direction direction)
{
	int entries;

	side->mapped = list;
	if (!bytes)
		return 0;
	entries = sg_nents_for_len(list, bytes);
	if (entries < 0)
		return entries;
	side->entries = dma_map_sg(device, list, entries, direction);
	if (!side->entries)
		return -ENOMEM;
	side->mapped_entries = entries;
	return 0;
}

static bool in_place(const struct card_request *request)
{
	return request->source == request->destination;
}

/* Give the device the memory of a message. */
int request_map(struct card_ring *ring, struct card_request *request)
{
	struct device *device = ring->card->device;
	u32 in = source_bytes(request), out = request->output ? request->skip + request->output : 0;
	int result;

	memset(&request->in, 0, sizeof(request->in));
	memset(&request->out, 0, sizeof(request->out));
	request->prefix_address = 0;
	if (in_place(request)) {
		result = side_map(device, &request->in, request->source, max(in, out),
				  DMA_BIDIRECTIONAL);
		request->out.mapped = request->in.mapped;
		request->out.entries = request->in.entries;
	} else {
		result = side_map(device, &request->in, request->source, in, DMA_TO_DEVICE);
		if (!result)
			result = side_map(device, &request->out, request->destination, out,
					  DMA_FROM_DEVICE);
	}
	if (!result && request->prefix_bytes) {
		dma_addr_t address = dma_map_single(device, request->prefix, request->prefix_bytes,
						    DMA_TO_DEVICE);

		if (dma_mapping_error(device, address))
			result = -ENOMEM;
		else
			request->prefix_address = address;
	}
	if (!result)
		result = side_list(device, request, &request->in, in_segments);
	if (!result)
		result = side_list(device, request, &request->out, out_segments);
	if (result)
		request_unmap(ring, request);
	return result;
}

void request_unmap(struct card_ring *ring, struct card_request *request)
{
	struct device *device = ring->card->device;

	if (request->prefix_address)
		dma_unmap_single(device, request->prefix_address, request->prefix_bytes,
				 DMA_TO_DEVICE);
	request->prefix_address = 0;
	side_unmap(device, &request->out, DMA_FROM_DEVICE);
	side_unmap(device, &request->in, in_place(request) ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE);
}

/* Write the address of one side; whether it is that of a list. */
static bool describe_side(struct card_ring *ring, struct card_request *request,
			  struct card_side *side, unsigned int place, __le64 *address,
			  unsigned int (*write)(const struct card_request *, struct card_segment *,
						unsigned int))
{
	place *= CARD_INLINE_SEGMENTS;
	if (side->segments > 1 && !side->list) {
		write(request, ring->segments + place, CARD_INLINE_SEGMENTS);
		*address = cpu_to_le64(ring->segments_at + place * sizeof(struct card_segment));
	} else {
		*address = cpu_to_le64(side->address);
	}
	return side->segments > 1;
}

/* Write the descriptor of a mapped message, under the ring's lock. */
void request_describe(struct card_ring *ring, struct card_request *request, unsigned int entry)
{
	struct card_descriptor *to = &ring->descriptors[entry];
	u32 configuration = request->configuration, flags = 0;
	__le64 source, destination;

	if (describe_side(ring, request, &request->in, 2 * entry, &source, in_segments))
		flags |= DESCRIPTOR_SOURCE_LIST;
	if (describe_side(ring, request, &request->out, 2 * entry + 1, &destination, out_segments))
		flags |= DESCRIPTOR_DESTINATION_LIST;
	if (request->tag_packet)
		flags |= DESCRIPTOR_TAG_PACKET;
	/* Nobody else's completion would bring the interrupt soon. */
	if (ring->given == ring->seen)
		flags |= DESCRIPTOR_INTERRUPT;
	if (request->key) {
		configuration |= request->key->size << CONFIGURATION_KEY_SIZE_SHIFT;
		flags |= request->slot << DESCRIPTOR_KEY_SLOT_SHIFT;
	}
	to->configuration = cpu_to_le32(configuration);
	to->flags = cpu_to_le32(flags);
	memcpy(to->iv, request->iv, sizeof(to->iv));
	to->length = cpu_to_le32(request->length);
	to->associated = cpu_to_le32(request->associated);
	to->source = source;
	to->destination = destination;
	to->unit = cpu_to_le32(request->unit);
	to->output = cpu_to_le32(request->output);
	to->cookie = cpu_to_le64((u64)ring->generation << 32 | ring->given);
}

/* The error that a completion stands for. */
int request_error(const struct card_request *request)
{
	u32 status = request->status;

	if (status & COMPLETION_FORGED)
		return -EBADMSG;
	if (status & (COMPLETION_READ | COMPLETION_WRITE | COMPLETION_LIST))
		return -EIO;
	if (status & COMPLETION_KEY)
		return -ENOKEY;
	if (status & (COMPLETION_REFUSED | COMPLETION_LENGTHS))
		return -EINVAL;
	if (!(status & COMPLETION_DONE) || request->count != request->output)
		return -EIO;
	return 0;
}

/* What a message that failed has written is never shown. */
void request_erase_output(struct card_request *request)
{
	int entries;

	if (!request->output)
		return;
	entries = sg_nents_for_len(request->destination, request->skip + request->output);
	if (entries > 0)
		sg_zero_buffer(request->destination, entries, request->output, request->skip);
}
