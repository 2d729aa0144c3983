/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library as a C program uses it; exits with the number of the check that failed.
 */
#include <ciphermill.h>
#include <stdio.h>
#include <string.h>

#define CHECK(number, condition)                                          \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "check %d: %s\n", number, ciphermill_error()); \
            return number;                                                \
        }                                                                 \
    } while (0)

/* SP 800-38A, F.2.5: AES-256 in CBC, first block. */
static const uint8_t key[32] = {
    0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
    0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4};
static const uint8_t iv[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t plain[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                  0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
static const uint8_t sealed[16] = {0xf5, 0x8c, 0x4c, 0x04, 0xd6, 0xe5, 0xf1, 0xba,
                                   0x77, 0x9e, 0xab, 0xfb, 0x5f, 0x7b, 0xfb, 0xd6};

int main(void) {
    ciphermill_device *device = NULL;
    CHECK(1, strchr(ciphermill_version(), '.') != NULL);
    CHECK(2, ciphermill_open("abacus", NULL, &device) == CIPHERMILL_INVALID && device == NULL);
    CHECK(3, strstr(ciphermill_error(), "abacus") != NULL);
    CHECK(4, ciphermill_open("cpu", NULL, &device) == CIPHERMILL_OK);
    CHECK(5, ciphermill_supports(device, CIPHERMILL_CBC, CIPHERMILL_DECRYPT, 256) == 1);
    CHECK(6, ciphermill_supports(device, CIPHERMILL_CBC, CIPHERMILL_DECRYPT, 255) == 0);

    ciphermill_request request = {0};
    uint8_t data[16], tag[16];
    request.mode = CIPHERMILL_CBC;
    request.key = key;
    request.key_bytes = sizeof key;
    request.iv = iv;
    CHECK(7, ciphermill_run(device, &request, plain, data, 16, NULL) == CIPHERMILL_OK);
    CHECK(8, memcmp(data, sealed, 16) == 0);
    request.direction = CIPHERMILL_DECRYPT;
    CHECK(9, ciphermill_run(device, &request, data, data, 16, NULL) == CIPHERMILL_OK);
    CHECK(10, memcmp(data, plain, 16) == 0);
    CHECK(11, ciphermill_run(device, &request, data, data, 15, NULL) == CIPHERMILL_INVALID);
    CHECK(12, strstr(ciphermill_error(), "blocks") != NULL);

    request.mode = CIPHERMILL_GCM;
    request.direction = CIPHERMILL_ENCRYPT;
    request.associated_data = iv;
    request.associated_bytes = sizeof iv;
    CHECK(13, ciphermill_run(device, &request, plain, data, 16, NULL) == CIPHERMILL_INVALID);
    CHECK(14, ciphermill_run(device, &request, plain, data, 16, tag) == CIPHERMILL_OK);
    request.direction = CIPHERMILL_DECRYPT;
    uint8_t back[16] = {0};
    tag[3] ^= 1;
    CHECK(15, ciphermill_run(device, &request, data, back, 16, tag) == CIPHERMILL_AUTHENTICATION);
    CHECK(16, back[0] == 0 && memcmp(back, back + 1, 15) == 0);
    tag[3] ^= 1;
    CHECK(17, ciphermill_run(device, &request, data, back, 16, tag) == CIPHERMILL_OK);
    CHECK(18, memcmp(back, plain, 16) == 0);
    request.mode = 9;
    CHECK(19, ciphermill_run(device, &request, data, back, 16, tag) == CIPHERMILL_INVALID);
    CHECK(20, ciphermill_run(NULL, &request, data, back, 16, tag) == CIPHERMILL_INVALID);

    /* Other algorithms; known answer 1 that Ascon's designers publish for SP 800-232. */
    static const uint8_t ascon_tag[16] = {0x44, 0x27, 0xd6, 0x4b, 0x8e, 0x1e, 0x14, 0x51,
                                          0xfc, 0x44, 0x59, 0x60, 0xf0, 0x83, 0x9b, 0xb0};
    ciphermill_request ascon = {0};
    ascon.algorithm = "ascon-aead128";
    ascon.key = iv;
    ascon.key_bytes = sizeof iv;
    ascon.iv = iv;
    CHECK(40, ciphermill_offers(device, "ascon-aead128", "decrypt") == 1);
    CHECK(41, ciphermill_offers(device, "ascon-aead128", "digest") == 0);
    CHECK(42, ciphermill_run(device, &ascon, NULL, NULL, 0, tag) == CIPHERMILL_OK);
    CHECK(43, memcmp(tag, ascon_tag, 16) == 0);
    CHECK(44, ciphermill_run(device, &ascon, plain, data, 16, tag) == CIPHERMILL_OK);
    ascon.direction = CIPHERMILL_DECRYPT;
    CHECK(45, ciphermill_run(device, &ascon, data, data, 16, tag) == CIPHERMILL_OK);
    CHECK(46, memcmp(data, plain, 16) == 0);
    CHECK(47, ciphermill_run(device, &ascon, data, data, 16, tag) == CIPHERMILL_AUTHENTICATION);
    CHECK(48, memcmp(data, plain, 16) == 0);
    ascon.algorithm = "sha-256";
    CHECK(49, ciphermill_run(device, &ascon, data, data, 16, tag) == CIPHERMILL_INVALID);

    /* A block cipher by its name: AES is also the one without; PRESENT needs an accelerator. */
    ciphermill_request named = {0};
    named.algorithm = "aes";
    named.mode = CIPHERMILL_CBC;
    named.key = key;
    named.key_bytes = sizeof key;
    named.iv = iv;
    CHECK(150, ciphermill_run(device, &named, plain, data, 16, NULL) == CIPHERMILL_OK);
    CHECK(151, memcmp(data, sealed, 16) == 0);
    named.algorithm = "present";
    named.key_bytes = 10;
    CHECK(153, ciphermill_run(device, &named, plain, data, 8, NULL) == CIPHERMILL_UNSUPPORTED);
    CHECK(154, strstr(ciphermill_error(), "PRESENT-80") != NULL);
    CHECK(155, ciphermill_offers(device, "present", "encrypt") == 0);
    named.key_bytes = 24;
    CHECK(156, ciphermill_run(device, &named, plain, data, 8, NULL) == CIPHERMILL_INVALID);
    named.key_bytes = 16;
    named.mode = CIPHERMILL_GCM;
    CHECK(157, ciphermill_run(device, &named, plain, data, 8, tag) == CIPHERMILL_INVALID);
    CHECK(158, strstr(ciphermill_error(), "no mode gcm") != NULL);
    CHECK(159, memcmp(data, sealed, 16) == 0);

    /* Twenty messages at once, in place: each as by itself, but one that is no whole block. */
    static uint8_t texts[20][320];
    ciphermill_message messages[20] = {{.status = -1}};
    for (size_t n = 0; n < 20; n++) {
        ciphermill_request one = {.mode = CIPHERMILL_CBC, .key = key, .key_bytes = 16, .iv = iv};
        memset(texts[n], (int)n, sizeof texts[n]);
        messages[n].request = one;
        messages[n].input = messages[n].output = texts[n];
        messages[n].bytes = n == 7 ? 17 : 16 * n;
    }
    CHECK(160, ciphermill_run_batch(device, messages, 20) == CIPHERMILL_INVALID);
    CHECK(161, strstr(ciphermill_error(), "blocks") != NULL);
    for (size_t n = 0; n < 20; n++) {
        uint8_t text[320];
        memset(text, (int)n, sizeof text);
        CHECK(162, messages[n].status == (n == 7 ? CIPHERMILL_INVALID : CIPHERMILL_OK));
        if (n != 7)
            CHECK(163, ciphermill_run(device, &messages[n].request, text, text, 16 * n, NULL) == 0);
        CHECK(164, memcmp(texts[n], text, sizeof text) == 0);
    }
    /* Digests and codes among them: each as by itself. */
    static const char *const names[] = {"sha-256", "sha-512", "hmac-sha-384", "aes-cmac"};
    static const size_t output_bytes[] = {32, 64, 48, 16};
    static uint8_t outputs[20][64];
    for (size_t n = 0; n < 20; n++) {
        ciphermill_request one = {.key = key, .key_bytes = 16, .algorithm = names[n % 4]};
        messages[n].request = one;
        messages[n].bytes = 16 * n;
        messages[n].output = outputs[n];
        messages[n].output_bytes = output_bytes[n % 4];
    }
    CHECK(167, ciphermill_run_batch(device, messages, 20) == CIPHERMILL_OK);
    for (size_t n = 0; n < 20; n++) {
        uint8_t alone[64] = {0};
        if (n % 4 < 2)
            CHECK(168, ciphermill_digest(device, names[n % 4], texts[n], 16 * n, alone,
                                         output_bytes[n % 4]) == CIPHERMILL_OK);
        else
            CHECK(169, ciphermill_authenticate(device, names[n % 4], key, 16, texts[n], 16 * n, alone,
                                               output_bytes[n % 4]) == CIPHERMILL_OK);
        CHECK(170, memcmp(outputs[n], alone, sizeof alone) == 0);
    }
    messages[0].output_bytes = 28;
    CHECK(171, ciphermill_run_batch(device, messages, 20) == CIPHERMILL_INVALID);
    CHECK(172, messages[0].status == CIPHERMILL_INVALID && messages[1].status == CIPHERMILL_OK);
    CHECK(165, ciphermill_run_batch(device, NULL, 2) == CIPHERMILL_INVALID);
    CHECK(166, ciphermill_run_batch(device, NULL, 0) == CIPHERMILL_OK);

    /* FIPS 180-4, "abc"; RFC 4231, test case 1. */
    const uint8_t *abc = (const uint8_t *)"abc", *hi = (const uint8_t *)"Hi There";
    uint8_t digest[32], hmac_key[20];
    memset(hmac_key, 0x0b, sizeof hmac_key);
    CHECK(50, ciphermill_digest(device, "sha-256", abc, 3, digest, 32) == CIPHERMILL_OK);
    CHECK(51, digest[0] == 0xba && digest[1] == 0x78 && digest[31] == 0xad);
    CHECK(52, ciphermill_digest(device, "sha-256", abc, 3, digest, 31) == CIPHERMILL_INVALID);
    CHECK(53, ciphermill_digest(device, "md5", abc, 3, digest, 16) == CIPHERMILL_INVALID);
    CHECK(54, strstr(ciphermill_error(), "sha-512") != NULL);
    CHECK(55, ciphermill_authenticate(device, "hmac-sha-256", hmac_key, sizeof hmac_key, hi, 8,
                                      digest, 32) == CIPHERMILL_OK);
    CHECK(56, digest[0] == 0xb0 && digest[1] == 0x34 && digest[31] == 0xf7);
    /* RFC 4493, example 1. */
    static const uint8_t cmac_key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                         0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    CHECK(57, ciphermill_authenticate(device, "aes-cmac", cmac_key, 16, hi, 0, digest, 16) ==
                  CIPHERMILL_OK);
    CHECK(58, digest[0] == 0xbb && digest[15] == 0x46);

    /* RFC 6979, A.2.5: a public key, the SHA-256 of "sample" and its signature. */
    static const char published[] =
        "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
        "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
        "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf"
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";
    uint8_t signer[160], *sample = signer + 64, *signature = signer + 96;
    for (size_t place = 0; place < sizeof signer; place++) {
        unsigned byte;
        CHECK(60, sscanf(published + 2 * place, "%2x", &byte) == 1);
        signer[place] = (uint8_t)byte;
    }
    CHECK(61, ciphermill_offers(device, "p-256", "sign") == 1);
    CHECK(62, ciphermill_verify(device, "p-256", signer, 64, sample, 32, signature, 64) ==
                  CIPHERMILL_OK);
    signature[5] ^= 1;
    CHECK(63, ciphermill_verify(device, "p-256", signer, 64, sample, 32, signature, 64) ==
                  CIPHERMILL_AUTHENTICATION);
    signer[63] ^= 1;
    CHECK(64, ciphermill_verify(device, "p-256", signer, 64, sample, 32, signature, 64) ==
                  CIPHERMILL_INVALID);
    CHECK(65, strstr(ciphermill_error(), "not a point of p-256") != NULL);

    uint8_t pairs[2][66 + 132], secrets[2][66], own[132];
    for (int pair = 0; pair < 2; pair++) {
        uint8_t *key = pairs[pair];
        CHECK(66, ciphermill_generate_key(device, "p-521", key, 66, key + 66, 132) ==
                      CIPHERMILL_OK);
    }
    CHECK(67, memcmp(pairs[0], pairs[1], 66) != 0);
    for (int pair = 0; pair < 2; pair++) {
        CHECK(68, ciphermill_agree(device, "p-521", pairs[pair], 66, pairs[1 - pair] + 66, 132,
                                   secrets[pair], 66) == CIPHERMILL_OK);
    }
    CHECK(69, memcmp(secrets[0], secrets[1], 66) == 0);
    CHECK(70, ciphermill_sign(device, "p-521", pairs[0], 66, sample, 32, own, 132) ==
                  CIPHERMILL_OK);
    CHECK(71, ciphermill_verify(device, "p-521", pairs[0] + 66, 132, sample, 32, own, 132) ==
                  CIPHERMILL_OK);
    CHECK(72, ciphermill_verify(device, "p-521", pairs[1] + 66, 132, sample, 32, own, 132) ==
                  CIPHERMILL_AUTHENTICATION);
    CHECK(73, ciphermill_sign(device, "p-521", pairs[0], 66, sample, 32, own, 131) ==
                  CIPHERMILL_INVALID);
    CHECK(74, ciphermill_generate_key(device, "p-521", own, 66, own + 65, 132) ==
                  CIPHERMILL_INVALID);
    CHECK(75, ciphermill_sign(device, "sha-256", pairs[0], 66, sample, 32, own, 132) ==
                  CIPHERMILL_INVALID);

    /* A key that the device holds, generated and given. */
    for (int given = 0; given < 2; given++) {
        ciphermill_key *held = NULL;
        uint8_t public_key[132];
        CHECK(80, ciphermill_hold_key(device, "p-521", given ? pairs[0] : NULL, given ? 66 : 0,
                                      &held) == CIPHERMILL_OK);
        CHECK(81, ciphermill_key_public(held, public_key, 132) == CIPHERMILL_OK);
        CHECK(82, (memcmp(public_key, pairs[0] + 66, 132) == 0) == given);
        CHECK(83, ciphermill_key_sign(held, sample, 32, own, 132) == CIPHERMILL_OK);
        CHECK(84, ciphermill_verify(device, "p-521", public_key, 132, sample, 32, own, 132) ==
                      CIPHERMILL_OK);
        CHECK(85, ciphermill_key_agree(held, pairs[1] + 66, 132, secrets[1], 66) == CIPHERMILL_OK);
        CHECK(86, (memcmp(secrets[0], secrets[1], 66) == 0) == given);
        ciphermill_key_free(held);
    }
    ciphermill_key *none = NULL;
    CHECK(87, ciphermill_hold_key(device, "p-521", pairs[0], 65, &none) == CIPHERMILL_INVALID);
    CHECK(88, ciphermill_hold_key(device, "p-521", NULL, 66, &none) == CIPHERMILL_INVALID);
    CHECK(89, none == NULL);

    /* Input and output that overlap in part. */
    uint8_t places[48] = {0};
    request.associated_bytes = 0;
    request.mode = CIPHERMILL_CTR;
    request.direction = CIPHERMILL_ENCRYPT;
    CHECK(21, ciphermill_run(device, &request, places, places + 1, 32, NULL) == CIPHERMILL_INVALID);
    CHECK(22, strstr(ciphermill_error(), "overlap") != NULL);
    CHECK(23, ciphermill_run(device, &request, places + 16, places, 32, NULL) == CIPHERMILL_INVALID);
    CHECK(24, places[0] == 0 && memcmp(places, places + 1, 47) == 0);
    CHECK(25, ciphermill_run(device, &request, places, places + 16, 16, NULL) == CIPHERMILL_OK);

    /* A file, with a chosen cost of key derivation. */
    FILE *file = fopen("plain", "wb");
    CHECK(26, file != NULL && fwrite(plain, 1, sizeof plain, file) == sizeof plain);
    CHECK(27, fclose(file) == 0);
    ciphermill_file_options options = {0};
    CHECK(28, ciphermill_encrypt_file(device, "plain", "x", &options) == CIPHERMILL_INVALID);
    options.size = sizeof options;
    CHECK(29, ciphermill_encrypt_file(device, "plain", "x", &options) == CIPHERMILL_INVALID);
    options.password = plain;
    options.password_bytes = sizeof plain;
    options.kdf = "pbkdf2";
    options.kdf_iterations = 10000001;
    CHECK(30, ciphermill_encrypt_file(device, "plain", "x", &options) == CIPHERMILL_INVALID);
    CHECK(31, strstr(ciphermill_error(), "--kdf-limit 2") != NULL);
    options.kdf_limit = 2;
    CHECK(32, ciphermill_encrypt_file(device, "plain", "x", &options) == CIPHERMILL_OK);
    options.kdf_limit = 0;
    CHECK(33, ciphermill_decrypt_file(device, "x", "back", &options) == CIPHERMILL_DAMAGED);
    options.kdf_limit = 2;
    CHECK(34, ciphermill_decrypt_file(device, "x", "plain", &options) == CIPHERMILL_INVALID);
    CHECK(35, ciphermill_decrypt_file(device, "x", "back", &options) == CIPHERMILL_OK);
    uint8_t read[17];
    file = fopen("back", "rb");
    CHECK(36, file != NULL && fread(read, 1, sizeof read, file) == sizeof plain);
    CHECK(37, fclose(file) == 0 && memcmp(read, plain, sizeof plain) == 0);
    options.password_bytes--;
    options.force = 1;
    CHECK(38, ciphermill_decrypt_file(device, "x", "back", &options) == CIPHERMILL_AUTHENTICATION);

    /* A cancelled call ends, though it would take hours. */
    ciphermill_cancellation *cancellation = ciphermill_cancellation_new();
    ciphermill_cancel(cancellation);
    options.cancellation = cancellation;
    options.kdf_iterations = 4000000000u;
    options.kdf_limit = 1000;
    CHECK(39, ciphermill_encrypt_file(device, "plain", "y", &options) == CIPHERMILL_CANCELLED);
    ciphermill_cancellation_free(cancellation);
    ciphermill_cancellation_free(NULL);
    ciphermill_close(device);
    ciphermill_close(NULL);
    return 0;
}
