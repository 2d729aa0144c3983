/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ciphermill's engine for C: AES on any device that it knows by name.
 *
 * Functions that can fail return 0 when they did not, else a ciphermill_status; the message
 * is then in ciphermill_error(). A device may be used by several threads at once, but for
 * device files ("stream:"), which have one queue: while a thread runs a message, another's
 * fails with CIPHERMILL_DEVICE. It must be opened anew in a forked child.
 */
#ifndef CIPHERMILL_H
#define CIPHERMILL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CIPHERMILL_OK = 0,
    /* The caller asked for something that cannot be: a bad length, key or pointer. */
    CIPHERMILL_INVALID = 1,
    /* The device cannot do this mode, direction or key size. */
    CIPHERMILL_UNSUPPORTED = 2,
    /* The device failed, vanished or answered nonsense; or the system did. */
    CIPHERMILL_DEVICE = 3,
    /* The tag does not match: wrong key, or altered data. */
    CIPHERMILL_AUTHENTICATION = 4
} ciphermill_status;

typedef enum {
    CIPHERMILL_ECB = 0,
    CIPHERMILL_CBC = 1,
    CIPHERMILL_CTR = 2,
    CIPHERMILL_GCM = 3
} ciphermill_mode;

typedef enum { CIPHERMILL_ENCRYPT = 0, CIPHERMILL_DECRYPT = 1 } ciphermill_direction;

/* What to do with a message. Zero what is not used. */
typedef struct {
    /* A ciphermill_mode and a ciphermill_direction. */
    uint32_t mode;
    uint32_t direction;
    const uint8_t *key;
    /* 16, 24 or 32. */
    size_t key_bytes;
    /* CBC: the IV; CTR: the first counter block, both 16 bytes. GCM: the IV, 12 bytes.
     * ECB: not read. */
    const uint8_t *iv;
    /* GCM: data that is authenticated only. */
    const uint8_t *associated_data;
    size_t associated_bytes;
} ciphermill_request;

typedef struct ciphermill_device ciphermill_device;

/* The library's version, such as "0.1.0". */
const char *ciphermill_version(void);

/* Why the last function that failed on this thread did; valid until the next one does. */
const char *ciphermill_error(void);

/* Open the device of this name ("cpu", "stream:/path", ...). models: the folder of built
 * models, for "model:NAME", or null for that which CIPHERMILL_MODELS names. */
int ciphermill_open(const char *name, const char *models, ciphermill_device **device);

/* Close a device; null is nothing to close. */
void ciphermill_close(ciphermill_device *device);

/* Whether the device has this mode, direction and key size in bits: 1 or 0. */
int ciphermill_supports(const ciphermill_device *device, ciphermill_mode mode,
                        ciphermill_direction direction, size_t key_bits);

/* Run one message of so many bytes: whole blocks in ECB and CBC, without padding. The output
 * has as many bytes and may be the input. tag: 16 bytes, in GCM only; encryption writes it,
 * decryption reads it. After a failure an output in the input's place is as it was, for which
 * ECB, CBC and CTR keep a copy meanwhile: another place is faster. There a part of the output
 * may then be written, but never in GCM. */
int ciphermill_run(const ciphermill_device *device, const ciphermill_request *request,
                   const uint8_t *input, uint8_t *output, size_t bytes, uint8_t *tag);

#ifdef __cplusplus
}
#endif

#endif
