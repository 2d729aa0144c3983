// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// Tests of the character devices, inside the booted kernel.
//
//     ciphermill_test PREFIX [TEST ...]           PREFIX: /dev/ciphermill0-
//     ciphermill_test PREFIX faults COUNT         COUNT messages, of which some may fail
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/ciphermill.h>

#include "device.h"
#include "reference.h"

static unsigned int fault_count = 1000;

struct answer {
	const char *name, *key, *tweak, *iv, *associated, *plain, *cipher, *tag;
	uint32_t mode;
};

static const struct answer answers[] = {
	{ "FIPS 197 C.1", "000102030405060708090a0b0c0d0e0f", "", "", "",
	  "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a", "",
	  CIPHERMILL_ECB },
	{ "FIPS 197 C.2", "000102030405060708090a0b0c0d0e0f1011121314151617", "", "", "",
	  "00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191", "",
	  CIPHERMILL_ECB },
	{ "FIPS 197 C.3", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "",
	  "", "", "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089", "",
	  CIPHERMILL_ECB },
	{ "SP 800-38A F.2.1", "2b7e151628aed2a6abf7158809cf4f3c", "",
	  "000102030405060708090a0b0c0d0e0f", "",
	  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
	  "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2", "", CIPHERMILL_CBC },
	{ "SP 800-38A F.5.5", "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	  "", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "",
	  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
	  "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5", "",
	  CIPHERMILL_CTR | 0x80 },
	{ "GCM, test case 4", "feffe9928665731c6d6a8f9467308308", "", "cafebabefacedbaddecaf888",
	  "feedfacedeadbeeffeedfacedeadbeefabaddad2",
	  "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
	  "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
	  "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
	  "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
	  "5bc94fbc3221a5db94fae95ae7121a47", CIPHERMILL_GCM },
	{ "IEEE 1619, vector 2", "11111111111111111111111111111111",
	  "22222222222222222222222222222222", "33333333330000000000000000000000", "",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0", "",
	  CIPHERMILL_XTS },
};

static void test_known_answers(void)
{
	int file = must_open(0, 0);
	uint8_t associated[64], plain[64], cipher[64];

	for (unsigned int at = 0; at < sizeof(answers) / sizeof(*answers); at++) {
		const struct answer *a = &answers[at];

		if (!has_mode(a->mode) || !has_key(a->mode, strlen(a->key) / 2))
			continue;
		for (int decrypt = 0; decrypt < 2; decrypt++) {
			struct sample s = {
				.configuration = a->mode | (decrypt ? CIPHERMILL_DECRYPT : 0),
				.key_bytes = strlen(a->key) / 2,
				.associated_bytes = strlen(a->associated) / 2,
				.text_bytes = strlen(a->plain) / 2,
				.output_bytes = strlen(a->plain) / 2,
				.unit = strlen(a->plain) / 2,
				.associated = associated,
				.text = decrypt ? cipher : plain,
				.expected = decrypt ? plain : cipher,
			};
			int result;

			from_hex(s.key, a->key);
			from_hex(s.tweak_key, a->tweak);
			from_hex(s.iv, a->iv);
			from_hex(s.tag, a->tag);
			from_hex(associated, a->associated);
			from_hex(plain, a->plain);
			from_hex(cipher, a->cipher);
			if (set_key(file, &s))
				fail("%s: key: %s", a->name, strerror(errno));
			result = check_message(file, &s, 1, 0);
			if (result)
				fail("%s by a message, decrypt %d: %d", a->name, decrypt, result);
			result = check_stream(file, &s, 1000);
			if (result)
				fail("%s by a stream, decrypt %d: %d", a->name, decrypt, result);
		}
	}
	close(file);
}

static const uint32_t modes[] = {
	CIPHERMILL_ECB, CIPHERMILL_CBC, CIPHERMILL_CTR | 0x80, CIPHERMILL_GCM, CIPHERMILL_XTS,
	CIPHERMILL_DIGEST | CIPHERMILL_HASH(2),
	CIPHERMILL_DIGEST | CIPHERMILL_HASH(2) | CIPHERMILL_AUTHENTICATE,
	CIPHERMILL_DIGEST | CIPHERMILL_HASH(4),
};

#define MODES (sizeof(modes) / sizeof(*modes))

/* A sample that the device can do, of at most this many bytes; 0 if it has no such mode. */
static int random_sample(struct sample *s, uint32_t mode, size_t most)
{
	static const unsigned int sizes[] = { 16, 24, 32 };
	uint32_t kind = mode & CIPHERMILL_MODE;
	size_t bytes = random_below(3) ? random_below(most) : random_below(80), associated = 0;
	unsigned int key = sizes[random_below(3)];

	if (!has_mode(mode))
		return 0;
	while (!has_key(mode, key))
		key = sizes[random_below(3)];
	if (kind != CIPHERMILL_DIGEST && random_below(2))
		mode |= CIPHERMILL_DECRYPT;
	if (kind == CIPHERMILL_ECB || kind == CIPHERMILL_CBC || kind == CIPHERMILL_XTS)
		bytes &= ~(size_t)15;
	if (kind == CIPHERMILL_XTS && !bytes)
		bytes = 16;
	if (kind == CIPHERMILL_GCM || mode & CIPHERMILL_AUTHENTICATE)
		associated = random_below(2) ? random_below(100) : 0;
	sample_make(s, mode, kind == CIPHERMILL_DIGEST ? 0 : key, bytes, associated,
		    kind == CIPHERMILL_XTS ? 16 * (1 + random_below(40)) : 0);
	return 1;
}

static void test_messages(void)
{
	int file = must_open(0, 0);

	for (unsigned int turn = 0; turn < 40 * MODES; turn++) {
		struct sample s;
		int result;

		if (!random_sample(&s, modes[turn % MODES], turn < 8 * MODES ? 20000 : 3000))
			continue;
		if (s.key_bytes && set_key(file, &s))
			fail("key: %s", strerror(errno));
		result = check_message(file, &s, 1 + random_below(20), random_below(100));
		if (result)
			fail("configuration %#x, %zu bytes: %d", s.configuration, s.text_bytes,
			     result);
		sample_free(&s);
	}
	close(file);
}

static void run_streams(unsigned int ring, unsigned int turns, size_t most)
{
	int file = must_open(ring, 0);

	for (unsigned int turn = 0; turn < turns * MODES; turn++) {
		struct sample s;
		int result;

		if (!random_sample(&s, modes[turn % MODES], most))
			continue;
		if (s.key_bytes && set_key(file, &s))
			fail("key: %s", strerror(errno));
		result = check_stream(file, &s, random_below(2) ? 10000 : 100);
		if (result)
			fail("ring %u, configuration %#x, %zu bytes: %d", ring, s.configuration,
			     s.text_bytes, result);
		sample_free(&s);
	}
	close(file);
}

static void test_streams(void)
{
	run_streams(0, 6, 40000);
}

/* Processes, each with a stream of its own. */
static void test_six_streams(void)
{
	unsigned int rings = first_info.rings < 6 ? first_info.rings : 6;
	int status;

	for (unsigned int ring = 0; ring < rings; ring++) {
		fflush(stdout);
		if (!fork()) {
			char many[1000];

			fill_random(many, ring); /* another sequence for each */
			run_streams(ring, 3, 30000);
			exit(failures != 0);
		}
	}
	while (wait(&status) > 0)
		if (status)
			fail("a process of six ended with %#x", status);
}

static void test_bad_ioctls(void)
{
	int file = must_open(0, O_NONBLOCK);
	uint8_t text[64] = { 0 }, out[64];
	struct ciphermill_key key = { .bytes = 16 };
	struct ciphermill_configuration stream = { .configuration = CIPHERMILL_CTR | 0x80 };
	struct ciphermill_segment in = { (uintptr_t)text, 64 }, to = { (uintptr_t)out, 64 };
	const struct ciphermill_message good = {
		.configuration = CIPHERMILL_ECB, .source = (uintptr_t)&in,
		.destination = (uintptr_t)&to, .source_segments = 1, .destination_segments = 1,
	};
	struct ciphermill_message message = good;
	void *volatile nowhere = (void *)8;

	expect(ioctl(file, _IO(CIPHERMILL_IOC_MAGIC, 99)), ENOTTY, "an unknown ioctl");
	expect(ioctl(file, CIPHERMILL_IOC_INFO, nowhere), EFAULT, "info to nowhere");
	expect(ioctl(file, CIPHERMILL_IOC_KEY, nowhere), EFAULT, "key from nowhere");
	expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, nowhere), EFAULT, "configuration from nowhere");
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, nowhere), EFAULT, "message from nowhere");
	expect(ioctl(file, CIPHERMILL_IOC_TAG, text), EINVAL, "tag without a stream");
	expect(ioctl(file, CIPHERMILL_IOC_FINISH), EINVAL, "end without a stream");
	expect(write(file, text, 16), EINVAL, "write without a stream");
	expect(read(file, text, 16), EAGAIN, "read without a stream");
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), ENOKEY, "message without a key");
	expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream), ENOKEY, "stream without a key");
	key.bytes = 17;
	expect(ioctl(file, CIPHERMILL_IOC_KEY, &key), EINVAL, "17 bytes of key");
	key.bytes = 0xffffffff;
	expect(ioctl(file, CIPHERMILL_IOC_KEY, &key), EINVAL, "2^32 - 1 bytes of key");
	key.bytes = 16;
	key.tweak_bytes = 32;
	expect(ioctl(file, CIPHERMILL_IOC_KEY, &key), EINVAL, "keys of two sizes");
	key.tweak_bytes = 16;
	expect(ioctl(file, CIPHERMILL_IOC_KEY, &key), EINVAL, "two equal keys");
	key.tweak_bytes = 0;
	if (ioctl(file, CIPHERMILL_IOC_KEY, &key))
		fail("a good key: %s", strerror(errno));
	message.configuration = 7;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "no mode");
	message.configuration = CIPHERMILL_ECB | 1U << 30;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "a bit that is none");
	message.configuration = CIPHERMILL_CTR | 0xc0;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "no counter");
	message.configuration = CIPHERMILL_ECB | CIPHERMILL_AUTHENTICATE;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "HMAC with ECB");
	message.configuration = CIPHERMILL_AEAD;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EOPNOTSUPP, "Ascon with AES");
	message = good;
	message.configuration = CIPHERMILL_XTS;
	if (has_mode(CIPHERMILL_XTS))
		expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), ENOKEY, "XTS with one key");
	message = good;
	message.flags = 1;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "flags");
	message = good;
	message.reserved[3] = 1;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "reserved");
	message = good;
	message.unit_bytes = 16;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "a data unit with ECB");
	message = good;
	message.associated_bytes = 4;
	message.associated = (uintptr_t)text;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "associated data with ECB");
	message = good;
	message.source_segments = CIPHERMILL_SEGMENTS + 1;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), E2BIG, "too many segments");
	message = good;
	message.source = 8;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "segments nowhere");
	message = good;
	message.destination_segments = 0;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "no destination");
	in.bytes = 63;
	to.bytes = 63;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "half a block");
	message = good;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "half a block");
	in.bytes = 64;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "a short destination");
	to.bytes = 0;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EINVAL, "an empty segment");
	to.bytes = 64;
	in.bytes = UINT64_MAX;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), E2BIG, "2^64 - 1 bytes");
	in.bytes = (uint64_t)first_info.message_bytes + 16;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), E2BIG, "one block too many");
	in.bytes = 64;
	in.address = 4096;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a source nowhere");
	in.address = UINT64_MAX - 63;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a source in the kernel");
	in.address = (uintptr_t)text;
	to.address = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a destination to read");
	to.address = (uintptr_t)answers;
	expect(ioctl(file, CIPHERMILL_IOC_MESSAGE, &message), EFAULT, "a constant destination");
	to.address = (uintptr_t)out;
	if (ioctl(file, CIPHERMILL_IOC_MESSAGE, &message))
		fail("the good message: %s", strerror(errno));
	stream.unit_bytes = 16;
	expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream), EINVAL, "a stream's data unit");
	stream.unit_bytes = 0;
	stream.text_bytes = 16;
	expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream), EINVAL, "a length of CTR");
	stream.text_bytes = 0;
	stream.reserved[0] = 1;
	expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream), EINVAL, "reserved");
	stream.reserved[0] = 0;
	if (has_mode(CIPHERMILL_GCM)) {
		stream.configuration = CIPHERMILL_GCM;
		stream.text_bytes = first_info.message_bytes;
		stream.associated_bytes = 1;
		expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream), E2BIG, "a long message");
		stream.text_bytes = 16;
		if (ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream))
			fail("GCM: %s", strerror(errno));
		expect(ioctl(file, CIPHERMILL_IOC_TAG, text), EAGAIN, "a tag before its message");
		expect(ioctl(file, CIPHERMILL_IOC_FINISH), EINVAL, "half a message");
		if (write(file, text, 3) != 3)
			fail("three bytes");
		expect(ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream), EBUSY, "another stream");
		if (ioctl(file, CIPHERMILL_IOC_ABORT))
			fail("abort");
		expect(write(file, text, 3), EINVAL, "write after an abort");
	}
	stream = (struct ciphermill_configuration){ .configuration = CIPHERMILL_CBC };
	if (ioctl(file, CIPHERMILL_IOC_CONFIGURE, &stream) || write(file, text, 20) != 20)
		fail("CBC: %s", strerror(errno));
	expect(ioctl(file, CIPHERMILL_IOC_FINISH), EINVAL, "an end within a block");
	expect(write(file, nowhere, 20), EFAULT, "write from nowhere");
	close(file);
}

static void test_forged(void)
{
	int file = must_open(0, 0);
	struct sample s;
	uint8_t out[1000], tag[16];

	if (!has_mode(CIPHERMILL_GCM))
		return;
	sample_make(&s, CIPHERMILL_GCM | CIPHERMILL_DECRYPT, 16, 1000, 20, 0);
	set_key(file, &s);
	for (unsigned int turn = 0; turn < 20; turn++) {
		memcpy(tag, s.tag, 16);
		tag[turn % 16] ^= 1 << turn % 8;
		memset(out, 0xa5, sizeof(out));
		if (run_message(file, &s, out, 1, s.text, tag) != EBADMSG)
			fail("a wrong tag is taken");
		for (unsigned int at = 0; at < sizeof(out); at++)
			if (out[at]) {
				fail("plaintext or rest at byte %u after a wrong tag", at);
				break;
			}
	}
	s.tag[0] ^= 1;
	if (check_stream(file, &s, 100) != EBADMSG)
		fail("a stream takes a wrong tag");
	s.tag[0] ^= 1;
	if (check_stream(file, &s, 100))
		fail("a stream after a wrong tag");
	sample_free(&s);
	close(file);
}

static void test_fork(void)
{
	int file = must_open(0, 0), status;
	uint8_t *out = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sample s;

	sample_make(&s, CIPHERMILL_CTR | 0x80, 16, 60001, 0, 0);
	set_key(file, &s);
	configure(file, &s);
	fflush(stdout);
	/* The child reads what the parent writes, through the same open file. */
	if (!fork()) {
		size_t got = 0;

		while (got < s.text_bytes) {
			ssize_t here = read(file, out + got, s.text_bytes - got);

			if (here <= 0)
				_exit(1);
			got += here;
		}
		_exit(0);
	}
	for (size_t at = 0; at < s.text_bytes;) {
		ssize_t here = write(file, s.text + at, s.text_bytes - at > 777 ? 777 : s.text_bytes - at);

		if (here <= 0) {
			fail("write: %s", strerror(errno));
			break;
		}
		at += here;
	}
	wait(&status);
	if (status || memcmp(out, s.expected, s.text_bytes))
		fail("the child read other bytes: %#x", status);
	/* Memory that a child shares with its parent until it writes is a copy for the device too. */
	memcpy(out, s.text, s.text_bytes);
	if (!fork()) {
		_exit(check_message(file, &s, 5, 3) != 0);
	}
	if (check_message(file, &s, 5, 7))
		fail("the parent's message beside the child's");
	wait(&status);
	if (status)
		fail("the child's message");
	munmap(out, 65536);
	sample_free(&s);
	close(file);
}

static void test_busy(void)
{
	int file = must_open(0, 0), status;

	expect(open_ring(0, 0), EBUSY, "a second open");
	fflush(stdout);
	if (!fork())
		_exit(open_ring(0, 0) >= 0 || errno != EBUSY);
	wait(&status);
	if (status)
		fail("another process opened it too: %#x", status);
	expect(open_ring(0, 0), EBUSY, "a second open, after a child ended");
	close(file);
	file = open_ring(0, 0);
	if (file < 0)
		fail("open after close: %s", strerror(errno));
	close(file);
}

/* Processes that are killed with messages and streams in flight. */
static void test_kill(void)
{
	struct sample s;
	int file, status;

	sample_make(&s, CIPHERMILL_CTR | 0x80, 16, 200000, 0, 0);
	for (unsigned int turn = 0; turn < 20; turn++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (!child) {
			int mine = must_open(0, 0);

			set_key(mine, &s);
			if (turn & 1) {
				uint8_t tag[16];

				for (;;)
					run_message(mine, &s, s.expected, 3, s.text, tag);
			}
			configure(mine, &s);
			for (;;)
				if (write(mine, s.text, s.text_bytes) < 0)
					_exit(1);
		}
		usleep(random_below(50000));
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		if (!WIFSIGNALED(status))
			fail("the child ended by itself: %#x", status);
	}
	sample_free(&s);
	sample_make(&s, CIPHERMILL_CBC, 32, 4096, 0, 0);
	file = must_open(0, 0);
	set_key(file, &s);
	if (check_message(file, &s, 1, 0) || check_stream(file, &s, 1000))
		fail("the device after its users were killed");
	sample_free(&s);
	close(file);
}

/* Each of two processes has its key and its bytes. */
static void test_two_processes(void)
{
	int status;

	if (first_info.rings < 2)
		return;
	for (unsigned int ring = 0; ring < 2; ring++) {
		fflush(stdout);
		if (!fork()) {
			int file = must_open(ring, 0);
			struct sample s;

			fill_random(&s, ring + 1);
			sample_make(&s, CIPHERMILL_CBC, 16, 4096, 0, 0);
			set_key(file, &s);
			for (unsigned int turn = 0; turn < 30; turn++)
				if (check_message(file, &s, 3, turn))
					fail("ring %u", ring);
			exit(failures != 0);
		}
	}
	while (wait(&status) > 0)
		if (status)
			fail("a process ended with %#x", status);
}

/* Many threads on one ring: few doorbells and interrupts for each message. */
struct load {
	int file;
	const struct sample *sample;
	unsigned int messages;
	pthread_barrier_t *begin;
	int result;
};

static void *load_thread(void *argument)
{
	struct load *load = argument;

	pthread_barrier_wait(load->begin);
	for (unsigned int at = 0; at < load->messages && !load->result; at++)
		load->result = check_message(load->file, load->sample, 1, 0);
	return NULL;
}

static void test_load(void)
{
	struct ciphermill_info before, after;
	struct load loads[32];
	pthread_barrier_t begin;
	pthread_t threads[32];
	int file = must_open(0, 0);
	struct sample s;

	sample_make(&s, CIPHERMILL_CTR | 0x80, 16, 64, 0, 0);
	set_key(file, &s);
	pthread_barrier_init(&begin, NULL, 33);
	for (unsigned int at = 0; at < 32; at++) {
		loads[at] = (struct load){ file, &s, 100, &begin, 0 };
		pthread_create(&threads[at], NULL, load_thread, &loads[at]);
	}
	ioctl(file, CIPHERMILL_IOC_INFO, &before);
	pthread_barrier_wait(&begin);
	for (unsigned int at = 0; at < 32; at++) {
		pthread_join(threads[at], NULL);
		if (loads[at].result)
			fail("thread %u: %d", at, loads[at].result);
	}
	ioctl(file, CIPHERMILL_IOC_INFO, &after);
	printf("  %llu messages, %llu doorbells, %llu interrupts, %llu lost\n",
	       (unsigned long long)(after.messages - before.messages),
	       (unsigned long long)(after.doorbells - before.doorbells),
	       (unsigned long long)(after.interrupts - before.interrupts),
	       (unsigned long long)(after.lost_interrupts - before.lost_interrupts));
	if (16 * (after.interrupts - before.interrupts) > after.messages - before.messages)
		fail("more than an interrupt for 16 messages");
	if (after.doorbells - before.doorbells > after.messages - before.messages)
		fail("more than a doorbell for a message");
	sample_free(&s);
	close(file);
}

/* One message or stream of a card with faults; errno, or 0. */
static int check_faulty(int file, const struct sample *s)
{
	uint8_t *out = malloc(s->output_bytes + 1), tag[16];
	int result;

	memset(out, 0xa5, s->output_bytes + 1);
	memcpy(tag, s->tag, 16);
	result = run_message(file, s, out, 1 + random_below(4), s->text, tag);
	if (!result && memcmp(out, s->expected, s->output_bytes))
		fail("wrong bytes: configuration %#x, %zu", s->configuration, s->text_bytes);
	for (size_t at = 0; result && at < s->output_bytes; at++)
		if (out[at] != 0) {
			fail("byte %zu is left after %s", at, strerror(result));
			break;
		}
	free(out);
	return result;
}

static void run_faults(unsigned int ring, unsigned int count)
{
	struct ciphermill_info info;
	unsigned int failed = 0;
	int file = must_open(ring, 0);

	random_seed(ring + 100);
	for (unsigned int turn = 0; turn < count; turn++) {
		struct sample s;
		int result;

		if (!random_sample(&s, modes[turn % MODES], 2000))
			continue;
		if (s.key_bytes && set_key(file, &s))
			fail("key: %s", strerror(errno));
		result = turn / MODES % 8 ? check_faulty(file, &s) : check_stream(file, &s, 1000);
		if (result < 0)
			fail("a stream's wrong bytes: configuration %#x, %zu", s.configuration, s.text_bytes);
		if (result)
			failed++;
		if (result > 0 && result != EIO && result != EBADMSG && result != ENOKEY && result != EINVAL)
			fail("ring %u, message %u: %s", ring, turn, strerror(result));
		sample_free(&s);
		if (result == ENODEV)
			break;
	}
	ioctl(file, CIPHERMILL_IOC_INFO, &info);
	printf("  ring %u: %u messages, %u failed, %llu resets, %llu lost interrupts\n", ring, count, failed,
	       (unsigned long long)info.recoveries, (unsigned long long)info.lost_interrupts);
	close(file);
}

/* A card with faults, all rings at once: each message is right, or fails and leaves zeros. */
static void test_faults(void)
{
	int status;

	for (unsigned int ring = 0; ring < first_info.rings; ring++) {
		fflush(stdout);
		if (!fork()) {
			run_faults(ring, fault_count / first_info.rings);
			fflush(stdout);
			_exit(failures != 0);
		}
	}
	while (wait(&status) > 0)
		if (status)
			fail("a process ended with %#x", status);
}

/* Use the device until it is removed; every end but ENODEV, EIO is a failure. */
static void test_removal(void)
{
	int file = must_open(0, 0), result = 0;
	struct sample s;
	uint8_t byte;

	sample_make(&s, CIPHERMILL_CTR | 0x80, 16, 20000, 0, 0);
	set_key(file, &s);
	while (!result)
		result = check_message(file, &s, 4, 1);
	if (result != ENODEV)
		fail("a message ended with %d", result);
	expect(read(file, &byte, 1), ENODEV, "read of a removed device");
	expect(write(file, &byte, 1), ENODEV, "write to a removed device");
	if (configure(file, &s) != 0 && errno != ENODEV)
		fail("configuration of a removed device: %s", strerror(errno));
	sample_free(&s);
	close(file);
}

/* Read until the device is removed. */
static void test_removal_read(void)
{
	int file = must_open(1, 0);
	struct sample s;
	uint8_t byte;

	sample_make(&s, CIPHERMILL_CTR | 0x80, 16, 16, 0, 0);
	set_key(file, &s);
	configure(file, &s);
	expect(read(file, &byte, 1), ENODEV, "a read that waits");
	sample_free(&s);
	close(file);
}

/* The messages of all rings, as a number; more on standard error. */
static void test_count(void)
{
	struct ciphermill_info sum = count_all();

	printf("%llu\n", (unsigned long long)sum.messages);
	fprintf(stderr, "  %llu messages, %llu doorbells, %llu interrupts so far\n",
		(unsigned long long)sum.messages, (unsigned long long)sum.doorbells,
		(unsigned long long)sum.interrupts);
	exit(0);
}

/* The card's clock in kHz. */
static void test_clock(void)
{
	printf("%u\n", first_info.khz);
	exit(0);
}

static const struct test tests[] = {
	{ "known_answers", test_known_answers, 0 }, { "messages", test_messages, 0 },
	{ "streams", test_streams, 0 },		    { "six_streams", test_six_streams, 0 },
	{ "bad_ioctls", test_bad_ioctls, 0 },	    { "forged", test_forged, 0 },
	{ "fork", test_fork, 0 },		    { "busy", test_busy, 0 },
	{ "two_processes", test_two_processes, 0 }, { "kill", test_kill, 0 },
	{ "load", test_load, 1 },		    { "faults", test_faults, 1 },
	{ "removal", test_removal, 1 },		    { "removal_read", test_removal_read, 1 },
	{ "count", test_count, 1 },		    { "clock", test_clock, 1 },
};

int main(int count, char **arguments)
{
	if (count < 2) {
		fprintf(stderr, "usage: ciphermill_test PREFIX [TEST ...]\n");
		return 2;
	}
	if (count == 4 && atoi(arguments[3])) {
		fault_count = atoi(arguments[3]);
		count = 3;
	}
	if (device_begin(arguments[1]))
		return 1;
	return run_tests(tests, sizeof(tests) / sizeof(*tests), count - 2, arguments + 2);
}
