// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The accelerator behind the DMA engine: what the drivers of partition dma share.
#ifndef CIPHERMILL_DMA_H
#define CIPHERMILL_DMA_H

#include "accel_registers.h"
#include "cache.h"
#include "dma_registers.h"
#include "partition.h"
#include "soc.h"

// Pending interrupts of the two.
#define BY_DMA SOC_SYSTEM__INTERRUPT_PENDING__DMA_bm
#define BY_ACCELERATOR SOC_SYSTEM__INTERRUPT_PENDING__ACCELERATOR_bm

// Returns whether both are there, after waiting until the accelerator takes keys.
static inline int dma_is_there(void) {
  if (register_read(SOC_ACCELERATOR_IDENTIFICATION) != ACCEL__IDENTIFICATION__MAGIC_reset ||
      register_read(SOC_DMA_IDENTIFICATION) != DMA__IDENTIFICATION__MAGIC_reset) {
    return 0;
  }
  while (register_read(SOC_ACCELERATOR_STATUS) & ACCEL__STATUS__ZEROISING_bm) {
    // The sweep after reset, some tens of cycles: no key is taken before its end.
  }
  return 1;
}

// Waits for an interrupt of either and returns what is pending. Nothing else is to be done
// here: the counters count it as waiting, and the pending bits are on the core's own bus,
// so that polling them does not delay the memory bus.
static inline uint32_t dma_wait(void) {
  uint32_t pending;
  register_write(SOC_SYSTEM_IDLE, 1);
  do {
    pending = register_read(SOC_SYSTEM_INTERRUPT_PENDING) & (BY_DMA | BY_ACCELERATOR);
  } while (pending == 0);
  register_write(SOC_SYSTEM_IDLE, 0);
  return pending;
}

// Clears the errors of both devices, so that the next message works.
static int dma_recover(void) {
  register_write(SOC_DMA_CONTROL, DMA__CONTROL__ABORT_bm);
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__ABORT_bm);
  while ((register_read(SOC_DMA_STATUS) & DMA__STATUS__BUSY_bm) ||
         (register_read(SOC_ACCELERATOR_STATUS) & ACCEL__STATUS__BUSY_bm)) {
    // Bursts on the memory bus end first.
  }
  register_write(SOC_DMA_ERROR, 0xFFFFFFFF);
  register_write(SOC_ACCELERATOR_ERROR, 0xFFFFFFFF);
  register_write(SOC_DMA_INTERRUPT_STATE, 0xFFFFFFFF);
  register_write(SOC_ACCELERATOR_INTERRUPT_STATE, 0xFFFFFFFF);
  forget_data_cache();
  return PARTITION_HARDWARE;
}

#endif
