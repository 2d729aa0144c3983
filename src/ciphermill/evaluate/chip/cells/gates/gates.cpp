// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

#include "gates.h"

#include <memory>
#include <string>
#include <vector>

#include "timed.hpp"
#include "zero_delay.hpp"

struct gates_simulator {
  std::unique_ptr<gates::Simulator> engine;
};

namespace {

thread_local std::string fault_text;
thread_local std::vector<gates::Net> fault_nets;

// Runs an action; keeps what it throws, which must not reach C.
template <class Action>
int guarded(Action action) {
  try {
    action();
    return 0;
  } catch (const gates::Fault& fault) {
    fault_text = fault.what();
    fault_nets = fault.nets;
  } catch (const std::exception& error) {
    fault_text = error.what();
    fault_nets.clear();
  }
  return -1;
}

}  // namespace

extern "C" {

gates_simulator* gates_create(const gates_netlist* netlist, int64_t period_fs,
                              int64_t input_delay_fs) {
  auto simulator = std::make_unique<gates_simulator>();
  const int status = guarded([&] {
    if (netlist->gate_delays != nullptr) {
      simulator->engine = std::make_unique<gates::Timed>(*netlist, period_fs, input_delay_fs);
    } else {
      simulator->engine = std::make_unique<gates::ZeroDelay>(*netlist, period_fs);
    }
  });
  return status == 0 ? simulator.release() : nullptr;
}

void gates_destroy(gates_simulator* simulator) { delete simulator; }

int gates_poke(gates_simulator* simulator, int32_t count, const int32_t* nets,
               const uint8_t* values) {
  return guarded([&] {
    for (int32_t n = 0; n < count; ++n) simulator->engine->poke(nets[n], values[n] != 0);
  });
}

int gates_peek(gates_simulator* simulator, int32_t count, const int32_t* nets, uint8_t* values) {
  return guarded([&] {
    simulator->engine->settle();
    for (int32_t n = 0; n < count; ++n) values[n] = simulator->engine->value(nets[n]);
  });
}

int gates_clock(gates_simulator* simulator, int64_t cycles) {
  return guarded([&] {
    for (int64_t n = 0; n < cycles; ++n) simulator->engine->clock();
  });
}

void gates_start(gates_simulator* simulator) { simulator->engine->start(); }

void gates_read(gates_simulator* simulator, uint64_t* toggles, int64_t* high_fs) {
  simulator->engine->read(toggles, high_fs);
}

void gates_follow(gates_simulator* timed, const gates_simulator* settled) {
  dynamic_cast<gates::Timed&>(*timed->engine)
      .follow(dynamic_cast<const gates::ZeroDelay&>(*settled->engine));
}

int32_t gates_compare(const gates_simulator* a, const gates_simulator* b) {
  for (int32_t n = 0; n < a->engine->state_count(); ++n) {
    if (a->engine->state(n) != b->engine->state(n)) return n;
  }
  return -1;
}

const char* gates_fault_text(void) { return fault_text.c_str(); }

int32_t gates_fault_nets(int32_t* nets, int32_t count) {
  for (int32_t n = 0; n < count && n < static_cast<int32_t>(fault_nets.size()); ++n) {
    nets[n] = fault_nets[static_cast<std::size_t>(n)];
  }
  return static_cast<int32_t>(fault_nets.size());
}

}  // extern "C"
