/* Copyright Ciphermill contributors. */
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with private keys that the OpenSSL provider never gives out. Run as
 *
 *     provider_held_keys CURVE REQUEST [SLOTS]
 *
 * with an OPENSSL_CONF that loads the provider with `keys = held`, as the first provider. It writes
 * a certificate request to the file REQUEST, and ends with 0 when all is well. SLOTS is the number of
 * the device's key slots, where it has some.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_SIGNATURE = 139, MOST_SLOTS = 16 };

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

/* The call failed, and the error queue says why. */
static void require_failure(int failed, const char *why, const char *what) {
    const char *reason = "";
    int flags, found = 0;
    require(failed, what);
    while (ERR_get_error_all(NULL, NULL, NULL, &reason, &flags))
        found |= (flags & ERR_TXT_STRING) && strstr(reason, why) != NULL;
    require(found, what);
}

static void require_refusal(int failed, const char *what) {
    require_failure(failed, "never given out", what);
}

static EVP_PKEY *public_part(EVP_PKEY *key) {
    unsigned char *encoded = NULL;
    int bytes = i2d_PUBKEY(key, &encoded);
    const unsigned char *start = encoded;
    EVP_PKEY *public_key;
    require(bytes > 0, "the public key was not encoded");
    public_key = d2i_PUBKEY(NULL, &start, bytes);
    require(public_key != NULL, "the public key was not decoded");
    OPENSSL_free(encoded);
    return public_key;
}

static void check_exports(EVP_PKEY *key) {
    BIGNUM *number = NULL;
    unsigned char *encoded = NULL;
    OSSL_PARAM *list = NULL;
    BIO *memory = BIO_new(BIO_s_mem());
    require_refusal(!EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number), "bn_param");
    require_refusal(i2d_PrivateKey(key, &encoded) <= 0, "i2d_PrivateKey");
    require_refusal(!EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &list), "EVP_PKEY_todata");
    require_refusal(!PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL), "PEM");
    require_refusal(!PEM_write_bio_PrivateKey_traditional(memory, key, NULL, NULL, 0, NULL, NULL),
                    "traditional PEM");
    require_refusal(EVP_PKEY_print_private(memory, key, 0, NULL) <= 0, "EVP_PKEY_print_private");
    require(BIO_pending(memory) == 0, "something of the private key was written");
    require(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &list), "no public parameters");
    require(OSSL_PARAM_locate(list, OSSL_PKEY_PARAM_PUB_KEY) != NULL, "no public key in them");
    require(OSSL_PARAM_locate(list, OSSL_PKEY_PARAM_PRIV_KEY) == NULL, "a private key in them");
    OSSL_PARAM_free(list);
    BIO_free(memory);
}

static void check_copies(EVP_PKEY *key, EVP_PKEY *public_key) {
    EVP_PKEY *copy = EVP_PKEY_dup(key);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL), *again;
    unsigned char one[66], other[66];
    size_t one_bytes = sizeof one, other_bytes = sizeof other;
    require(copy != NULL && EVP_PKEY_eq(copy, key) == 1, "no copy");
    require(EVP_PKEY_eq(key, public_key) == 1, "the public key is another");
    require(EVP_PKEY_pairwise_check(context) == 1, "the parts do not belong together");
    EVP_PKEY_CTX_free(context);
    context = EVP_PKEY_CTX_new_from_pkey(NULL, copy, NULL);
    EVP_PKEY_free(copy);
    require(EVP_PKEY_derive_init(context) == 1, "the key was refused");
    require(EVP_PKEY_derive_set_peer(context, public_key) == 1, "the peer was refused");
    require((again = EVP_PKEY_CTX_dup(context)) != NULL, "no copy of the context");
    require(EVP_PKEY_derive(context, one, &one_bytes) == 1, "no secret");
    EVP_PKEY_CTX_free(context);
    require(EVP_PKEY_derive(again, other, &other_bytes) == 1, "no secret of the copy");
    EVP_PKEY_CTX_free(again);
    require(one_bytes == other_bytes && !memcmp(one, other, one_bytes), "the secrets differ");
}

static void set_name(X509_NAME *name) {
    require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost",
                                       -1, -1, 0),
            "the name was refused");
}

static void write_request(EVP_PKEY *key, const char *path) {
    X509_REQ *request = X509_REQ_new();
    BIO *file = BIO_new_file(path, "w");
    set_name(X509_REQ_get_subject_name(request));
    require(X509_REQ_set_pubkey(request, key), "the public key was refused");
    require(X509_REQ_sign(request, key, EVP_sha256()) > 0, "the request was not signed");
    require(file && PEM_write_bio_X509_REQ(file, request), "the request was not written");
    BIO_free(file);
    X509_REQ_free(request);
}

static X509 *make_certificate(EVP_PKEY *key) {
    X509 *certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    set_name(X509_get_subject_name(certificate));
    set_name(X509_get_issuer_name(certificate));
    require(X509_set_pubkey(certificate, key), "the public key was refused");
    require(X509_sign(certificate, key, EVP_sha256()) > 0, "the certificate was not signed");
    return certificate;
}

/* A TLS 1.3 handshake in memory, whose server has the key; the shares are such keys too. */
static void check_tls(EVP_PKEY *key, const char *group) {
    X509 *certificate = make_certificate(key);
    SSL_CTX *serving = SSL_CTX_new(TLS_server_method()), *calling = SSL_CTX_new(TLS_client_method());
    SSL *server, *client;
    BIO *one, *other;
    char text[8] = {0};
    require(SSL_CTX_use_certificate(serving, certificate) == 1, "the certificate was refused");
    require(SSL_CTX_use_PrivateKey(serving, key) == 1, "the key was refused");
    require(SSL_CTX_check_private_key(serving) == 1, "key and certificate do not fit");
    require(X509_STORE_add_cert(SSL_CTX_get_cert_store(calling), certificate) == 1, "no trust");
    SSL_CTX_set_verify(calling, SSL_VERIFY_PEER, NULL);
    require(SSL_CTX_set_min_proto_version(calling, TLS1_3_VERSION) == 1, "no TLS 1.3");
    require(SSL_CTX_set1_groups_list(calling, group) == 1, "there is no such group");
    server = SSL_new(serving);
    client = SSL_new(calling);
    require(BIO_new_bio_pair(&one, 0, &other, 0) == 1, "no connection");
    SSL_set_bio(server, one, one);
    SSL_set_bio(client, other, other);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    for (int turn = 0; turn < 10 && !(SSL_is_init_finished(server) && SSL_is_init_finished(client));
         turn++) {
        SSL_do_handshake(client);
        SSL_do_handshake(server);
    }
    require(SSL_is_init_finished(server) && SSL_is_init_finished(client), "no handshake");
    require(SSL_write(server, "hello", 5) == 5, "nothing was sent");
    require(SSL_read(client, text, sizeof text) == 5 && !strcmp(text, "hello"), "nothing came");
    SSL_free(server);
    SSL_free(client);
    SSL_CTX_free(serving);
    SSL_CTX_free(calling);
    X509_free(certificate);
}

/* A key of a given private key: it is not given out either. */
static EVP_PKEY *import_key(const char *group) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    BIGNUM *number = NULL;
    OSSL_PARAM *list;
    EVP_PKEY *key = NULL;
    require(BN_dec2bn(&number, "271828182845904523536028747135266249775724709369995") > 0, "number");
    require(OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME, group, 0), "group");
    require(OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_PRIV_KEY, number), "private key");
    require((list = OSSL_PARAM_BLD_to_param(parts)) != NULL, "no list");
    require(EVP_PKEY_fromdata_init(context) == 1, "no such keys");
    require(EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, list) == 1, "no import");
    OSSL_PARAM_free(list);
    OSSL_PARAM_BLD_free(parts);
    BN_free(number);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* A signature of a message; 0 bytes where the key is refused. */
static size_t sign(EVP_PKEY *key, unsigned char *signature) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t bytes = LONGEST_SIGNATURE;
    if (EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) != 1 ||
        EVP_DigestSign(context, signature, &bytes, (const unsigned char *)"message", 7) != 1)
        bytes = 0;
    EVP_MD_CTX_free(context);
    return bytes;
}

/* The device signs: its nonces follow from key and digest, and those of the processor are random. */
static void require_device(EVP_PKEY *key, const char *what) {
    unsigned char one[LONGEST_SIGNATURE], other[LONGEST_SIGNATURE];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY *public_key = public_part(key);
    size_t bytes = sign(key, one);
    require(bytes > 0 && sign(key, other) == bytes && !memcmp(one, other, bytes), what);
    require(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, "provider=default", public_key,
                                    NULL) == 1,
            "the default provider refused the public key");
    require(EVP_DigestVerify(context, one, bytes, (const unsigned char *)"message", 7) == 1, what);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(public_key);
}

/* A forked child cannot use a key in hardware that its parent generated, and erases nothing. */
static void check_child(EVP_PKEY *key) {
    unsigned char signature[LONGEST_SIGNATURE];
    int status = 0;
    pid_t child = fork();
    require(child >= 0, "no child");
    if (child == 0) {
        int refused = sign(key, signature) == 0;
        EVP_PKEY_free(key);
        _exit(!refused);
    }
    require(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child did not end");
    require(WEXITSTATUS(status) == 0, "the child signed with its parent's key");
    require_device(key, "the parent's key was lost with the child");
}

static void check_slots(const char *group, int slots) {
    EVP_PKEY *keys[MOST_SLOTS], *copy, *imported;
    require(slots > 1 && slots <= MOST_SLOTS, "SLOTS is a number from 2 to 16");
    for (int slot = 0; slot < slots; slot++)
        require((keys[slot] = EVP_EC_gen(group)) != NULL, "no key was generated");
    require_failure(EVP_EC_gen(group) == NULL, "key slots", "there are more key slots");
    require_device(keys[slots - 1], "the last key does not sign");
    imported = import_key(group);
    require_device(imported, "an imported key does not sign while no key slot is free");
    EVP_PKEY_free(imported);

    require((copy = EVP_PKEY_dup(keys[0])) != NULL, "no copy");
    EVP_PKEY_free(keys[0]);
    require_failure(EVP_EC_gen(group) == NULL, "key slots", "a key was erased that has a copy");
    require_device(copy, "the copy does not sign");
    EVP_PKEY_free(copy);
    require((keys[0] = EVP_EC_gen(group)) != NULL, "the key slot was not given back");

    check_child(keys[0]);
    for (int slot = 0; slot < slots; slot++) EVP_PKEY_free(keys[slot]);
}

int main(int arguments, char **argument) {
    require(arguments == 3 || arguments == 4, "usage: provider_held_keys CURVE REQUEST [SLOTS]");
    EVP_PKEY *key = EVP_EC_gen(argument[1]), *public_key;
    require(key != NULL, "no key was generated");
    public_key = public_part(key);
    check_exports(key);
    check_copies(key, public_key);
    write_request(key, argument[2]);
    check_tls(key, argument[1]);
    EVP_PKEY_free(public_key);
    EVP_PKEY_free(key);
    key = import_key(argument[1]);
    public_key = public_part(key);
    check_exports(key);
    check_copies(key, public_key);
    EVP_PKEY_free(public_key);
    EVP_PKEY_free(key);
    if (arguments == 4) check_slots(argument[1], atoi(argument[3]));
    return 0;
}
