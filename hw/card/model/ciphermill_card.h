/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0 */

/* The C interface of a simulated card (hw/card), cycle by cycle: registers of BAR 0 on one side,
 * the host's memory and interrupts on the other. A card is not thread safe; several may be open at
 * once.
 *
 * The clock passes only inside a register access or an advance, and the functions of the host's
 * memory are called only there, by the thread that made the call. */
#ifndef CIPHERMILL_CARD_H
#define CIPHERMILL_CARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CIPHERMILL_CARD_INTERFACE 1u

typedef struct ciphermill_card ciphermill_card;

/* Answers of the host's memory, as AXI has them; any other number counts as a slave error. */
#define CIPHERMILL_CARD_OKAY 0
#define CIPHERMILL_CARD_SLAVE_ERROR 2  /* the memory refuses the access */
#define CIPHERMILL_CARD_DECODE_ERROR 3 /* there is no memory */

/* The host's memory, and the link to it. */
typedef struct ciphermill_card_memory {
  void *context; /* the first argument of both functions */

  /* Read bytes; whole beats of the bus, a burst at most. Where the answer of a burst is an error,
   * each of its beats is read by itself, so that only those fail that are not there. */
  int (*read)(void *context, uint64_t address, uint8_t *data, size_t bytes);

  /* Write bytes, a burst at most; the bytes of a burst that are not written divide it. */
  int (*write)(void *context, uint64_t address, const uint8_t *data, size_t bytes);

  /* Cycles from the address of a read, or from the last beat of a write, to the answer, from 1;
   * 0 for the default, 64. A write changes memory when it is answered. Answers come in order, reads
   * and writes apart; any number may be outstanding. */
  uint32_t latency;

  /* What the link moves, each way; 0 or more than the bus moves for the width of the bus. */
  uint32_t bytes_per_cycle;
} ciphermill_card_memory;

/* Why ciphermill_card_advance returned; a set of bits. */
#define CIPHERMILL_CARD_CYCLES_SPENT 1u /* the cycles asked for have passed */
#define CIPHERMILL_CARD_INTERRUPT 2u    /* an interrupt was given */
#define CIPHERMILL_CARD_IDLE 4u         /* nothing happens until a register is written */

/* Interface version of this library; compare with CIPHERMILL_CARD_INTERFACE. */
uint32_t ciphermill_card_interface(void);

/* A JSON object: "rings", "key_slots" (of each ring), "log2_entries" (of the most descriptors of a
 * ring), "data_bits" (of the memory bus), "bar_bytes", "clock_khz", "parameters" (those of the RTL
 * that are not its defaults), "design_hash" (hex), "tool" (simulator and version). */
const char *ciphermill_card_description(void);

/* A card after reset, its first sweep done; NULL when memory is short. */
ciphermill_card *ciphermill_card_open(const ciphermill_card_memory *memory);
void ciphermill_card_close(ciphermill_card *card);

/* One access to BAR 0, run to its response. 0 or the AXI response code (2 SLVERR, 3 DECERR), or -1
 * when the card did not answer. */
int ciphermill_card_read_register(ciphermill_card *card, uint32_t address, uint32_t *value);
int ciphermill_card_write_register(ciphermill_card *card, uint32_t address, uint32_t value);

/* Let up to `cycles` cycles pass; stops early, with the reason in *reason, after one in which an
 * interrupt was given, or where the card has been idle for some: no ring has messages, stops or
 * stores a key, no reset is in progress, and no interrupt waits for its time. Returns the cycles
 * that have passed. */
uint64_t ciphermill_card_advance(ciphermill_card *card, uint64_t cycles, uint32_t *reason);

/* Interrupts since this was last asked for; bit n is vector n. What a card wrote before an
 * interrupt is in the host's memory by then. */
uint32_t ciphermill_card_interrupts(ciphermill_card *card);

/* Cycles since the card was opened. */
uint64_t ciphermill_card_cycles(const ciphermill_card *card);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
