// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// A fuzz target of the character devices: programs of system calls in bytes, which are changed at
// random and kept where the driver's code that they reach is new (CONFIG_KCOV).
//
//     fuzz_ioctls PREFIX SECONDS SEED CORPUS      PREFIX: /dev/ciphermill0-
//
// CORPUS is a folder: programs in it are run first, and new ones join it. What finds faults is the
// kernel (KASAN, lockdep, kmemleak) and a message with a known result after every thousand programs.
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "device.h"

#define PROGRAM_BYTES 512
#define PROGRAMS 4096
#define PLACES (1 << 16) /* in the driver's code, by hash */
#define COVERED (1 << 18) /* entries of the kernel's buffer */
#define MEMORY (64 * 1024)
/* Reads, writes and messages of one program. */
#define CALLS 24

struct program {
	uint32_t length;
	uint8_t bytes[PROGRAM_BYTES];
};

static struct program corpus[PROGRAMS];
static unsigned int programs;
static uint8_t places[PLACES];
static unsigned int places_seen;
static unsigned long *covered; /* NULL without KCOV */
static uint8_t *memory;
static uint8_t *read_only;

static int kcov_begin(void)
{
	int kcov = open("/sys/kernel/debug/kcov", O_RDWR);

	if (kcov < 0)
		return -1;
	if (ioctl(kcov, KCOV_INIT_TRACE, COVERED))
		return -1;
	covered = mmap(NULL, COVERED * sizeof(*covered), PROT_READ | PROT_WRITE, MAP_SHARED, kcov, 0);
	if (covered == MAP_FAILED || ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC)) {
		covered = NULL;
		return -1;
	}
	return 0;
}

/* Count places that were not seen before. */
static unsigned int kcov_new(void)
{
	unsigned long number;
	unsigned int new = 0;

	if (!covered)
		return 0;
	number = __atomic_load_n(&covered[0], __ATOMIC_RELAXED);
	for (unsigned long at = 0; at < number && at + 1 < COVERED; at++) {
		uint32_t place = covered[at + 1] * 0x9e3779b97f4a7c15ULL >> 48 & (PLACES - 1);

		if (!places[place]) {
			places[place] = 1;
			new++;
		}
	}
	places_seen += new;
	return new;
}

/* The bytes of a program, zero behind its end. */
struct reader {
	const struct program *program;
	uint32_t at;
};

static void take(struct reader *reader, void *to, size_t bytes)
{
	uint8_t *out = to;

	while (bytes--)
		*out++ = reader->at < reader->program->length ? reader->program->bytes[reader->at++] : 0;
}

static uint8_t take_byte(struct reader *reader)
{
	uint8_t byte;

	take(reader, &byte, 1);
	return byte;
}

/* A number that is often one which matters. */
static uint64_t take_number(struct reader *reader)
{
	static const uint64_t numbers[] = { 0, 1, 8, 15, 16, 17, 24, 32, 64, 100, 4095, 4096, 4097,
					    32768, 65535, 65536, 1 << 22, (1 << 22) + 16,
					    0x7fffffff, 0xffffffff, 1ULL << 32, UINT64_MAX };
	uint8_t kind = take_byte(reader);
	uint64_t number = 0;

	if (kind < 0x80)
		return kind;
	if (kind < 0xe0)
		return numbers[kind % (sizeof(numbers) / sizeof(*numbers))];
	take(reader, &number, kind & 1 ? 8 : 2);
	return number;
}

/* An address: of memory, mostly. */
static uint64_t take_address(struct reader *reader)
{
	uint8_t kind = take_byte(reader);
	uint16_t offset;

	take(reader, &offset, 2);
	if (kind < 0xd0)
		return (uintptr_t)memory + offset % MEMORY;
	if (kind < 0xe0)
		return (uintptr_t)read_only + offset % 4096;
	if (kind < 0xf0)
		return (uintptr_t)memory + MEMORY - offset % 64; /* over its end */
	return take_number(reader);
}

/* Mode, direction, counter and hash: mostly such as there are. */
static uint32_t take_configuration(struct reader *reader)
{
	static const uint32_t good[] = {
		CIPHERMILL_ECB, CIPHERMILL_CBC, CIPHERMILL_CTR, CIPHERMILL_CTR | CIPHERMILL_COUNTER_128,
		CIPHERMILL_GCM, CIPHERMILL_XTS, CIPHERMILL_DIGEST | CIPHERMILL_HASH(2),
		CIPHERMILL_DIGEST | CIPHERMILL_HASH(4) | CIPHERMILL_AUTHENTICATE, CIPHERMILL_AEAD,
	};
	uint8_t kind = take_byte(reader);
	uint32_t raw;

	if (kind < 0xe0)
		return good[kind % (sizeof(good) / sizeof(*good))] |
		       (kind & 0x40 ? CIPHERMILL_DECRYPT : 0);
	take(reader, &raw, 4);
	return raw;
}

static void call_key(int file, struct reader *reader)
{
	static const uint32_t sizes[] = { 16, 24, 32, 0 };
	struct ciphermill_key key;
	uint8_t kind = take_byte(reader);

	take(reader, &key, sizeof(key));
	if (kind < 0xe0) {
		key.bytes = sizes[kind & 3];
		key.tweak_bytes = kind & 4 ? key.bytes : 0;
	}
	ioctl(file, CIPHERMILL_IOC_KEY, &key);
}

static void call_configure(int file, struct reader *reader)
{
	struct ciphermill_configuration stream = { .configuration = take_configuration(reader) };

	stream.unit_bytes = take_number(reader);
	stream.associated_bytes = take_number(reader);
	stream.text_bytes = take_number(reader);
	take(reader, stream.iv, 16);
	take(reader, stream.tag, 16);
	if (take_byte(reader) > 0xf0)
		stream.reserved[0] = 1;
	ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream);
}

static void call_message(int file, struct reader *reader)
{
	struct ciphermill_segment segments[2][8];
	struct ciphermill_message message = { .configuration = take_configuration(reader) };
	uint8_t same = take_byte(reader);

	message.unit_bytes = take_number(reader);
	message.associated_bytes = take_number(reader);
	message.associated = take_address(reader);
	for (unsigned int side = 0; side < 2; side++) {
		unsigned int count = take_byte(reader) % 9;

		for (unsigned int at = 0; at < count && at < 8; at++) {
			segments[side][at].address = take_address(reader);
			segments[side][at].bytes = take_number(reader);
		}
		if (side)
			message.destination_segments = count;
		else
			message.source_segments = count;
	}
	if (same & 1) { /* output as long as the text */
		memcpy(segments[1], segments[0], sizeof(segments[0]));
		message.destination_segments = message.source_segments;
	}
	message.source = (uintptr_t)segments[0];
	message.destination = (uintptr_t)segments[1];
	if (same > 0xf8) {
		message.source = take_address(reader);
		message.source_segments = take_number(reader);
	}
	take(reader, message.iv, 16);
	take(reader, message.tag, 16);
	message.flags = take_byte(reader) > 0xf8;
	ioctl(file, CIPHERMILL_IOC_MESSAGE, &message);
}

static void call_raw(int file, struct reader *reader)
{
	uint32_t command;
	uint64_t argument = take_address(reader);

	take(reader, &command, 4);
	if (command & 1)
		command = _IOC(command >> 30, CIPHERMILL_IOC_MAGIC, command >> 1 & 15, command >> 8 & 255);
	ioctl(file, command, argument);
}

static void wait_a_little(int file)
{
	struct pollfd wait = { .fd = file, .events = POLLIN };

	poll(&wait, 1, 2);
}

static void run(int file, const struct program *program)
{
	struct reader reader = { program, 0 };

	if (covered)
		__atomic_store_n(&covered[0], 0, __ATOMIC_RELAXED);
	for (unsigned int call = 0; call < CALLS && reader.at < program->length; call++) {
		uint64_t address;
		size_t bytes;
		ssize_t ignored;

		switch (take_byte(&reader) % 14) {
		case 0:
		case 1:
			call_key(file, &reader);
			break;
		case 2:
		case 3:
			call_configure(file, &reader);
			break;
		case 4:
		case 5:
			call_message(file, &reader);
			break;
		case 6:
		case 7:
			address = take_address(&reader);
			bytes = take_number(&reader) % (MEMORY + 1);
			ignored = write(file, (void *)(uintptr_t)address, bytes);
			break;
		case 8:
		case 9:
			wait_a_little(file);
			address = take_address(&reader);
			bytes = take_number(&reader) % (MEMORY + 1);
			ignored = read(file, (void *)(uintptr_t)address, bytes);
			break;
		case 10:
			ioctl(file, CIPHERMILL_IOC_FINISH);
			break;
		case 11:
			ioctl(file, take_byte(&reader) & 1 ? CIPHERMILL_IOC_TAG : CIPHERMILL_IOC_INFO,
			      take_address(&reader));
			break;
		case 12:
			ioctl(file, CIPHERMILL_IOC_ABORT);
			break;
		case 13:
			call_raw(file, &reader);
			break;
		}
		(void)ignored;
	}
	ioctl(file, CIPHERMILL_IOC_ABORT);
}

static void change(struct program *program)
{
	unsigned int changes = 1 + random_below(6);

	while (changes--) {
		uint32_t at = program->length ? random_below(program->length) : 0;
		uint32_t bytes = 1 + random_below(24);

		switch (random_below(6)) {
		case 0:
			program->bytes[at] ^= 1 << random_below(8);
			break;
		case 1:
			program->bytes[at] = random_below(256);
			break;
		case 2: /* others behind it */
			if (program->length + bytes > PROGRAM_BYTES)
				break;
			memmove(program->bytes + at + bytes, program->bytes + at, program->length - at);
			fill_random(program->bytes + at, bytes);
			program->length += bytes;
			break;
		case 3:
			if (at + bytes > program->length)
				break;
			memmove(program->bytes + at, program->bytes + at + bytes,
				program->length - at - bytes);
			program->length -= bytes;
			break;
		case 4: /* the end of another program */
			if (programs) {
				const struct program *other = &corpus[random_below(programs)];
				uint32_t from = other->length ? random_below(other->length) : 0;
				uint32_t here = other->length - from;

				if (here > PROGRAM_BYTES - at)
					here = PROGRAM_BYTES - at;
				memcpy(program->bytes + at, other->bytes + from, here);
				if (program->length < at + here)
					program->length = at + here;
			}
			break;
		case 5:
			if (at + 4 <= program->length)
				memset(program->bytes + at, random_below(2) ? 0 : 0xff, 4);
			break;
		}
	}
}

static void keep(const struct program *program, const char *folder, int save)
{
	char path[300];
	int file;

	if (programs == PROGRAMS)
		return;
	corpus[programs++] = *program;
	if (!save)
		return;
	snprintf(path, sizeof(path), "%s/%08x%08x", folder, random_below(UINT32_MAX),
		 random_below(UINT32_MAX));
	file = open(path, O_CREAT | O_WRONLY | O_EXCL, 0644);
	if (file < 0 || write(file, program->bytes, program->length) != (ssize_t)program->length)
		fail("%s: %s", path, strerror(errno));
	close(file);
}

static void load(int file, const char *folder)
{
	DIR *list = opendir(folder);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		struct program program;
		char path[600];
		int from;
		ssize_t got;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		from = open(path, O_RDONLY);
		got = from < 0 ? -1 : read(from, program.bytes, PROGRAM_BYTES);
		close(from);
		if (got <= 0)
			continue;
		program.length = got;
		run(file, &program);
		kcov_new();
		keep(&program, folder, 0);
	}
	if (list)
		closedir(list);
}

static void check_known(int file)
{
	struct sample s;
	uint8_t out[4096], tag[16];

	sample_make(&s, CIPHERMILL_CTR | CIPHERMILL_COUNTER_128, 32, 4096, 0, 0);
	if (set_key(file, &s) || run_message(file, &s, out, 4, s.text, tag) ||
	    memcmp(out, s.expected, 4096))
		fail("a message with a known result: %s", strerror(errno));
	sample_free(&s);
}

int main(int count, char **arguments)
{
	unsigned long runs = 0;
	time_t end, next;
	int file;

	if (count != 5) {
		fprintf(stderr, "usage: fuzz_ioctls PREFIX SECONDS SEED CORPUS\n");
		return 2;
	}
	if (device_begin(arguments[1]))
		return 1;
	random_seed(strtoull(arguments[3], NULL, 0));
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mkdir(arguments[4], 0755);
	if (kcov_begin())
		printf("  the kernel does not say what was reached (CONFIG_KCOV)\n");
	file = must_open(0, O_NONBLOCK);
	load(file, arguments[4]);
	end = time(NULL) + atoi(arguments[2]);
	next = time(NULL) + 30;
	while (time(NULL) < end && failures < 10) {
		struct program program = { 0 };

		if (programs && random_below(8)) {
			program = corpus[random_below(programs)];
			change(&program);
		} else {
			program.length = 1 + random_below(PROGRAM_BYTES);
			fill_random(program.bytes, program.length);
		}
		run(file, &program);
		if (kcov_new())
			keep(&program, arguments[4], 1);
		if (!(++runs % 1000))
			check_known(file);
		if (time(NULL) >= next) {
			next += 30;
			printf("  %lu programs, %u kept, %u places\n", runs, programs, places_seen);
			fflush(stdout);
		}
	}
	check_known(file);
	printf("%s fuzz_ioctls: %lu programs, %u kept, %u places of the driver\n",
	       failures ? "not ok" : "ok", runs, programs, places_seen);
	close(file);
	return failures != 0;
}
