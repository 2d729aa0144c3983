/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The application `openssl` of a campaign: reads a file in updates, hands each to
 * EVP_CipherUpdate, and writes what comes back before it reads the next.
 *
 *   openssl_application INPUT OUTPUT CIPHER encrypt|decrypt KEY IV UPDATE_BYTES [PROVIDER_FOLDER]
 *
 * OUTPUT is a file, which is replaced when all has gone well, or `-`: the result is then dropped.
 * CIPHER is OpenSSL's name, KEY and IV are hexadecimal, and IV is `-` for a mode without one. With
 * PROVIDER_FOLDER the provider `ciphermill` in that folder does the work, else OpenSSL's own.
 * The provider takes its device from the environment (docs/reference/provider.md).
 *
 * Prints a line `ready` when cipher, device and files are open, and begins when its standard input
 * has ended, so that several can begin together. Then it prints one JSON object: bytes, began_s (of
 * the monotonic clock), time_total_s, time_inside_write_s (in the calls of OpenSSL), updates,
 * device_bytes and device_updates (what the provider's device did). Exits with 1 after an error,
 * whose text is on the standard error output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEY_BYTES = 32, IV_BYTES = 16, LONGEST_UPDATE = 1 << 30 };

static char part[4096]; /* The file that is being written, until it has its name. */

static void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    for (unsigned long code; (code = ERR_get_error()) != 0;) {
        const char *reason = ERR_reason_error_string(code);
        fprintf(stderr, ": %s", reason ? reason : "an error without a text");
    }
    fputc('\n', stderr);
    if (part[0])
        unlink(part);
    exit(1);
}

/* A data string of OpenSSL's errors tells more than their reason. */
static void fail_in(const char *call) {
    const char *data = NULL;
    int flags = 0;
    ERR_peek_last_error_data(&data, &flags);
    if (data && (flags & ERR_TXT_STRING))
        fail("%s: %s", call, data);
    fail("%s", call);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Bytes of a hexadecimal text; its length must be that of the bytes. */
static void parse(const char *text, unsigned char *bytes, size_t count, const char *what) {
    size_t found = 0;
    if (OPENSSL_hexstr2buf_ex(bytes, count, &found, text, 0) != 1 || found != count)
        fail("%s is not %zu bytes in hexadecimal", what, count);
}

/* Read until the buffer is full or the file ends. */
static size_t fill(int file, unsigned char *buffer, size_t wanted, const char *name) {
    size_t have = 0;
    while (have < wanted) {
        ssize_t got = read(file, buffer + have, wanted - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail("reading %s: %s", name, strerror(errno));
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return have;
}

static void drain(int file, const unsigned char *buffer, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t put = write(file, buffer + done, count - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            fail("writing %s: %s", part, strerror(errno));
        done += (size_t)put;
    }
}

static void wait_for_the_end_of(int file) {
    char ignored;
    for (;;) {
        ssize_t got = read(file, &ignored, 1);
        if (got == 0 || (got < 0 && errno != EINTR))
            return;
    }
}

static uint64_t count_of(const OSSL_PROVIDER *provider, const char *name) {
    uint64_t value = 0;
    OSSL_PARAM asked[] = {OSSL_PARAM_uint64(name, &value), OSSL_PARAM_END};
    if (provider && OSSL_PROVIDER_get_params(provider, asked) != 1)
        fail("the provider has no counter %s", name);
    return value;
}

static void start(EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, const unsigned char *key,
                  const unsigned char *iv, int encrypt) {
    if (EVP_CipherInit_ex2(context, cipher, key, iv, encrypt, NULL) != 1)
        fail_in("EVP_CipherInit_ex2");
    EVP_CIPHER_CTX_set_padding(context, 0);
}

int main(int count, char **arguments) {
    if (count != 8 && count != 9)
        fail("usage: %s INPUT OUTPUT CIPHER encrypt|decrypt KEY IV UPDATE_BYTES [PROVIDER_FOLDER]",
             arguments[0]);
    const char *input_name = arguments[1], *output_name = arguments[2], *name = arguments[3];
    int encrypt = strcmp(arguments[4], "encrypt") == 0;
    if (!encrypt && strcmp(arguments[4], "decrypt") != 0)
        fail("%s is neither encrypt nor decrypt", arguments[4]);
    unsigned char key[KEY_BYTES], iv[IV_BYTES];
    int has_iv = strcmp(arguments[6], "-") != 0;
    parse(arguments[5], key, sizeof key, "the key");
    if (has_iv)
        parse(arguments[6], iv, sizeof iv, "the IV");
    char *end = NULL;
    long update = strtol(arguments[7], &end, 10);
    if (*end || update < IV_BYTES || update > LONGEST_UPDATE || update % IV_BYTES)
        fail("%s bytes are no update of whole blocks", arguments[7]);

    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *provider = NULL;
    if (count == 9) {
        OSSL_PROVIDER_set_default_search_path(library, arguments[8]);
        provider = OSSL_PROVIDER_load(library, "ciphermill");
        if (!provider)
            fail_in("the provider ciphermill does not load");
    } else if (!OSSL_PROVIDER_load(library, "default")) {
        fail_in("the default provider does not load");
    }
    const char *which = provider ? "provider=ciphermill" : "provider=default";
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, name, which);
    if (!cipher)
        fail_in("EVP_CIPHER_fetch");
    if (EVP_CIPHER_get_key_length(cipher) != KEY_BYTES)
        fail("%s has keys of another length than %d bytes", name, KEY_BYTES);
    unsigned char *data = calloc(1, (size_t)update), *result = malloc((size_t)update + IV_BYTES);
    EVP_CIPHER_CTX *first = EVP_CIPHER_CTX_new(), *context = EVP_CIPHER_CTX_new();
    if (!data || !result || !first || !context)
        fail("there is no memory for an update of %ld bytes", update);

    /* The first update opens the device, which is not timed. A context that is freed has added to
     * the counters what it did. */
    int length = 0;
    start(first, cipher, key, has_iv ? iv : NULL, encrypt);
    if (EVP_CipherUpdate(first, result, &length, data, IV_BYTES) != 1)
        fail_in("EVP_CipherUpdate");
    EVP_CIPHER_CTX_free(first);
    start(context, cipher, key, has_iv ? iv : NULL, encrypt);
    uint64_t bytes_before = count_of(provider, "device_bytes");
    uint64_t updates_before = count_of(provider, "device_updates");

    int input = open(input_name, O_RDONLY | O_CLOEXEC), output = -1;
    if (input < 0)
        fail("%s: %s", input_name, strerror(errno));
    if (strcmp(output_name, "-") != 0) {
        if ((size_t)snprintf(part, sizeof part, "%s.part", output_name) >= sizeof part) {
            part[0] = 0;
            fail("%s is too long a name", output_name);
        }
        output = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (output < 0)
            fail("%s: %s", part, strerror(errno));
    }

    puts("ready");
    fflush(stdout);
    wait_for_the_end_of(STDIN_FILENO);

    double began = seconds(), inside = 0;
    unsigned long long bytes = 0, updates = 0;
    for (size_t got; (got = fill(input, data, (size_t)update, input_name)) > 0; updates++) {
        double before = seconds();
        if (EVP_CipherUpdate(context, result, &length, data, (int)got) != 1)
            fail_in("EVP_CipherUpdate");
        inside += seconds() - before;
        if (output >= 0)
            drain(output, result, (size_t)length);
        bytes += got;
    }
    double before = seconds();
    if (EVP_CipherFinal_ex(context, result, &length) != 1)
        fail_in("EVP_CipherFinal_ex (is the file a whole number of blocks?)");
    inside += seconds() - before;
    if (output >= 0) {
        drain(output, result, (size_t)length);
        if (fsync(output) != 0 || close(output) != 0)
            fail("%s: %s", part, strerror(errno));
        if (rename(part, output_name) != 0)
            fail("%s: %s", output_name, strerror(errno));
        part[0] = 0;
    }
    double total = seconds() - began;
    EVP_CIPHER_CTX_free(context);
    printf("{\"bytes\": %llu, \"began_s\": %.9f, \"time_total_s\": %.9f, "
           "\"time_inside_write_s\": %.9f, \"updates\": %llu, \"device_bytes\": %llu, \"device_updates\": %llu}\n",
           bytes, began, total, inside, updates,
           (unsigned long long)(count_of(provider, "device_bytes") - bytes_before),
           (unsigned long long)(count_of(provider, "device_updates") - updates_before));
    EVP_CIPHER_free(cipher);
    free(data);
    free(result);
    if (provider)
        OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(library);
    return 0;
}
