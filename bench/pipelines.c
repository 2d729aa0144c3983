/* Copyright Ciphermill contributors. */
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates of cipher pipelines in OpenSSL 3.5, beside updates of one message each. Run as
 *
 *     pipelines CIPHER DIRECTION PIPES BYTES ROUNDS
 *
 * with an OPENSSL_CONF that loads the provider. Three ways to work on the same messages take turns:
 * a pipeline of the provider, its updates one after the other, and those of the default provider.
 * Their outputs are compared. It prints the median rate of each in MB/s, and the pipes that a
 * device did.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PIPES = 32, MOST_ROUNDS = 100, WAYS = 3, KEY_BYTES = 32, ROUND_BYTES = 32 << 20 };

static const unsigned char key[KEY_BYTES] = "sixteen and sixteen bytes of key";
static unsigned char *inputs[MOST_PIPES], *outputs[WAYS][MOST_PIPES], ivs[MOST_PIPES][16];
static size_t lengths[MOST_PIPES], rooms[MOST_PIPES], written[MOST_PIPES];
static size_t pipes, bytes;
static int encrypts;

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static EVP_CIPHER *fetch(const char *name, const char *properties) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, properties);
    require(cipher != NULL, properties);
    return cipher;
}

/* A message each in one update. The context has its cipher and its key. */
static void together(EVP_CIPHER_CTX *context, unsigned char **out, size_t iv_bytes) {
    const unsigned char *starts[MOST_PIPES];
    for (size_t pipe = 0; pipe < pipes; pipe++) starts[pipe] = ivs[pipe];
    int begun = encrypts
        ? EVP_CipherPipelineEncryptInit(context, NULL, NULL, 0, pipes, starts, iv_bytes)
        : EVP_CipherPipelineDecryptInit(context, NULL, NULL, 0, pipes, starts, iv_bytes);
    require(begun, "the pipeline does not begin");
    require(EVP_CipherPipelineUpdate(
                context, out, written, rooms, (const unsigned char **)inputs, lengths),
            "the pipeline is not updated");
}

/* The same, one after the other. */
static void in_turn(EVP_CIPHER_CTX *context, unsigned char **out) {
    for (size_t pipe = 0; pipe < pipes; pipe++) {
        int length = 0;
        require(EVP_CipherInit_ex2(context, NULL, NULL, ivs[pipe], encrypts, NULL) &&
                    EVP_CipherUpdate(context, out[pipe], &length, inputs[pipe], (int)bytes),
                "a message is not updated");
    }
}

static int by_value(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static uint64_t device_pipes(void) {
    uint64_t value = 0;
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "ciphermill");
    OSSL_PARAM asked[] = {OSSL_PARAM_construct_uint64("device_pipes", &value), OSSL_PARAM_END};
    require(provider && OSSL_PROVIDER_get_params(provider, asked), "no counter");
    return value;
}

int main(int count, char **arguments) {
    require(count == 6, "arguments: CIPHER DIRECTION PIPES BYTES ROUNDS");
    const char *name = arguments[1];
    encrypts = !strcmp(arguments[2], "encrypt");
    pipes = strtoul(arguments[3], NULL, 10);
    bytes = strtoul(arguments[4], NULL, 10);
    size_t rounds = strtoul(arguments[5], NULL, 10);
    require(pipes >= 1 && pipes <= MOST_PIPES && rounds >= 1 && rounds <= MOST_ROUNDS, "a number");
    for (size_t pipe = 0; pipe < pipes; pipe++) {
        inputs[pipe] = malloc(bytes);
        lengths[pipe] = bytes;
        rooms[pipe] = bytes + 16;
        for (size_t byte = 0; byte < bytes; byte++) inputs[pipe][byte] = rand();
        for (size_t byte = 0; byte < 16; byte++) ivs[pipe][byte] = rand();
        for (int way = 0; way < WAYS; way++) outputs[way][pipe] = calloc(1, bytes + 16);
    }
    EVP_CIPHER *ours = fetch(name, "provider=ciphermill"), *theirs = fetch(name, "provider=default");
    EVP_CIPHER_CTX *contexts[WAYS];
    size_t iv_bytes = EVP_CIPHER_get_iv_length(ours);
    for (int way = 0; way < WAYS; way++) {
        contexts[way] = EVP_CIPHER_CTX_new();
        EVP_CIPHER *cipher = way == 2 ? theirs : ours;
        require(EVP_CipherInit_ex2(contexts[way], cipher, key, ivs[0], encrypts, NULL), name);
        EVP_CIPHER_CTX_set_padding(contexts[way], 0);
    }
    size_t repeats = ROUND_BYTES / (pipes * bytes) + 1;
    double rates[WAYS][MOST_ROUNDS];
    /* The first round warms up, and measures thresholds. */
    for (size_t round = 0; round <= rounds; round++) {
        for (int turn = 0; turn < WAYS; turn++) {
            int way = (turn + (int)round) % WAYS;
            double began = seconds();
            for (size_t repeat = 0; repeat < repeats; repeat++) {
                if (way == 0) {
                    together(contexts[way], outputs[way], iv_bytes);
                } else {
                    in_turn(contexts[way], outputs[way]);
                }
            }
            double took = seconds() - began;
            rates[way][round ? round - 1 : 0] = repeats * pipes * bytes / took / 1e6;
        }
        for (size_t pipe = 0; pipe < pipes; pipe++) {
            require(!memcmp(outputs[0][pipe], outputs[2][pipe], bytes) &&
                        !memcmp(outputs[1][pipe], outputs[2][pipe], bytes),
                    "the outputs differ");
        }
    }
    for (int way = 0; way < WAYS; way++) {
        qsort(rates[way], rounds, sizeof rates[way][0], by_value);
        printf("%.1f ", rates[way][rounds / 2]);
    }
    printf("%llu\n", (unsigned long long)device_pipes());
    return 0;
}
