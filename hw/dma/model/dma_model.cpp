// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator behind the DMA engine, Verilated, behind the interface of ciphermill_dma.h.
//
// dma_config.h is written by the build: DMA_DESCRIPTION (a JSON object).

#include "ciphermill_dma.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "Vdma_accel_harness.h"
#include "dma_config.h"
#include "verilated.h"

namespace {

// A beat lies in the host's memory as it lies in a port, lane 0 first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "beats are copied as they lie in memory");

using Top = Vdma_accel_harness;

constexpr size_t kBeatBytes = sizeof(Top::m_axi_rdata_i);
constexpr unsigned kAnswerCycles = 10000;
constexpr unsigned kResetCycles = 16;
constexpr uint8_t kOkay = 0, kDecodeError = 3;

// A burst that the memory has yet to answer.
struct Burst {
  uint64_t address;
  size_t beats;
  uint64_t due;                    // the first cycle of its answer
  size_t moved = 0;                // beats
  std::vector<uint8_t> data = {};  // of a write
  std::vector<bool> strobes = {};  // of a write, one for each byte
};

// What a link may move in a direction: so many bytes a cycle.
class Budget {
 public:
  explicit Budget(size_t rate) : rate_(rate) {}
  void pass() { left_ = std::min(left_ + rate_, 2 * kBeatBytes - 1); }
  bool has() const { return left_ >= kBeatBytes; }
  void take() { left_ -= kBeatBytes; }

 private:
  const size_t rate_;
  size_t left_ = 0;
};

template <typename Port>
uint8_t *lanes(Port &port) {
  return reinterpret_cast<uint8_t *>(&port);
}

// The ports of a register bus.
template <typename Address>
struct Registers {
  Address &awaddr;
  uint8_t &awvalid, &awready;
  uint32_t &wdata;
  uint8_t &wstrb, &wvalid, &wready, &bresp, &bvalid, &bready;
  Address &araddr;
  uint8_t &arvalid, &arready;
  uint32_t &rdata;
  uint8_t &rresp, &rvalid, &rready;
};

}  // namespace

struct ciphermill_dma {
  ciphermill_dma(size_t memory_bytes, uint32_t latency, uint32_t bytes_per_cycle)
      : memory_(memory_bytes),
        latency_(std::max(latency, uint32_t{1})),
        read_budget_(rate(bytes_per_cycle)),
        write_budget_(rate(bytes_per_cycle)),
        top_(single_threaded(context_)) {}

  ~ciphermill_dma() { top_.final(); }

  void reset() {
    top_.rst_ni = 0;
    top_.eval();
    for (unsigned clock = 0; clock < kResetCycles; ++clock) pass();
    top_.rst_ni = 1;
    top_.eval();
    cycles_ = 0;
  }

  int read(uint32_t whose, uint32_t address, uint32_t *value) {
    return whose == CIPHERMILL_DMA_ENGINE ? read(engine_, address, value)
                                          : read(accelerator_, address, value);
  }

  int write(uint32_t whose, uint32_t address, uint32_t value) {
    return whose == CIPHERMILL_DMA_ENGINE ? write(engine_, address, value)
                                          : write(accelerator_, address, value);
  }

  uint64_t advance(uint64_t cycles, uint32_t *reason) {
    const uint64_t begun = cycles_;
    while (cycles_ - begun < cycles && !top_.dma_interrupt_o) pass();
    *reason = (cycles_ - begun >= cycles ? CIPHERMILL_DMA_CYCLES_SPENT : 0) |
              (top_.dma_interrupt_o ? CIPHERMILL_DMA_INTERRUPT : 0);
    return cycles_ - begun;
  }

  uint8_t *memory() { return memory_.data(); }
  uint64_t cycles() const { return cycles_; }
  uint64_t beats_read() const { return beats_read_; }
  uint64_t beats_written() const { return beats_written_; }

 private:
  static size_t rate(size_t bytes_per_cycle) {
    return bytes_per_cycle == 0 ? kBeatBytes : std::min(bytes_per_cycle, kBeatBytes);
  }

  // ------------------------------------------------------------ registers

  template <typename Address>
  int read(Registers<Address> &bus, uint32_t address, uint32_t *value) {
    bus.araddr = static_cast<Address>(address);
    bus.arvalid = 1;
    bus.rready = 1;
    top_.eval();
    int response = -1;
    for (unsigned clock = 0; clock < kAnswerCycles && response < 0; ++clock) {
      const bool asked = bus.arvalid && bus.arready;
      if (bus.rvalid) {
        response = bus.rresp;
        *value = bus.rdata;
      }
      pass([&] {
        if (asked) bus.arvalid = 0;
        if (response >= 0) bus.rready = 0;
      });
    }
    bus.arvalid = 0;
    bus.rready = 0;
    return response;
  }

  template <typename Address>
  int write(Registers<Address> &bus, uint32_t address, uint32_t value) {
    bus.awaddr = static_cast<Address>(address);
    bus.awvalid = 1;
    bus.wdata = value;
    bus.wstrb = 0xF;
    bus.wvalid = 1;
    bus.bready = 1;
    top_.eval();
    int response = -1;
    for (unsigned clock = 0; clock < kAnswerCycles && response < 0; ++clock) {
      const bool addressed = bus.awvalid && bus.awready;
      const bool given = bus.wvalid && bus.wready;
      if (bus.bvalid) response = bus.bresp;
      pass([&] {
        if (addressed) bus.awvalid = 0;
        if (given) bus.wvalid = 0;
        if (response >= 0) bus.bready = 0;
      });
    }
    bus.awvalid = 0;
    bus.wvalid = 0;
    bus.wdata = 0;  // it may have been a word of a key
    bus.bready = 0;
    return response;
  }

  // ------------------------------------------------------------ the host's memory

  bool is_there(uint64_t address, size_t bytes) const {
    return address <= memory_.size() && bytes <= memory_.size() - address;
  }

  // Take what is handed over with the edge that comes. Inputs change only behind it.
  void take() {
    const uint64_t due = cycles_ + latency_;
    read_given_ = top_.m_axi_rvalid_i && top_.m_axi_rready_o;
    write_answered_ = top_.m_axi_bvalid_i && top_.m_axi_bready_o;
    if (read_given_) {
      ++beats_read_;
      if (top_.m_axi_rlast_i) reads_.pop_front();
    }
    if (write_answered_) answers_.pop_front();
    if (top_.m_axi_arvalid_o && top_.m_axi_arready_i) {
      reads_.push_back({top_.m_axi_araddr_o, top_.m_axi_arlen_o + size_t{1}, due});
    }
    if (top_.m_axi_wvalid_o && top_.m_axi_wready_i) {
      ++beats_written_;
      write_budget_.take();
      take_beat(asked_.front());
      if (top_.m_axi_wlast_o) {
        asked_.front().due = due;
        answers_.push_back(std::move(asked_.front()));
        asked_.pop_front();
      }
    }
    if (top_.m_axi_awvalid_o && top_.m_axi_awready_i) {
      asked_.push_back({top_.m_axi_awaddr_o, top_.m_axi_awlen_o + size_t{1}, 0});
      asked_.back().data.resize(asked_.back().beats * kBeatBytes);
      asked_.back().strobes.resize(asked_.back().beats * kBeatBytes);
    }
  }

  // Take a beat of a write.
  void take_beat(Burst &burst) {
    const size_t at = burst.moved++ * kBeatBytes;
    const uint32_t strobes = top_.m_axi_wstrb_o;
    std::memcpy(&burst.data[at], lanes(top_.m_axi_wdata_o), kBeatBytes);
    for (size_t lane = 0; lane < kBeatBytes; ++lane) burst.strobes[at + lane] = strobes >> lane & 1;
  }

  // Make a write, and return its response.
  uint8_t store(const Burst &burst) {
    if (!is_there(burst.address, burst.data.size())) return kDecodeError;
    for (size_t at = 0; at < burst.data.size(); ++at) {
      if (burst.strobes[at]) memory_[burst.address + at] = burst.data[at];
    }
    return kOkay;
  }

  // Offer what the memory has for the next cycle.
  void offer() {
    read_budget_.pass();
    write_budget_.pass();
    if (read_given_) top_.m_axi_rvalid_i = 0;
    if (write_answered_) top_.m_axi_bvalid_i = 0;
    top_.m_axi_arready_i = 1;
    top_.m_axi_awready_i = 1;
    top_.m_axi_wready_i = !asked_.empty() && write_budget_.has();
    if (!top_.m_axi_rvalid_i && is_due(reads_) && read_budget_.has()) {
      Burst &burst = reads_.front();
      const uint64_t address = burst.address + burst.moved++ * kBeatBytes;
      const bool there = is_there(address, kBeatBytes);
      std::memset(lanes(top_.m_axi_rdata_i), 0, kBeatBytes);
      if (there) std::memcpy(lanes(top_.m_axi_rdata_i), &memory_[address], kBeatBytes);
      top_.m_axi_rresp_i = there ? kOkay : kDecodeError;
      top_.m_axi_rlast_i = burst.moved == burst.beats;
      top_.m_axi_rvalid_i = 1;
      read_budget_.take();
    }
    if (!top_.m_axi_bvalid_i && is_due(answers_)) {
      top_.m_axi_bresp_i = store(answers_.front());
      top_.m_axi_bvalid_i = 1;
    }
  }

  bool is_due(const std::deque<Burst> &bursts) const {
    return !bursts.empty() && bursts.front().due <= cycles_;
  }

  // ------------------------------------------------------------ the clock

  // Let the next cycle pass; `after` changes inputs behind its edge.
  template <typename After>
  void pass(After after) {
    take();
    top_.clk_i = 1;
    top_.eval();
    ++cycles_;
    after();
    offer();
    top_.clk_i = 0;
    top_.eval();
  }

  void pass() {
    pass([] {});
  }

  // By default a context starts threads that a model built without --threads never uses.
  static VerilatedContext *single_threaded(VerilatedContext &context) {
    context.threads(1);
    return &context;
  }

  std::vector<uint8_t> memory_;
  const uint64_t latency_;
  Budget read_budget_, write_budget_;
  std::deque<Burst> reads_;    // whose answers are to come
  std::deque<Burst> asked_;    // writes whose data are to come
  std::deque<Burst> answers_;  // writes that are to be made and answered
  bool read_given_ = false, write_answered_ = false;  // with the last edge
  uint64_t cycles_ = 0, beats_read_ = 0, beats_written_ = 0;
  VerilatedContext context_;
  Top top_;
#define PORTS(name)                                                                              \
  {top_.name##_awaddr_i,  top_.name##_awvalid_i, top_.name##_awready_o, top_.name##_wdata_i,     \
   top_.name##_wstrb_i,   top_.name##_wvalid_i,  top_.name##_wready_o,  top_.name##_bresp_o,     \
   top_.name##_bvalid_o,  top_.name##_bready_i,  top_.name##_araddr_i,  top_.name##_arvalid_i,   \
   top_.name##_arready_o, top_.name##_rdata_o,   top_.name##_rresp_o,   top_.name##_rvalid_o,    \
   top_.name##_rready_i}
  Registers<std::decay_t<decltype(Top::dma_awaddr_i)>> engine_ = PORTS(dma);
  Registers<std::decay_t<decltype(Top::accel_awaddr_i)>> accelerator_ = PORTS(accel);
#undef PORTS
};

extern "C" {

uint32_t ciphermill_dma_interface(void) { return CIPHERMILL_DMA_INTERFACE; }

const char *ciphermill_dma_description(void) { return DMA_DESCRIPTION; }

ciphermill_dma *ciphermill_dma_open(size_t memory_bytes, uint32_t latency,
                                    uint32_t bytes_per_cycle) try {
  auto dma = std::make_unique<ciphermill_dma>(memory_bytes, latency, bytes_per_cycle);
  dma->reset();
  return dma.release();
} catch (const std::exception &) {
  return nullptr;
}

void ciphermill_dma_close(ciphermill_dma *dma) { delete dma; }

uint8_t *ciphermill_dma_memory(ciphermill_dma *dma) { return dma->memory(); }

int ciphermill_dma_read_register(ciphermill_dma *dma, uint32_t whose, uint32_t address,
                                 uint32_t *value) {
  return dma->read(whose, address, value);
}

int ciphermill_dma_write_register(ciphermill_dma *dma, uint32_t whose, uint32_t address,
                                  uint32_t value) {
  return dma->write(whose, address, value);
}

uint64_t ciphermill_dma_advance(ciphermill_dma *dma, uint64_t cycles, uint32_t *reason) {
  return dma->advance(cycles, reason);
}

uint64_t ciphermill_dma_cycles(const ciphermill_dma *dma) { return dma->cycles(); }

uint64_t ciphermill_dma_beats_read(const ciphermill_dma *dma) { return dma->beats_read(); }

uint64_t ciphermill_dma_beats_written(const ciphermill_dma *dma) { return dma->beats_written(); }

}  // extern "C"
