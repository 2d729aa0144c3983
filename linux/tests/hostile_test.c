// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// What a process cannot do with a character device that is not, or no longer, its own, and what it
// cannot do to its own messages while they run.
//
//     hostile_test PREFIX [TEST ...]           PREFIX: /dev/ciphermill0-
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

#define PAGE 4096

/* Fail if a child did, or was killed. */
static void wait_for(pid_t child, const char *what)
{
	int status;

	waitpid(child, &status, 0);
	if (status)
		fail("%s: the process ended with %#x", what, status);
}

static struct sample sample_of(uint32_t configuration, size_t bytes)
{
	struct sample s;

	sample_make(&s, configuration, 16, bytes, 0, 0);
	return s;
}

/* Whether a message gives what it should; 0, errno, or -1: wrong bytes. */
static int check(int file, const struct sample *s)
{
	uint8_t *out = calloc(1, s->output_bytes + 1), tag[16] = { 0 };
	int result = run_message(file, s, out, 3, s->text, tag);

	if (!result && memcmp(out, s->expected, s->output_bytes))
		result = -1;
	free(out);
	return result;
}

/* Registers, rings and memory of the device are nobody's to map, nor has it a place to seek. */
static void test_map(void)
{
	int file = must_open(0, 0), other = open("/dev/zero", O_RDONLY);
	uint8_t byte;

	for (int protection = PROT_NONE; protection <= (PROT_READ | PROT_WRITE); protection++)
		for (int kind = 0; kind < 2; kind++)
			expect(mmap(NULL, PAGE, protection, kind ? MAP_SHARED : MAP_PRIVATE, file,
				    0) == MAP_FAILED ? -1 : 0, ENODEV, "a mapping of the device");
	expect(lseek(file, 0, SEEK_SET), ESPIPE, "a seek");
	expect(pread(file, &byte, 1, PAGE), ESPIPE, "a read at a place");
	expect(pwrite(file, &byte, 1, PAGE), ESPIPE, "a write at a place");
	expect(ftruncate(file, 0), EINVAL, "another length");
	expect(sendfile(file, other, NULL, 16), EINVAL, "sendfile without a stream");
	close(other);
	close(file);
}

/* A user without the rights of the device file. */
static void test_rights(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(open_ring(0, 0) >= 0 || errno != EACCES);
	}
	wait_for(child, "another user");
}

/* A key is of the open file that set it: not of other rings, other processes, or the next one. */
static void test_keys(void)
{
	struct sample mine = sample_of(CIPHERMILL_ECB, 4096), other;
	int file = must_open(0, 0), second;
	pid_t child;

	other = sample_of(CIPHERMILL_ECB, 4096);
	if (set_key(file, &mine) || check(file, &mine))
		fail("a message with its own key");
	if (first_info.rings > 1) {
		fflush(stdout);
		child = fork();
		if (!child) {
			second = must_open(1, 0);
			failures = 0;
			if (check(second, &mine) != ENOKEY)
				fail("a key of another process is used");
			if (set_key(second, &other) || check(second, &other))
				fail("a key of its own");
			if (!check(second, &mine))
				fail("the other's key has become its own");
			exit(failures != 0);
		}
		wait_for(child, "another process");
	}
	if (check(file, &mine))
		fail("the first key after the other process");
	close(file);
	file = must_open(0, 0);
	if (check(file, &mine) != ENOKEY)
		fail("a key outlives its file");
	/* Its slot is used again, and so are all others. */
	for (unsigned int turn = 0; turn < 3 * first_info.key_slots; turn++) {
		struct sample next = sample_of(turn & 1 ? CIPHERMILL_CTR | 0x80 : CIPHERMILL_CBC, 100 / 16 * 16);

		if (set_key(file, &next) || check(file, &next))
			fail("key %u", turn);
		sample_free(&next);
	}
	if (!check(file, &mine))
		fail("an old key is still used");
	sample_free(&mine);
	sample_free(&other);
	close(file);
}

/* Equal keys of XTS are refused whatever stands behind them in the structure. */
static void test_equal_keys(void)
{
	static const unsigned int sizes[] = { 16, 32 };
	int file = must_open(0, 0);

	if (!has_mode(CIPHERMILL_XTS))
		return;
	for (unsigned int at = 0; at < 2; at++) {
		struct ciphermill_key key = { .bytes = sizes[at], .tweak_bytes = sizes[at] };

		fill_random(key.key, 32);
		fill_random(key.tweak_key, 32);
		memcpy(key.tweak_key, key.key, sizes[at]);
		expect(ioctl(file, CIPHERMILL_IOC_KEY, &key), EINVAL, "equal keys");
		key.tweak_key[sizes[at] - 1] ^= 1;
		if (ioctl(file, CIPHERMILL_IOC_KEY, &key))
			fail("keys that differ in a bit: %s", strerror(errno));
	}
	close(file);
}

/* A message leaves what the caller gave as it was: XTS with no unit is one unit each time. */
static void test_unit(void)
{
	struct ciphermill_key key = { .bytes = 16, .tweak_bytes = 16, .tweak_key = { 1 } };
	uint8_t text[128] = { 0 }, whole[128], again[128];
	struct ciphermill_segment in = { (uintptr_t)text, 128 }, to = { (uintptr_t)whole, 128 };
	struct ciphermill_message message = {
		.configuration = CIPHERMILL_XTS, .source = (uintptr_t)&in, .source_segments = 1,
		.destination = (uintptr_t)&to, .destination_segments = 1,
	};
	int file = must_open(0, 0);

	if (!has_mode(CIPHERMILL_XTS))
		return;
	if (ioctl(file, CIPHERMILL_IOC_KEY, &key) || ioctl(file, CIPHERMILL_IOC_MESSAGE, &message))
		fail("XTS: %s", strerror(errno));
	in.bytes = 64;
	to.bytes = 64;
	to.address = (uintptr_t)again;
	if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &message))
		fail("half of it: %s", strerror(errno));
	in.bytes = 128;
	to.bytes = 128;
	if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &message) || memcmp(whole, again, 128) || message.unit_bytes)
		fail("the same structure has become another message");
	close(file);
}

/* A file that is closed on exec is not the new program's; one that is not still is. */
static void test_exec(void)
{
	int file = must_open(0, O_CLOEXEC);
	pid_t child;
	char number[16];

	fflush(stdout);
	snprintf(number, sizeof(number), "%d", file);
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "hostile_test", prefix, "--closed", number, NULL);
		_exit(3);
	}
	wait_for(child, "a program of another process");
	expect(open_ring(0, 0), EBUSY, "the device after that program");
	close(file);
	file = must_open(0, 0);
	close(file);
}

/* Memory that is not there any more, or that cannot be written. */
static void test_memory(void)
{
	struct sample s = sample_of(CIPHERMILL_CTR | 0x80, 3 * PAGE);
	struct ciphermill_segment in = { .bytes = 3 * PAGE }, out = { .bytes = 3 * PAGE };
	struct ciphermill_message message = {
		.configuration = CIPHERMILL_CTR | 0x80, .source_segments = 1,
		.destination_segments = 1, .source = (uintptr_t)&in, .destination = (uintptr_t)&out,
	};
	int file = must_open(0, 0), backing = open("/mnt", O_TMPFILE | O_RDWR, 0600);
	uint8_t *from, *to, *mapped;

	if (backing < 0 || ftruncate(backing, 3 * PAGE))
		fail("no file: %s", strerror(errno));
	set_key(file, &s);
	from = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	to = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(from, s.text, 3 * PAGE);
	memcpy(message.iv, s.iv, 16);
	in.address = (uintptr_t)from;
	out.address = (uintptr_t)to;
	if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &message) || memcmp(to, s.expected, 3 * PAGE))
		fail("the good message: %s", strerror(errno));
	/* The same message again, without a page in its middle. */
	munmap(from + PAGE, PAGE);
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a replay without its source");
	mmap(from + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	munmap(to + 2 * PAGE, PAGE);
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a replay without its destination");
	mmap(to + 2 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a page to read in the destination");
	mmap(from, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(to + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a source that nobody may read");
	/* A file's pages: written through, not beyond its end, not where it is open to read. */
	mapped = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, backing, 0);
	in.address = (uintptr_t)s.text;
	out.address = (uintptr_t)mapped;
	if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &message) || memcmp(mapped, s.expected, 3 * PAGE))
		fail("a message into a file: %s", strerror(errno));
	if (ftruncate(backing, PAGE))
		fail("truncate: %s", strerror(errno));
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a destination beyond the file");
	in.address = (uintptr_t)mapped;
	out.address = (uintptr_t)to;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a source beyond the file");
	munmap(mapped, 3 * PAGE);
	mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, backing, 0);
	in = (struct ciphermill_segment){ (uintptr_t)s.text, PAGE };
	out = (struct ciphermill_segment){ (uintptr_t)mapped, PAGE };
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a file to read as destination");
	/* Addresses that wrap, and that are the kernel's. */
	out.address = UINT64_MAX - PAGE + 1;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "the last page of all");
	out.address = (uintptr_t)to + (1ULL << 63);
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "an address with its top bit");
	message.destination = UINT64_MAX - 15;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "segments in the kernel");
	munmap(mapped, PAGE);
	munmap(from, 3 * PAGE);
	munmap(to, 3 * PAGE);
	close(backing);
	if (check(file, &s))
		fail("a message after all that");
	sample_free(&s);
	close(file);
}

/* A thread changes the message, its segments and its memory while another one runs it. */
struct race {
	struct ciphermill_message message;
	struct ciphermill_segment in[4], out[4];
	uint8_t *from, *to;
	int stop;
};

#define RACE_BYTES (4 * PAGE)

static void *race_thread(void *argument)
{
	struct race *race = argument;
	unsigned int state = 1;

	while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED)) {
		struct ciphermill_segment *segment;

		state = state * 1103515245 + 12345;
		segment = state & 0x100 ? &race->in[state >> 9 & 3] : &race->out[state >> 9 & 3];
		switch (state >> 16 & 7) {
		case 0:
			segment->bytes = state;
			break;
		case 1:
			segment->address = state >> 4;
			break;
		case 2:
			race->message.source_segments = state >> 20;
			break;
		case 3:
			munmap(race->to + (state >> 9 & 3) * PAGE, PAGE);
			break;
		case 4:
			madvise(race->from, RACE_BYTES, MADV_DONTNEED);
			break;
		case 5:
			mprotect(race->to, RACE_BYTES, PROT_READ);
			break;
		case 6:
			race->message.configuration ^= state & 0x3fff;
			break;
		case 7:
			race->message.unit_bytes = state >> 12;
			break;
		}
	}
	return NULL;
}

static void test_race(void)
{
	struct sample s = sample_of(CIPHERMILL_CTR | 0x80, 4096);
	int file = must_open(0, 0);
	unsigned int good = 0;
	pthread_t thread;
	struct race race = { .stop = 0 };

	set_key(file, &s);
	race.from = mmap(NULL, RACE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	race.to = mmap(NULL, RACE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, race_thread, &race);
	for (unsigned int turn = 0; turn < 2000; turn++) {
		mmap(race.to, RACE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		for (unsigned int at = 0; at < 4; at++) {
			race.in[at] = (struct ciphermill_segment){ (uintptr_t)race.from + at * PAGE, PAGE };
			race.out[at] = (struct ciphermill_segment){ (uintptr_t)race.to + at * PAGE, PAGE };
		}
		race.message = (struct ciphermill_message){
			.configuration = CIPHERMILL_CTR | 0x80, .source_segments = 4,
			.destination_segments = 4, .source = (uintptr_t)race.in,
			.destination = (uintptr_t)race.out,
		};
		good += !ioctl(file, CIPHERMILL_IOC_MESSAGE, &race.message);
	}
	__atomic_store_n(&race.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("  %u of 2000 messages were whole\n", good);
	munmap(race.from, RACE_BYTES);
	munmap(race.to, RACE_BYTES);
	if (check(file, &s))
		fail("a message after the race");
	sample_free(&s);
	close(file);
}

/* Its memory goes while the device has it: the pages stay until the message ends. */
static void *unmap_thread(void *argument)
{
	struct race *race = argument;

	usleep(random_below(2000));
	munmap(race->to, RACE_BYTES);
	munmap(race->from, RACE_BYTES);
	return NULL;
}

static void test_unmap(void)
{
	struct sample s = sample_of(CIPHERMILL_CTR | 0x80, 4096);
	int file = must_open(0, 0);

	set_key(file, &s);
	for (unsigned int turn = 0; turn < 200; turn++) {
		struct race race = { .stop = 0 };
		pthread_t thread;

		race.from = mmap(NULL, RACE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		race.to = mmap(NULL, RACE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		race.in[0] = (struct ciphermill_segment){ (uintptr_t)race.from, RACE_BYTES };
		race.out[0] = (struct ciphermill_segment){ (uintptr_t)race.to, RACE_BYTES };
		race.message = (struct ciphermill_message){
			.configuration = CIPHERMILL_CTR | 0x80, .source_segments = 1,
			.destination_segments = 1, .source = (uintptr_t)race.in,
			.destination = (uintptr_t)race.out,
		};
		pthread_create(&thread, NULL, unmap_thread, &race);
		if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &race.message) && errno != EFAULT)
			fail("without memory: %s", strerror(errno));
		pthread_join(thread, NULL);
	}
	if (check(file, &s))
		fail("a message after that");
	sample_free(&s);
	close(file);
}

/* Other threads change key and stream of a file that is in use: each message has one whole key. */
struct changes {
	int file, stop;
	const struct sample *keys;
};

static void *change_thread(void *argument)
{
	struct changes *changes = argument;
	uint8_t bytes[5000];
	struct ciphermill_configuration stream = { .configuration = CIPHERMILL_CTR | 0x80 };

	for (unsigned int turn = 0; !__atomic_load_n(&changes->stop, __ATOMIC_RELAXED); turn++) {
		set_key(changes->file, &changes->keys[turn & 1]);
		ioctl(changes->file, CIPHERMILL_IOC_CONFIGURE, &stream);
		if (write(changes->file, bytes, sizeof(bytes)) < 0 && errno != EAGAIN &&
		    errno != EINVAL)
			fail("write: %s", strerror(errno));
		ioctl(changes->file, CIPHERMILL_IOC_ABORT);
	}
	return NULL;
}

static void test_change(void)
{
	struct sample keys[2];
	struct changes changes = { .file = must_open(0, O_NONBLOCK), .keys = keys };
	pthread_t thread;
	uint8_t expected[2][4096], out[4096], tag[16];
	unsigned int seen[2] = { 0 };

	keys[0] = sample_of(CIPHERMILL_ECB, 4096);
	for (unsigned int at = 0; at < 2; at++) {
		if (at) {
			keys[1] = keys[0];
			fill_random(keys[1].key, 16);
		}
		set_key(changes.file, &keys[at]);
		if (run_message(changes.file, &keys[at], expected[at], 1, keys[0].text, tag))
			fail("key %u", at);
	}
	pthread_create(&thread, NULL, change_thread, &changes);
	for (unsigned int turn = 0; turn < 1000; turn++) {
		if (run_message(changes.file, &keys[0], out, 1, keys[0].text, tag))
			fail("message %u", turn);
		else if (!memcmp(out, expected[0], 4096))
			seen[0]++;
		else if (!memcmp(out, expected[1], 4096))
			seen[1]++;
		else
			fail("message %u has neither key", turn);
	}
	__atomic_store_n(&changes.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("  %u messages with one key, %u with the other\n", seen[0], seen[1]);
	sample_free(&keys[0]);
	close(changes.file);
}

/*
 * Every mode and key that the device says it has: right, or refused with zeros at the destination.
 * For a card that lies about them.
 */
static void test_promised(void)
{
	static const unsigned int sizes[] = { 10, 16, 24, 32 };
	int file = must_open(0, 0);
	unsigned int refused = 0;

	for (unsigned int mode = 0; mode <= CIPHERMILL_AEAD; mode++) {
		for (unsigned int at = 0; at < 4; at++) {
			struct ciphermill_key key = { .bytes = sizes[at] };
			uint8_t text[64] = { 1, 2, 3 }, out[64];
			struct ciphermill_segment in = { (uintptr_t)text, 64 }, to = { (uintptr_t)out, 64 };
			struct ciphermill_message message = {
				.configuration = mode, .source = (uintptr_t)&in, .source_segments = 1,
				.destination = (uintptr_t)&to, .destination_segments = 1,
			};

			if (mode == CIPHERMILL_XTS) {
				key.tweak_bytes = key.bytes;
				key.tweak_key[0] = 1;
			}
			memset(out, 0xa5, sizeof(out));
			if (ioctl(file, CIPHERMILL_IOC_KEY, &key) ||
			    !ioctl(file, CIPHERMILL_IOC_MESSAGE, &message))
				continue;
			refused++;
			if (errno != EINVAL && errno != ENOKEY && errno != EIO && errno != EOPNOTSUPP &&
			    errno != EBADMSG)
				fail("mode %u, key of %u bytes: %s", mode, sizes[at], strerror(errno));
			for (unsigned int byte = 0; byte < 64; byte++)
				if (out[byte] != 0 && out[byte] != 0xa5)
					fail("mode %u leaves byte %u", mode, byte);
		}
	}
	printf("  %u were refused\n", refused);
	close(file);
}

static const struct test tests[] = {
	{ "promised", test_promised, 1 },
	{ "map", test_map, 0 },	      { "rights", test_rights, 0 }, { "keys", test_keys, 0 },
	{ "exec", test_exec, 0 },     { "memory", test_memory, 0 }, { "race", test_race, 0 },
	{ "unmap", test_unmap, 0 },   { "change", test_change, 0 }, { "equal_keys", test_equal_keys, 0 },
	{ "unit", test_unit, 0 },
};

int main(int count, char **arguments)
{
	if (count < 2) {
		fprintf(stderr, "usage: hostile_test PREFIX [TEST ...]\n");
		return 2;
	}
	if (count == 4 && !strcmp(arguments[2], "--closed")) {
		struct ciphermill_info info;

		prefix = arguments[1];
		if (!ioctl(atoi(arguments[3]), CIPHERMILL_IOC_INFO, &info) || errno != EBADF)
			return 1;
		return open_ring(0, 0) >= 0 || errno != EBUSY;
	}
	if (device_begin(arguments[1]))
		return 1;
	return run_tests(tests, sizeof(tests) / sizeof(*tests), count - 2, arguments + 2);
}
