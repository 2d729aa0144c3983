// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A mapped netlist as a simulator sees it: gates, state elements and nets.
//
// A gate is one output of one cell: a truth table over the cell's inputs. A state
// element is the flip-flop or latch inside a sequential cell; it drives a hidden
// net, which the cell's output gates take as one more input. A clock gate is thus a
// latch and an AND. Gates and states are known by one number each, gates first.
//
// The clock network is what lies between the clock input and the clock pins: it has
// no delay (the clock is ideal, as in the timing analysis), so that a gated clock
// rises with the clock itself and no flip-flop sees another one's new value.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gates.h"

namespace gates {

using Net = std::int32_t;
using Time = std::int64_t;  // femtoseconds

// What a state element does at some values of its inputs: bits of a table's byte.
enum Flag : std::uint8_t {
  kTrigger = 1,    // flip-flop: its clock is high; latch: it is open
  kClear = 2,
  kPreset = 4,
  kNextOfLow = 8,  // the next value if it now holds 0
  kNextOfHigh = 16,
  kBoth = 32,      // the value under clear and preset together
};

enum class Kind : std::uint8_t { kFlipFlop = 0, kLatch = 1 };

// A fault of the netlist; nets says where.
struct Fault : std::runtime_error {
  Fault(const std::string& text, std::vector<Net> where)
      : std::runtime_error(text), nets(std::move(where)) {}
  std::vector<Net> nets;
};

struct Delay {
  std::int32_t rise;  // of the output, in fs
  std::int32_t fall;
};

struct Gate {
  const std::uint8_t* table;  // 2^inputs bytes, 0 or 1
  const Delay* delays;        // one for each input; null where there are none
  std::uint32_t index = 0;    // the inputs' values, input k in bit k
  Net output;
  std::int32_t level = 0;
  bool clock = false;         // part of the clock network
  bool queued = false;
};

struct State {
  const std::uint8_t* table;  // 2^inputs bytes of flags
  std::uint32_t index = 0;
  Net output;
  Kind kind;
  bool triggered = false;     // whether its clock is high
};

struct Sink {
  std::uint32_t element;
  std::uint32_t bit;  // 1 << input
};

using Description = gates_netlist;  // the arrays that a circuit is built from

class Circuit {
 public:
  explicit Circuit(const Description& description);
  Circuit(const Circuit&) = delete;
  Circuit& operator=(const Circuit&) = delete;

  std::vector<Gate> gates;
  std::vector<State> states;
  std::vector<Delay> delays;
  std::vector<std::uint8_t> initial;  // of each state element
  Net clock;
  std::int32_t net_count;
  std::int32_t levels = 1;
  Time longest_delay = 0;

  bool is_state(std::uint32_t element) const { return element >= gates.size(); }
  State& state(std::uint32_t element) { return states[element - gates.size()]; }
  const Sink* begin(Net net) const { return sinks_.data() + sink_start_[net]; }
  const Sink* end(Net net) const { return sinks_.data() + sink_start_[net + 1]; }

 private:
  void connect(const Description& description);
  void find_clock_network(const Description& description);
  void level(const Description& description);
  [[noreturn]] void report_loop(const std::vector<std::int32_t>& waiting,
                                const Description& description) const;

  std::vector<std::uint8_t> tables_;
  std::vector<Sink> sinks_;
  std::vector<std::uint32_t> sink_start_;
  std::vector<std::int32_t> driver_;  // the element that drives each net, or -1
};

}  // namespace gates
