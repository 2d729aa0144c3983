// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// What the kernel does with its algorithms, whose results are compared with OpenSSL's: sockets of
// AF_ALG, TLS in the kernel, encrypted files (fscrypt) and files with a Merkle tree (fs-verity).
//
//     kernel_test PREFIX [alg] [tls]                  PREFIX: /dev/ciphermill0-
//     kernel_test PREFIX encrypted|verity FOLDER write|read
//
// `write` makes files in a folder of a file system that has the feature and reads them; `read` reads
// them again, perhaps where other code computes. Without the driver (no PREFIX0) nothing is counted.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/if_alg.h>
#include <linux/tls.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device.h"

#ifndef SOL_ALG
#define SOL_ALG 279
#endif
#ifndef SOL_TLS
#define SOL_TLS 282
#endif
#ifndef TCP_ULP
#define TCP_ULP 31
#endif

static int with_driver;

static unsigned long long messages(void)
{
	return with_driver ? count_all().messages : 0;
}

/* The card had this many messages more. */
static void expect_card(unsigned long long before, unsigned int least, const char *what)
{
	unsigned long long now = messages() - before;

	printf("  %s: %llu messages of the card\n", what, now);
	if (with_driver && now < least)
		fail("%s ran elsewhere", what);
}

/* A socket of an algorithm with a key; -1 with errno. */
static int alg_open(const char *type, const char *name, const uint8_t *key, unsigned int key_bytes)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG };
	int listener = socket(AF_ALG, SOCK_SEQPACKET, 0), file;

	strcpy((char *)address.salg_type, type);
	strcpy((char *)address.salg_name, name);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    (key_bytes && setsockopt(listener, SOL_ALG, ALG_SET_KEY, key, key_bytes)))
		return -1;
	if (!strcmp(type, "aead") && setsockopt(listener, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, 16))
		return -1;
	file = accept(listener, NULL, 0);
	close(listener);
	return file;
}

/* Send a message of an algorithm in pieces of at most so many bytes. */
static int alg_send(int file, const struct sample *s, const uint8_t *from, size_t bytes, size_t piece)
{
	uint32_t mode = s->configuration & CIPHERMILL_MODE;
	size_t iv_bytes = mode == CIPHERMILL_ECB ? 0 : mode == CIPHERMILL_GCM ? 12 : 16, at = 0;

	do {
		char control[200] = { 0 };
		size_t here = bytes - at < piece ? bytes - at : piece;
		struct iovec part = { (void *)(from + at), here };
		struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
		ssize_t done;

		if (!at) {
			struct af_alg_iv *iv;
			struct cmsghdr *item;

			header.msg_control = control;
			header.msg_controllen = CMSG_SPACE(4) + CMSG_SPACE(4) +
						CMSG_SPACE(sizeof(*iv) + iv_bytes);
			item = CMSG_FIRSTHDR(&header);
			item->cmsg_level = SOL_ALG;
			item->cmsg_type = ALG_SET_OP;
			item->cmsg_len = CMSG_LEN(4);
			*(uint32_t *)CMSG_DATA(item) = s->configuration & CIPHERMILL_DECRYPT ?
				ALG_OP_DECRYPT : ALG_OP_ENCRYPT;
			item = CMSG_NXTHDR(&header, item);
			item->cmsg_level = SOL_ALG;
			item->cmsg_type = ALG_SET_AEAD_ASSOCLEN;
			item->cmsg_len = CMSG_LEN(4);
			*(uint32_t *)CMSG_DATA(item) = s->associated_bytes;
			item = CMSG_NXTHDR(&header, item);
			item->cmsg_level = SOL_ALG;
			item->cmsg_type = ALG_SET_IV;
			item->cmsg_len = CMSG_LEN(sizeof(*iv) + iv_bytes);
			iv = (void *)CMSG_DATA(item);
			iv->ivlen = iv_bytes;
			memcpy(iv->iv, s->iv, iv_bytes);
		}
		done = sendmsg(file, &header, at + here < bytes ? MSG_MORE : 0);
		if (done <= 0)
			return errno;
		at += done;
	} while (at < bytes);
	return 0;
}

static void alg_skcipher(const char *name, uint32_t mode)
{
	unsigned long long before = messages();

	for (unsigned int turn = 0; turn < 60; turn++) {
		unsigned int key_bytes = mode == CIPHERMILL_XTS ? 16U << (turn & 1) : 16 + turn % 3 * 8;
		size_t bytes = (1 + random_below(turn < 30 ? 8 : 2000)) * 16, got = 0;
		uint8_t *out = calloc(1, bytes), key[64];
		struct sample s;
		int file;

		sample_make(&s, mode | (turn & 4 ? CIPHERMILL_DECRYPT : 0), key_bytes, bytes, 0, bytes);
		memcpy(key, s.key, key_bytes);
		memcpy(key + key_bytes, s.tweak_key, 32);
		file = alg_open("skcipher", name, key, mode == CIPHERMILL_XTS ? 2 * key_bytes : key_bytes);
		if (file < 0) {
			fail("%s: %s", name, strerror(errno));
			return;
		}
		if (alg_send(file, &s, s.text, bytes, 4096 * (1 + turn % 5)))
			fail("%s: send: %s", name, strerror(errno));
		while (got < bytes) {
			ssize_t here = read(file, out + got, bytes - got);

			if (here <= 0)
				break;
			got += here;
		}
		if (got != bytes || memcmp(out, s.expected, bytes))
			fail("%s: %zu bytes of %zu are other bytes", name, got, bytes);
		close(file);
		free(out);
		sample_free(&s);
	}
	expect_card(before, 60, name);
}

static void alg_gcm(void)
{
	unsigned long long before = messages();

	for (unsigned int turn = 0; turn < 60; turn++) {
		size_t associated = random_below(64), bytes = 1 + random_below(turn < 30 ? 100 : 16000);
		int decrypt = turn & 1, forged = turn % 6 == 5, file, result;
		size_t in_bytes = associated + bytes + (decrypt ? 16 : 0);
		size_t out_bytes = associated + bytes + (decrypt ? 0 : 16);
		uint8_t *in = malloc(in_bytes), *out = calloc(1, out_bytes);
		ssize_t got;
		struct sample s;

		sample_make(&s, CIPHERMILL_GCM | (decrypt ? CIPHERMILL_DECRYPT : 0), 16 + turn % 3 * 8,
			    bytes, associated, 0);
		memcpy(in, s.associated, associated);
		memcpy(in + associated, s.text, bytes);
		if (decrypt) {
			memcpy(in + associated + bytes, s.tag, 16);
			in[associated + bytes + random_below(16)] ^= forged;
		}
		file = alg_open("aead", "gcm(aes)", s.key, s.key_bytes);
		result = file < 0 ? errno : alg_send(file, &s, in, in_bytes, 65536);
		got = result ? -1 : read(file, out, out_bytes);
		if (decrypt && forged) {
			if (got >= 0 || errno != EBADMSG)
				fail("gcm(aes): a forged tag is taken");
		} else if (got != (ssize_t)out_bytes || memcmp(out + associated, s.expected, bytes) ||
			   (!decrypt && memcmp(out + associated + bytes, s.tag, 16))) {
			fail("gcm(aes): %zd bytes of %zu: %s", got, out_bytes, strerror(errno));
		}
		close(file);
		free(in);
		free(out);
		sample_free(&s);
	}
	expect_card(before, 60, "gcm(aes)");
}

/* AF_ALG gives a hash its message in pieces, which the driver leaves to software. */
static void alg_hash(const char *name, uint32_t configuration)
{
	for (unsigned int turn = 0; turn < 40; turn++) {
		uint8_t out[64];
		struct sample s;
		ssize_t got;
		int file;

		sample_make(&s, configuration, 0, random_below(turn < 20 ? 300 : 30000),
			    configuration & CIPHERMILL_AUTHENTICATE ? 1 + random_below(100) : 0, 0);
		file = alg_open("hash", name, s.associated, s.associated_bytes);
		if (file < 0 || send(file, s.text, s.text_bytes, 0) != (ssize_t)s.text_bytes)
			fail("%s: %s", name, strerror(errno));
		got = read(file, out, sizeof(out));
		if (got != (ssize_t)s.output_bytes || memcmp(out, s.expected, s.output_bytes))
			fail("%s: %zu bytes have another digest", name, s.text_bytes);
		close(file);
		sample_free(&s);
	}
}

static void test_alg(void)
{
	alg_skcipher("ecb(aes)", CIPHERMILL_ECB);
	alg_skcipher("cbc(aes)", CIPHERMILL_CBC);
	alg_skcipher("ctr(aes)", CIPHERMILL_CTR | CIPHERMILL_COUNTER_128);
	alg_skcipher("xts(aes)", CIPHERMILL_XTS);
	alg_gcm();
	alg_hash("sha256", CIPHERMILL_DIGEST | CIPHERMILL_HASH(2));
	alg_hash("sha512", CIPHERMILL_DIGEST | CIPHERMILL_HASH(4));
	alg_hash("hmac(sha256)", CIPHERMILL_DIGEST | CIPHERMILL_HASH(2) | CIPHERMILL_AUTHENTICATE);
}

/* TLS. */

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int file = socket(AF_INET, SOCK_DGRAM, 0);

	if (ioctl(file, SIOCSIFFLAGS, &request))
		fail("lo: %s", strerror(errno));
	close(file);
}

/* Two ends of a connection. */
static int connected(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes) ||
	    connect(ends[0], (struct sockaddr *)&address, bytes))
		return -1;
	ends[1] = accept(listener, NULL, NULL);
	close(listener);
	return ends[1] < 0;
}

struct tls {
	uint8_t key[32], salt[4], iv[8];
	unsigned int key_bytes;
};

static int tls_begin(int file, int direction, const struct tls *tls)
{
	struct tls12_crypto_info_aes_gcm_128 info = {
		.info = { .version = TLS_1_2_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_128 } };
	struct tls12_crypto_info_aes_gcm_256 long_info = {
		.info = { .version = TLS_1_2_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_256 } };

	memcpy(info.key, tls->key, 16);
	memcpy(info.salt, tls->salt, 4);
	memcpy(info.iv, tls->iv, 8);
	memcpy(long_info.key, tls->key, 32);
	memcpy(long_info.salt, tls->salt, 4);
	memcpy(long_info.iv, tls->iv, 8);
	if (setsockopt(file, SOL_TCP, TCP_ULP, "tls", sizeof("tls")) && errno != EEXIST)
		return errno;
	if (tls->key_bytes == 16 ? setsockopt(file, SOL_TLS, direction, &info, sizeof(info)) :
	    setsockopt(file, SOL_TLS, direction, &long_info, sizeof(long_info)))
		return errno;
	return 0;
}

/*
 * A record of TLS 1.2 (RFC 5246, section 6.2.3.3, and RFC 5288) between its plaintext and the wire:
 * header of 5 bytes, nonce of 8, ciphertext, tag of 16. Whether its tag is right.
 */
static int tls_record(const struct tls *tls, int encrypt, uint64_t number, uint8_t *wire, uint8_t *plain,
		      unsigned int bytes)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const EVP_CIPHER *cipher = tls->key_bytes == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
	uint8_t nonce[12], associated[13] = { 0 };
	int done, good;

	if (encrypt) {
		const uint8_t header[5] = { 23, 3, 3, (bytes + 24) >> 8, bytes + 24 };

		memcpy(wire, header, 5);
		for (unsigned int at = 0; at < 8; at++)
			wire[5 + at] = number >> (56 - 8 * at);
	}
	memcpy(nonce, tls->salt, 4);
	memcpy(nonce + 4, wire + 5, 8);
	for (unsigned int at = 0; at < 8; at++)
		associated[at] = number >> (56 - 8 * at);
	associated[8] = 23;
	associated[9] = 3;
	associated[10] = 3;
	associated[11] = bytes >> 8;
	associated[12] = bytes;
	EVP_CipherInit_ex(context, cipher, NULL, tls->key, nonce, encrypt);
	EVP_CipherUpdate(context, NULL, &done, associated, 13);
	if (encrypt) {
		EVP_CipherUpdate(context, wire + 13, &done, plain, bytes);
		good = EVP_CipherFinal_ex(context, wire + 13 + bytes, &done);
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, wire + 13 + bytes);
	} else {
		EVP_CipherUpdate(context, plain, &done, wire + 13, bytes);
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, wire + 13 + bytes);
		good = EVP_CipherFinal_ex(context, plain + bytes, &done);
	}
	EVP_CIPHER_CTX_free(context);
	return good;
}

static int read_whole(int file, uint8_t *to, size_t bytes)
{
	while (bytes) {
		ssize_t here = read(file, to, bytes);

		if (here <= 0)
			return -1;
		to += here;
		bytes -= here;
	}
	return 0;
}

/* A record from the kernel is OpenSSL's, and OpenSSL's is the kernel's. */
static void tls_records(unsigned int key_bytes, int forge)
{
	uint8_t *plain = malloc(20000), *wire = malloc(20000), *back = malloc(20000);
	struct tls tls = { .key_bytes = key_bytes };
	unsigned int turns = 40;
	int ends[2], result;

	fill_random(tls.key, 32);
	fill_random(tls.salt, 4);
	if (connected(ends)) {
		fail("no connection: %s", strerror(errno));
		return;
	}
	result = tls_begin(ends[0], TLS_TX, &tls);
	if (!result)
		result = tls_begin(ends[0], TLS_RX, &tls);
	if (result)
		fail("TLS in the kernel: %s", strerror(result));
	for (unsigned int turn = 0; !result && turn < turns; turn++) {
		unsigned int bytes = 1 + random_below(turn < 20 ? 200 : 16384), got;

		fill_random(plain, bytes);
		if (write(ends[0], plain, bytes) != (ssize_t)bytes || read_whole(ends[1], wire, 5))
			fail("send: %s", strerror(errno));
		got = wire[3] << 8 | wire[4];
		if (got != bytes + 24 || read_whole(ends[1], wire + 5, got) ||
		    !tls_record(&tls, 0, turn, wire, back, bytes) || memcmp(back, plain, bytes))
			fail("record %u of %u bytes from the kernel", turn, bytes);
		fill_random(plain, bytes);
		tls_record(&tls, 1, turn, wire, plain, bytes);
		if (forge && turn == turns - 1)
			wire[13 + random_below(bytes + 16)] ^= 1;
		if (write(ends[1], wire, bytes + 29) != (ssize_t)bytes + 29)
			fail("send: %s", strerror(errno));
		memset(back, 0, bytes);
		if (forge && turn == turns - 1) {
			if (read(ends[0], back, bytes) >= 0 || errno != EBADMSG)
				fail("a forged record is taken");
		} else if (read_whole(ends[0], back, bytes) || memcmp(back, plain, bytes)) {
			fail("record %u of %u bytes to the kernel", turn, bytes);
		}
	}
	close(ends[0]);
	close(ends[1]);
	free(plain);
	free(wire);
	free(back);
}

/* Both ends in the kernel, many bytes at once. */
struct tls_stream {
	int file;
	uint8_t *bytes;
};

#define TLS_STREAM (1 << 20)

static void *tls_writer(void *argument)
{
	struct tls_stream *stream = argument;
	size_t at = 0;

	while (at < TLS_STREAM) {
		ssize_t here = write(stream->file, stream->bytes + at, TLS_STREAM - at);

		if (here <= 0)
			break;
		at += here;
	}
	return NULL;
}

static void tls_streams(void)
{
	struct tls tls = { .key_bytes = 16 };
	struct tls_stream stream;
	uint8_t *back = malloc(TLS_STREAM);
	pthread_t thread;
	int ends[2];

	fill_random(tls.key, 32);
	stream.bytes = malloc(TLS_STREAM);
	fill_random(stream.bytes, TLS_STREAM);
	if (connected(ends) || tls_begin(ends[0], TLS_TX, &tls) || tls_begin(ends[1], TLS_RX, &tls)) {
		fail("no TLS: %s", strerror(errno));
		return;
	}
	stream.file = ends[0];
	pthread_create(&thread, NULL, tls_writer, &stream);
	if (read_whole(ends[1], back, TLS_STREAM) || memcmp(back, stream.bytes, TLS_STREAM))
		fail("a stream of 1 MiB: %s", strerror(errno));
	pthread_join(thread, NULL);
	close(ends[0]);
	close(ends[1]);
	free(stream.bytes);
	free(back);
}

static void test_tls(void)
{
	unsigned long long before = messages();

	loopback_up();
	tls_records(16, 0);
	tls_records(32, 1);
	tls_streams();
	expect_card(before, 4 * 40 + 2 * 64, "TLS");
}

/* Files whose content follows from their number. */

#define FILES 12

static const char *folder;

static size_t file_bytes(unsigned int number)
{
	static const size_t sizes[] = { 1, 100, 4095, 4096, 4097, 16384, 65536, 100000, 262144, 500000,
					524288, 333333 };

	return sizes[number % FILES];
}

static uint8_t *file_content(unsigned int number)
{
	uint8_t *content = malloc(file_bytes(number));

	random_seed(1000 + number);
	fill_random(content, file_bytes(number));
	return content;
}

static int file_open(unsigned int number, int flags)
{
	char path[300];
	int file;

	snprintf(path, sizeof(path), "%s/file with a name that is longer than a block %u", folder, number);
	file = open(path, flags, 0600);
	if (file < 0)
		fail("%s: %s", path, strerror(errno));
	return file;
}

static void files_write(void)
{
	for (unsigned int number = 0; number < FILES; number++) {
		uint8_t *content = file_content(number);
		int file = file_open(number, O_CREAT | O_EXCL | O_WRONLY);

		if (write(file, content, file_bytes(number)) != (ssize_t)file_bytes(number))
			fail("file %u: %s", number, strerror(errno));
		fsync(file);
		close(file);
		free(content);
	}
}

static void drop_caches(void)
{
	int file = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	if (file < 0 || write(file, "3", 1) != 1)
		fail("drop_caches: %s", strerror(errno));
	close(file);
}

static void files_read(void)
{
	drop_caches();
	for (unsigned int number = 0; number < FILES; number++) {
		size_t bytes = file_bytes(number);
		uint8_t *content = file_content(number), *back = calloc(1, bytes + 1);
		int file = file_open(number, O_RDONLY);

		if (read_whole(file, back, bytes) || memcmp(back, content, bytes))
			fail("file %u has other bytes: %s", number, strerror(errno));
		if (read(file, back, 1))
			fail("file %u is longer", number);
		close(file);
		free(content);
		free(back);
	}
}

/*
 * Encrypted files: AES-256-XTS for contents, AES-256 in CBC with ciphertext stealing for names. The
 * kernel gives names to the card, through its own template. Contents it gives to no driver of hardware
 * where it has FSCRYPT_CRYPTOAPI_MASK, as Debian's 6.1 does.
 */
static void encrypted(int write)
{
	struct {
		struct fscrypt_add_key_arg argument;
		uint8_t raw[64];
	} key = { .argument = { .key_spec = { .type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER },
				.raw_size = 64 } };
	struct fscrypt_policy_v2 policy = {
		.version = FSCRYPT_POLICY_V2,
		.contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
		.filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
		.flags = FSCRYPT_POLICY_FLAGS_PAD_32,
	};
	unsigned long long before = messages();
	char path[300];
	int file = open(folder, O_RDONLY | O_DIRECTORY);

	for (unsigned int at = 0; at < 64; at++)
		key.raw[at] = 3 * at + 1;
	if (ioctl(file, FS_IOC_ADD_ENCRYPTION_KEY, &key)) {
		fail("key: %s", strerror(errno));
		return;
	}
	close(file);
	snprintf(path, sizeof(path), "%s/secret", folder);
	folder = path;
	if (write) {
		mkdir(folder, 0700);
		memcpy(policy.master_key_identifier, key.argument.key_spec.u.identifier, 16);
		file = open(folder, O_RDONLY | O_DIRECTORY);
		if (ioctl(file, FS_IOC_SET_ENCRYPTION_POLICY, &policy))
			fail("policy: %s", strerror(errno));
		close(file);
		files_write();
	}
	files_read();
	expect_card(before, FILES, "encrypted files");
}

/* The digest of fs-verity with SHA-256, blocks of 4096 bytes and no salt (its documentation in the kernel). */
static void verity_digest(const uint8_t *content, size_t bytes, uint8_t digest[32])
{
	size_t blocks = (bytes + 4095) / 4096, above;
	uint8_t *level = calloc(1, blocks * 4096), descriptor[256] = { 1, 1, 12 };

	memcpy(level, content, bytes);
	for (;;) {
		above = blocks == 1 ? 0 : (blocks + 127) / 128;
		uint8_t *next = calloc(1, (above ? above : 1) * 4096);

		for (size_t at = 0; at < blocks; at++)
			EVP_Digest(level + at * 4096, 4096, next + at * 32, NULL, EVP_sha256(), NULL);
		free(level);
		level = next;
		if (!above)
			break;
		blocks = above;
	}
	for (unsigned int at = 0; at < 8; at++)
		descriptor[8 + at] = (uint64_t)bytes >> 8 * at;
	memcpy(descriptor + 16, level, 32);
	EVP_Digest(descriptor, 256, digest, NULL, EVP_sha256(), NULL);
	free(level);
}

static void verity(int write)
{
	unsigned long long before = messages();

	if (write)
		files_write();
	for (unsigned int number = 0; number < FILES; number++) {
		struct fsverity_enable_arg enable = { .version = 1,
						      .hash_algorithm = FS_VERITY_HASH_ALG_SHA256,
						      .block_size = 4096 };
		struct {
			struct fsverity_digest digest;
			uint8_t bytes[64];
		} measured = { .digest = { .digest_size = 64 } };
		uint8_t *content = file_content(number), expected[32];
		int file = file_open(number, O_RDONLY);

		if (write && ioctl(file, FS_IOC_ENABLE_VERITY, &enable))
			fail("file %u: verity: %s", number, strerror(errno));
		verity_digest(content, file_bytes(number), expected);
		if (ioctl(file, FS_IOC_MEASURE_VERITY, &measured) || measured.digest.digest_size != 32 ||
		    memcmp(measured.digest.digest, expected, 32))
			fail("file %u has another digest: %s", number, strerror(errno));
		close(file);
		free(content);
	}
	files_read();
	expect_card(before, 300, "files with a Merkle tree");
}

static const struct test tests[] = { { "alg", test_alg, 0 }, { "tls", test_tls, 0 } };

int main(int count, char **arguments)
{
	char path[128];

	if (count < 2) {
		fprintf(stderr, "usage: kernel_test PREFIX [TEST ...]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s0", arguments[1]);
	with_driver = !access(path, F_OK);
	if (with_driver && device_begin(arguments[1]))
		return 1;
	if (count == 5) {
		folder = arguments[3];
		if (!strcmp(arguments[2], "encrypted"))
			encrypted(!strcmp(arguments[4], "write"));
		else
			verity(!strcmp(arguments[4], "write"));
		printf("%s %s %s\n", failures ? "not ok" : "ok", arguments[2], arguments[4]);
		return failures != 0;
	}
	return run_tests(tests, sizeof(tests) / sizeof(*tests), count - 2, arguments + 2);
}
