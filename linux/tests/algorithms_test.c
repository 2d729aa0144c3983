// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// PRESENT and Ascon through the character devices, inside the booted kernel, on each ring whose
// CAPABILITY has them; a test fails if no ring has. And the kernel's AES beside such rings.
//
//     algorithms_test PREFIX [TEST ...]           PREFIX: /dev/ciphermill0-
//
// The answers are published ones: those of PRESENT by Bogdanov et al. (CHES 2007, appendix I), by
// Poschmann (Lightweight Cryptography, 2009) and by the cipher's authors, those of Ascon (SP 800-232)
// from github.com/ascon/ascon-c, all as in hw/present/dv/present_reference.py and
// hw/ascon/dv/ascon_reference.py. Those of PRESENT's modes follow from its blocks.
#include <errno.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ciphermill.h>

#include "device.h"

#ifndef SOL_ALG
#define SOL_ALG 279
#endif

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Algorithms of CAPABILITY (hw/accel/accel.rdl), and some of its bits. */
enum algorithm { AES = 0, ASCON = 1, PRESENT = 4 };
#define HAS_GCM (1U << 21)
#define HAS_XTS (1U << 22)
#define HAS_AEAD (1U << 23)
#define HAS_DIGEST (1U << 24)
#define HAS_SHA2_32 (1U << 25)

static const char *name_of(enum algorithm algorithm)
{
	return algorithm == AES ? "AES" : algorithm == ASCON ? "Ascon" : "PRESENT";
}

/* Run this on each ring of an algorithm; without one it is a failure. */
static void on_rings(enum algorithm algorithm, void (*run)(int file, uint32_t capability))
{
	unsigned int found = 0;

	for (unsigned int ring = 0; ring < first_info.rings; ring++) {
		struct ciphermill_info info;
		int file = must_open(ring, 0);

		if (ioctl(file, CIPHERMILL_IOC_INFO, &info))
			fail("ring %u does not say what it is: %s", ring, strerror(errno));
		else if ((info.capability & 15) == algorithm) {
			found++;
			run(file, info.capability);
		}
		close(file);
	}
	if (!found)
		fail("no ring has %s", name_of(algorithm));
}

/* A sample by a message at an odd address, in pieces, and by a stream if the driver has one. */
static void check(int file, const struct sample *s, int streams, const char *name)
{
	int result;

	if (s->key_bytes && set_key(file, s)) {
		fail("%s: key: %s", name, strerror(errno));
		return;
	}
	for (unsigned int pieces = 1; pieces < 8; pieces += 3) {
		result = check_message(file, s, pieces, pieces == 1 ? 0 : 3 * pieces);
		if (result)
			fail("%s, configuration %#x, %u pieces: %d", name, s->configuration, pieces,
			     result);
	}
	for (size_t piece = 5; streams && piece < 2000; piece *= 200) {
		result = check_stream(file, s, piece);
		if (result)
			fail("%s, configuration %#x, a stream in pieces of %zu: %d", name,
			     s->configuration, piece, result);
	}
}

/* Both directions of a cipher. */
static void check_both(int file, const struct sample *encrypt, int streams, const char *name)
{
	struct sample decrypt = *encrypt;

	decrypt.configuration |= CIPHERMILL_DECRYPT;
	decrypt.text = encrypt->expected;
	decrypt.expected = encrypt->text;
	check(file, encrypt, streams, name);
	check(file, &decrypt, streams, name);
}

struct block {
	const char *name, *key, *plain, *cipher;
};

/* The first four have 80 bits of key, the others 128. */
static const struct block blocks[] = {
	{ "paper 1", "00000000000000000000", "0000000000000000", "5579c1387b228445" },
	{ "paper 2", "ffffffffffffffffffff", "0000000000000000", "e72c46c0f5945049" },
	{ "paper 3", "00000000000000000000", "ffffffffffffffff", "a112ffc72f68417b" },
	{ "paper 4", "ffffffffffffffffffff", "ffffffffffffffff", "3333dcd3213210d2" },
	{ "128 bits, 1", "00000000000000000000000000000000", "0000000000000000", "96db702a2e6900af" },
	{ "128 bits, 2", "ffffffffffffffffffffffffffffffff", "0000000000000000", "13238c710272a5d8" },
	{ "128 bits, 3", "00000000000000000000000000000000", "ffffffffffffffff", "3c6019e5e5edd563" },
	{ "128 bits, 4", "ffffffffffffffffffffffffffffffff", "ffffffffffffffff", "628d9fbd4218e5b4" },
	{ "128 bits, 5", "0123456789abcdef0123456789abcdef", "0123456789abcdef", "0e9d28685e671dd6" },
};

/* A sample of PRESENT whose text and answer are in these buffers. */
static struct sample present(uint32_t configuration, const char *key, size_t bytes, uint8_t *text,
			     uint8_t *expected)
{
	struct sample s = {
		.configuration = configuration,
		.key_bytes = strlen(key) / 2,
		.text_bytes = bytes,
		.output_bytes = bytes,
		.text = text,
		.expected = expected,
	};

	from_hex(s.key, key);
	return s;
}

static void present_block(int file, uint32_t capability)
{
	(void)capability;
	for (unsigned int at = 0; at < COUNT(blocks); at++) {
		uint8_t plain[8], cipher[8];
		struct sample s = present(CIPHERMILL_ECB, blocks[at].key, 8, plain, cipher);

		from_hex(plain, blocks[at].plain);
		from_hex(cipher, blocks[at].cipher);
		check_both(file, &s, 1, blocks[at].name);
	}
}

static void test_present_blocks(void)
{
	on_rings(PRESENT, present_block);
}

/* Blocks of zeros and of ones in turns, under a key of zeros: published answers in turns. */
static void present_ecb(int file, uint32_t capability)
{
	static const unsigned int numbers[] = { 0, 2, 3, 7, 301 };
	static uint8_t plain[301 * 8], cipher[301 * 8];

	(void)capability;
	for (unsigned int first = 0; first < 8; first += 4)
		for (unsigned int at = 0; at < COUNT(numbers); at++) {
			struct sample s = present(CIPHERMILL_ECB, blocks[first].key, numbers[at] * 8,
						  plain, cipher);

			for (unsigned int number = 0; number < numbers[at]; number++) {
				const struct block *b = &blocks[first + number % 2 * 2];

				from_hex(plain + 8 * number, b->plain);
				from_hex(cipher + 8 * number, b->cipher);
			}
			check_both(file, &s, 1, "ECB");
		}
}

static void test_present_ecb(void)
{
	on_rings(PRESENT, present_ecb);
}

/*
 * CBC: the first block is the published one added to an IV with eight different bytes, each other
 * one to the ciphertext before, so that each ciphertext is the published one.
 */
static void present_cbc(int file, uint32_t capability)
{
	static uint8_t plain[37 * 8], cipher[37 * 8];

	(void)capability;
	for (unsigned int at = 0; at < COUNT(blocks); at++)
		for (unsigned int number = 1; number <= 37; number += 12) {
			struct sample s = present(CIPHERMILL_CBC, blocks[at].key, 8 * number, plain,
						  cipher);

			from_hex(s.iv, "1f2e3d4c5b6a7988");
			for (unsigned int byte = 0; byte < 8 * number; byte++) {
				if (byte % 8 == 0) {
					from_hex(plain + byte, blocks[at].plain);
					from_hex(cipher + byte, blocks[at].cipher);
				}
				plain[byte] ^= byte < 8 ? s.iv[byte] : cipher[byte - 8];
			}
			check_both(file, &s, 0, "CBC");
		}
}

static void test_present_cbc(void)
{
	on_rings(PRESENT, present_cbc);
}

/* CTR of 64 bits from ff..ff, the next of which is 0: two published blocks are the keystream. */
static void present_ctr(int file, uint32_t capability)
{
	(void)capability;
	for (unsigned int first = 0; first < 8; first += 4)
		for (unsigned int bytes = 0; bytes <= 16; bytes++) {
			uint8_t plain[16], cipher[16];
			struct sample s = present(CIPHERMILL_CTR | CIPHERMILL_COUNTER_64,
						  blocks[first].key, bytes, plain, cipher);

			memset(s.iv, 0xff, 8);
			from_hex(cipher, blocks[first + 2].cipher);
			from_hex(cipher + 8, blocks[first].cipher);
			for (unsigned int byte = 0; byte < 16; byte++) {
				plain[byte] = 17 * byte + 1;
				cipher[byte] ^= plain[byte];
			}
			check_both(file, &s, 0, "CTR");
		}
}

/* A counter of 32 bits leaves the first half of the IV; the block with the last IV is published. */
static void present_ctr_32(int file, uint32_t capability)
{
	uint8_t plain[8] = { 0 }, cipher[8];
	struct sample s = present(CIPHERMILL_CTR | CIPHERMILL_COUNTER_32, blocks[8].key, 7, plain,
				  cipher);

	(void)capability;
	from_hex(s.iv, blocks[8].plain);
	from_hex(cipher, blocks[8].cipher);
	check_both(file, &s, 0, "CTR with 32 bits");
}

static void test_present_ctr(void)
{
	on_rings(PRESENT, present_ctr);
	on_rings(PRESENT, present_ctr_32);
}

/* Keys, nonces, associated data, texts and messages of Ascon's answers begin with 0, 1, 2 ... */
static uint8_t counting[1024];

struct sealed {
	unsigned int text_bytes, associated_bytes;
	const char *sent; /* ciphertext and tag */
};

static const struct sealed sealed[] = {
	{ 0, 0, "4427d64b8e1e1451fc445960f0839bb0" },
	{ 0, 1, "103ab79d913a0321287715a979bb8585" },
	{ 0, 16, "b747d3235e971c20d00dcf87406938fd" },
	{ 1, 0, "e79f58f1f541fc51b5d438f8e1dd03f147" },
	{ 7, 15, "b03e607317a251ccf75d8ecb57ba7863e7596eb262a0fb" },
	{ 15, 17, "9813b7013089db863a742a4c13f140c9e7558506b8277cd46bf4619ef4893c" },
	{ 16, 16, "6a28215e4a6023fae42095318b187f99e0c479771a09b5d29afd05825b013d0d" },
	{ 17, 32, "4c086d27a3b51a2333cfc7f22172a9bcada92b2a1cdea6b1b8da77294080ead708" },
	{ 31, 5, "1f820273c65246b76d4ff8d1add72d5cc1703338b98ce4b"
		 "34b5af9ce461202d4668b6d9e0b5afee5400bca3e605b19" },
	{ 32, 0, "e770d289d2a44aee7cd0a48ece5274e381bad7e163dcc497"
		 "0f7873610debbeb1a28657f6e82fe53d08b09eff9330bd2b" },
	{ 32, 32, "4c086d27a3b51a2333cfc7f22172a9bcad88b8d4d77e5062"
		  "2d788345fa7bee4468915d3f9422289f2349d6a3b4160397" },
};

/* The encryption of a known answer; sent has room for its text and tag. */
static struct sample ascon(const struct sealed *answer, uint8_t sent[48])
{
	struct sample s = {
		.configuration = CIPHERMILL_AEAD,
		.key_bytes = 16,
		.associated_bytes = answer->associated_bytes,
		.text_bytes = answer->text_bytes,
		.output_bytes = answer->text_bytes,
		.associated = counting,
		.text = counting,
		.expected = sent,
	};

	memcpy(s.key, counting, 16);
	memcpy(s.iv, counting, 16);
	from_hex(sent, answer->sent);
	memcpy(s.tag, sent + answer->text_bytes, 16);
	return s;
}

static void ascon_aead(int file, uint32_t capability)
{
	uint8_t sent[48];

	if (!(capability & HAS_AEAD))
		fail("Ascon without its cipher");
	for (unsigned int at = 0; at < COUNT(sealed); at++) {
		struct sample s = ascon(&sealed[at], sent);
		char name[40];

		snprintf(name, sizeof(name), "Ascon, %u and %u bytes", sealed[at].text_bytes,
			 sealed[at].associated_bytes);
		check_both(file, &s, 1, name);
	}
}

static void test_ascon_aead(void)
{
	on_rings(ASCON, ascon_aead);
}

/* Text whose length is odd, in pieces: what was sealed opens again, with its tag. */
static void ascon_long(int file, uint32_t capability)
{
	static uint8_t sent[5003], opened[5003], text[5003];
	struct sample s = {
		.configuration = CIPHERMILL_AEAD, .key_bytes = 16, .associated_bytes = 777,
		.text_bytes = sizeof(text), .output_bytes = sizeof(text), .associated = counting,
		.text = text, .expected = sent,
	};

	(void)capability;
	fill_random(text, sizeof(text));
	fill_random(s.key, 16);
	fill_random(s.iv, 16);
	if (set_key(file, &s) || run_message(file, &s, sent, 9, text, s.tag))
		fail("%zu bytes: %s", sizeof(text), strerror(errno));
	if (!memcmp(sent, text, 64))
		fail("nothing is encrypted");
	s.configuration |= CIPHERMILL_DECRYPT;
	if (run_message(file, &s, opened, 7, sent, s.tag) || memcmp(opened, text, sizeof(text)))
		fail("%zu bytes do not come back", sizeof(text));
	s.configuration &= ~CIPHERMILL_DECRYPT;
	check_both(file, &s, 1, "Ascon, 5003 bytes");
}

static void test_ascon_long(void)
{
	on_rings(ASCON, ascon_long);
}

static void expect_zeros(const uint8_t *out, size_t bytes, const char *what)
{
	for (size_t at = 0; at < bytes; at++)
		if (out[at]) {
			fail("%s: plaintext or rest at byte %zu", what, at);
			break;
		}
}

/* One bit of the tag, the text, the associated data or the nonce is another one. */
static void ascon_forged(int file, uint32_t capability)
{
	uint8_t sent[48], out[32], tag[16], associated[32], wrong[48];
	struct sample s, good;
	int result;

	(void)capability;
	for (unsigned int at = 0; at < COUNT(sealed); at++) {
		good = ascon(&sealed[at], sent);
		good.configuration |= CIPHERMILL_DECRYPT;
		good.text = sent;
		good.expected = counting;
		if (set_key(file, &good))
			fail("key: %s", strerror(errno));
		for (unsigned int turn = 0; turn < 4 + 16; turn++) {
			s = good;
			memcpy(tag, s.tag, 16);
			memcpy(wrong, sent, sizeof(wrong));
			memcpy(associated, counting, sizeof(associated));
			s.associated = associated;
			if (turn < 16)
				tag[turn] ^= 1 << (turn + at) % 8;
			else if (turn == 16 && s.text_bytes)
				wrong[s.text_bytes - 1] ^= 0x80;
			else if (turn == 17 && s.associated_bytes)
				associated[0] ^= 1;
			else
				s.iv[15] ^= 0x40;
			memset(out, 0xa5, sizeof(out));
			result = run_message(file, &s, out, 1 + turn % 3, wrong, tag);
			if (result != EBADMSG)
				fail("%u and %u bytes, forgery %u: %d", sealed[at].text_bytes,
				     sealed[at].associated_bytes, turn, result);
			expect_zeros(out, s.output_bytes, "a forgery");
		}
		good.tag[at] ^= 1;
		result = check_stream(file, &good, 100);
		if (result != EBADMSG)
			fail("%u and %u bytes, a forged stream: %d", sealed[at].text_bytes,
			     sealed[at].associated_bytes, result);
		good.tag[at] ^= 1;
		check(file, &good, 1, "what comes after a forgery");
	}
}

static void test_ascon_forged(void)
{
	on_rings(ASCON, ascon_forged);
}

static const struct {
	unsigned int bytes;
	const char *digest;
} digests[] = {
	{ 0, "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2" },
	{ 1, "0728621035af3ed2bca03bf6fde900f9456f5330e4b5ee23e7f6a1e70291bc80" },
	{ 7, "3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577" },
	{ 8, "b88e497ae8e6fb641b87ef622eb8f2fca0ed95383f7ffebe167acf1099ba764f" },
	{ 9, "94269c30e0296e1ec86655041841823efa1927f520fd58c8e9bce6197878c1a6" },
	{ 15, "6421330df99c05eb715415ee17b455f2674f862ae3cc5badffe43a4a3ed273e1" },
	{ 16, "3158c1940a2fbadbd68ab661777859b94a689e4efc375911467addd641835c38" },
	{ 17, "f149e99dd0f429599bb89b8079bf3f4dca3f298efefcf9b1ea16fe84f9b8b6e2" },
	{ 32, "bd9d3d60a66b53868eab2a5c74539a518a1f60f01eb176c60e43dee81680b33e" },
	{ 1024, "48140032bb7df2e2b5c95d403c9ab69b4bc00453980bf85f15a84cae2b09a0e9" },
};

static void ascon_hash(int file, uint32_t capability)
{
	if (!(capability & HAS_DIGEST))
		fail("Ascon without its hash");
	for (unsigned int at = 0; at < COUNT(digests); at++) {
		uint8_t digest[32];
		struct sample s = {
			.configuration = CIPHERMILL_DIGEST,
			.text_bytes = digests[at].bytes,
			.output_bytes = 32,
			.text = counting,
			.expected = digest,
		};
		char name[40];

		from_hex(digest, digests[at].digest);
		snprintf(name, sizeof(name), "Ascon-Hash256, %u bytes", digests[at].bytes);
		check(file, &s, 1, name);
	}
}

static void test_ascon_hash(void)
{
	on_rings(ASCON, ascon_hash);
}

/* A message and a stream of a configuration, with 16 bytes or a digest: both end like this. */
static void expect_both(int file, uint32_t configuration, int error, const char *what)
{
	int digest = (configuration & CIPHERMILL_MODE) == CIPHERMILL_DIGEST;
	uint8_t text[16] = { 0 }, out[32], tag[16] = { 0 };
	struct sample s = {
		.configuration = configuration, .text_bytes = 16, .output_bytes = digest ? 32 : 16,
		.unit = 16, .text = text,
	};
	int result = run_message(file, &s, out, 1, text, tag);

	if (result != error)
		fail("%s: a message ends with %d instead of %d", what, result, error);
	result = configure(file, &s);
	if (result != error)
		fail("%s: a stream ends with %d instead of %d", what, result, error);
}

static int key_of(int file, unsigned int bytes)
{
	struct sample s = { .configuration = CIPHERMILL_ECB, .key_bytes = bytes };

	return set_key(file, &s) ? errno : 0;
}

static void expect_key(int file, unsigned int bytes, int error)
{
	int result = key_of(file, bytes);

	if (result != error)
		fail("a key of %u bytes: %d instead of %d", bytes, result, error);
}

static void refused_by_all(int file, uint32_t capability)
{
	if (!(capability & HAS_GCM))
		expect_both(file, CIPHERMILL_GCM, EOPNOTSUPP, "GCM");
	if (!(capability & HAS_XTS))
		expect_both(file, CIPHERMILL_XTS, EOPNOTSUPP, "XTS");
	if (!(capability & HAS_AEAD)) {
		expect_both(file, CIPHERMILL_AEAD, EOPNOTSUPP, "Ascon-AEAD128");
		expect_both(file, CIPHERMILL_AEAD | CIPHERMILL_DECRYPT, EOPNOTSUPP, "Ascon-AEAD128");
	}
	if (!(capability & HAS_DIGEST))
		expect_both(file, CIPHERMILL_DIGEST, EOPNOTSUPP, "Ascon-Hash256");
	if (!(capability & HAS_SHA2_32))
		expect_both(file, CIPHERMILL_DIGEST | CIPHERMILL_HASH(2), EOPNOTSUPP, "SHA-256");
}

static void present_refuses(int file, uint32_t capability)
{
	uint8_t text[9] = { 0 }, out[9], tag[16];
	struct sample s = present(CIPHERMILL_ECB, blocks[0].key, 9, text, text);

	if (capability & (HAS_GCM | HAS_XTS | HAS_AEAD | HAS_DIGEST))
		fail("PRESENT with modes of others");
	refused_by_all(file, capability);
	expect_both(file, CIPHERMILL_ECB, ENOKEY, "no key");
	expect_key(file, 24, EINVAL);
	expect_key(file, 32, EINVAL);
	expect_key(file, 10, 0);
	refused_by_all(file, capability);
	if (run_message(file, &s, out, 1, text, tag) != EINVAL)
		fail("9 bytes are taken");
	/* Blocks have 64 bits, so that no more are counted. */
	expect_both(file, CIPHERMILL_CTR | CIPHERMILL_COUNTER_128, EOPNOTSUPP, "a long counter");
	s.configuration = CIPHERMILL_CBC;
	if (configure(file, &s) != EOPNOTSUPP)
		fail("a stream of CBC is taken");
	s.configuration = CIPHERMILL_CTR | CIPHERMILL_COUNTER_64;
	if (configure(file, &s) != EOPNOTSUPP)
		fail("a stream of CTR is taken");
	/* Half a block in a stream is never run. */
	s.configuration = CIPHERMILL_ECB;
	if (configure(file, &s) || write(file, text, 9) != 9)
		fail("9 bytes into a stream: %s", strerror(errno));
	if (!ioctl(file, CIPHERMILL_IOC_FINISH) || errno != EINVAL)
		fail("a stream ends within a block");
	ioctl(file, CIPHERMILL_IOC_ABORT);
}

static void ascon_refuses(int file, uint32_t capability)
{
	if (capability & (HAS_GCM | HAS_XTS))
		fail("Ascon with modes of AES");
	expect_both(file, CIPHERMILL_AEAD, ENOKEY, "no key");
	expect_key(file, 10, EINVAL);
	expect_key(file, 24, EINVAL);
	expect_key(file, 32, EINVAL);
	expect_key(file, 16, 0);
	refused_by_all(file, capability);
	expect_both(file, CIPHERMILL_ECB, EOPNOTSUPP, "ECB");
	expect_both(file, CIPHERMILL_CBC, EOPNOTSUPP, "CBC");
	expect_both(file, CIPHERMILL_CTR | CIPHERMILL_COUNTER_128, EOPNOTSUPP, "CTR");
	expect_both(file, CIPHERMILL_DIGEST | CIPHERMILL_AUTHENTICATE, EINVAL, "HMAC of Ascon");
}

static void aes_refuses(int file, uint32_t capability)
{
	if (capability & (HAS_AEAD | HAS_DIGEST))
		fail("AES with Ascon");
	expect_key(file, 10, EINVAL);
	expect_key(file, 16, 0);
	refused_by_all(file, capability);
}

static void test_refusals(void)
{
	on_rings(PRESENT, present_refuses);
	on_rings(ASCON, ascon_refuses);
	on_rings(AES, aes_refuses);
}

/* Both algorithms at the same time, each in a process. */
static void test_at_once(void)
{
	static void (*const tests[])(int, uint32_t) = { present_ecb, ascon_long };
	static const unsigned int algorithms[] = { PRESENT, ASCON };
	struct ciphermill_info info;
	int status;

	fflush(stdout);
	for (unsigned int at = 0; at < COUNT(tests); at++)
		if (!fork()) {
			unsigned int found = 0;

			for (unsigned int ring = 0; ring < first_info.rings; ring++) {
				int file = open_ring(ring, 0);

				/* A ring that is open elsewhere is another process's. */
				if (file < 0)
					continue;
				if (!ioctl(file, CIPHERMILL_IOC_INFO, &info) &&
				    (info.capability & 15) == algorithms[at]) {
					found++;
					tests[at](file, info.capability);
				}
				close(file);
			}
			fflush(stdout);
			_exit(failures || !found);
		}
	while (wait(&status) > 0)
		if (status)
			fail("a process ended with %#x", status);
}

/* FIPS 197, C.1 by a socket of the kernel's AES; 0, or errno, or -1. */
static int kernel_block(uint8_t out[16])
{
	struct sockaddr_alg address = { .salg_family = AF_ALG, .salg_type = "skcipher",
					.salg_name = "ecb-aes-ciphermill" };
	uint8_t key[16], text[16];
	char control[CMSG_SPACE(4)] = { 0 };
	struct iovec part = { text, 16 };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
				 .msg_controllen = sizeof(control) };
	struct cmsghdr *item = CMSG_FIRSTHDR(&header);
	int listener = socket(AF_ALG, SOCK_SEQPACKET, 0), file = -1, result = 0;

	from_hex(key, "000102030405060708090a0b0c0d0e0f");
	from_hex(text, "00112233445566778899aabbccddeeff");
	item->cmsg_level = SOL_ALG;
	item->cmsg_type = ALG_SET_OP;
	item->cmsg_len = CMSG_LEN(4);
	*(uint32_t *)CMSG_DATA(item) = ALG_OP_ENCRYPT;
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(listener, SOL_ALG, ALG_SET_KEY, key, 16) ||
	    (file = accept(listener, NULL, 0)) < 0 || sendmsg(file, &header, 0) != 16 ||
	    read(file, out, 16) != 16)
		result = errno ? errno : -1;
	if (file >= 0)
		close(file);
	if (listener >= 0)
		close(listener);
	return result;
}

/* The kernel's AES runs on rings of AES only, whichever ring a tfm begins with. */
static void test_kernel(void)
{
	uint8_t expected[16], out[16];

	from_hex(expected, "69c4e0d86a7b0430d8cdb78070b4c55a");
	for (unsigned int turn = 0; turn < 2 * first_info.rings; turn++) {
		unsigned long long before = count_all().messages;
		int result = kernel_block(out);

		if (result)
			fail("ecb(aes), tfm %u: %d", turn, result);
		else if (memcmp(out, expected, 16))
			fail("ecb(aes), tfm %u: another ciphertext", turn);
		if (count_all().messages != before + 1)
			fail("ecb(aes), tfm %u: not one message of the card", turn);
	}
}

static const struct test all_tests[] = {
	{ "present_blocks", test_present_blocks, 0 }, { "present_ecb", test_present_ecb, 0 },
	{ "present_cbc", test_present_cbc, 0 },	      { "present_ctr", test_present_ctr, 0 },
	{ "ascon_aead", test_ascon_aead, 0 },	      { "ascon_long", test_ascon_long, 0 },
	{ "ascon_forged", test_ascon_forged, 0 },     { "ascon_hash", test_ascon_hash, 0 },
	{ "refusals", test_refusals, 0 },	      { "at_once", test_at_once, 0 },
	{ "kernel", test_kernel, 1 },
};

int main(int count, char **arguments)
{
	if (count < 2) {
		fprintf(stderr, "usage: algorithms_test PREFIX [TEST ...]\n");
		return 2;
	}
	for (unsigned int at = 0; at < sizeof(counting); at++)
		counting[at] = at;
	if (device_begin(arguments[1]))
		return 1;
	return run_tests(all_tests, COUNT(all_tests), count - 2, arguments + 2);
}
