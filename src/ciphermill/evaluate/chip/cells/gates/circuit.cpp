// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

#include "circuit.hpp"

#include <algorithm>

namespace gates {
namespace {

// The nets that feed an element.
struct Inputs {
  const Net* first;
  const Net* last;
  const Net* begin() const { return first; }
  const Net* end() const { return last; }
};

Inputs inputs_of(const Description& d, std::uint32_t element) {
  const auto gates = static_cast<std::uint32_t>(d.gate_count);
  if (element < gates) {
    return {d.gate_inputs + d.gate_start[element], d.gate_inputs + d.gate_start[element + 1]};
  }
  const std::uint32_t n = element - gates;
  return {d.state_inputs + d.state_start[n], d.state_inputs + d.state_start[n + 1]};
}

Net output_of(const Description& d, std::uint32_t element) {
  const auto gates = static_cast<std::uint32_t>(d.gate_count);
  return element < gates ? d.gate_output[element] : d.state_output[element - gates];
}

// Whether an element's output may change in the moment in which an input does.
bool passes(const Description& d, std::uint32_t element) {
  const auto gates = static_cast<std::uint32_t>(d.gate_count);
  return element < gates || static_cast<Kind>(d.state_kind[element - gates]) == Kind::kLatch;
}

// The inputs of a state element that its clock, or its enable, depends on.
std::vector<Net> trigger_nets(const Description& d, std::int32_t n) {
  const Inputs inputs = inputs_of(d, static_cast<std::uint32_t>(d.gate_count + n));
  const std::uint8_t* table = d.tables + d.state_table[n];
  const auto count = static_cast<std::uint32_t>(inputs.last - inputs.first);
  std::vector<Net> nets;
  for (std::uint32_t k = 0; k < count; ++k) {
    for (std::uint32_t index = 0; index < (1u << count); ++index) {
      if ((table[index] ^ table[index ^ (1u << k)]) & kTrigger) {
        nets.push_back(inputs.first[k]);
        break;
      }
    }
  }
  return nets;
}

}  // namespace

Circuit::Circuit(const Description& d)
    : initial(d.state_initial, d.state_initial + d.state_count),
      clock(d.clock),
      net_count(d.net_count),
      tables_(d.tables, d.tables + d.tables_size) {
  const std::int32_t pins = d.gate_start[d.gate_count];
  if (d.gate_delays != nullptr) {
    for (std::int32_t pin = 0; pin < pins; ++pin) {
      delays.push_back({d.gate_delays[2 * pin], d.gate_delays[2 * pin + 1]});
    }
  }
  for (std::int32_t n = 0; n < d.gate_count; ++n) {
    Gate gate{};
    gate.table = tables_.data() + d.gate_table[n];
    gate.delays = delays.empty() ? nullptr : delays.data() + d.gate_start[n];
    gate.output = d.gate_output[n];
    gates.push_back(gate);
  }
  for (std::int32_t n = 0; n < d.state_count; ++n) {
    State state{};
    state.table = tables_.data() + d.state_table[n];
    state.output = d.state_output[n];
    state.kind = static_cast<Kind>(d.state_kind[n]);
    states.push_back(state);
  }
  for (const Delay& delay : delays) {
    longest_delay = std::max<Time>({longest_delay, delay.rise, delay.fall});
  }
  connect(d);
  find_clock_network(d);
  level(d);
}

void Circuit::connect(const Description& d) {
  const auto elements = static_cast<std::uint32_t>(d.gate_count + d.state_count);
  driver_.assign(static_cast<std::size_t>(net_count), -1);
  sink_start_.assign(static_cast<std::size_t>(net_count) + 1, 0);
  for (std::uint32_t e = 0; e < elements; ++e) {
    std::int32_t& driver = driver_[output_of(d, e)];
    if (driver >= 0) throw Fault("a net has two drivers", {output_of(d, e)});
    driver = static_cast<std::int32_t>(e);
    for (Net net : inputs_of(d, e)) ++sink_start_[net + 1];
  }
  if (clock >= 0 && driver_[clock] >= 0) throw Fault("a cell drives the clock input", {clock});
  for (std::int32_t net = 0; net < net_count; ++net) sink_start_[net + 1] += sink_start_[net];
  sinks_.resize(sink_start_[net_count]);
  std::vector<std::uint32_t> next(sink_start_.begin(), sink_start_.end() - 1);
  for (std::uint32_t e = 0; e < elements; ++e) {
    std::uint32_t bit = 1;
    for (Net net : inputs_of(d, e)) {
      sinks_[next[net]++] = {e, bit};
      bit <<= 1;
    }
  }
}

// Marks the gates that are on a way from the clock input to a clock pin.
void Circuit::find_clock_network(const Description& d) {
  if (clock < 0) return;
  std::vector<std::uint8_t> from_clock(static_cast<std::size_t>(net_count), 0);
  std::vector<Net> work{clock};
  from_clock[clock] = 1;
  while (!work.empty()) {
    const Net net = work.back();
    work.pop_back();
    for (const Sink* sink = begin(net); sink != end(net); ++sink) {
      if (is_state(sink->element)) continue;
      const Net output = gates[sink->element].output;
      if (!from_clock[output]) {
        from_clock[output] = 1;
        work.push_back(output);
      }
    }
  }
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(net_count), 0);
  for (std::int32_t n = 0; n < d.state_count; ++n) {
    const std::vector<Net> nets = trigger_nets(d, n);
    const bool clocked = std::any_of(nets.begin(), nets.end(), [&](Net net) {
      return from_clock[net] != 0;
    });
    if (states[n].kind == Kind::kFlipFlop && !clocked && !nets.empty() &&
        std::any_of(nets.begin(), nets.end(), [&](Net net) { return driver_[net] >= 0; })) {
      throw Fault("a flip-flop's clock does not come from the clock input", nets);
    }
    for (Net net : nets) work.push_back(net);
  }
  while (!work.empty()) {
    const Net net = work.back();
    work.pop_back();
    if (seen[net] || !from_clock[net]) continue;
    seen[net] = 1;
    const std::int32_t driver = driver_[net];
    if (driver < 0 || is_state(static_cast<std::uint32_t>(driver))) continue;
    gates[driver].clock = true;
    for (Net input : inputs_of(d, static_cast<std::uint32_t>(driver))) work.push_back(input);
  }
}

// Gives each element a level above those of all that it depends on in one clock.
void Circuit::level(const Description& d) {
  const auto elements = static_cast<std::uint32_t>(d.gate_count + d.state_count);
  std::vector<std::int32_t> waiting(elements, 0);
  std::vector<std::int32_t> levels_of(elements, 0);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t e = 0; e < elements; ++e) {
    if (passes(d, e)) {
      for (Net net : inputs_of(d, e)) {
        const std::int32_t driver = driver_[net];
        if (driver >= 0 && passes(d, static_cast<std::uint32_t>(driver))) ++waiting[e];
      }
    }
    if (waiting[e] == 0) ready.push_back(e);
  }
  std::size_t done = 0;
  while (done < ready.size()) {
    const std::uint32_t e = ready[done++];
    levels = std::max(levels, levels_of[e] + 1);
    if (!is_state(e)) gates[e].level = levels_of[e];
    if (!passes(d, e)) continue;
    const Net net = output_of(d, e);
    for (const Sink* sink = begin(net); sink != end(net); ++sink) {
      if (!passes(d, sink->element)) continue;
      levels_of[sink->element] = std::max(levels_of[sink->element], levels_of[e] + 1);
      if (--waiting[sink->element] == 0) ready.push_back(sink->element);
    }
  }
  if (ready.size() != elements) report_loop(waiting, d);
}

// Walks back from an element that never got ready until it meets one again.
void Circuit::report_loop(const std::vector<std::int32_t>& waiting, const Description& d) const {
  const auto start = std::find_if(waiting.begin(), waiting.end(), [](auto n) { return n > 0; });
  auto e = static_cast<std::uint32_t>(start - waiting.begin());
  std::vector<Net> path;
  std::vector<std::int32_t> place(waiting.size(), -1);
  while (place[e] < 0) {
    place[e] = static_cast<std::int32_t>(path.size());
    path.push_back(output_of(d, e));
    for (Net net : inputs_of(d, e)) {
      const std::int32_t driver = driver_[net];
      if (driver >= 0 && waiting[driver] > 0) {
        e = static_cast<std::uint32_t>(driver);
        break;
      }
    }
  }
  std::vector<Net> loop(path.begin() + place[e], path.end());
  std::reverse(loop.begin(), loop.end());
  throw Fault("a combinational loop", loop);
}

}  // namespace gates
