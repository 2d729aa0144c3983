// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Which clock edge comes next.
#ifndef CIPHERMILL_CLOCKS_H
#define CIPHERMILL_CLOCKS_H

#include <cstdint>

// The clocks that rise at the same time.
struct Edge {
  bool bus;
  bool core;
};

// One clock: every edge is one of both.
struct OneClock {
  static constexpr Edge next() { return {true, true}; }
};

// A core clock and a bus clock of other frequencies, given in kHz. A clock's
// period is proportional to the other's frequency, so integers suffice.
template <uint64_t CoreKhz, uint64_t BusKhz>
struct TwoClocks {
  Edge next() {
    const Edge edge = {bus_at_ <= core_at_, core_at_ <= bus_at_};
    if (edge.bus) bus_at_ += CoreKhz;
    if (edge.core) core_at_ += BusKhz;
    return edge;
  }

 private:
  uint64_t bus_at_ = CoreKhz, core_at_ = BusKhz;
};

#endif
