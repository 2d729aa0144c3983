/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * AES-CBC encryption of several streams by Intel's Multi-Buffer Crypto for IPsec library, on one
 * thread and in place: ipsec_mb best|aes-ni KEY_BITS STREAMS BYTES SECONDS. Prints megabytes (10^6
 * bytes) a second.
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

int main(int count, char **arguments) {
    static const uint8_t iv[16] = {1};
    static uint8_t key[32];
    static DECLARE_ALIGNED(uint32_t encryption[15 * 4], 16);
    static DECLARE_ALIGNED(uint32_t decryption[15 * 4], 16);
    static IMB_JOB jobs[IMB_MAX_BURST_SIZE];
    static uint8_t *texts[IMB_MAX_BURST_SIZE];
    if (count != 6) fail("best|aes-ni KEY_BITS STREAMS BYTES SECONDS");
    const unsigned key_bits = (unsigned)atoi(arguments[2]), streams = (unsigned)atoi(arguments[3]);
    const size_t bytes = strtoull(arguments[4], NULL, 10);
    const double seconds = atof(arguments[5]);
    if (streams < 1 || streams > IMB_MAX_BURST_SIZE) fail("there are 1 to 128 streams");

    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager == NULL) fail("the library refuses this processor");
    if (strcmp(arguments[1], "best") == 0) init_mb_mgr_auto(manager, NULL);
    else init_mb_mgr_avx(manager);
    memset(key, 0x5a, sizeof key);
    switch (key_bits) {
    case 128: IMB_AES_KEYEXP_128(manager, key, encryption, decryption); break;
    case 192: IMB_AES_KEYEXP_192(manager, key, encryption, decryption); break;
    case 256: IMB_AES_KEYEXP_256(manager, key, encryption, decryption); break;
    default: fail("a key has 128, 192 or 256 bits");
    }
    for (unsigned number = 0; number < streams; number++)
        if ((texts[number] = calloc(1, bytes)) == NULL) fail("no memory");

    double start = now(), warm = start + seconds / 10, end = 0;
    unsigned long long done = 0;
    while (end == 0 || now() < end) {
        for (unsigned number = 0; number < streams; number++) {
            IMB_JOB *job = &jobs[number];
            job->src = job->dst = texts[number];
            job->enc_keys = encryption;
            job->dec_keys = decryption;
            job->iv = iv;
            job->iv_len_in_bytes = sizeof iv;
            job->key_len_in_bytes = key_bits / 8;
            job->cipher_start_src_offset_in_bytes = 0;
            job->msg_len_to_cipher_in_bytes = bytes;
        }
        if (IMB_SUBMIT_CIPHER_BURST(manager, jobs, streams, IMB_CIPHER_CBC, IMB_DIR_ENCRYPT,
                                    key_bits / 8) != streams)
            fail("a job was not completed");
        done += streams * bytes;
        if (end == 0 && now() > warm) {
            done = 0;
            start = now();
            end = start + seconds;
        }
    }
    printf("%.1f\n", (double)done / (now() - start) / 1e6);
    return 0;
}
