// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// The thesis's application over device files: processes at once, each of which writes bytes into a
// stream of its own and reads what comes out, and compares it with OpenSSL's.
//
//     throughput PREFIX MODE BYTES STREAMS      PREFIX: /dev/ciphermill0-, MODE: ecb, cbc or ctr
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

/* What the application hands over at once. */
#define PIECE (64 * 1024)

static void stream(unsigned int ring, uint32_t mode, size_t bytes)
{
	int file = must_open(ring, 0), result;
	struct sample s;

	random_seed(ring + 1);
	sample_make(&s, mode, 32, bytes, 0, 0);
	if (set_key(file, &s))
		fail("ring %u: key: %s", ring, strerror(errno));
	result = check_stream(file, &s, PIECE);
	if (result)
		fail("ring %u: %d", ring, result);
	exit(failures != 0);
}

int main(int count, char **arguments)
{
	static const char *const names[] = { "ecb", "cbc", "ctr" };
	static const uint32_t modes[] = { CIPHERMILL_ECB, CIPHERMILL_CBC,
					  CIPHERMILL_CTR | CIPHERMILL_COUNTER_128 };
	unsigned int mode = 0, streams;
	int status, bad = 0;

	if (count != 5) {
		fprintf(stderr, "usage: throughput PREFIX MODE BYTES STREAMS\n");
		return 2;
	}
	while (mode < 3 && strcmp(arguments[2], names[mode]))
		mode++;
	streams = atoi(arguments[4]);
	if (mode == 3 || device_begin(arguments[1]) || !streams || streams > first_info.rings) {
		fprintf(stderr, "throughput: no such mode or number of streams\n");
		return 2;
	}
	for (unsigned int ring = 0; ring < streams; ring++)
		if (!fork())
			stream(ring, modes[mode], strtoul(arguments[3], NULL, 0));
	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}
