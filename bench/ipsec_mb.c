/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * AES-CBC encryption, AES-CMAC or SHA-2 of several streams by Intel's Multi-Buffer Crypto for
 * IPsec library, on one thread and in place: ipsec_mb best|avx2|aes-ni cbc|cmac|sha-256|sha-512
 * KEY_BITS STREAMS KEYS BYTES SECONDS. The streams take turns with so many keys. CMAC has keys of 128 or 256 bits.
 * Prints megabytes (10^6 bytes) a second.
 */
#include <intel-ipsec-mb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char *why) {
    fprintf(stderr, "ipsec_mb: %s\n", why);
    exit(1);
}

struct streams {
    IMB_HASH_ALG hash;
    unsigned count, keys, key_bits;
    size_t bytes;
    uint8_t *texts[IMB_MAX_BURST_SIZE];
    DECLARE_ALIGNED(uint32_t encryption[IMB_MAX_BURST_SIZE][15 * 4], 16);
    DECLARE_ALIGNED(uint32_t decryption[15 * 4], 16);
    DECLARE_ALIGNED(uint32_t subkeys[IMB_MAX_BURST_SIZE][2][4], 16);
};

static void expand(IMB_MGR *manager, struct streams *streams) {
    uint8_t key[32];
    for (unsigned number = 0; number < streams->keys; number++) {
        uint32_t *schedule = streams->encryption[number], (*subkeys)[4] = streams->subkeys[number];
        memset(key, (int)(0x5a ^ number), sizeof key);
        switch (streams->key_bits) {
        case 128:
            IMB_AES_KEYEXP_128(manager, key, schedule, streams->decryption);
            IMB_AES_CMAC_SUBKEY_GEN_128(manager, schedule, subkeys[0], subkeys[1]);
            break;
        case 192: IMB_AES_KEYEXP_192(manager, key, schedule, streams->decryption); break;
        case 256:
            IMB_AES_KEYEXP_256(manager, key, schedule, streams->decryption);
            IMB_AES_CMAC_SUBKEY_GEN_256(manager, schedule, subkeys[0], subkeys[1]);
            break;
        default: fail("a key has 128, 192 or 256 bits");
        }
    }
}

static void encrypt(IMB_MGR *manager, struct streams *streams) {
    static const uint8_t iv[16] = {1};
    static IMB_JOB jobs[IMB_MAX_BURST_SIZE];
    for (unsigned number = 0; number < streams->count; number++) {
        IMB_JOB *job = &jobs[number];
        job->src = job->dst = streams->texts[number];
        job->enc_keys = streams->encryption[number % streams->keys];
        job->dec_keys = streams->decryption;
        job->iv = iv;
        job->iv_len_in_bytes = sizeof iv;
        job->key_len_in_bytes = streams->key_bits / 8;
        job->cipher_start_src_offset_in_bytes = 0;
        job->msg_len_to_cipher_in_bytes = streams->bytes;
    }
    if (IMB_SUBMIT_CIPHER_BURST(manager, jobs, streams->count, IMB_CIPHER_CBC, IMB_DIR_ENCRYPT,
                                streams->key_bits / 8) != streams->count)
        fail("a job was not completed");
}

static void authenticate(IMB_MGR *manager, struct streams *streams) {
    static uint8_t codes[IMB_MAX_BURST_SIZE][64];
    const size_t code_bytes = streams->hash == IMB_AUTH_SHA_512   ? 64
                              : streams->hash == IMB_AUTH_SHA_256 ? 32
                                                                  : 16;
    IMB_JOB *jobs[IMB_MAX_BURST_SIZE];
    if (IMB_GET_NEXT_BURST(manager, streams->count, jobs) != streams->count)
        fail("there is no room for the jobs");
    for (unsigned number = 0; number < streams->count; number++) {
        const unsigned key = number % streams->keys;
        IMB_JOB *job = jobs[number];
        job->cipher_mode = IMB_CIPHER_NULL;
        job->cipher_direction = IMB_DIR_ENCRYPT;
        job->chain_order = IMB_ORDER_HASH_CIPHER;
        job->hash_alg = streams->hash;
        job->src = streams->texts[number];
        job->hash_start_src_offset_in_bytes = 0;
        job->msg_len_to_hash_in_bytes = streams->bytes;
        job->auth_tag_output = codes[number];
        job->auth_tag_output_len_in_bytes = code_bytes;
        if (streams->hash == IMB_AUTH_SHA_256 || streams->hash == IMB_AUTH_SHA_512) continue;
        job->u.CMAC._key_expanded = streams->encryption[key];
        job->u.CMAC._skey1 = streams->subkeys[key][0];
        job->u.CMAC._skey2 = streams->subkeys[key][1];
    }
    unsigned done = IMB_SUBMIT_BURST(manager, streams->count, jobs);
    done += IMB_FLUSH_BURST(manager, streams->count - done, jobs);
    if (done != streams->count) fail("a job was not completed");
}

int main(int count, char **arguments) {
    static struct streams streams;
    if (count != 8) fail("best|avx2|aes-ni cbc|cmac|sha-256|sha-512 KEY_BITS STREAMS KEYS BYTES SECONDS");
    streams.key_bits = (unsigned)atoi(arguments[3]);
    streams.count = (unsigned)atoi(arguments[4]);
    streams.keys = (unsigned)atoi(arguments[5]);
    streams.bytes = strtoull(arguments[6], NULL, 10);
    const double seconds = atof(arguments[7]);
    if (streams.count < 1 || streams.count > IMB_MAX_BURST_SIZE) fail("there are 1 to 128 streams");
    if (streams.keys < 1 || streams.keys > streams.count) fail("a key belongs to a stream");
    const char *what = arguments[2];
    if (strcmp(what, "sha-256") == 0) streams.hash = IMB_AUTH_SHA_256;
    else if (strcmp(what, "sha-512") == 0) streams.hash = IMB_AUTH_SHA_512;
    else if (strcmp(what, "cmac") == 0 && streams.key_bits == 128) streams.hash = IMB_AUTH_AES_CMAC;
    else if (strcmp(what, "cmac") == 0 && streams.key_bits == 256)
        streams.hash = IMB_AUTH_AES_CMAC_256;
    else if (strcmp(what, "cbc") == 0) streams.hash = IMB_AUTH_NULL;
    else fail("cbc, sha-256, sha-512, or cmac with keys of 128 or 256 bits");

    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager == NULL) fail("the library refuses this processor");
    if (strcmp(arguments[1], "best") == 0) init_mb_mgr_auto(manager, NULL);
    else if (strcmp(arguments[1], "avx2") == 0) init_mb_mgr_avx2(manager);
    else init_mb_mgr_avx(manager);
    expand(manager, &streams);
    for (unsigned number = 0; number < streams.count; number++)
        if ((streams.texts[number] = calloc(1, streams.bytes)) == NULL) fail("no memory");

    double start = now(), warm = start + seconds / 10, end = 0;
    unsigned long long done = 0;
    while (end == 0 || now() < end) {
        if (streams.hash == IMB_AUTH_NULL) encrypt(manager, &streams);
        else authenticate(manager, &streams);
        done += streams.count * streams.bytes;
        if (end == 0 && now() > warm) {
            done = 0;
            start = now();
            end = start + seconds;
        }
    }
    printf("%.1f\n", (double)done / (now() - start) / 1e6);
    return 0;
}
