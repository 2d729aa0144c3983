// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The C interface of the gate-level simulator; gate_simulation.py calls it.
//
// A function that returns an int returns 0, or -1 after a fault, which
// gates_fault_text and gates_fault_nets then tell of (a thread each its own).
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GATES_API __attribute__((visibility("default")))

struct gates_netlist {
  int32_t net_count;          // nets are 0 to net_count - 1, hidden ones included
  int32_t clock;              // net of the clock input, -1 for none
  int32_t one;                // net that is always high, -1 for none
  int32_t gate_count;
  int32_t state_count;
  const int32_t *gate_start;  // gate_count + 1: first pin of each gate
  const int32_t *gate_inputs; // net of each pin
  const int32_t *gate_table;  // offset of its truth table in tables
  const int32_t *gate_output; // net
  const int32_t *gate_delays; // rise and fall of each pin in fs; null: no delays
  const int32_t *state_start;
  const int32_t *state_inputs;
  const int32_t *state_table;
  const int32_t *state_output;  // its hidden net
  const uint8_t *state_kind;    // 0 flip-flop, 1 latch
  const uint8_t *state_initial; // value before anything happens
  const uint8_t *tables; // byte i: output, or flags (circuit.hpp), with input k at bit k of i
  int64_t tables_size;
};

typedef struct gates_simulator gates_simulator;

// Null after a fault. With delays it simulates them, else it has none.
GATES_API gates_simulator *gates_create(const struct gates_netlist *netlist, int64_t period_fs,
                                        int64_t input_delay_fs);
GATES_API void gates_destroy(gates_simulator *simulator);
GATES_API int gates_poke(gates_simulator *simulator, int32_t count, const int32_t *nets,
                         const uint8_t *values);
GATES_API int gates_peek(gates_simulator *simulator, int32_t count, const int32_t *nets,
                         uint8_t *values);
GATES_API int gates_clock(gates_simulator *simulator, int64_t cycles);
GATES_API void gates_start(gates_simulator *simulator);
GATES_API void gates_read(gates_simulator *simulator, uint64_t *toggles, int64_t *high_fs);
// Brings a simulator with delays to where one of the same netlist without delays is, directly
// after an edge of the clock.
GATES_API void gates_follow(gates_simulator *timed, const gates_simulator *settled);
// The first state element that differs between two simulators of one netlist, or -1.
GATES_API int32_t gates_compare(const gates_simulator *a, const gates_simulator *b);
GATES_API const char *gates_fault_text(void);
// Writes up to count nets, returns how many there are.
GATES_API int32_t gates_fault_nets(int32_t *nets, int32_t count);

#ifdef __cplusplus
}
#endif
