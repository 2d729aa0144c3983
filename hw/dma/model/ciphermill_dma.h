/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0 */

/* The C interface of a simulated accelerator behind the DMA engine (hw/dma), cycle by cycle: the
 * registers of both on one side, the host's memory behind a link on the other. It is not thread
 * safe; several may be open at once.
 *
 * The clock passes only inside a register access or an advance. */
#ifndef CIPHERMILL_DMA_H
#define CIPHERMILL_DMA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CIPHERMILL_DMA_INTERFACE 1u

typedef struct ciphermill_dma ciphermill_dma;

/* Whose registers. */
#define CIPHERMILL_DMA_ENGINE 0u
#define CIPHERMILL_DMA_ACCELERATOR 1u

/* Why ciphermill_dma_advance returned; a set of bits. */
#define CIPHERMILL_DMA_CYCLES_SPENT 1u /* the cycles asked for have passed */
#define CIPHERMILL_DMA_INTERRUPT 2u    /* the interrupt of the DMA engine is high */

/* Interface version of this library; compare with CIPHERMILL_DMA_INTERFACE. */
uint32_t ciphermill_dma_interface(void);

/* A JSON object: "design" (of the accelerator), "data_bits" (of the memory bus), "design_hash"
 * (hex), "tool" (simulator and version). */
const char *ciphermill_dma_description(void);

/* A system after reset, its memories cleared; NULL when memory is short.
 *
 * memory_bytes     bytes of the host's memory, from address 0; beyond it is a decode error
 * latency          cycles from the address of a read, or from the last beat of a write, to the
 *                  answer, from 1. A write changes memory when it is answered. Answers come in
 *                  order, reads and writes apart; any number may be outstanding
 * bytes_per_cycle  what the link moves, each way; 0 or more than the bus moves for its width */
ciphermill_dma *ciphermill_dma_open(size_t memory_bytes, uint32_t latency,
                                    uint32_t bytes_per_cycle);
void ciphermill_dma_close(ciphermill_dma *dma);

/* The host's memory. */
uint8_t *ciphermill_dma_memory(ciphermill_dma *dma);

/* One register access, run to its response. 0 or the AXI response code (2 SLVERR, 3 DECERR), or -1
 * when there was no answer. */
int ciphermill_dma_read_register(ciphermill_dma *dma, uint32_t whose, uint32_t address,
                                 uint32_t *value);
int ciphermill_dma_write_register(ciphermill_dma *dma, uint32_t whose, uint32_t address,
                                  uint32_t value);

/* Let up to `cycles` cycles pass; stops early, with the reason in *reason, where the DMA engine's
 * interrupt is high. Returns the cycles that have passed. */
uint64_t ciphermill_dma_advance(ciphermill_dma *dma, uint64_t cycles, uint32_t *reason);

/* Cycles since the system was opened, and beats that the memory bus has moved. */
uint64_t ciphermill_dma_cycles(const ciphermill_dma *dma);
uint64_t ciphermill_dma_beats_read(const ciphermill_dma *dma);
uint64_t ciphermill_dma_beats_written(const ciphermill_dma *dma);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
