// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Simulation with the cells' delays, event by event.
//
// Delays are inertial: an output has at most one change to come, and loses it when
// the inputs ask for its present value again before the change comes. A pulse that
// is shorter than the delay of the gate it meets thus vanishes; of one exactly as
// long as it, the order of events at that moment decides. Of two inputs that ask for
// the same change the earlier arrival counts.
//
// Events lie in a wheel of slots of a quarter of a picosecond, sorted inside a slot.
#pragma once

#include "engine.hpp"
#include "zero_delay.hpp"

namespace gates {

class Timed final : public Engine<Timed> {
 public:
  // Inputs that are poked change input_delay after the last rising edge.
  Timed(const Description& description, Time period, Time input_delay)
      : Engine(description, period), input_delay_(input_delay), nets_(values_.size()) {
    if (circuit_.delays.empty()) throw Fault("a timed simulation needs delays", {});
    std::size_t slots = 64;
    while (static_cast<Time>(slots) < (circuit_.longest_delay >> kSlotBits) + 2) slots *= 2;
    slots_.assign(slots, kNone);
    used_.assign(slots / 64, 0);
    begin();
  }

  void poke(Net net, bool value) override { pokes_.push_back({net, value}); }

  // Goes on from where another simulator is directly after an edge of the clock: what changed
  // at the edge is still to reach the gates.
  void follow(const ZeroDelay& other) {
    take_values(other);
    pokes_.clear();
    for (Course& course : nets_) {
      course.pending = false;
      ++course.serial;
    }
    edge_nets_ = other.changed_nets();
    for (const Net net : edge_nets_) {
      for (const Sink* sink = circuit_.begin(net); sink != circuit_.end(net); ++sink) {
        if (circuit_.is_state(sink->element)) continue;
        Gate& gate = circuit_.gates[sink->element];
        if (!gate.clock) changed(gate, sink->bit);
      }
    }
  }

  // Outputs settle in their own time; the simulation without delays foretells them.
  void settle() override {}

  void clock() override {
    const Time edge = now_;
    const Time next = edge + period_;
    const bool falls = value(circuit_.clock);
    const Time half = edge + period_ / 2;
    const Time poke = edge + input_delay_;
    if (falls && half <= poke) fall(half);
    run(poke);
    for (const Poke& poked : pokes_) {
      if (poked.value == value(poked.net)) continue;
      change(poked.net);
      drain();
    }
    pokes_.clear();
    if (falls && half > poke) fall(half);
    run(next);
    edge_nets_.clear();
    at_edge_ = true;
    change(circuit_.clock);
    drain();
    at_edge_ = false;
  }

  // The edge at this very moment belongs to the clock that it begins.
  void start() override {
    for (Course& course : nets_) {
      course.toggles = 0;
      course.high = 0;
      course.last = now_;
    }
    for (const Net net : edge_nets_) ++nets_[net].toggles;
  }

  void read(std::uint64_t* toggles, Time* high) override {
    for (std::size_t net = 0; net < values_.size(); ++net) {
      toggles[net] = nets_[net].toggles;
      high[net] = nets_[net].high + (values_[net] ? now_ - nets_[net].last : 0);
    }
    for (const Net net : edge_nets_) --toggles[net];
  }

  void record(Net net) {
    Course& course = nets_[net];
    ++course.toggles;
    if (!values_[net]) course.high += now_ - course.last;
    course.last = now_;
    if (at_edge_) edge_nets_.push_back(net);
  }

  void changed(Gate& gate, std::uint32_t bit) {
    const Net output = gate.output;
    Course& course = nets_[output];
    const std::uint8_t wanted = gate.table[gate.index];
    if (wanted == values_[output]) {
      if (course.pending) {
        course.pending = false;
        ++course.serial;
      }
      return;
    }
    const Delay& delay = gate.delays[__builtin_ctz(bit)];
    const Time time = now_ + (wanted ? delay.rise : delay.fall);
    if (course.pending && course.time <= time) return;
    course.pending = true;
    course.time = time;
    schedule(time, output, ++course.serial);
  }

 private:
  static constexpr int kSlotBits = 8;
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Course {  // what a net has done, and the change that it has before it
    std::uint64_t toggles = 0;
    Time high = 0;
    Time last = 0;  // when it changed
    Time time = 0;  // when it will
    std::uint32_t serial = 0;
    bool pending = false;
  };
  struct Event {
    Time time;
    Net net;
    std::uint32_t serial;
    std::uint32_t next;
  };
  struct Poke {
    Net net;
    bool value;
  };

  void fall(Time time) {
    run(time);
    change(circuit_.clock);
    drain();
  }

  void schedule(Time time, Net net, std::uint32_t serial) {
    std::uint32_t place = free_;
    if (place == kNone) {
      place = static_cast<std::uint32_t>(events_of_.size());
      events_of_.push_back({});
    } else {
      free_ = events_of_[place].next;
    }
    const std::size_t slot = static_cast<std::size_t>(time >> kSlotBits) & (slots_.size() - 1);
    std::uint32_t* link = &slots_[slot];
    while (*link != kNone && events_of_[*link].time <= time) link = &events_of_[*link].next;
    events_of_[place] = {time, net, serial, *link};
    *link = place;
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  // Runs all events before a time.
  void run(Time until) {
    const auto last = until >> kSlotBits;
    for (auto slot = now_ >> kSlotBits; (slot = next_used(slot, last)) <= last; ++slot) {
      const std::size_t index = static_cast<std::size_t>(slot) & (slots_.size() - 1);
      while (slots_[index] != kNone) {
        const std::uint32_t place = slots_[index];
        const Event event = events_of_[place];
        if (event.time >= until) break;
        slots_[index] = event.next;
        events_of_[place].next = free_;
        free_ = place;
        Course& course = nets_[event.net];
        if (!course.pending || course.serial != event.serial) continue;
        course.pending = false;
        now_ = event.time;
        change(event.net);
        drain();
      }
      if (slots_[index] != kNone) break;
      used_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    }
    now_ = until;
  }

  // The first slot from one on, up to another, that has events; beyond it if none.
  std::int64_t next_used(std::int64_t slot, std::int64_t last) const {
    const auto mask = static_cast<std::int64_t>(slots_.size() - 1);
    const std::int64_t end = std::min(last, slot + mask);
    while (slot <= end) {
      const std::int64_t index = slot & mask;
      const std::uint64_t word = used_[static_cast<std::size_t>(index / 64)] >> (index % 64);
      if (word) return slot + __builtin_ctzll(word);
      slot += 64 - index % 64;
    }
    return last + 1;
  }

  Time input_delay_;
  std::vector<Course> nets_;
  std::vector<Poke> pokes_;
  std::vector<Net> edge_nets_;  // what changed in the very moment of the last edge
  bool at_edge_ = false;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> used_;
  std::vector<Event> events_of_;
  std::uint32_t free_ = kNone;
};

}  // namespace gates
