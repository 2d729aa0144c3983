/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copyright Ciphermill contributors.
 *
 * The stream of an open character device, for port.c, stream.c and job.c.
 *
 * What is written goes into jobs: messages of up to JOB_BYTES, or the one message of an
 * authenticated cipher or a digest. A job is filled, runs (in CBC encryption after the job before
 * it), and is read and erased. Whoever drops jobs waits for those that run: the device has their
 * memory.
 */
#ifndef CIPHERMILL_STREAM_H
#define CIPHERMILL_STREAM_H

#include <linux/mutex.h>
#include <linux/spinlock.h>

#include <linux/ciphermill.h>

#include "card.h"

#define JOB_BYTES (32 * 1024)
#define STREAM_BYTES (256 * 1024)

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

static inline u32 stream_mode(const struct port_file *file)
{
	return file->stream.configuration & CIPHERMILL_MODE;
}

static inline bool stream_is_message(const struct port_file *file)
{
	return stream_mode(file) == CIPHERMILL_GCM || stream_mode(file) == CIPHERMILL_AEAD ||
	       stream_mode(file) == CIPHERMILL_DIGEST;
}

static inline bool stream_decrypts(const struct port_file *file)
{
	return file->stream.configuration & CIPHERMILL_DECRYPT;
}

/* job.c: jobs through the ring */
struct job *job_create(struct port_file *file, u32 begin, u32 bytes);
size_t job_cost(const struct job *job);
void job_free(struct job *job);
void job_run(struct port_file *file, struct job *job, u32 bytes);

/* stream.c: what goes in and out */
int stream_error(struct port_file *file);
bool stream_has_room(struct port_file *file);
bool stream_readable(struct port_file *file);
bool stream_at_end(struct port_file *file);
ssize_t stream_take(struct port_file *file, const char __user *from, size_t count);
ssize_t stream_give(struct port_file *file, char __user *to, size_t count);
void stream_drop(struct port_file *file);
long stream_configure(struct port_file *file, void __user *argument);
long stream_finish(struct port_file *file);
long stream_tag(struct port_file *file, void __user *argument);

#endif
