// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator, Verilated, behind the interface of ciphermill_model.h.
//
// model_config.h is written by the build: MODEL_DESCRIPTION (a JSON object),
// MODEL_STREAM_BITS, MODEL_CHANNELS, MODEL_ASYNCHRONOUS, MODEL_CORE_KHZ, MODEL_BUS_KHZ.

#include "ciphermill_model.h"

#include <array>
#include <exception>
#include <memory>
#include <type_traits>

#include "Vaccel.h"
#include "accel_registers.h"
#include "byte_queue.h"
#include "clocks.h"
#include "model_config.h"
#include "verilated.h"

namespace {

constexpr size_t kBeatBytes = MODEL_STREAM_BITS / 8;
constexpr unsigned kChannels = MODEL_CHANNELS;
constexpr uint32_t kChannelBytes = 256;  // of registers
constexpr int kDecodeError = 3;
constexpr size_t kQueueBytes = 256 * 1024;
constexpr unsigned kAnswerCycles = 10000;
constexpr unsigned kResetCycles = 16;
constexpr unsigned kSweepPolls = 100000;

using Clocks = std::conditional_t<MODEL_ASYNCHRONOUS, TwoClocks<MODEL_CORE_KHZ, MODEL_BUS_KHZ>,
                                  OneClock>;

// The ports of a stream hold a beat's bytes in order, lane 0 first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are copied as they lie in memory");

// A channel's part of a port that has the bits of all channels side by side.
template <typename Port>
uint8_t *lanes(Port &port, unsigned channel) {
  return reinterpret_cast<uint8_t *>(&port) + channel * kBeatBytes;
}

template <typename Port>
void set_bit(Port &port, unsigned channel, bool value) {
  const auto bit = static_cast<Port>(Port{1} << channel);
  port = static_cast<Port>(value ? port | bit : port & ~bit);
}

// Assigns a number to a port, of whatever width.
template <typename Port>
void set(Port &port, uint32_t value) {
  port = static_cast<Port>(value);
}

template <typename Port>
bool bit(const Port &port, unsigned channel) {
  return (port >> channel & 1) != 0;
}

// The bits of TKEEP of a channel: two of them share a byte where a beat has four lanes.
template <typename Port>
void set_keep(Port &port, unsigned channel, size_t bytes) {
  auto *const keep = reinterpret_cast<uint8_t *>(&port);
  const uint32_t bits = (1u << bytes) - 1;
  if constexpr (kBeatBytes == 4) {
    const unsigned shift = 4 * (channel % 2);
    keep[channel / 2] = static_cast<uint8_t>((keep[channel / 2] & ~(0xFu << shift)) |
                                             (bits << shift));
  } else {
    std::memcpy(keep + channel * kBeatBytes / 8, &bits, kBeatBytes / 8);
  }
}

template <typename Port>
size_t kept(const Port &port, unsigned channel) {
  const auto *const keep = reinterpret_cast<const uint8_t *>(&port);
  uint32_t bits = 0;
  if constexpr (kBeatBytes == 4) {
    bits = keep[channel / 2] >> (4 * (channel % 2)) & 0xF;
  } else {
    std::memcpy(&bits, keep + channel * kBeatBytes / 8, kBeatBytes / 8);
  }
  return static_cast<size_t>(__builtin_popcount(bits));
}

// What a host has queued for a channel, and what it has not fetched.
struct Streams {
  ByteQueue input{kQueueBytes}, output{kQueueBytes};
};

}  // namespace

struct ciphermill_model {
  ciphermill_model() : top_(single_threaded(context_)) {}
  ~ciphermill_model() { top_.final(); }

  // Reset, and wait for the sweep that follows it. False when that does not end.
  bool reset() {
    top_.rst_ni = 0;
    top_.core_rst_ni = 0;
    top_.eval();
    for (unsigned clock = 0; clock < kResetCycles; ++clock) pass();
    top_.rst_ni = 1;
    top_.core_rst_ni = 1;
    top_.eval();
    for (unsigned channel = 0; channel < kChannels; ++channel) {
      if (!is_swept(channel)) return false;
    }
    cycles_ = 0;
    return true;
  }

  int read(uint32_t address, uint32_t *value) {
    if (address >= kChannels * kChannelBytes) return kDecodeError;
    set(top_.s_axil_araddr_i, address);
    top_.s_axil_arvalid_i = 1;
    top_.s_axil_rready_i = 1;
    settle();
    int response = -1;
    for (unsigned clock = 0; clock < kAnswerCycles && response < 0;) {
      const bool asked = top_.s_axil_arvalid_i && top_.s_axil_arready_o;
      if (top_.s_axil_rvalid_o) {
        response = top_.s_axil_rresp_o;
        *value = top_.s_axil_rdata_o;
      }
      if (!pass([&] {
            if (asked) top_.s_axil_arvalid_i = 0;
            if (response >= 0) top_.s_axil_rready_i = 0;
          })) {
        response = -1;  // no bus edge: nothing was handed over
        continue;
      }
      ++clock;
    }
    top_.s_axil_arvalid_i = 0;
    top_.s_axil_rready_i = 0;
    return response;
  }

  int write(uint32_t address, uint32_t value) {
    if (address >= kChannels * kChannelBytes) return kDecodeError;
    set(top_.s_axil_awaddr_i, address);
    top_.s_axil_awvalid_i = 1;
    top_.s_axil_wdata_i = value;
    top_.s_axil_wstrb_i = 0xF;
    top_.s_axil_wvalid_i = 1;
    top_.s_axil_bready_i = 1;
    settle();
    int response = -1;
    for (unsigned clock = 0; clock < kAnswerCycles && response < 0;) {
      const bool addressed = top_.s_axil_awvalid_i && top_.s_axil_awready_o;
      const bool given = top_.s_axil_wvalid_i && top_.s_axil_wready_o;
      if (top_.s_axil_bvalid_o) response = top_.s_axil_bresp_o;
      if (!pass([&] {
            if (addressed) top_.s_axil_awvalid_i = 0;
            if (given) top_.s_axil_wvalid_i = 0;
            if (response >= 0) top_.s_axil_bready_i = 0;
          })) {
        response = -1;
        continue;
      }
      ++clock;
    }
    top_.s_axil_awvalid_i = 0;
    top_.s_axil_wvalid_i = 0;
    top_.s_axil_wdata_i = 0;  // it may have been a word of a key
    top_.s_axil_bready_i = 0;
    return response;
  }

  size_t push(unsigned channel, const uint8_t *data, size_t length, bool last) {
    ByteQueue &input = streams_[channel].input;
    const size_t taken = std::min(length, input.room());
    if (taken > 0) input.push(data, taken, last && taken == length);
    return taken;
  }

  size_t queued(unsigned channel) const { return streams_[channel].input.size(); }

  size_t pull(unsigned channel, uint8_t *data, size_t capacity, bool *last) {
    ByteQueue &output = streams_[channel].output;
    const size_t given = std::min(capacity, output.front_size());
    *last = output.take(data, given);
    return given;
  }

  void discard(unsigned channel) {
    streams_[channel].input.clear();
    streams_[channel].output.clear();
    set_bit(top_.s_axis_tvalid_i, channel, false);
    std::memset(lanes(top_.s_axis_tdata_i, channel), 0, kBeatBytes);
  }

  uint64_t advance(uint64_t cycles, uint32_t *reason) {
    settle();
    const uint64_t begun = cycles_;
    // One bit a channel in each.
    uint32_t starved = starves(), full = is_full(), interrupt = top_.interrupt_o;
    while (cycles_ - begun < cycles) {
      pass();
      const uint32_t starves_now = starves(), full_now = is_full();
      const uint32_t interrupt_now = top_.interrupt_o;
      const uint32_t news = (starves_now & ~starved) | (full_now & ~full) |
                            (interrupt_now & ~interrupt);
      starved = starves_now;
      full = full_now;
      interrupt = interrupt_now;
      if (news != 0) break;
    }
    *reason = (cycles_ - begun >= cycles ? CIPHERMILL_MODEL_CYCLES_SPENT : 0) |
              (starved != 0 ? CIPHERMILL_MODEL_NEEDS_INPUT : 0) |
              (full != 0 ? CIPHERMILL_MODEL_OUTPUT_FULL : 0) |
              (interrupt != 0 ? CIPHERMILL_MODEL_INTERRUPT : 0);
    return cycles_ - begun;
  }

  uint64_t cycles() const { return cycles_; }

 private:
  uint32_t starves() const { return top_.s_axis_tready_o & ~top_.s_axis_tvalid_i; }
  uint32_t is_full() const { return top_.m_axis_tvalid_o & ~top_.m_axis_tready_i; }

  // Wait for the end of a channel's sweep; false when it does not come.
  bool is_swept(unsigned channel) {
    constexpr uint32_t moving = ACCEL__STATUS__BUSY_bm | ACCEL__STATUS__ZEROISING_bm;
    const auto address = channel * kChannelBytes + uint32_t{offsetof(accel_t, STATUS)};
    for (unsigned poll = 0; poll < kSweepPolls; ++poll) {
      uint32_t status = 0;
      if (read(address, &status) != 0) return false;
      if ((status & moving) == 0) return true;
    }
    return false;
  }

  // Put the next beat on the input of a channel where one is queued and none is there.
  void offer(unsigned channel) {
    if (bit(top_.s_axis_tvalid_i, channel)) return;
    ByteQueue &input = streams_[channel].input;
    const size_t bytes = std::min(input.front_size(), kBeatBytes);
    if (bytes < kBeatBytes && !(bytes > 0 && input.front_ends())) return;
    uint8_t *const data = lanes(top_.s_axis_tdata_i, channel);
    if (bytes < kBeatBytes) std::memset(data, 0, kBeatBytes);
    set_bit(top_.s_axis_tlast_i, channel, input.take(data, bytes));
    set_keep(top_.s_axis_tkeep_i, channel, bytes);
    set_bit(top_.s_axis_tvalid_i, channel, true);
  }

  // Offer beats and room on all channels.
  void meet() {
    for (unsigned channel = 0; channel < kChannels; ++channel) {
      offer(channel);
      set_bit(top_.m_axis_tready_i, channel, streams_[channel].output.room() >= kBeatBytes);
    }
  }

  // Let the device see what the host has queued or made room for since the last clock.
  void settle() {
    meet();
    top_.eval();
  }

  // Let the next clock edge pass; `after` changes inputs behind a bus edge.
  // Returns whether it was (also) one of the bus clock.
  template <typename After>
  bool pass(After after) {
    const Edge edge = edges_.next();
    if (edge.bus) {
      const uint32_t taken = top_.s_axis_tvalid_i & top_.s_axis_tready_o;
      collect(top_.m_axis_tvalid_o & top_.m_axis_tready_i);
      rise(edge);
      set(top_.s_axis_tvalid_i, top_.s_axis_tvalid_i & ~taken);
      after();
      meet();
    } else {
      rise(edge);
    }
    top_.clk_i = 0;
    top_.core_clk_i = 0;
    top_.eval();
    cycles_ += edge.core;
    return edge.bus;
  }

  bool pass() {
    return pass([] {});
  }

  void rise(Edge edge) {
    top_.clk_i = edge.bus;
    top_.core_clk_i = edge.core;
    top_.eval();
  }

  // Take the beats that these channels (one bit each) give.
  void collect(uint32_t given) {
    for (unsigned channel = 0; given != 0; ++channel, given >>= 1) {
      if ((given & 1) == 0) continue;
      streams_[channel].output.push(lanes(top_.m_axis_tdata_o, channel),
                                    kept(top_.m_axis_tkeep_o, channel),
                                    bit(top_.m_axis_tlast_o, channel));
    }
  }

  // By default a context starts a thread for each further processor, which a model that is
  // built without --threads never uses, and which take the signals of the program that has
  // loaded it.
  static VerilatedContext *single_threaded(VerilatedContext &context) {
    context.threads(1);
    return &context;
  }

  VerilatedContext context_;
  Vaccel top_;
  Clocks edges_;
  std::array<Streams, kChannels> streams_;
  uint64_t cycles_ = 0;
};

extern "C" {

uint32_t ciphermill_model_interface(void) { return CIPHERMILL_MODEL_INTERFACE; }

const char *ciphermill_model_description(void) { return MODEL_DESCRIPTION; }

ciphermill_model *ciphermill_model_open(void) try {
  auto model = std::make_unique<ciphermill_model>();
  return model->reset() ? model.release() : nullptr;
} catch (const std::exception &) {
  return nullptr;
}

void ciphermill_model_close(ciphermill_model *model) { delete model; }

int ciphermill_model_read_register(ciphermill_model *model, uint32_t address, uint32_t *value) {
  return model->read(address, value);
}

int ciphermill_model_write_register(ciphermill_model *model, uint32_t address, uint32_t value) {
  return model->write(address, value);
}

size_t ciphermill_model_push(ciphermill_model *model, uint32_t stream, const uint8_t *data,
                             size_t length, int last) {
  return stream < kChannels ? model->push(stream, data, length, last != 0) : 0;
}

size_t ciphermill_model_queued(const ciphermill_model *model, uint32_t stream) {
  return stream < kChannels ? model->queued(stream) : 0;
}

size_t ciphermill_model_pull(ciphermill_model *model, uint32_t stream, uint8_t *data,
                             size_t capacity, int *last) {
  bool ended = false;
  const size_t given = stream < kChannels ? model->pull(stream, data, capacity, &ended) : 0;
  *last = ended;
  return given;
}

void ciphermill_model_discard(ciphermill_model *model, uint32_t stream) {
  if (stream < kChannels) model->discard(stream);
}

uint64_t ciphermill_model_advance(ciphermill_model *model, uint64_t cycles, uint32_t *reason) {
  return model->advance(cycles, reason);
}

uint64_t ciphermill_model_cycles(const ciphermill_model *model) { return model->cycles(); }

}  // extern "C"
