/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright Ciphermill contributors. */
/* The character devices, for the programs of tests: opening them, messages, and what fails. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

#include <linux/ciphermill.h>

#include "reference.h"

struct test {
	const char *name;
	void (*run)(void);
	int only_by_name;
};

extern const char *prefix; /* /dev/ciphermill0- */
extern struct ciphermill_info first_info; /* of ring 0 */
extern __thread int failures;

/* Open ring 0 and ask what it is; not 0 if it cannot be tested. */
int device_begin(const char *prefix);
/* Run the tests of these names, or those without only_by_name; not 0 if one failed. */
int run_tests(const struct test *tests, unsigned int number, int names, char **wanted);

void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The call whose result this is failed with this error. */
void expect(int result, int error, const char *what);

/* Messages, doorbells and interrupts of all rings so far, which nobody may have open. */
struct ciphermill_info count_all(void);

int open_ring(unsigned int ring, int flags);
int must_open(unsigned int ring, int flags);
int set_key(int file, const struct sample *s);
int has_mode(uint32_t configuration);
int has_key(uint32_t configuration, unsigned int bytes);

/* One message by CIPHERMILL_IOC_MESSAGE, source and destination cut into pieces; 0 or errno. */
int run_message(int file, const struct sample *s, uint8_t *to, unsigned int pieces,
		const uint8_t *from, uint8_t tag[16]);

/*
 * A sample as a message, this many bytes behind an address; 0, errno, -1: wrong bytes, -2: another
 * tag, -3: bytes beside the destination.
 */
int check_message(int file, const struct sample *s, unsigned int pieces, unsigned int offset);

/* The bytes that hexadecimal digits stand for. */
void from_hex(uint8_t *to, const char *text);

/* Begin the stream of a sample, whose key is set; 0 or errno. */
int configure(int file, const struct sample *s);
/* Everything through write and read, in pieces of at most this size; 0, errno, or -1: wrong bytes. */
int check_stream(int file, const struct sample *s, size_t piece);

#endif
