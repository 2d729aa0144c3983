// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The coprocessors of hw/coprocessor at their address in the SoC.
#ifndef CIPHERMILL_COPROCESSOR_H
#define CIPHERMILL_COPROCESSOR_H

#include <stddef.h>

#include "coprocessor_ascon_registers.h"
#include "coprocessor_ecc_registers.h"
#include "coprocessor_registers.h"
#include "coprocessor_sha2_registers.h"
#include "coprocessor_shell_registers.h"
#include "soc.h"

// Whether the coprocessor is there and of the kind that the driver was written for.
static inline int coprocessor_is(uint32_t kind) {
  return register_read(SOC_COPROCESSOR_IDENTIFICATION) >> COPROCESSOR__IDENTIFICATION__KIND_bp ==
         (COPROCESSOR__IDENTIFICATION__MAP_reset << COPROCESSOR__IDENTIFICATION__KIND_bw | kind);
}

// Whether a key or block was dropped, or a result was read that is not there.
static inline int coprocessor_failed(void) {
  return (register_read(SOC_COPROCESSOR_STATUS) & COPROCESSOR__STATUS__ERROR_bm) != 0;
}

// The address of a register of the coprocessor shell, and one of its instructions.
#define SHELL(name) (SOC_COPROCESSOR_BASE + (uint32_t)offsetof(coprocessor_shell_t, name))
#define SHELL_INSTRUCTION(name) COPROCESSOR_SHELL__COMMAND__INSTRUCTION__##name

// The address of a register of the Ascon coprocessor.
#define ASCON(name) (SOC_COPROCESSOR_BASE + (uint32_t)offsetof(coprocessor_ascon_t, name))

// The address of a register of the ECC coprocessor.
#define ECC(name) (SOC_COPROCESSOR_BASE + (uint32_t)offsetof(coprocessor_ecc_t, name))

// The address of a register of the SHA-2 coprocessor.
#define SHA2(name) (SOC_COPROCESSOR_BASE + (uint32_t)offsetof(coprocessor_sha2_t, name))

#endif
