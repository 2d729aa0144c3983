// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The stream of an open character device: its configuration, bytes that are written into jobs, and
 * bytes that are read from jobs that have ended.
 */

#include <linux/bitfield.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "stream.h"

/* Bytes of which a stream gives as many as it got, once there are so many. */
static u32 granule(const struct port_file *file)
{
	switch (stream_mode(file)) {
	case CIPHERMILL_ECB:
	case CIPHERMILL_CBC:
		return message_block_bytes(file->ring);
	case CIPHERMILL_XTS:
		return file->stream.unit_bytes;
	default:
		return 1;
	}
}

/* Begin a job for so many bytes, or as many of them as a job takes. */
static int file_fill(struct port_file *file, size_t count)
{
	u32 begin = 0, limit, bytes;

	if (stream_is_message(file)) {
		limit = file->stream.associated_bytes + file->stream.text_bytes;
		/* A digest, or a tag behind the text, has room too. */
		bytes = max(limit + 16, 64U);
	} else {
		if (stream_mode(file) == CIPHERMILL_CTR)
			begin = file->counter_offset;
		limit = rounddown(JOB_BYTES, granule(file));
		if (begin + count < limit)
			limit = roundup(begin + count, granule(file));
		bytes = limit;
	}
	file->filling = job_create(file, begin, bytes);
	if (!file->filling)
		return -ENOMEM;
	file->filling->limit = limit;
	spin_lock_bh(&file->jobs_lock);
	file->inside += job_cost(file->filling);
	spin_unlock_bh(&file->jobs_lock);
	return 0;
}

/* Run what can run; what is left goes into a new job. */
static int file_flush(struct port_file *file, u32 unit)
{
	struct job *job = file->filling;
	u32 whole = rounddown(job->filled, unit), left = job->filled - whole;
	int result = 0;

	if (job->filled == job->begin || !whole)
		return 0;
	file->filling = NULL;
	if (left) {
		result = file_fill(file, left);
		if (result) {
			file->filling = job;
			return result;
		}
		memcpy(file->filling->buffer.data, job->buffer.data + whole, left);
		memzero_explicit(job->buffer.data + whole, left);
		file->filling->filled = left;
	}
	job_run(file, job, whole);
	return 0;
}

/* A message of its full length, which is not zero. */
static void file_run_message(struct port_file *file)
{
	struct job *job = file->filling;

	if (stream_mode(file) == CIPHERMILL_AEAD && stream_decrypts(file))
		memcpy(job->buffer.data + job->filled, file->stream.tag, 16);
	file->filling = NULL;
	file->message_made = true;
	job_run(file, job, job->filled);
}

bool stream_has_room(struct port_file *file)
{
	bool room;

	spin_lock_bh(&file->jobs_lock);
	room = file->inside < STREAM_BYTES || list_empty(&file->jobs) || file->error ||
	       READ_ONCE(file->message_made);
	spin_unlock_bh(&file->jobs_lock);
	return room || READ_ONCE(file->ring->state) == RING_REMOVED;
}

int stream_error(struct port_file *file)
{
	int error;

	spin_lock_bh(&file->jobs_lock);
	error = file->error;
	spin_unlock_bh(&file->jobs_lock);
	return READ_ONCE(file->ring->state) == RING_REMOVED ? -ENODEV : error;
}

/* Take bytes into the filling job; how many, or an error. */
ssize_t stream_take(struct port_file *file, const char __user *from, size_t count)
{
	struct job *job;
	size_t here;
	int result;

	result = stream_error(file);
	if (result)
		return result;
	if (!file->configured || file->finished)
		return -EINVAL;
	if (stream_is_message(file) && file->message_made)
		return -ENOSPC;
	if (!file->filling) {
		result = file_fill(file, count);
		if (result)
			return result;
	}
	job = file->filling;
	here = min_t(size_t, count, job->limit - job->filled);
	if (copy_from_user(job->buffer.data + job->filled, from, here))
		return -EFAULT;
	job->filled += here;
	if (stream_is_message(file)) {
		if (job->filled == job->limit)
			file_run_message(file);
	} else if (job->filled == job->limit || here == count) {
		result = file_flush(file, granule(file));
	}
	/* Bytes that cannot run for want of memory stay for the next time. */
	return here ? here : result;
}

/* Whether read() has something to say. */
bool stream_readable(struct port_file *file)
{
	struct job *job;
	bool result;

	spin_lock_bh(&file->jobs_lock);
	job = list_first_entry_or_null(&file->jobs, struct job, node);
	result = job ? job->state == JOB_ENDED : file->finished || file->error;
	spin_unlock_bh(&file->jobs_lock);
	return result || READ_ONCE(file->ring->state) == RING_REMOVED;
}

/* Give bytes of the oldest job; how many, 0 if it has not ended or there is none. */
ssize_t stream_give(struct port_file *file, char __user *to, size_t count)
{
	struct job *job;
	ssize_t result = 0;
	bool ended;

	spin_lock_bh(&file->jobs_lock);
	job = list_first_entry_or_null(&file->jobs, struct job, node);
	ended = job && job->state == JOB_ENDED;
	if (!job)
		result = file->error;
	spin_unlock_bh(&file->jobs_lock);
	if (!ended)
		return result;
	if (job->error)
		return job->error;
	result = min_t(size_t, count, job->output - job->taken);
	if (copy_to_user(to, job->buffer.data + job->begin + job->taken, result))
		return -EFAULT;
	job->taken += result;
	if (job->taken < job->output)
		return result;
	spin_lock_bh(&file->jobs_lock);
	list_del_init(&job->node);
	file->inside -= job_cost(job);
	if (stream_is_message(file))
		file->finished = true;
	spin_unlock_bh(&file->jobs_lock);
	wake_up_all(&file->ring->readers);
	job_free(job);
	return result;
}

bool stream_at_end(struct port_file *file)
{
	bool end;

	spin_lock_bh(&file->jobs_lock);
	end = file->finished && list_empty(&file->jobs);
	spin_unlock_bh(&file->jobs_lock);
	return end;
}

static bool nothing_runs(struct port_file *file)
{
	bool result;

	spin_lock_bh(&file->jobs_lock);
	result = !file->running;
	spin_unlock_bh(&file->jobs_lock);
	return result;
}

/* Forget all jobs, and wait for those that run; under file->lock and file->read_lock. */
void stream_drop(struct port_file *file)
{
	struct job *job, *next;
	LIST_HEAD(ended);

	spin_lock_bh(&file->jobs_lock);
	list_for_each_entry_safe(job, next, &file->jobs, node) {
		list_del_init(&job->node);
		if (job->state != JOB_RUNNING)
			list_add_tail(&job->node, &ended);
	}
	file->inside = 0;
	file->error = 0;
	file->finished = false;
	file->tag_there = false;
	memzero_explicit(file->iv, sizeof(file->iv));
	spin_unlock_bh(&file->jobs_lock);
	list_for_each_entry_safe(job, next, &ended, node)
		job_free(job);
	wait_event(file->ring->readers, nothing_runs(file));
	if (file->filling)
		job_free(file->filling);
	file->filling = NULL;
	file->configured = false;
	file->message_made = false;
	wake_up_all(&file->ring->readers);
}

static int file_check_lengths(const struct ciphermill_configuration *stream)
{
	u32 mode = stream->configuration & CIPHERMILL_MODE;
	bool message = mode == CIPHERMILL_GCM || mode == CIPHERMILL_AEAD ||
		       mode == CIPHERMILL_DIGEST;
	bool associated = message && (mode != CIPHERMILL_DIGEST ||
				      stream->configuration & CIPHERMILL_AUTHENTICATE);

	if (memchr_inv(stream->reserved, 0, sizeof(stream->reserved)))
		return -EINVAL;
	if (stream->associated_bytes && !associated)
		return -EINVAL;
	if (stream->text_bytes && !message)
		return -EINVAL;
	if (mode == CIPHERMILL_XTS ? !stream->unit_bytes || stream->unit_bytes % 16 ||
	    stream->unit_bytes > JOB_BYTES : stream->unit_bytes)
		return -EINVAL;
	if ((u64)stream->associated_bytes + stream->text_bytes > card_message_bytes)
		return -E2BIG;
	return 0;
}

/* The driver continues the IVs of AES alone. */
static bool stream_supported(const struct card_ring *ring, u32 configuration)
{
	u32 mode = configuration & CIPHERMILL_MODE;

	return (mode != CIPHERMILL_CBC && mode != CIPHERMILL_CTR) ||
	       FIELD_GET(ACCEL_ALGORITHM, ring->capability) == ACCEL_ALGORITHM_AES;
}

/* Whether anything of the stream is still to come or to be read; under jobs_lock. */
static bool stream_busy(struct port_file *file)
{
	struct job *job;

	if (file->error)
		return false;
	list_for_each_entry(job, &file->jobs, node)
		if (job->state != JOB_ENDED || job->taken < job->output)
			return true;
	return file->filling && file->filling->filled > file->filling->begin;
}

long stream_configure(struct port_file *file, void __user *argument)
{
	struct ciphermill_configuration stream;
	struct card_key *old;
	bool busy;
	long result;

	if (copy_from_user(&stream, argument, sizeof(stream)))
		return -EFAULT;
	result = file_check_lengths(&stream);
	if (result)
		return result;
	mutex_lock(&file->lock);
	mutex_lock(&file->read_lock);
	spin_lock_bh(&file->jobs_lock);
	busy = stream_busy(file);
	spin_unlock_bh(&file->jobs_lock);
	result = busy ? -EBUSY : message_check(file->ring, stream.configuration, file->key);
	if (!result && !stream_supported(file->ring, stream.configuration))
		result = -EOPNOTSUPP;
	if (!result) {
		stream_drop(file);
		old = file->stream_key;
		if (file->key)
			kref_get(&file->key->references);
		file->stream_key = file->key;
		card_key_put(old);
		file->stream = stream;
		memcpy(file->iv, stream.iv, 16);
		file->counter_offset = 0;
		file->message_made = false;
		file->configured = true;
		/* A message without bytes runs at once. */
		if (stream_is_message(file) && !stream.associated_bytes && !stream.text_bytes) {
			result = file_fill(file, 0);
			if (!result)
				file_run_message(file);
		}
	}
	mutex_unlock(&file->read_lock);
	mutex_unlock(&file->lock);
	return result;
}

long stream_finish(struct port_file *file)
{
	long result;

	mutex_lock(&file->lock);
	result = stream_error(file);
	if (!result && (!file->configured || (stream_is_message(file) && !file->message_made)))
		result = -EINVAL;
	if (!result && file->filling) {
		u32 left = file->filling->filled - file->filling->begin;

		if (left && (stream_mode(file) != CIPHERMILL_XTS || left % 16))
			result = -EINVAL;
		else if (left)
			result = file_flush(file, 16);
	}
	if (!result) {
		spin_lock_bh(&file->jobs_lock);
		file->finished = true;
		spin_unlock_bh(&file->jobs_lock);
		wake_up_all(&file->ring->readers);
	}
	mutex_unlock(&file->lock);
	return result;
}

long stream_tag(struct port_file *file, void __user *argument)
{
	long result = 0;
	u8 tag[16];

	mutex_lock(&file->lock);
	if (!file->configured || stream_decrypts(file) || !stream_is_message(file) ||
	    stream_mode(file) == CIPHERMILL_DIGEST)
		result = -EINVAL;
	spin_lock_bh(&file->jobs_lock);
	memcpy(tag, file->tag, 16);
	if (!result)
		result = file->error;
	if (!result && !file->tag_there)
		result = -EAGAIN;
	spin_unlock_bh(&file->jobs_lock);
	mutex_unlock(&file->lock);
	if (!result && copy_to_user(argument, tag, 16))
		result = -EFAULT;
	return result;
}
