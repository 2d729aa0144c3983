// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The jobs of a stream: messages of the ring in memory of the kernel, with the IV that each goes on
 * with.
 */

#include <linux/slab.h>
#include <crypto/algapi.h>

#include "stream.h"

static bool chained(const struct port_file *file)
{
	return stream_mode(file) == CIPHERMILL_CBC && !stream_decrypts(file);
}

size_t job_cost(const struct job *job)
{
	return sizeof(*job) + job->buffer.bytes;
}

void job_free(struct job *job)
{
	buffer_destroy(&job->buffer);
	kfree_sensitive(job);
}

static void job_complete(struct card_request *request, int error);

struct job *job_create(struct port_file *file, u32 begin, u32 bytes)
{
	struct job *job = kzalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;
	if (buffer_create(&job->buffer, bytes)) {
		kfree(job);
		return NULL;
	}
	job->file = file;
	job->begin = begin;
	job->filled = begin;
	job->limit = bytes;
	job->request.configuration = file->stream.configuration;
	job->request.key = stream_mode(file) == CIPHERMILL_DIGEST ? NULL : file->stream_key;
	job->request.unit = file->stream.unit_bytes;
	job->request.source = job->buffer.table.sgl;
	job->request.destination = job->buffer.table.sgl;
	job->request.gfp = GFP_ATOMIC;
	job->request.may_wait = true;
	job->request.complete = job_complete;
	return job;
}

static int job_check_tag(struct job *job)
{
	struct port_file *file = job->file;

	if (stream_mode(file) != CIPHERMILL_GCM && stream_mode(file) != CIPHERMILL_AEAD)
		return 0;
	if (!stream_decrypts(file)) {
		memcpy(file->tag, job->request.tag, 16);
		file->tag_there = true;
		return 0;
	}
	if (stream_mode(file) == CIPHERMILL_GCM &&
	    crypto_memneq(job->request.tag, file->stream.tag, 16))
		return -EBADMSG;
	return 0;
}

/* The next job of a chain, which has waited for the end of this one; under jobs_lock. */
static struct job *job_follow(struct job *job, int error)
{
	struct port_file *file = job->file;
	struct job *next = list_next_entry(job, node);

	if (!chained(file))
		return NULL;
	if (!error)
		memcpy(file->iv, job->buffer.data + job->request.length - 16, 16);
	if (&next->node == &file->jobs || next->state != JOB_WAITING)
		return NULL;
	next->state = JOB_RUNNING;
	file->running++;
	memcpy(next->request.iv, file->iv, 16);
	return next;
}

/* A job has run, or could not. Another thread may free it, and the file, when this returns. */
static struct job *job_finish(struct job *job, int error)
{
	struct port_file *file = job->file;
	struct card_ring *ring = file->ring;
	struct job *next = NULL;
	bool dropped;

	spin_lock_bh(&file->jobs_lock);
	dropped = list_empty(&job->node);
	if (!dropped && !error)
		error = job_check_tag(job);
	if (error)
		memzero_explicit(job->buffer.data, job->buffer.bytes);
	if (!dropped && error && !file->error)
		file->error = error;
	if (!dropped)
		next = job_follow(job, error);
	job->error = error;
	job->state = JOB_ENDED;
	file->running--;
	wake_up_all(&ring->readers);
	spin_unlock_bh(&file->jobs_lock);
	if (dropped)
		job_free(job);
	return next;
}

static void job_end(struct job *job, int error)
{
	while (job) {
		job = job_finish(job, error);
		if (!job)
			break;
		if (!error)
			error = card_submit(job->file->ring, &job->request);
		if (error == -EINPROGRESS || error == -EBUSY)
			break;
	}
}

static void job_complete(struct card_request *request, int error)
{
	job_end(container_of(request, struct job, request), error);
}

static void add_big_endian(u8 *number, u64 add)
{
	unsigned int at, carry = 0;

	for (at = 16; at-- > 0;) {
		unsigned int sum = number[at] + (add & 0xff) + carry;

		number[at] = sum;
		carry = sum >> 8;
		add >>= 8;
	}
}

static void add_little_endian(u8 *number, u64 add)
{
	unsigned int at, carry = 0;

	for (at = 0; at < 16; at++) {
		unsigned int sum = number[at] + (add & 0xff) + carry;

		number[at] = sum;
		carry = sum >> 8;
		add >>= 8;
	}
}

/* Count the low 32, 64 or 128 bits of the counter. */
static void advance_counter(struct port_file *file, u32 blocks)
{
	u8 before[16];
	unsigned int fixed = 0;

	if ((file->stream.configuration & CIPHERMILL_COUNTER_MASK) == CIPHERMILL_COUNTER_32)
		fixed = 12;
	else if ((file->stream.configuration & CIPHERMILL_COUNTER_MASK) == CIPHERMILL_COUNTER_64)
		fixed = 8;
	memcpy(before, file->iv, fixed);
	add_big_endian(file->iv, blocks);
	memcpy(file->iv, before, fixed);
}

/* Run the first bytes of the filling job, in whole blocks; under file->lock. */
void job_run(struct port_file *file, struct job *job, u32 bytes)
{
	struct card_request *request = &job->request;
	bool wait = false;
	int result;

	request->length = bytes;
	request->output = bytes;
	job->output = bytes - job->begin;
	spin_lock_bh(&file->jobs_lock);
	memcpy(request->iv, file->iv, 16);
	switch (stream_mode(file)) {
	case CIPHERMILL_CBC:
		if (stream_decrypts(file))
			memcpy(file->iv, job->buffer.data + bytes - 16, 16);
		else
			wait = !list_empty(&file->jobs) &&
			       list_last_entry(&file->jobs, struct job, node)->state != JOB_ENDED;
		break;
	case CIPHERMILL_CTR:
		advance_counter(file, bytes / 16);
		file->counter_offset = bytes % 16;
		break;
	case CIPHERMILL_XTS:
		add_little_endian(file->iv, DIV_ROUND_UP(bytes, file->stream.unit_bytes));
		break;
	case CIPHERMILL_DIGEST:
		request->associated = file->stream.associated_bytes;
		request->length = file->stream.text_bytes;
		request->output = message_digest_bytes(file->stream.configuration);
		job->output = request->output;
		job->begin = 0;
		break;
	case CIPHERMILL_AEAD:
		request->tag_packet = stream_decrypts(file);
		fallthrough;
	case CIPHERMILL_GCM:
		request->associated = file->stream.associated_bytes;
		request->length = file->stream.text_bytes;
		request->output = request->length;
		request->skip = request->associated;
		job->output = request->length;
		job->begin = request->associated;
		break;
	}
	job->state = wait ? JOB_WAITING : JOB_RUNNING;
	if (!wait)
		file->running++;
	list_add_tail(&job->node, &file->jobs);
	spin_unlock_bh(&file->jobs_lock);
	if (wait)
		return;
	result = card_submit(file->ring, request);
	if (result != -EINPROGRESS && result != -EBUSY)
		job_end(job, result);
}
