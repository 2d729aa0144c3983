// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Simulation with the cells' delays, event by event.
//
// Delays are inertial: an output has at most one change to come, and loses it when
// the inputs ask for its present value again before the change comes. A pulse that
// is shorter than the delay of the gate it meets thus vanishes. Of two inputs that
// ask for the same change the earlier arrival counts.
//
// Events lie in a wheel of slots of about a picosecond, sorted inside a slot.
#pragma once

#include "engine.hpp"

namespace gates {

class Timed final : public Engine<Timed> {
 public:
  // Inputs that are poked change input_delay after the last rising edge.
  Timed(const Description& description, Net one, Time period, Time input_delay)
      : Engine(description, one, period),
        input_delay_(input_delay),
        nets_(values_.size()),
        toggles_(values_.size(), 0),
        high_(values_.size(), 0),
        last_(values_.size(), 0) {
    if (circuit_.delays.empty()) throw Fault("a timed simulation needs delays", {});
    std::size_t slots = 64;
    while (static_cast<Time>(slots) < (circuit_.longest_delay >> kSlotBits) + 2) slots *= 2;
    slots_.assign(slots, kNone);
    used_.assign(slots / 64, 0);
    begin();
  }

  void poke(Net net, bool value) override { pokes_.push_back({net, value}); }

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
    change(circuit_.clock);
    drain();
  }

  void start() override {
    std::fill(toggles_.begin(), toggles_.end(), 0);
    std::fill(high_.begin(), high_.end(), 0);
    std::fill(last_.begin(), last_.end(), now_);
  }

  void read(std::uint64_t* toggles, Time* high) override {
    for (std::size_t net = 0; net < values_.size(); ++net) {
      toggles[net] = toggles_[net];
      high[net] = high_[net] + (values_[net] ? now_ - last_[net] : 0);
    }
  }

  void record(Net net) {
    ++toggles_[net];
    if (!values_[net]) high_[net] += now_ - last_[net];
    last_[net] = now_;
  }

  void changed(Gate& gate, std::uint32_t bit) {
    const Net output = gate.output;
    Coming& coming = nets_[output];
    const std::uint8_t wanted = gate.table[gate.index];
    if (wanted == values_[output]) {
      if (coming.pending) {
        coming.pending = false;
        ++coming.serial;
      }
      return;
    }
    const Delay& delay = gate.delays[__builtin_ctz(bit)];
    const Time time = now_ + (wanted ? delay.rise : delay.fall);
    if (coming.pending && coming.time <= time) return;
    coming.pending = true;
    coming.time = time;
    schedule(time, output, ++coming.serial);
  }

 private:
  static constexpr int kSlotBits = 10;
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Coming {  // the change that a net has before it
    Time time = 0;
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
        Coming& coming = nets_[event.net];
        if (!coming.pending || coming.serial != event.serial) continue;
        coming.pending = false;
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
  std::vector<Coming> nets_;
  std::vector<std::uint64_t> toggles_;
  std::vector<Time> high_, last_;
  std::vector<Poke> pokes_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> used_;
  std::vector<Event> events_of_;
  std::uint32_t free_ = kNone;
};

}  // namespace gates
