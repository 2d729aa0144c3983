// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

const char *prefix;
struct ciphermill_info first_info;
__thread int failures;

void fail(const char *format, ...)
{
	va_list arguments;

	failures++;
	printf("  FAILED: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

int open_ring(unsigned int ring, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%u", prefix, ring);
	return open(path, O_RDWR | flags);
}

int must_open(unsigned int ring, int flags)
{
	int file = open_ring(ring, flags);

	if (file < 0) {
		printf("  FAILED: ring %u cannot be opened: %s\n", ring, strerror(errno));
		exit(1);
	}
	return file;
}

struct ciphermill_info count_all(void)
{
	struct ciphermill_info sum = { 0 };

	for (unsigned int ring = 0; ring < first_info.rings; ring++) {
		struct ciphermill_info info;
		int file = must_open(ring, 0);

		ioctl(file, CIPHERMILL_IOC_INFO, &info);
		sum.messages += info.messages;
		sum.doorbells += info.doorbells;
		sum.interrupts += info.interrupts;
		close(file);
	}
	return sum;
}

int set_key(int file, const struct sample *s)
{
	struct ciphermill_key key = { .bytes = s->key_bytes };

	memcpy(key.key, s->key, s->key_bytes);
	if ((s->configuration & CIPHERMILL_MODE) == CIPHERMILL_XTS) {
		key.tweak_bytes = s->key_bytes;
		memcpy(key.tweak_key, s->tweak_key, s->key_bytes);
	}
	return ioctl(file, CIPHERMILL_IOC_KEY, &key);
}

static int has(uint32_t bit)
{
	return first_info.capability & 1U << bit;
}

int has_mode(uint32_t configuration)
{
	switch (configuration & CIPHERMILL_MODE) {
	case CIPHERMILL_ECB:
		return has(15);
	case CIPHERMILL_CBC:
		return has(16);
	case CIPHERMILL_CTR:
		return has(17);
	case CIPHERMILL_GCM:
		return has(21);
	case CIPHERMILL_XTS:
		return has(22);
	case CIPHERMILL_DIGEST:
		return ((configuration >> 10) & 7) <= 2 ? has(25) : has(26);
	default:
		return 0;
	}
}

int has_key(uint32_t configuration, unsigned int bytes)
{
	if ((configuration & CIPHERMILL_MODE) == CIPHERMILL_XTS && bytes == 24)
		return 0;
	return bytes == 16 ? has(12) : bytes == 24 ? has(13) : has(14);
}

/* One message by CIPHERMILL_IOC_MESSAGE, source and destination cut into pieces; 0 or errno. */
int run_message(int file, const struct sample *s, uint8_t *to, unsigned int pieces,
		const uint8_t *from, uint8_t tag[16])
{
	struct ciphermill_segment in[64], out[64];
	struct ciphermill_message message = {
		.configuration = s->configuration,
		.unit_bytes = (s->configuration & CIPHERMILL_MODE) == CIPHERMILL_XTS ? s->unit : 0,
		.source = (uintptr_t)in,
		.destination = (uintptr_t)out,
		.associated = (uintptr_t)s->associated,
		.associated_bytes = s->associated_bytes,
	};
	size_t at, here;

	for (at = 0; at < s->text_bytes; at += here) {
		here = s->text_bytes - at;
		if (message.source_segments + 1 < pieces && here > 1)
			here = 1 + random_below(here);
		in[message.source_segments].address = (uintptr_t)(from + at);
		in[message.source_segments++].bytes = here;
	}
	for (at = 0; at < s->output_bytes; at += here) {
		here = s->output_bytes - at;
		if (message.destination_segments + 1 < pieces && here > 1)
			here = 1 + random_below(here);
		out[message.destination_segments].address = (uintptr_t)(to + at);
		out[message.destination_segments++].bytes = here;
	}
	memcpy(message.iv, s->iv, 16);
	memcpy(message.tag, tag, 16);
	if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &message))
		return errno;
	memcpy(tag, message.tag, 16);
	return 0;
}

/* Whether a message has a tag. */
static int authenticated(uint32_t configuration)
{
	uint32_t mode = configuration & CIPHERMILL_MODE;

	return mode == CIPHERMILL_GCM || mode == CIPHERMILL_AEAD;
}

int check_message(int file, const struct sample *s, unsigned int pieces, unsigned int offset)
{
	uint8_t *memory = malloc(s->text_bytes + 4096), *out = malloc(s->output_bytes + 4096);
	uint8_t tag[16];
	int result;

	memcpy(memory + offset, s->text, s->text_bytes);
	memset(out, 0xa5, s->output_bytes + 4096);
	memcpy(tag, s->tag, 16);
	result = run_message(file, s, out + offset, pieces, memory + offset, tag);
	if (!result && memcmp(out + offset, s->expected, s->output_bytes))
		result = -1;
	if (!result && authenticated(s->configuration) && memcmp(tag, s->tag, 16))
		result = -2;
	for (size_t at = 0; result <= 0 && at < 4096; at++) {
		size_t place = at < offset ? at : at + s->output_bytes;

		if (out[place] != 0xa5)
			result = -3;
	}
	free(memory);
	free(out);
	return result;
}

void from_hex(uint8_t *to, const char *text)
{
	unsigned int byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		*to++ = byte;
}

int configure(int file, const struct sample *s)
{
	struct ciphermill_configuration stream = { .configuration = s->configuration };
	uint32_t mode = s->configuration & CIPHERMILL_MODE;

	memcpy(stream.iv, s->iv, 16);
	memcpy(stream.tag, s->tag, 16);
	if (mode == CIPHERMILL_XTS)
		stream.unit_bytes = s->unit;
	if (mode >= CIPHERMILL_GCM && mode != CIPHERMILL_XTS) {
		stream.associated_bytes = s->associated_bytes;
		stream.text_bytes = s->text_bytes;
	}
	return ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream) ? errno : 0;
}

int check_stream(int file, const struct sample *s, size_t piece)
{
	size_t total = s->associated_bytes + s->text_bytes, written = 0, got = 0;
	uint8_t *in = malloc(total + 1), *out = calloc(1, s->output_bytes + 1);
	int result = configure(file, s), finished = 0;

	memcpy(in, s->associated, s->associated_bytes);
	memcpy(in + s->associated_bytes, s->text, s->text_bytes);
	fcntl(file, F_SETFL, O_NONBLOCK);
	while (!result && (written < total || got < s->output_bytes)) {
		struct pollfd wait = { .fd = file,
				       .events = POLLIN | (written < total ? POLLOUT : 0) };

		if (poll(&wait, 1, 60000) <= 0) {
			result = ETIMEDOUT;
			break;
		}
		if (written < total && wait.revents & POLLOUT) {
			size_t here = total - written;
			ssize_t done;

			if (here > piece)
				here = 1 + random_below(piece);
			done = write(file, in + written, here);
			if (done < 0 && errno != EAGAIN)
				result = errno;
			if (done > 0)
				written += done;
		}
		if (written == total && !finished &&
		    (s->configuration & CIPHERMILL_MODE) == CIPHERMILL_XTS) {
			finished = 1;
			if (ioctl(file, CIPHERMILL_IOC_FINISH))
				result = errno;
		}
		if (wait.revents & POLLIN) {
			size_t here = s->output_bytes - got;
			ssize_t done;

			if (here > piece)
				here = 1 + random_below(piece);
			done = read(file, out + got, here);
			if (done < 0 && errno != EAGAIN)
				result = errno;
			if (done > 0)
				got += done;
		}
	}
	fcntl(file, F_SETFL, 0);
	/* A message without output ends with a read too. */
	if (!result && !s->output_bytes && authenticated(s->configuration) &&
	    read(file, out, 1) != 0)
		result = errno;
	if (!result && memcmp(out, s->expected, s->output_bytes))
		result = -1;
	if (!result && authenticated(s->configuration) && !(s->configuration & CIPHERMILL_DECRYPT)) {
		uint8_t tag[16];
		int tries = 0;

		while (ioctl(file, CIPHERMILL_IOC_TAG, tag) && errno == EAGAIN && tries++ < 1000)
			usleep(1000);
		if (memcmp(tag, s->tag, 16))
			result = -2;
	}
	if (result)
		ioctl(file, CIPHERMILL_IOC_ABORT);
	free(in);
	free(out);
	return result;
}

void expect(int result, int error, const char *what)
{
	if (result >= 0)
		fail("%s: no error", what);
	else if (errno != error)
		fail("%s: %s instead of %s", what, strerror(errno), strerror(error));
}

int device_begin(const char *name)
{
	int file;

	prefix = name;
	file = must_open(0, 0);
	if (ioctl(file, CIPHERMILL_IOC_INFO, &first_info)) {
		perror("info");
		return 1;
	}
	close(file);
	if (first_info.abi != CIPHERMILL_ABI) {
		fprintf(stderr, "the driver has another interface\n");
		return 1;
	}
	return 0;
}

int run_tests(const struct test *tests, unsigned int number, int names, char **wanted)
{
	int failed = 0;

	for (int name = 0; name < names; name++) {
		unsigned int at = 0;

		while (at < number && strcmp(wanted[name], tests[at].name))
			at++;
		if (at == number) {
			printf("not ok %s: there is no such test\n", wanted[name]);
			return 2;
		}
	}
	for (unsigned int at = 0; at < number; at++) {
		int asked = !names && !tests[at].only_by_name;
		struct timespec begin, end;

		for (int name = 0; name < names; name++)
			asked |= !strcmp(wanted[name], tests[at].name);
		if (!asked)
			continue;
		failures = 0;
		clock_gettime(CLOCK_MONOTONIC, &begin);
		tests[at].run();
		clock_gettime(CLOCK_MONOTONIC, &end);
		printf("%s %s (%ld s)\n", failures ? "not ok" : "ok", tests[at].name,
		       (long)(end.tv_sec - begin.tv_sec));
		fflush(stdout);
		failed += failures;
	}
	return failed != 0;
}
