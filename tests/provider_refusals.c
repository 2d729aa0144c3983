/* Copyright Ciphermill contributors. */
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a provider takes and refuses of keys, digests and signatures. Run as
 *
 *     provider_refusals PROPERTIES
 *
 * It prints a line for each case: its name, and 1 where the provider took it, else 0.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURE_BYTES = 72, POINT_BYTES = 65 };

static const char *properties;

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static void tell(const char *name, int taken) {
    printf("%s=%d\n", name, taken == 1);
    ERR_clear_error();
}

static EVP_PKEY *generate(const char *group) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", properties);
    EVP_PKEY *key = NULL;
    require(context && EVP_PKEY_keygen_init(context) == 1, "there are no such keys");
    require(EVP_PKEY_CTX_set_group_name(context, group) == 1, "there is no such group");
    require(EVP_PKEY_generate(context, &key) == 1, "no key");
    EVP_PKEY_CTX_free(context);
    return key;
}

/* A public key of P-256 of a point as SEC 1 encodes it; null where it is refused. */
static EVP_PKEY *import(const unsigned char *point, size_t bytes) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", properties);
    EVP_PKEY *key = NULL;
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, bytes),
        OSSL_PARAM_construct_end(),
    };
    require(EVP_PKEY_fromdata_init(context) == 1, "no such keys");
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, list) != 1) key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static void tell_point(const char *name, const unsigned char *point, size_t bytes) {
    EVP_PKEY *key = import(point, bytes);
    tell(name, key != NULL);
    EVP_PKEY_free(key);
}

/* Whether a secret was derived. */
static int derive(EVP_PKEY *key, EVP_PKEY *peer) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, properties);
    unsigned char secret[66];
    size_t room = sizeof secret;
    int done = EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1
               && EVP_PKEY_derive(context, secret, &room) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

/* Whether a digest of SHA-256 was signed; how long the signature is. */
static int sign(EVP_PKEY *key, const unsigned char *digest, size_t digest_bytes,
                unsigned char *signature, size_t *bytes) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, properties);
    int done = EVP_PKEY_sign_init(context) == 1
               && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
               && EVP_PKEY_sign(context, signature, bytes, digest, digest_bytes) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

static int verify(EVP_PKEY *key, const unsigned char *digest, size_t digest_bytes,
                  const unsigned char *signature, size_t bytes) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, properties);
    int done = EVP_PKEY_verify_init(context) == 1
               && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
               && EVP_PKEY_verify(context, signature, bytes, digest, digest_bytes) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

static void tell_points(EVP_PKEY *key, const unsigned char *point) {
    unsigned char changed[POINT_BYTES + 1] = {0};
    tell_point("point", point, POINT_BYTES);
    tell_point("no_point", point, 0);
    tell_point("short_point", point, POINT_BYTES - 1);
    memcpy(changed, point, POINT_BYTES);
    tell_point("long_point", changed, POINT_BYTES + 1);
    changed[POINT_BYTES - 1] ^= 1;
    tell_point("point_off_the_curve", changed, POINT_BYTES);
    memset(changed + 1, 0xff, 32);
    tell_point("coordinate_above_the_prime", changed, POINT_BYTES);
    changed[0] = 5;
    tell_point("unknown_encoding", changed, POINT_BYTES);
    /* After the key was made. */
    tell("point_off_the_curve_set", EVP_PKEY_set1_encoded_public_key(key, changed, POINT_BYTES));
}

static void tell_signatures(EVP_PKEY *key, EVP_PKEY *public_key) {
    unsigned char digest[33] = {7}, made[SIGNATURE_BYTES + 1] = {0}, changed[SIGNATURE_BYTES + 2];
    size_t bytes = SIGNATURE_BYTES, short_room = 8, none = SIGNATURE_BYTES;
    tell("sign", sign(key, digest, 32, made, &bytes));
    tell("sign_short_digest", sign(key, digest, 31, changed, &none));
    none = SIGNATURE_BYTES;
    tell("sign_long_digest", sign(key, digest, 33, changed, &none));
    tell("sign_into_little_room", sign(key, digest, 32, changed, &short_room));
    none = SIGNATURE_BYTES;
    tell("sign_without_a_private_key", sign(public_key, digest, 32, changed, &none));
    tell("verify", verify(public_key, digest, 32, made, bytes));
    tell("verify_by_the_pair", verify(key, digest, 32, made, bytes));
    tell("verify_short_digest", verify(public_key, digest, 31, made, bytes));
    tell("verify_another_digest", verify(public_key, digest + 1, 32, made, bytes));
    tell("verify_no_signature", verify(public_key, digest, 32, made, 0));
    tell("verify_short_signature", verify(public_key, digest, 32, made, bytes - 1));
    tell("verify_long_signature", verify(public_key, digest, 32, made, bytes + 1));
    memcpy(changed, made, bytes);
    changed[0] = 0x31;
    tell("verify_a_set", verify(public_key, digest, 32, changed, bytes));
    /* The length in two bytes, which DER does not allow. */
    changed[0] = 0x30;
    changed[1] = 0x81;
    memcpy(changed + 2, made + 1, bytes - 1);
    tell("verify_long_length", verify(public_key, digest, 32, changed, bytes + 1));
    /* A sequence of r and s, where each is 0, negative or has a zero in front. */
    static const unsigned char zeros[] = {0x30, 6, 2, 1, 0, 2, 1, 0};
    static const unsigned char negative[] = {0x30, 6, 2, 1, 0x80, 2, 1, 1};
    static const unsigned char padded[] = {0x30, 7, 2, 2, 0, 1, 2, 1, 1};
    static const unsigned char alone[] = {0x30, 3, 2, 1, 1};
    tell("verify_zeros", verify(public_key, digest, 32, zeros, sizeof zeros));
    tell("verify_negative", verify(public_key, digest, 32, negative, sizeof negative));
    tell("verify_padded", verify(public_key, digest, 32, padded, sizeof padded));
    tell("verify_one_integer", verify(public_key, digest, 32, alone, sizeof alone));
}

int main(int arguments, char **argument) {
    unsigned char *point = NULL;
    require(arguments == 2, "usage: provider_refusals PROPERTIES");
    properties = argument[1];
    EVP_PKEY *key = generate("P-256"), *other = generate("P-384"), *public_key;
    EVP_PKEY *infinity = import((const unsigned char *)"", 1);
    require(EVP_PKEY_get1_encoded_public_key(key, &point) == POINT_BYTES, "no point");
    require((public_key = import(point, POINT_BYTES)) != NULL, "no public key");
    tell_signatures(key, public_key);
    tell("derive", derive(key, public_key));
    tell("derive_with_another_curve", derive(key, other));
    /* The point at infinity is refused by then, if not before. */
    tell("derive_with_infinity", infinity != NULL && derive(key, infinity));
    tell("derive_without_a_private_key", derive(public_key, key));
    tell_points(public_key, point);
    OPENSSL_free(point);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    EVP_PKEY_free(infinity);
    EVP_PKEY_free(public_key);
    return 0;
}
