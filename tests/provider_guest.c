/* Copyright Ciphermill contributors. */
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that has the OpenSSL provider in its process, and that expects its process to
 * stay its own. Run as
 *
 *     provider_guest CHECK PROPERTIES [UID]
 *
 * with an OPENSSL_CONF that loads the provider and sends it every update. PROPERTIES choose
 * whose AES and keys are used. It prints what it counted, and ends with 0 when all is well, with 77
 * when the system does not allow the check.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <malloc.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 1 << 20, NOT_POSSIBLE = 77 };

static const char *properties;

static void fail(const char *what) {
    fprintf(stderr, "%s (errno: %s)\n", what, strerror(errno));
    exit(1);
}

static void require(int holds, const char *what) {
    if (!holds) fail(what);
}

static void rest(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Threads of this process. */
static int threads(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    require(folder != NULL, "there is no /proc");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Read the configuration, which loads the provider. */
static void load(void) {
    require(OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL), "no configuration");
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CTR", properties);
    require(cipher != NULL, "there is no such AES");
    EVP_CIPHER_free(cipher);
}

/* A context that has a key. */
static EVP_CIPHER_CTX *begin(const char *name, const char *whose) {
    static const unsigned char key[32], iv[16];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, whose);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    require(cipher && context, "there is no such AES");
    require(EVP_EncryptInit_ex2(context, cipher, key, iv, NULL), "the key was refused");
    EVP_CIPHER_free(cipher);
    return context;
}

static void encrypt(const char *whose, unsigned char *data, int bytes) {
    EVP_CIPHER_CTX *context = begin("AES-256-CTR", whose);
    int length = 0;
    require(EVP_EncryptUpdate(context, data, &length, data, bytes), "the update failed");
    require(length == bytes, "the update was cut short");
    EVP_CIPHER_CTX_free(context);
}

/* Encrypt something long, and compare it with what the default provider makes of it. */
static void use(void) {
    unsigned char *ours = calloc(1, MESSAGE_BYTES), *theirs = calloc(1, MESSAGE_BYTES);
    require(ours && theirs, "no memory");
    encrypt("provider=default", theirs, MESSAGE_BYTES);
    encrypt(properties, ours, MESSAGE_BYTES);
    require(memcmp(ours, theirs, MESSAGE_BYTES) == 0, "the ciphertexts differ");
    free(ours);
    free(theirs);
}

/* Use it until other threads run, as they do for a second; how many there are. On a busy
 * machine they may have ended before they are counted. */
static int use_until_threads(void) {
    int running = 1;
    for (int turn = 0; turn < 20 && running == 1; turn++) {
        use();
        running = threads();
    }
    return running;
}

/* Wait, ten seconds at most, until the process has one thread again; how many it has. */
static int settle(void) {
    for (int tenths = 0; tenths < 100 && threads() > 1; tenths++) rest(100);
    return threads();
}

static volatile sig_atomic_t taken;

static void take(int number) {
    (void)number;
    taken = 1;
}

/* A signal that this thread has blocked is still there when it waits for it. */
static void check_signals(void) {
    struct sigaction action = {.sa_handler = take};
    sigset_t blocked, before;
    load();
    int running = use_until_threads();
    require(sigaction(SIGUSR1, &action, NULL) == 0, "no handler");
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    require(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0, "the mask was refused");
    require(kill(getpid(), SIGUSR1) == 0, "no signal was sent");
    rest(50);
    require(!taken, "another thread took the signal");
    struct timespec patience = {20, 0};
    require(ppoll(NULL, 0, &patience, &before) == -1 && errno == EINTR, "ppoll slept through it");
    require(taken, "the handler did not run");
    printf("threads=%d\n", running);
}

/* Threads after the load, in use, and at rest. */
static void check_threads(void) {
    require(threads() == 1, "this program has threads of its own");
    load();
    int loaded = threads();
    int used = use_until_threads();
    printf("loaded=%d used=%d idle=%d\n", loaded, used, settle());
}

/* A user namespace, which a process with several threads is refused. */
static void check_namespace(int used) {
    load();
    if (used) {
        use();
        settle();
    }
    require(threads() == 1, "the process has other threads");
    if (unshare(CLONE_NEWUSER) != 0) {
        if (errno == EPERM || errno == ENOSPC || errno == ENOSYS) exit(NOT_POSSIBLE);
        fail("unshare");
    }
}

static void *nothing(void *argument) {
    return argument;
}

/* A user that may have one process, which is this one, and thus no other thread. */
static void check_limit(unsigned user) {
    struct rlimit one = {1, 1};
    pthread_t thread;
    if (geteuid() == 0) {
        if (setgroups(0, NULL) || setgid(user) || setuid(user)) exit(NOT_POSSIBLE);
    }
    require(setrlimit(RLIMIT_NPROC, &one) == 0, "the limit was refused");
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) exit(NOT_POSSIBLE);
    load();
    use();
    use();
}

/* Updates of a context that is never freed, nor its cipher; then the chosen kind of exit. */
static void check_ends(int killed) {
    unsigned char data[64] = {0};
    int length;
    EVP_CIPHER_CTX *context = begin("AES-256-CTR", properties);
    require(EVP_CIPHER_fetch(NULL, "AES-256-CTR", properties) != NULL, "no cipher to keep");
    for (int update = 0; update < 1000; update++)
        require(EVP_EncryptUpdate(context, data, &length, data, sizeof data), "an update failed");
    if (killed) raise(SIGKILL);
}

/* Bytes of this process's address space. */
static size_t mapped(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    require(file && fscanf(file, "%lu", &pages) == 1, "there is no /proc");
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* An operation failed for lack of memory, and OpenSSL's error queue says so. */
static void require_no_memory(int status, const char *what) {
    require(status <= 0, what);
    require(ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE, "another error came");
    ERR_clear_error();
}

/* Buffers as long as a message are not to be had. Where software may complete an operation, it
 * does; else it fails. */
static void check_memory(int fails) {
    enum { BYTES = 8 << 20, SPARE = 1 << 20 };
    static unsigned char data[BYTES], expected[BYTES], tag[16], expected_tag[16];
    int length;
    /* Longer blocks are always mapped, and given back when they are freed. */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    load();
    EVP_CIPHER_CTX *kept = begin("AES-256-GCM", properties), *copy = EVP_CIPHER_CTX_new();
    EVP_CIPHER_CTX *next = begin("AES-256-GCM", properties);
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", properties);
    require(hmac != NULL, "there is no HMAC");
    EVP_MAC_CTX *code = EVP_MAC_CTX_new(hmac);
    OSSL_PARAM digest[] = {OSSL_PARAM_utf8_string("digest", "SHA256", 6), OSSL_PARAM_END};
    require(code && EVP_MAC_CTX_set_params(code, digest), "no HMAC with SHA-256");
    require(EVP_EncryptUpdate(kept, expected, &length, data, BYTES), "the update failed");

    struct rlimit limit = {mapped() + SPARE, mapped() + SPARE};
    require(setrlimit(RLIMIT_AS, &limit) == 0, "the limit was refused");
    require_no_memory(EVP_CIPHER_CTX_copy(copy, kept), "there was memory for a copy");
    require_no_memory(EVP_MAC_init(code, data, BYTES, NULL), "there was memory for a key");
    int status = EVP_EncryptUpdate(next, data, &length, data, BYTES);
    if (fails) {
        require_no_memory(status, "there was memory for a buffer");
        return;
    }
    require(status == 1 && memcmp(data, expected, BYTES) == 0, "the ciphertexts differ");
    require(EVP_EncryptFinal_ex(kept, expected_tag, &length), "no end");
    require(EVP_EncryptFinal_ex(next, tag, &length), "no end");
    require(EVP_CIPHER_CTX_ctrl(kept, EVP_CTRL_AEAD_GET_TAG, 16, expected_tag), "no tag");
    require(EVP_CIPHER_CTX_ctrl(next, EVP_CTRL_AEAD_GET_TAG, 16, tag), "no tag");
    require(memcmp(tag, expected_tag, 16) == 0, "the tags differ");
}

enum { SIGNATURE_BYTES = 72 };

/* The public part of a key, since another provider gets no private key that is held. */
static EVP_PKEY *public_part(EVP_PKEY *key) {
    unsigned char *encoded = NULL;
    int bytes = i2d_PUBKEY(key, &encoded);
    const unsigned char *start = encoded;
    EVP_PKEY *public_key = d2i_PUBKEY(NULL, &start, bytes);
    require(public_key != NULL, "no public key");
    OPENSSL_free(encoded);
    return public_key;
}

/* Sign a message, going on from a copy of the context half-way; verify it with whose software. */
static size_t sign(EVP_PKEY *key, const char *verifier, unsigned char *signature) {
    EVP_PKEY *public_key = public_part(key);
    size_t bytes = SIGNATURE_BYTES;
    EVP_MD_CTX *context = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
    require(EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, properties, key, NULL) == 1,
            "the key was refused");
    require(EVP_DigestSignUpdate(context, "mess", 4) == 1, "the message was refused");
    require(EVP_MD_CTX_copy_ex(copy, context) == 1, "no copy");
    EVP_MD_CTX_free(context);
    require(EVP_DigestSignUpdate(copy, "age", 3) == 1, "the message was refused");
    require(EVP_DigestSignFinal(copy, signature, &bytes) == 1, "no signature");
    EVP_MD_CTX_free(copy);
    context = EVP_MD_CTX_new();
    require(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, verifier, public_key, NULL) == 1,
            "the key was refused");
    require(EVP_DigestVerify(context, signature, bytes, (const unsigned char *)"message", 7) == 1,
            "the signature is wrong");
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(public_key);
    return bytes;
}

/* OpenSSL itself may hang in a child that was forked while a thread was inside it. */
static pthread_rwlock_t no_fork =
    PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *sign_often(void *key) {
    unsigned char signature[SIGNATURE_BYTES];
    for (int turn = 0; turn < 50; turn++) {
        pthread_rwlock_rdlock(&no_fork);
        sign(key, turn % 2 ? properties : "provider=default", signature);
        pthread_rwlock_unlock(&no_fork);
    }
    return NULL;
}

/* A key that threads and a forked child sign with at once, no two of them with one nonce. */
static void check_keys(void) {
    unsigned char here[SIGNATURE_BYTES] = {0}, there[SIGNATURE_BYTES] = {0};
    pthread_t thread[4];
    int ends[2], status;
    load();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", properties);
    EVP_PKEY *key = NULL, *copy;
    require(context && EVP_PKEY_keygen_init(context) == 1, "there are no such keys");
    require(EVP_PKEY_CTX_set_group_name(context, "P-256") == 1, "there is no P-256");
    require(EVP_PKEY_generate(context, &key) == 1, "no key");
    EVP_PKEY_CTX_free(context);
    require((copy = EVP_PKEY_dup(key)) != NULL && EVP_PKEY_eq(copy, key) == 1, "no copy");
    for (int number = 0; number < 4; number++)
        require(pthread_create(&thread[number], NULL, sign_often, key) == 0, "no thread");
    require(pipe(ends) == 0, "no pipe");
    pthread_rwlock_wrlock(&no_fork);
    pid_t child = fork();
    if (child != 0) pthread_rwlock_unlock(&no_fork);
    require(child >= 0, "no child");
    if (child == 0) {
        sign(key, "provider=default", there);
        _exit(write(ends[1], there, sizeof there) != sizeof there);
    }
    sign(key, "provider=default", here);
    require(read(ends[0], there, sizeof there) == sizeof there, "the child gave no signature");
    require(waitpid(child, &status, 0) == child && status == 0, "the child failed");
    /* Behind the tags and lengths of the sequence and of r. */
    require(memcmp(here + 4, there + 4, 32) != 0, "parent and child have one nonce");
    for (int number = 0; number < 4; number++) pthread_join(thread[number], NULL);
    EVP_PKEY_free(key);
    sign(copy, "provider=default", here);
    EVP_PKEY_free(copy);
}

int main(int arguments, char **argument) {
    require(arguments >= 3, "usage: provider_guest CHECK PROPERTIES [UID]");
    const char *check = argument[1];
    properties = argument[2];
    if (!strcmp(check, "signals")) check_signals();
    else if (!strcmp(check, "threads")) check_threads();
    else if (!strcmp(check, "namespace")) check_namespace(0);
    else if (!strcmp(check, "used_namespace")) check_namespace(1);
    else if (!strcmp(check, "limit")) check_limit((unsigned)atoi(argument[3]));
    else if (!strcmp(check, "memory")) check_memory(0);
    else if (!strcmp(check, "memory_fails")) check_memory(1);
    else if (!strcmp(check, "killed")) check_ends(1);
    else if (!strcmp(check, "leaks")) check_ends(0);
    else if (!strcmp(check, "keys")) check_keys();
    else fail("no such check");
    return 0;
}
