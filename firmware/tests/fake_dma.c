// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the accelerator and the DMA engine (hw/accel, hw/dma) for ECB messages. A
// transfer happens when LENGTH is written; the first FAKE_FAILURES of them fail. The host's addresses are longer than a
// register: SOURCE and DESTINATION stand for addresses in the heap of the test.
#include <stddef.h>

#include "accel_registers.h"
#include "dma_registers.h"
#include "fake.h"
#include "soc.h"

static struct core core = {.limit = 1};
static uint32_t configuration, length, source, destination, flags, interrupts;
static uint32_t key[8];
static unsigned key_written, started, idle;
static unsigned failures = FAKE_FAILURES;
static unsigned aborted; // bit 0: the DMA engine, bit 1: the accelerator
static unsigned sweep = 3; // polls until the sweep after reset is over

static void load_key(void) {
  unsigned size = configuration >> ACCEL__CONFIGURATION__KEY_SIZE_bp & 3;
  unsigned words = 4 + 2 * size;
  if (key_written != (1u << words) - 1 || sweep) {
    broken("a key load too early, or without all words of the key", key_written);
  }
  core_key(&core, key, 32 * words, 0);
  key_written = 0;
}

static void *in_heap(uint32_t address) {
  static void *any; // one allocation, to see where the heap is
  if (any == NULL) {
    any = malloc(1);
  }
  return (void *)(((uintptr_t)any & ~(uintptr_t)0xFFFFFFFF) | address);
}

static void transfer(uint32_t bytes) {
  const uint32_t *from = in_heap(source);
  uint32_t *to = in_heap(destination);
  if (!started || bytes != length || interrupts || flags != 0xF) {
    broken("a transfer that does not fit the message", bytes);
  }
  if (failures != 0) {
    failures--;
    started = 0;
    interrupts = DMA__INTERRUPT_STATE__ERROR_bm;
    aborted = 0;
    return;
  }
  for (; bytes != 0; bytes -= 16, from += 4, to += 4) {
    core_push(&core, from, configuration & ACCEL__CONFIGURATION__DIRECTION_bm, 0);
    memcpy(to, core.results[0], 16);
    core_pop(&core);
  }
  started = 0;
  interrupts = DMA__INTERRUPT_STATE__DONE_bm;
}

void register_write(uint32_t address, uint32_t value) {
  switch (address) {
    case SOC_ACCELERATOR_CONFIGURATION:
      configuration = value;
      return;
    case SOC_ACCELERATOR_CONTROL:
      if (value & ACCEL__CONTROL__LOAD_KEY_bm) {
        load_key();
      }
      if (value & ACCEL__CONTROL__ZEROISE_bm) {
        core_clear(&core);
      }
      started = value & ACCEL__CONTROL__START_bm;
      aborted |= value & ACCEL__CONTROL__ABORT_bm ? 2 : 0;
      return;
    case SOC_DMA_CONTROL:
      aborted |= value & DMA__CONTROL__ABORT_bm;
      return;
    case SOC_DMA_ERROR:
    case SOC_ACCELERATOR_ERROR:
    case SOC_ACCELERATOR_INTERRUPT_STATE:
      if (aborted != 3) {
        broken("an error cleared before both sides have stopped", address);
      }
      return;
    case SOC_ACCELERATOR_MESSAGE_LENGTH_LOW:
      length = value;
      return;
    case SOC_DMA_SOURCE:
      source = value;
      return;
    case SOC_DMA_DESTINATION:
      destination = value;
      return;
    case SOC_DMA_FLAGS:
      flags = value;
      return;
    case SOC_DMA_LENGTH:
      transfer(value);
      return;
    case SOC_DMA_INTERRUPT_STATE:
      interrupts &= ~value;
      return;
    case SOC_SYSTEM_IDLE:
      idle = value;
      return;
    case SOC_ACCELERATOR_MESSAGE_LENGTH_HIGH:
    case SOC_ACCELERATOR_INTERRUPT_ENABLE:
    case SOC_DMA_INTERRUPT_ENABLE:
      return;
    default:
      if (address < SOC_ACCELERATOR_KEY || address > SOC_ACCELERATOR_KEY + 28) {
        broken("a write to a register that it needs not", address);
      }
      unsigned word = (address - SOC_ACCELERATOR_KEY) / 4;
      key[word] = value;
      key_written |= 1u << word;
  }
}

uint32_t register_read(uint32_t address) {
  switch (address) {
    case SOC_ACCELERATOR_IDENTIFICATION:
      return ACCEL__IDENTIFICATION__MAGIC_reset;
    case SOC_DMA_IDENTIFICATION:
      return DMA__IDENTIFICATION__MAGIC_reset;
    case SOC_ACCELERATOR_STATUS:
      return sweep && --sweep ? ACCEL__STATUS__ZEROISING_bm : 0;
    case SOC_DMA_STATUS:
      return 0;
    case SOC_DMA_INTERRUPT_STATE:
      return interrupts;
    case SOC_SYSTEM_INTERRUPT_PENDING:
      if (!idle) {
        broken("waiting that the counters do not see", 0);
      }
      return interrupts ? SOC_SYSTEM__INTERRUPT_PENDING__DMA_bm : 0;
    default:
      broken("a read of a register that it needs not", address);
  }
}
