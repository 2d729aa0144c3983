// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Simulation without delays: a net has one value from each edge of the clock to the
// next, and toggles at most once there. No glitches.
//
// Inputs that are set between two edges change together with the flip-flops at the
// first of them: what settles in between, so that outputs can be read, counts not.
#pragma once

#include "engine.hpp"

namespace gates {

class ZeroDelay final : public Engine<ZeroDelay> {
 public:
  ZeroDelay(const Description& description, Time period)
      : Engine(description, period),
        buckets_(static_cast<std::size_t>(circuit_.levels)),
        lowest_(buckets_.size()),
        toggles_(values_.size(), 0),
        high_(values_.size(), 0),
        last_(values_.size(), 0),
        dirty_(values_.size(), 0) {
    begin();
    settle();
    committed_ = values_;
    clear_dirty();
  }

  void poke(Net net, bool value) override {
    if (value == this->value(net)) return;
    change(net);
    drain();
  }

  void settle() override {
    std::uint64_t left = 1'000'000 + 64 * values_.size();
    while (lowest_ < buckets_.size()) {
      std::vector<Gate*>& bucket = buckets_[lowest_];
      if (bucket.empty()) {
        ++lowest_;
        continue;
      }
      Gate& gate = *bucket.back();
      bucket.pop_back();
      gate.queued = false;
      if (gate.table[gate.index] != values_[gate.output]) {
        change(gate.output);
        drain();
      }
      if (--left == 0) throw Fault("a net does not come to rest", {gate.output});
    }
  }

  void clock() override {
    settle();
    commit();
    if (value(circuit_.clock)) {
      now_ += period_ / 2;
      edge();
      settle();
      commit();
      now_ += period_ - period_ / 2;
    } else {
      now_ += period_;
    }
    edge();
  }

  void start() override {
    // What the last edge does belongs to the clock that it begins: no commit here.
    std::fill(toggles_.begin(), toggles_.end(), 0);
    std::fill(high_.begin(), high_.end(), 0);
    std::fill(last_.begin(), last_.end(), now_);
  }

  void read(std::uint64_t* toggles, Time* high) override {
    for (std::size_t net = 0; net < values_.size(); ++net) {
      toggles[net] = toggles_[net];
      high[net] = high_[net] + (committed_[net] ? now_ - last_[net] : 0);
    }
  }

  // The nets that changed since the last edge of the clock, or at it.
  const std::vector<Net>& changed_nets() const { return dirty_nets_; }

  void record(Net net) {
    if (dirty_[net]) return;
    dirty_[net] = 1;
    dirty_nets_.push_back(net);
  }

  void changed(Gate& gate, std::uint32_t) {
    if (gate.queued || gate.table[gate.index] == values_[gate.output]) return;
    gate.queued = true;
    const auto level = static_cast<std::size_t>(gate.level);
    buckets_[level].push_back(&gate);
    lowest_ = std::min(lowest_, level);
  }

 private:
  void edge() {
    change(circuit_.clock);
    drain();
  }

  // Counts the values that nets have had since the edge at now_.
  void commit() {
    for (const Net net : dirty_nets_) {
      dirty_[net] = 0;
      if (values_[net] == committed_[net]) continue;
      ++toggles_[net];
      if (committed_[net]) high_[net] += now_ - last_[net];
      last_[net] = now_;
      committed_[net] = values_[net];
    }
    dirty_nets_.clear();
  }

  void clear_dirty() {
    for (const Net net : dirty_nets_) dirty_[net] = 0;
    dirty_nets_.clear();
  }

  std::vector<std::vector<Gate*>> buckets_;
  std::size_t lowest_;
  std::vector<std::uint64_t> toggles_;
  std::vector<Time> high_, last_;
  std::vector<std::uint8_t> dirty_;
  std::vector<Net> dirty_nets_;
  std::vector<std::uint8_t> committed_;
};

}  // namespace gates
