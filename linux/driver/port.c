// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The character device of a ring: a stream of bytes through a cipher.
 *
 * What is written goes into jobs: messages of up to JOB_BYTES, or the one message of an
 * authenticated cipher or a digest. A job is filled, runs (in CBC encryption after the job before
 * it), and is read and erased. Whoever drops jobs waits for those that run: the device has their
 * memory.
 */

#include <linux/bitfield.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <crypto/algapi.h>

#include <linux/ciphermill.h>

#include "card.h"

#define MINORS 256
#define JOB_BYTES (32 * 1024)
#define STREAM_BYTES (256 * 1024)

struct card_port {
	struct device device;
	struct cdev cdev;
	struct card_ring *ring;
	atomic_t opened;
};

enum job_state { JOB_FILLING, JOB_WAITING, JOB_RUNNING, JOB_ENDED };

struct port_file;

struct job {
	struct list_head node;
	struct port_file *file;
	struct card_request request;
	struct card_buffer buffer;
	enum job_state state;
	u32 begin; /* of the output in the buffer */
	u32 filled;
	u32 limit;
	u32 taken; /* of the output, by read() */
	u32 output;
	int error;
};

struct port_file {
	struct card_port *port;
	struct card_ring *ring;
	struct mutex lock; /* configuration and writers */
	struct mutex read_lock;
	struct card_key *key;

	spinlock_t jobs_lock; /* what follows */
	struct list_head jobs; /* all but the filling one, oldest first */
	unsigned int running; /* jobs that the ring has */
	size_t inside; /* bytes of all jobs and their buffers */
	u8 iv[16];
	u8 tag[16];
	bool tag_there;
	int error;
	bool finished;

	/* Under lock. */
	struct job *filling;
	struct card_key *stream_key;
	struct ciphermill_configuration stream;
	bool configured;
	bool message_made; /* of a stream that is one message */
	u32 counter_offset; /* CTR: bytes of the next keystream block that are used */
};

static dev_t first_device;
static struct class port_class = { .name = "ciphermill" };

static u32 file_mode(const struct port_file *file)
{
	return file->stream.configuration & CIPHERMILL_MODE;
}

static bool one_message(const struct port_file *file)
{
	return file_mode(file) == CIPHERMILL_GCM || file_mode(file) == CIPHERMILL_AEAD ||
	       file_mode(file) == CIPHERMILL_DIGEST;
}

static bool decrypts(const struct port_file *file)
{
	return file->stream.configuration & CIPHERMILL_DECRYPT;
}

static bool chained(const struct port_file *file)
{
	return file_mode(file) == CIPHERMILL_CBC && !decrypts(file);
}

static size_t job_cost(const struct job *job)
{
	return sizeof(*job) + job->buffer.bytes;
}

static void job_free(struct job *job)
{
	buffer_destroy(&job->buffer);
	kfree_sensitive(job);
}

static void job_complete(struct card_request *request, int error);

static struct job *job_create(struct port_file *file, u32 begin, u32 bytes)
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
	job->request.key = file_mode(file) == CIPHERMILL_DIGEST ? NULL : file->stream_key;
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

	if (file_mode(file) != CIPHERMILL_GCM && file_mode(file) != CIPHERMILL_AEAD)
		return 0;
	if (!decrypts(file)) {
		memcpy(file->tag, job->request.tag, 16);
		file->tag_there = true;
		return 0;
	}
	if (file_mode(file) == CIPHERMILL_GCM &&
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

/* Bytes of which a stream gives as many as it got, once there are so many. */
static u32 granule(const struct port_file *file)
{
	switch (file_mode(file)) {
	case CIPHERMILL_ECB:
	case CIPHERMILL_CBC:
		return 16;
	case CIPHERMILL_XTS:
		return file->stream.unit_bytes;
	default:
		return 1;
	}
}

/* Run the first bytes of the filling job, in whole blocks; under file->lock. */
static void file_run(struct port_file *file, struct job *job, u32 bytes)
{
	struct card_request *request = &job->request;
	bool wait = false;
	int result;

	request->length = bytes;
	request->output = bytes;
	job->output = bytes - job->begin;
	spin_lock_bh(&file->jobs_lock);
	memcpy(request->iv, file->iv, 16);
	switch (file_mode(file)) {
	case CIPHERMILL_CBC:
		if (decrypts(file))
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
		request->tag_packet = decrypts(file);
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

/* Begin a job for so many bytes, or as many of them as a job takes. */
static int file_fill(struct port_file *file, size_t count)
{
	u32 begin = 0, limit, bytes;

	if (one_message(file)) {
		limit = file->stream.associated_bytes + file->stream.text_bytes;
		/* A digest, or a tag behind the text, has room too. */
		bytes = max(limit + 16, 64U);
	} else {
		if (file_mode(file) == CIPHERMILL_CTR)
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
	file_run(file, job, whole);
	return 0;
}

/* A message of its full length, which is not zero. */
static void file_run_message(struct port_file *file)
{
	struct job *job = file->filling;

	if (file_mode(file) == CIPHERMILL_AEAD && decrypts(file))
		memcpy(job->buffer.data + job->filled, file->stream.tag, 16);
	file->filling = NULL;
	file->message_made = true;
	file_run(file, job, job->filled);
}

static bool has_room(struct port_file *file)
{
	bool room;

	spin_lock_bh(&file->jobs_lock);
	room = file->inside < STREAM_BYTES || list_empty(&file->jobs) || file->error ||
	       READ_ONCE(file->message_made);
	spin_unlock_bh(&file->jobs_lock);
	return room || READ_ONCE(file->ring->state) == RING_REMOVED;
}

static int file_error(struct port_file *file)
{
	int error;

	spin_lock_bh(&file->jobs_lock);
	error = file->error;
	spin_unlock_bh(&file->jobs_lock);
	return READ_ONCE(file->ring->state) == RING_REMOVED ? -ENODEV : error;
}

/* Take bytes into the filling job; how many, or an error. */
static ssize_t file_take(struct port_file *file, const char __user *from, size_t count)
{
	struct job *job;
	size_t here;
	int result;

	result = file_error(file);
	if (result)
		return result;
	if (!file->configured || file->finished)
		return -EINVAL;
	if (one_message(file) && file->message_made)
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
	if (one_message(file)) {
		if (job->filled == job->limit)
			file_run_message(file);
	} else if (job->filled == job->limit || here == count) {
		result = file_flush(file, granule(file));
	}
	/* Bytes that cannot run for want of memory stay for the next time. */
	return here ? here : result;
}

static ssize_t port_write(struct file *opened, const char __user *from, size_t count, loff_t *at)
{
	struct port_file *file = opened->private_data;
	size_t done = 0;
	ssize_t result = 0;

	while (!result && done < count) {
		if (!has_room(file)) {
			if (done && opened->f_flags & O_NONBLOCK)
				break;
			if (opened->f_flags & O_NONBLOCK)
				return -EAGAIN;
			result = wait_event_interruptible(file->ring->readers, has_room(file));
			if (result)
				break;
		}
		result = mutex_lock_interruptible(&file->lock);
		if (result)
			break;
		result = file_take(file, from + done, count - done);
		mutex_unlock(&file->lock);
		if (result > 0) {
			done += result;
			result = 0;
		}
	}
	return done ? done : result;
}

/* Whether read() has something to say. */
static bool readable(struct port_file *file)
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
static ssize_t file_give(struct port_file *file, char __user *to, size_t count)
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
	if (one_message(file))
		file->finished = true;
	spin_unlock_bh(&file->jobs_lock);
	wake_up_all(&file->ring->readers);
	job_free(job);
	return result;
}

static bool at_end(struct port_file *file)
{
	bool end;

	spin_lock_bh(&file->jobs_lock);
	end = file->finished && list_empty(&file->jobs);
	spin_unlock_bh(&file->jobs_lock);
	return end;
}

static ssize_t port_read(struct file *opened, char __user *to, size_t count, loff_t *at)
{
	struct port_file *file = opened->private_data;
	size_t done = 0;
	ssize_t result = 0;

	while (count && !done && !result) {
		if (!readable(file) && opened->f_flags & O_NONBLOCK)
			return -EAGAIN;
		result = wait_event_interruptible(file->ring->readers, readable(file));
		if (!result)
			result = mutex_lock_interruptible(&file->read_lock);
		if (result)
			return result;
		while (done < count) {
			result = file_give(file, to + done, count - done);
			if (result <= 0)
				break;
			done += result;
		}
		if (!done && !result && READ_ONCE(file->ring->state) == RING_REMOVED)
			result = -ENODEV;
		mutex_unlock(&file->read_lock);
		if (!done && !result && at_end(file))
			break;
	}
	return done ? done : result;
}

static __poll_t port_poll(struct file *opened, poll_table *table)
{
	struct port_file *file = opened->private_data;
	__poll_t result = 0;

	poll_wait(opened, &file->ring->readers, table);
	if (readable(file))
		result |= EPOLLIN | EPOLLRDNORM;
	if (has_room(file))
		result |= EPOLLOUT | EPOLLWRNORM;
	if (file_error(file))
		result |= EPOLLERR;
	if (READ_ONCE(file->ring->state) == RING_REMOVED)
		result |= EPOLLHUP;
	return result;
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
static void file_drop(struct port_file *file)
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

static long file_set_key(struct port_file *file, void __user *argument)
{
	u32 capability = file->ring->capability;
	struct ciphermill_key user;
	struct card_key *key = NULL, *old;
	long result = 0;

	if (copy_from_user(&user, argument, sizeof(user)))
		return -EFAULT;
	if (user.tweak_bytes && (user.tweak_bytes != user.bytes ||
				 !(capability & ACCEL_XTS) || user.bytes == 24 ||
				 !crypto_memneq(user.key, user.tweak_key, 32)))
		result = -EINVAL;
	else if (user.bytes && !card_key_bytes_supported(capability, user.bytes))
		result = -EINVAL;
	else if (user.bytes)
		key = card_key_create(file->ring->card, user.key, user.bytes,
				      user.tweak_bytes ? user.tweak_key : NULL);
	memzero_explicit(&user, sizeof(user));
	if (IS_ERR(key))
		result = PTR_ERR(key);
	if (result)
		return result;
	mutex_lock(&file->lock);
	old = file->key;
	file->key = key;
	mutex_unlock(&file->lock);
	card_key_put(old);
	return 0;
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

static long file_configure(struct port_file *file, void __user *argument)
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
		file_drop(file);
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
		if (one_message(file) && !stream.associated_bytes && !stream.text_bytes) {
			result = file_fill(file, 0);
			if (!result)
				file_run_message(file);
		}
	}
	mutex_unlock(&file->read_lock);
	mutex_unlock(&file->lock);
	return result;
}

static long file_finish(struct port_file *file)
{
	long result;

	mutex_lock(&file->lock);
	result = file_error(file);
	if (!result && (!file->configured || (one_message(file) && !file->message_made)))
		result = -EINVAL;
	if (!result && file->filling) {
		u32 left = file->filling->filled - file->filling->begin;

		if (left && (file_mode(file) != CIPHERMILL_XTS || left % 16))
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

static long file_tag(struct port_file *file, void __user *argument)
{
	long result = 0;
	u8 tag[16];

	mutex_lock(&file->lock);
	if (!file->configured || decrypts(file) || !one_message(file) ||
	    file_mode(file) == CIPHERMILL_DIGEST)
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

static long file_info(struct port_file *file, void __user *argument)
{
	struct card_ring *ring = file->ring;
	struct ciphermill_info info = {
		.abi = CIPHERMILL_ABI,
		.version = ring->card->version,
		.accelerator = ring->accelerator,
		.capability = ring->capability,
		.geometry = ring->geometry,
		.ring = ring->index,
		.rings = ring->card->ring_count,
		.key_slots = ring->card->key_slots,
		.khz = ring->card->khz,
		.message_bytes = card_message_bytes,
		.stream_bytes = STREAM_BYTES,
	};

	spin_lock_bh(&ring->lock);
	info.state = ring->state;
	info.messages = ring->messages;
	info.doorbells = ring->doorbells;
	info.interrupts = ring->interrupts;
	info.lost_interrupts = ring->lost_interrupts;
	info.recoveries = ring->recoveries;
	spin_unlock_bh(&ring->lock);
	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static long file_message(struct port_file *file, void __user *argument)
{
	struct card_key *key;
	long result;

	mutex_lock(&file->lock);
	key = file->key;
	if (key)
		kref_get(&key->references);
	mutex_unlock(&file->lock);
	result = message_ioctl(file->ring, key, argument);
	card_key_put(key);
	return result;
}

static long port_ioctl(struct file *opened, unsigned int command, unsigned long value)
{
	struct port_file *file = opened->private_data;
	void __user *argument = (void __user *)value;

	switch (command) {
	case CIPHERMILL_IOC_INFO:
		return file_info(file, argument);
	case CIPHERMILL_IOC_KEY:
		return file_set_key(file, argument);
	case CIPHERMILL_IOC_CONFIGURE:
		return file_configure(file, argument);
	case CIPHERMILL_IOC_TAG:
		return file_tag(file, argument);
	case CIPHERMILL_IOC_FINISH:
		return file_finish(file);
	case CIPHERMILL_IOC_ABORT:
		mutex_lock(&file->lock);
		mutex_lock(&file->read_lock);
		file_drop(file);
		mutex_unlock(&file->read_lock);
		mutex_unlock(&file->lock);
		return 0;
	case CIPHERMILL_IOC_MESSAGE:
		return file_message(file, argument);
	default:
		return -ENOTTY;
	}
}

static int port_open(struct inode *inode, struct file *opened)
{
	struct card_port *port = container_of(inode->i_cdev, struct card_port, cdev);
	struct port_file *file;

	if (READ_ONCE(port->ring->state) == RING_REMOVED)
		return -ENODEV;
	if (atomic_cmpxchg(&port->opened, 0, 1))
		return -EBUSY;
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file) {
		atomic_set(&port->opened, 0);
		return -ENOMEM;
	}
	file->port = port;
	file->ring = port->ring;
	mutex_init(&file->lock);
	mutex_init(&file->read_lock);
	spin_lock_init(&file->jobs_lock);
	INIT_LIST_HEAD(&file->jobs);
	opened->private_data = file;
	return stream_open(inode, opened);
}

static int port_close(struct inode *inode, struct file *opened)
{
	struct port_file *file = opened->private_data;

	mutex_lock(&file->lock);
	mutex_lock(&file->read_lock);
	file_drop(file);
	mutex_unlock(&file->read_lock);
	mutex_unlock(&file->lock);
	card_key_put(file->key);
	card_key_put(file->stream_key);
	atomic_set(&file->port->opened, 0);
	kfree_sensitive(file);
	return 0;
}

static const struct file_operations port_operations = {
	.owner = THIS_MODULE,
	.open = port_open,
	.release = port_close,
	.read = port_read,
	.write = port_write,
	.poll = port_poll,
	.unlocked_ioctl = port_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static void port_release(struct device *device)
{
	struct card_port *port = container_of(device, struct card_port, device);
	struct card *card = port->ring->card;

	kfree(port);
	card_put(card);
}

int port_create(struct card_ring *ring)
{
	struct card_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	struct card *card = ring->card;
	int result;

	if (!port)
		return -ENOMEM;
	card_get(card);
	port->ring = ring;
	device_initialize(&port->device);
	port->device.class = &port_class;
	port->device.parent = card->device;
	port->device.release = port_release;
	port->device.devt = first_device + card->number * CARD_MAX_RINGS + ring->index;
	cdev_init(&port->cdev, &port_operations);
	port->cdev.owner = THIS_MODULE;
	result = dev_set_name(&port->device, "ciphermill%d-%u", card->number, ring->index);
	if (!result)
		result = cdev_device_add(&port->cdev, &port->device);
	if (result)
		put_device(&port->device);
	else
		ring->port = port;
	return result;
}

void port_remove(struct card_ring *ring)
{
	struct card_port *port = ring->port;

	if (!port)
		return;
	ring->port = NULL;
	cdev_device_del(&port->cdev, &port->device);
	put_device(&port->device);
}

int ports_init(void)
{
	int result = alloc_chrdev_region(&first_device, 0, MINORS, "ciphermill");

	if (result)
		return result;
	result = class_register(&port_class);
	if (result)
		unregister_chrdev_region(first_device, MINORS);
	return result;
}

void ports_exit(void)
{
	class_unregister(&port_class);
	unregister_chrdev_region(first_device, MINORS);
}
