/* Copyright Ciphermill contributors.
 * SPDX-License-Identifier: Apache-2.0 */

/* The C interface of a simulated board: an FPGA (board_ctr) and its memory banks. A board is not
 * thread safe; several may be open at once. Both clocks pass only inside
 * ciphermill_board_advance. */
#ifndef CIPHERMILL_BOARD_H
#define CIPHERMILL_BOARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define CIPHERMILL_BOARD_INTERFACE 2u

typedef struct ciphermill_board ciphermill_board;

/* Interface version of this library; compare with CIPHERMILL_BOARD_INTERFACE. */
uint32_t ciphermill_board_interface(void);

/* A JSON object: "design" (name), "architecture" (of its cores), "cores", "banks",
 * "memory_bytes" (of all banks), "clock_mhz" and "memory_clock_mhz" (the clocks of cores and memory
 * where none are asked for), "link_mbit_s" (the rate of the link to the host, which is not
 * simulated), "design_hash" (hex), "tool" (simulator and version). */
const char *ciphermill_board_description(void);

/* A board after reset, its memory zero, with these clocks; NULL when memory is short or a clock
 * is 0. Closing it erases key and memory. */
ciphermill_board *ciphermill_board_open(uint64_t core_khz, uint64_t memory_khz);
void ciphermill_board_close(ciphermill_board *board);

/* Copy bytes of the message to or from memory. Byte n of the message lies in bank n / 16 modulo
 * the number of banks. Bytes behind the end of the memory are not copied. */
void ciphermill_board_write(ciphermill_board *board, const uint8_t *data, size_t length);
void ciphermill_board_read(const ciphermill_board *board, uint8_t *data, size_t length);

/* Give the FPGA a message of `length` bytes of its memory, by AES-128 in counter mode. It starts
 * with the next cycles of both clocks. */
void ciphermill_board_start(ciphermill_board *board, const uint8_t key[16], const uint8_t counter[16],
                            size_t length);

/* Let up to `edges` edges of the clocks pass; stops where the message ends. 1 while the FPGA works
 * on the message, else 0. */
int ciphermill_board_advance(ciphermill_board *board, uint64_t edges);

/* Cycles of the last message: of the cores' clock, and of the memory's by the FPGA's own timer. */
uint64_t ciphermill_board_core_cycles(const ciphermill_board *board);
uint64_t ciphermill_board_memory_cycles(const ciphermill_board *board);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
