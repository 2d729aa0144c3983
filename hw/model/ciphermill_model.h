/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0 */

/* The C interface of a compiled model: one accelerator, simulated cycle by
 * cycle. The engine, the system tests and the co-simulator drive the same
 * object. A model is not thread safe; several models may be open at once.
 *
 * The registers of channel n begin at address 256 n; its streams have the number n.
 *
 * A clock passes only inside a register access or an advance, so the time that
 * the host spends between calls costs no simulated cycles. */
#ifndef CIPHERMILL_MODEL_H
#define CIPHERMILL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CIPHERMILL_MODEL_INTERFACE 2u

typedef struct ciphermill_model ciphermill_model;

/* Why ciphermill_model_advance returned; a set of bits. */
#define CIPHERMILL_MODEL_CYCLES_SPENT 1u   /* the cycles asked for have passed */
#define CIPHERMILL_MODEL_NEEDS_INPUT 2u    /* a channel asks for input and no beat is queued */
#define CIPHERMILL_MODEL_OUTPUT_FULL 4u    /* a channel has output for which there is no room */
#define CIPHERMILL_MODEL_INTERRUPT 8u      /* an interrupt line is high */

/* Interface version of this library; compare with CIPHERMILL_MODEL_INTERFACE. */
uint32_t ciphermill_model_interface(void);

/* A JSON object: "design" (name), "clock_mhz" (core clock, number),
 * "stream_bits", "channels", "design_hash" (hex), "tool" (simulator and version). */
const char *ciphermill_model_description(void);

/* A model after reset, its first sweep done; NULL when memory is short. */
ciphermill_model *ciphermill_model_open(void);
void ciphermill_model_close(ciphermill_model *model);

/* One AXI4-Lite access, run to its response. 0 or the AXI response code
 * (2 SLVERR, 3 DECERR), or -1 when the device did not answer within 10,000 cycles. */
int ciphermill_model_read_register(ciphermill_model *model, uint32_t address, uint32_t *value);
int ciphermill_model_write_register(ciphermill_model *model, uint32_t address, uint32_t value);

/* Queue bytes for input stream `stream`; `last` marks the end of a message
 * (TLAST goes with its last byte). Returns the number of bytes taken, less than
 * `length` when the queue is full (then `last` was not taken either). Bytes that
 * do not fill a beat wait for more, or for `last`. A stream that does not exist
 * takes nothing. */
size_t ciphermill_model_push(ciphermill_model *model, uint32_t stream, const uint8_t *data, size_t length, int last);

/* Bytes that are queued for input stream `stream` and not in the device yet. */
size_t ciphermill_model_queued(const ciphermill_model *model, uint32_t stream);

/* Take bytes from output stream `stream`. Stops after a message's last byte and
 * then sets *last to 1, else to 0. Returns the number of bytes given. */
size_t ciphermill_model_pull(ciphermill_model *model, uint32_t stream, uint8_t *data, size_t capacity, int *last);

/* Drop everything that is queued in both directions of stream `stream`; for after an abort of
 * its channel. */
void ciphermill_model_discard(ciphermill_model *model, uint32_t stream);

/* Let up to `cycles` core cycles pass; stops early, with the reason in
 * *reason, where something has happened that the host would want to act on: the
 * device begins to ask for input that is not queued, its output begins not to
 * fit, or an interrupt rises, on any channel. What stood so already does not stop it again, so
 * that a host with no input yet can let the device finish what it has. Returns
 * the cycles that have passed. */
uint64_t ciphermill_model_advance(ciphermill_model *model, uint64_t cycles, uint32_t *reason);

/* Core cycles since the model was opened. */
uint64_t ciphermill_model_cycles(const ciphermill_model *model);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
