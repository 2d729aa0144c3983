/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ciphermill's engine for C: ciphers, digests, authentication codes, signatures and key agreement
 * on any device that it knows by name.
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
    /* The device cannot do this algorithm, mode, direction or key size. */
    CIPHERMILL_UNSUPPORTED = 2,
    /* The device failed, vanished or answered nonsense; or the system did. */
    CIPHERMILL_DEVICE = 3,
    /* The tag or the signature does not match: wrong key, or altered data. */
    CIPHERMILL_AUTHENTICATION = 4,
    /* The file is no container, is cut short or has changed. */
    CIPHERMILL_DAMAGED = 5,
    /* ciphermill_cancel was called. */
    CIPHERMILL_CANCELLED = 6,
    /* The device has no room left: all of its key slots are in use. */
    CIPHERMILL_NO_ROOM = 7
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
    /* AES: 16, 24 or 32. PRESENT: 10 or 16. */
    size_t key_bytes;
    /* CBC: the IV; CTR: the first counter block, both as long as a block: 16 bytes, in PRESENT 8.
     * GCM: the IV, 12 bytes. ECB: not read. */
    const uint8_t *iv;
    /* GCM, and authenticated ciphers: data that is authenticated only. */
    const uint8_t *associated_data;
    size_t associated_bytes;
    /* Null: AES in the mode. "aes" and "present" are block ciphers in the mode; PRESENT has ECB,
     * CBC and CTR, on accelerators alone. "ascon-aead128" is an authenticated cipher without modes,
     * with a key, a nonce (iv) and a tag of 16 bytes; mode is 0. In ciphermill_run_batch also a
     * digest or an authentication code, as ciphermill_digest and ciphermill_authenticate name them;
     * a code reads key beside it, and a digest nothing. */
    const char *algorithm;
} ciphermill_request;

typedef struct ciphermill_device ciphermill_device;

/* The library's version, such as "0.1.0". */
const char *ciphermill_version(void);

/* Why the last function that failed on this thread did; valid until the next one does. */
const char *ciphermill_error(void);

/* Open the device of this name ("cpu", "stream:/path", ...). models: the folder of built
 * models, for "model:NAME", or null for that which CIPHERMILL_MODELS names. A model is code: a
 * program with more rights than its user (set-user-ID, say) must name the folder itself, since
 * the variable is not read there. */
int ciphermill_open(const char *name, const char *models, ciphermill_device **device);

/* Close a device; null is nothing to close. */
void ciphermill_close(ciphermill_device *device);

/* Whether the device has AES in this mode and direction with this key size in bits: 1 or 0. */
int ciphermill_supports(const ciphermill_device *device, ciphermill_mode mode,
                        ciphermill_direction direction, size_t key_bits);

/* Run one message of so many bytes: whole blocks in ECB and CBC, without padding. The output
 * has as many bytes. It may be the input, or share no byte with it; where they overlap in part
 * this fails with CIPHERMILL_INVALID and writes nothing. Key, IV and associated data are copied
 * first and may lie anywhere. tag: 16 bytes, in GCM and authenticated ciphers only, which share
 * none with the output; encryption writes it, decryption reads it. After a failure an output in
 * the input's place is as it was, for which ECB, CBC and CTR keep a copy meanwhile: another place
 * is faster. There a part of the output may then be written, but never of a message with a tag. */
int ciphermill_run(const ciphermill_device *device, const ciphermill_request *request,
                   const uint8_t *input, uint8_t *output, size_t bytes, uint8_t *tag);

/* As ciphermill_run, of so many bytes in the device's own memory from this address on, in their place:
 * for "cuda" a CUdeviceptr on that device, allocated by the caller in its primary context or in a
 * memory pool, at any alignment; multiples of 4 are faster. What the driver says is elsewhere is
 * CIPHERMILL_INVALID. AES in ECB, CTR and GCM, and decryption in CBC. Work that was handed to the
 * device's driver before is waited for, and the call waits for its own; the thread's current context
 * stays as it was. The tag is in the host's memory; a message whose tag does not match is zeroised,
 * and where that fails, ciphermill_error() says that its bytes may still be there. After any other
 * failure the bytes may be processed in part. CIPHERMILL_UNSUPPORTED on devices without such memory. */
int ciphermill_run_in_memory(const ciphermill_device *device, const ciphermill_request *request,
                             uint64_t address, size_t bytes, uint8_t *tag);

/* A message of several. */
typedef struct {
    ciphermill_request request;
    const uint8_t *input;
    uint8_t *output;
    size_t bytes;
    /* As that of ciphermill_run. */
    uint8_t *tag;
    /* Bytes of the output of a digest or a code, which has exactly so many. Ciphers do not read it:
     * their output has as many bytes as the input. */
    size_t output_bytes;
    /* Written: how this message ended, a ciphermill_status. */
    int status;
} ciphermill_message;

/* Run so many messages at once, of any algorithms, lengths, keys and modes. All are in flight
 * together, and "cpu" works on several messages in CBC encryption or by "aes-cmac" side by side, which
 * takes little more time than one of them, and so on digests of SHA-2 where that is sooner. Each input is copied before any output is written, so that an output may lie over any
 * input; outputs share no byte with one another or with the messages. A message that fails leaves
 * the others alone, and its output as it was. CIPHERMILL_OK where all are done, else the status of
 * the first that is not. */
int ciphermill_run_batch(const ciphermill_device *device, ciphermill_message *messages,
                         size_t count);

/* Whether the device has this operation ("encrypt", "digest", "authenticate", ...) of this
 * algorithm ("aes", "present", "ascon-aead128", "sha-256", ...): 1 or 0. */
int ciphermill_offers(const ciphermill_device *device, const char *algorithm,
                      const char *operation);

/* The digest of a message: "sha-256", "sha-512/256" and "ascon-hash256" give 32 bytes, "sha-224"
 * and "sha-512/224" 28, "sha-384" 48, "sha-512" 64. digest_bytes must be as many. */
int ciphermill_digest(const ciphermill_device *device, const char *algorithm,
                      const uint8_t *input, size_t bytes, uint8_t *digest, size_t digest_bytes);

/* The authentication code of a message: "hmac-sha-256", and so with each of SHA-2, takes a key
 * of any length and gives as many bytes as the digest; "aes-cmac" takes a key of AES and gives 16
 * bytes. Compare codes in constant time. */
int ciphermill_authenticate(const ciphermill_device *device, const char *algorithm,
                            const uint8_t *key, size_t key_bytes, const uint8_t *input,
                            size_t bytes, uint8_t *code, size_t code_bytes);

/* ECDSA and ECDH on "p-256", "p-384" and "p-521". A private key is an integer, big endian, as long
 * as the curve's order: 32, 48 or 66 bytes. A public key is two coordinates and a signature the
 * integers r and s, each as long as that. Every length must be right. A private key that is zero
 * or not below the order, and a public key that is not a point of the curve, are
 * CIPHERMILL_INVALID; ciphermill_error() names the reason. */

/* A new key pair from the system's random numbers. Erase the private key after use. */
int ciphermill_generate_key(const ciphermill_device *device, const char *algorithm, uint8_t *key,
                            size_t key_bytes, uint8_t *public_key, size_t public_key_bytes);

/* Sign a digest of 1 to 64 bytes, of which the first are taken where it is longer than the order. */
int ciphermill_sign(const ciphermill_device *device, const char *algorithm, const uint8_t *key,
                    size_t key_bytes, const uint8_t *digest, size_t digest_bytes,
                    uint8_t *signature, size_t signature_bytes);

/* CIPHERMILL_OK where the signature of the digest is right, CIPHERMILL_AUTHENTICATION where it is
 * not; other statuses as above. */
int ciphermill_verify(const ciphermill_device *device, const char *algorithm,
                      const uint8_t *public_key, size_t public_key_bytes, const uint8_t *digest,
                      size_t digest_bytes, const uint8_t *signature, size_t signature_bytes);

/* The secret shared with the owner of a public key, as long as the private key. It is a coordinate,
 * not a random string: derive keys from it. */
int ciphermill_agree(const ciphermill_device *device, const char *algorithm, const uint8_t *key,
                     size_t key_bytes, const uint8_t *public_key, size_t public_key_bytes,
                     uint8_t *secret, size_t secret_bytes);

/* A private key that a device holds and never gives out. The device stays open as long. Several
 * threads may use the key at once. In a forked child a key of "cpu" works, as a copy; the use of a
 * key in hardware is CIPHERMILL_INVALID there. */
typedef struct ciphermill_key ciphermill_key;

/* Have a device hold a private key; where key is null and key_bytes 0, one that it generates. */
int ciphermill_hold_key(const ciphermill_device *device, const char *algorithm, const uint8_t *key,
                        size_t key_bytes, ciphermill_key **held_key);

/* The public key, and operations with the private key; otherwise as the functions above. */
int ciphermill_key_public(const ciphermill_key *key, uint8_t *public_key, size_t public_key_bytes);
int ciphermill_key_sign(const ciphermill_key *key, const uint8_t *digest, size_t digest_bytes,
                        uint8_t *signature, size_t signature_bytes);
int ciphermill_key_agree(const ciphermill_key *key, const uint8_t *public_key,
                         size_t public_key_bytes, uint8_t *secret, size_t secret_bytes);

/* Have the device erase the key, which nothing uses any more. Null is nothing. */
void ciphermill_key_free(ciphermill_key *key);

/* A flag that ends work on files from another thread or from a signal's handler. */
typedef struct ciphermill_cancellation ciphermill_cancellation;

/* How a file is encrypted or decrypted. Zero all of it, set size, then what is wanted: zero and
 * null are the defaults. Later versions add to the end. */
typedef struct {
    /* sizeof(ciphermill_file_options). */
    size_t size;
    /* A password, any bytes; or else a key of 16, 24 or 32 bytes. */
    const uint8_t *password;
    size_t password_bytes;
    const uint8_t *key;
    size_t key_bytes;
    /* The rest of this block is for encryption; decryption finds it in the file.
     * "gcm", "ctr", "cbc" or "ecb"; null: the device's best. */
    const char *mode;
    /* 128, 192 or 256 (0). */
    size_t key_bits;
    /* Plaintext in a chunk, a multiple of 16; 0: 1 MiB. */
    size_t chunk_bytes;
    /* How a password becomes a key: "scrypt" (null), "argon2id" or "pbkdf2". */
    const char *kdf;
    /* scrypt: a power of two, 0 is 128 MiB; argon2id: whole KiB, 0 is 64 MiB. */
    uint64_t kdf_memory_bytes;
    /* argon2id: passes, 0 is 3; scrypt: p, 0 is 1. */
    uint32_t kdf_passes;
    /* pbkdf2: 0 is 600,000. */
    uint32_t kdf_iterations;
    /* How many times the usual limits deriving the key may cost; 0 is 1. The cost stands in the
     * file: raise the limit only where you trust whoever made it. */
    uint32_t kdf_limit;
    /* Not 0: overwrite an output that exists. */
    uint32_t force;
    /* Ends the work when it is set, within a second also while a key is derived; or null. */
    const ciphermill_cancellation *cancellation;
} ciphermill_file_options;

/* Encrypt a file into a container, or decrypt one. "-" is standard input or output. The output
 * appears whole or not at all, and only if all of it was authentic; the input is never
 * overwritten. Memory that the key derivation cannot have is CIPHERMILL_DEVICE. */
int ciphermill_encrypt_file(const ciphermill_device *device, const char *input,
                            const char *output, const ciphermill_file_options *options);
int ciphermill_decrypt_file(const ciphermill_device *device, const char *input,
                            const char *output, const ciphermill_file_options *options);

/* A flag that is not set; set it (also in a signal's handler); free it when nothing uses it. */
ciphermill_cancellation *ciphermill_cancellation_new(void);
void ciphermill_cancel(const ciphermill_cancellation *cancellation);
void ciphermill_cancellation_free(ciphermill_cancellation *cancellation);

#ifdef __cplusplus
}
#endif

#endif
