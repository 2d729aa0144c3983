// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator, Verilated, behind the interface of ciphermill_model.h.
//
// model_config.h is written by the build: MODEL_DESCRIPTION (a JSON object),
// MODEL_STREAM_BITS, MODEL_ASYNCHRONOUS, MODEL_CORE_KHZ, MODEL_BUS_KHZ.

#include "ciphermill_model.h"

#include <memory>
#include <new>
#include <type_traits>

#include "Vaccel.h"
#include "accel_registers.h"
#include "byte_queue.h"
#include "clocks.h"
#include "model_config.h"
#include "verilated.h"

namespace {

constexpr size_t kBeatBytes = MODEL_STREAM_BITS / 8;
constexpr size_t kQueueBytes = 256 * 1024;
constexpr unsigned kAnswerClocks = 10000;
constexpr unsigned kResetClocks = 16;
constexpr unsigned kSweepPolls = 100000;

using Clocks = std::conditional_t<MODEL_ASYNCHRONOUS, TwoClocks<MODEL_CORE_KHZ, MODEL_BUS_KHZ>,
                                  OneClock>;

// The ports of a stream hold a beat's bytes in order, lane 0 first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are copied as they lie in memory");

}  // namespace

struct ciphermill_model {
  ciphermill_model() : top_(&context_), input_(kQueueBytes), output_(kQueueBytes) {}
  ~ciphermill_model() { top_.final(); }

  // Reset, and wait for the sweep that follows it. False when that does not end.
  bool reset() {
    top_.rst_ni = 0;
    top_.core_rst_ni = 0;
    top_.eval();
    for (unsigned clock = 0; clock < kResetClocks; ++clock) pass();
    top_.rst_ni = 1;
    top_.core_rst_ni = 1;
    top_.eval();
    for (unsigned poll = 0; poll < kSweepPolls; ++poll) {
      uint32_t status = 0;
      if (read(offsetof(accel_t, STATUS), &status) != 0) return false;
      const uint32_t moving = ACCEL__STATUS__BUSY_bm | ACCEL__STATUS__ZEROISING_bm;
      if ((status & moving) == 0) {
        clocks_ = 0;
        return true;
      }
    }
    return false;
  }

  int read(uint32_t address, uint32_t *value) {
    top_.s_axil_araddr_i = static_cast<uint8_t>(address);
    top_.s_axil_arvalid_i = 1;
    top_.s_axil_rready_i = 1;
    settle();
    int response = -1;
    for (unsigned clock = 0; clock < kAnswerClocks && response < 0;) {
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
    top_.s_axil_awaddr_i = static_cast<uint8_t>(address);
    top_.s_axil_awvalid_i = 1;
    top_.s_axil_wdata_i = value;
    top_.s_axil_wstrb_i = 0xF;
    top_.s_axil_wvalid_i = 1;
    top_.s_axil_bready_i = 1;
    settle();
    int response = -1;
    for (unsigned clock = 0; clock < kAnswerClocks && response < 0;) {
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

  size_t push(const uint8_t *data, size_t length, bool last) {
    const size_t taken = std::min(length, input_.room());
    if (taken > 0) input_.push(data, taken, last && taken == length);
    return taken;
  }

  size_t pull(uint8_t *data, size_t capacity, bool *last) {
    const size_t given = std::min(capacity, output_.front_size());
    *last = output_.take(data, given);
    return given;
  }

  void discard() {
    input_.clear();
    output_.clear();
    top_.s_axis_tvalid_i = 0;
    std::memset(&top_.s_axis_tdata_i, 0, sizeof top_.s_axis_tdata_i);
  }

  uint64_t advance(uint64_t clocks, uint32_t *reason) {
    settle();
    const uint64_t begun = clocks_;
    bool starved = starves(), full = is_full(), interrupt = top_.interrupt_o;
    while (clocks_ - begun < clocks) {
      pass();
      const bool starves_now = starves(), full_now = is_full(), interrupt_now = top_.interrupt_o;
      const bool news = (starves_now && !starved) || (full_now && !full) ||
                        (interrupt_now && !interrupt);
      starved = starves_now;
      full = full_now;
      interrupt = interrupt_now;
      if (news) break;
    }
    *reason = (clocks_ - begun >= clocks ? CIPHERMILL_MODEL_CLOCKS_SPENT : 0) |
              (starved ? CIPHERMILL_MODEL_NEEDS_INPUT : 0) |
              (full ? CIPHERMILL_MODEL_OUTPUT_FULL : 0) |
              (interrupt ? CIPHERMILL_MODEL_INTERRUPT : 0);
    return clocks_ - begun;
  }

  uint64_t clocks() const { return clocks_; }

 private:
  bool starves() const { return top_.s_axis_tready_o && !top_.s_axis_tvalid_i; }
  bool is_full() const { return top_.m_axis_tvalid_o && !top_.m_axis_tready_i; }

  // Put the next beat on the input where one is queued and none is there.
  void offer() {
    if (top_.s_axis_tvalid_i) return;
    const size_t bytes = std::min(input_.front_size(), kBeatBytes);
    if (bytes < kBeatBytes && !(bytes > 0 && input_.front_ends())) return;
    if (bytes < kBeatBytes) std::memset(&top_.s_axis_tdata_i, 0, kBeatBytes);
    top_.s_axis_tlast_i = input_.take(reinterpret_cast<uint8_t *>(&top_.s_axis_tdata_i), bytes);
    top_.s_axis_tkeep_i = static_cast<uint16_t>((1u << bytes) - 1);
    top_.s_axis_tvalid_i = 1;
  }

  // Let the device see what the host has queued or made room for since the last clock.
  void settle() {
    offer();
    top_.m_axis_tready_i = output_.room() >= kBeatBytes;
    top_.eval();
  }

  // Let the next clock edge pass; `after` changes inputs behind a bus edge.
  // Returns whether it was (also) one of the bus clock.
  template <typename After>
  bool pass(After after) {
    const Edge edge = edges_.next();
    if (edge.bus) {
      const bool taken = top_.s_axis_tvalid_i && top_.s_axis_tready_o;
      if (top_.m_axis_tvalid_o && top_.m_axis_tready_i) collect();
      rise(edge);
      if (taken) top_.s_axis_tvalid_i = 0;
      after();
      offer();
      top_.m_axis_tready_i = output_.room() >= kBeatBytes;
    } else {
      rise(edge);
    }
    top_.clk_i = 0;
    top_.core_clk_i = 0;
    top_.eval();
    clocks_ += edge.core;
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

  void collect() {
    const size_t bytes = static_cast<size_t>(__builtin_popcount(top_.m_axis_tkeep_o));
    output_.push(reinterpret_cast<const uint8_t *>(&top_.m_axis_tdata_o), bytes,
                 top_.m_axis_tlast_o);
  }

  VerilatedContext context_;
  Vaccel top_;
  Clocks edges_;
  ByteQueue input_, output_;
  uint64_t clocks_ = 0;
};

extern "C" {

uint32_t ciphermill_model_interface(void) { return CIPHERMILL_MODEL_INTERFACE; }

const char *ciphermill_model_description(void) { return MODEL_DESCRIPTION; }

ciphermill_model *ciphermill_model_open(void) try {
  auto model = std::make_unique<ciphermill_model>();
  return model->reset() ? model.release() : nullptr;
} catch (const std::bad_alloc &) {
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
  return stream == 0 ? model->push(data, length, last != 0) : 0;
}

size_t ciphermill_model_pull(ciphermill_model *model, uint32_t stream, uint8_t *data,
                             size_t capacity, int *last) {
  bool ended = false;
  const size_t given = stream == 0 ? model->pull(data, capacity, &ended) : 0;
  *last = ended;
  return given;
}

void ciphermill_model_discard(ciphermill_model *model) { model->discard(); }

uint64_t ciphermill_model_advance(ciphermill_model *model, uint64_t clocks, uint32_t *reason) {
  return model->advance(clocks, reason);
}

uint64_t ciphermill_model_clocks(const ciphermill_model *model) { return model->clocks(); }

}  // extern "C"
