// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// What both simulators share: the values of nets, the clock network and the state
// elements, which work without delay.
//
// A change of a net reaches all its sinks before a latch or a clock gate acts, and
// latches act first. Other gates never act before the clock network is quiet: they
// wait for their delay, or to be settled. A flip-flop that takes a new value changes
// only its hidden net at once; so all of them sample what was there before the edge,
// however their cycles are gated.
#pragma once

#include <algorithm>
#include <numeric>

#include "circuit.hpp"

namespace gates {

class Simulator {
 public:
  virtual ~Simulator() = default;
  // Sets a net that is an input.
  virtual void poke(Net net, bool value) = 0;
  // Brings every net to its final value, so that it can be read.
  virtual void settle() = 0;
  // Runs to the next rising edge of the clock, and over it.
  virtual void clock() = 0;
  // Begins to count toggles and time at the present moment.
  virtual void start() = 0;
  // Writes, for each net, its toggles and the time for which it was high, in fs.
  virtual void read(std::uint64_t* toggles, Time* high) = 0;

  bool value(Net net) const { return values_[net] != 0; }
  std::int32_t state_count() const { return static_cast<std::int32_t>(circuit_.states.size()); }
  bool state(std::int32_t n) const { return value(circuit_.states[n].output); }

 protected:
  // Takes the values of another simulator of the same netlist.
  void take_values(const Simulator& other) {
    values_ = other.values_;
    for (std::size_t n = 0; n < circuit_.gates.size(); ++n) {
      circuit_.gates[n].index = other.circuit_.gates[n].index;
    }
    for (std::size_t n = 0; n < circuit_.states.size(); ++n) {
      circuit_.states[n].index = other.circuit_.states[n].index;
      circuit_.states[n].triggered = other.circuit_.states[n].triggered;
    }
  }

  Simulator(const Description& description, Time period)
      : circuit_(description), period_(period), values_(circuit_.net_count, 0) {
    for (std::size_t n = 0; n < circuit_.states.size(); ++n) {
      if (circuit_.initial[n]) initialise(circuit_.states[n].output);
    }
    if (description.one >= 0) initialise(description.one);
    const auto elements = static_cast<std::uint32_t>(circuit_.gates.size());
    std::vector<std::uint32_t> order(elements);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [this](auto a, auto b) {
      return circuit_.gates[a].level < circuit_.gates[b].level;
    });
    for (const std::uint32_t e : order) {
      const Gate& gate = circuit_.gates[e];
      if (gate.table[gate.index]) initialise(gate.output);
    }
  }

  Circuit circuit_;
  Time period_;
  Time now_ = 0;
  std::vector<std::uint8_t> values_;

 private:
  // Makes a net high before time begins.
  void initialise(Net net) {
    values_[net] = 1;
    for (const Sink* sink = circuit_.begin(net); sink != circuit_.end(net); ++sink) {
      if (circuit_.is_state(sink->element)) {
        circuit_.state(sink->element).index ^= sink->bit;
      } else {
        circuit_.gates[sink->element].index ^= sink->bit;
      }
    }
  }
};

// Derived has record(net), called at each change with the new value in place, and
// changed(gate, bit), called for a gate outside the clock network whose input did.
template <class Derived>
class Engine : public Simulator {
 protected:
  Engine(const Description& description, Time period) : Simulator(description, period) {}

  // Acts on the values at the beginning: latches open, resets that are on.
  void begin() {
    const auto gates = static_cast<std::uint32_t>(circuit_.gates.size());
    for (std::uint32_t n = 0; n < circuit_.states.size(); ++n) {
      State& state = circuit_.states[n];
      state.triggered = (state.table[state.index] & kTrigger) != 0;
      state_work_.push_back(gates + n);
    }
    drain();
  }

  void change(Net net) {
    values_[net] ^= 1;
    self().record(net);
    for (const Sink* sink = circuit_.begin(net); sink != circuit_.end(net); ++sink) {
      if (circuit_.is_state(sink->element)) {
        State& state = circuit_.state(sink->element);
        const std::uint8_t old = state.table[state.index];
        state.index ^= sink->bit;
        const std::uint8_t flags = state.table[state.index];
        if (state.kind == Kind::kLatch || ((old | flags) & (kClear | kPreset))) {
          state_work_.push_back(sink->element);
        } else if ((old ^ flags) & kTrigger) {
          clock_edge(state, flags);
        }
        continue;
      }
      Gate& gate = circuit_.gates[sink->element];
      gate.index ^= sink->bit;
      if (gate.clock) {
        clock_work_.push_back(sink->element);
      } else {
        self().changed(gate, sink->bit);
      }
    }
  }

  // Lets state elements and the clock network act until they are quiet.
  void drain() {
    std::uint64_t left = 1'000'000 + 64 * values_.size();
    while (true) {
      if (!state_work_.empty()) {
        const std::uint32_t element = state_work_.back();
        state_work_.pop_back();
        evaluate(circuit_.state(element));
      } else if (!clock_work_.empty()) {
        const std::uint32_t element = clock_work_.back();
        clock_work_.pop_back();
        const Gate& gate = circuit_.gates[element];
        if (gate.table[gate.index] != values_[gate.output]) change(gate.output);
      } else {
        return;
      }
      if (--left == 0) throw Fault("clock and state elements do not come to rest", {});
    }
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  void set(const State& state, bool value) {
    if (value != (values_[state.output] != 0)) change(state.output);
  }

  bool next(const State& state, std::uint8_t flags) const {
    return (flags & (values_[state.output] ? kNextOfHigh : kNextOfLow)) != 0;
  }

  // Has a flip-flop take what it is given if its clock has risen.
  void clock_edge(State& state, std::uint8_t flags) {
    const bool rose = (flags & kTrigger) && !state.triggered;
    state.triggered = (flags & kTrigger) != 0;
    if (rose) set(state, next(state, flags));
  }

  void evaluate(State& state) {
    const std::uint8_t flags = state.table[state.index];
    if ((flags & kClear) && (flags & kPreset)) {
      set(state, (flags & kBoth) != 0);
    } else if (flags & (kClear | kPreset)) {
      set(state, (flags & kPreset) != 0);
    } else if (state.kind == Kind::kLatch) {
      if (flags & kTrigger) set(state, next(state, flags));
      return;
    } else {
      clock_edge(state, flags);
      return;
    }
    state.triggered = (flags & kTrigger) != 0;
  }

  std::vector<std::uint32_t> state_work_, clock_work_;
};

}  // namespace gates
