// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The card, Verilated, behind the interface of ciphermill_card.h.
//
// card_config.h is written by the build: CARD_DESCRIPTION (a JSON object), CARD_RINGS,
// CARD_BAR_BYTES.

#include "ciphermill_card.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vcard.h"
#include "card_config.h"
#include "verilated.h"
#include "verilated_sym_props.h"
#include "verilated_syms.h"

namespace {

// A beat lies in the host's memory as it lies in a port, lane 0 first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "beats are copied as they lie in memory");

constexpr unsigned kRings = CARD_RINGS;
constexpr size_t kBeatBytes = sizeof(Vcard::m_axi_rdata_i);
constexpr uint32_t kBarBytes = CARD_BAR_BYTES;
constexpr unsigned kAnswerCycles = 10000;
constexpr unsigned kResetCycles = 16;
constexpr unsigned kSweepCycles = 1000000;
constexpr uint32_t kLatency = 64;
// Longer than anything inside takes to begin after a register access, or after what it waited for.
constexpr unsigned kQuietCycles = 64;

// A burst that the memory has yet to answer.
struct Burst {
  Burst(uint64_t address, size_t beats, uint64_t due)
      : address(address), beats(beats), due(due), data(beats * kBeatBytes) {}
  Burst(Burst &&) = default;
  ~Burst() { explicit_bzero(data.data(), data.size()); }

  uint64_t address;
  size_t beats;
  uint64_t due;     // the first cycle of its answer
  size_t moved = 0;  // beats
  std::vector<uint8_t> data;
  std::vector<uint8_t> errors;   // of a read that was made, a response for each beat
  std::vector<uint8_t> strobes;  // of a write, one for each byte
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

// What tells whether a ring has work (card_model.vlt).
struct RingSignals {
  const uint8_t *active, *stop, *enable, *key_busy, *interrupts;
  const uint32_t *rung, *completed, *fresh, *interrupt_cycles;
};

template <typename Port>
uint8_t *lanes(Port &port) {
  return reinterpret_cast<uint8_t *>(&port);
}

}  // namespace

struct ciphermill_card {
  explicit ciphermill_card(const ciphermill_card_memory &memory)
      : memory_(memory),
        latency_(memory.latency ? memory.latency : kLatency),
        read_budget_(rate(memory)),
        write_budget_(rate(memory)),
        top_(single_threaded(context_)) {
    find_signals();
  }

  ~ciphermill_card() { top_.final(); }

  // Reset, and wait for the sweep that follows it. False when that does not end.
  bool reset() {
    top_.rst_ni = 0;
    top_.eval();
    for (unsigned clock = 0; clock < kResetCycles; ++clock) pass();
    top_.rst_ni = 1;
    top_.eval();
    for (unsigned clock = 0; is_resetting() || clock < kResetCycles; ++clock) {
      if (clock == kSweepCycles) return false;
      pass();
    }
    cycles_ = 0;
    return true;
  }

  int read(uint32_t address, uint32_t *value) {
    if (address >= kBarBytes) return CIPHERMILL_CARD_DECODE_ERROR;
    quiet_ = 0;
    assign(top_.s_axil_araddr_i, address);
    top_.s_axil_arvalid_i = 1;
    top_.s_axil_rready_i = 1;
    top_.eval();
    int response = -1;
    for (uint64_t clock = 0; clock < patience() && response < 0; ++clock) {
      const bool asked = top_.s_axil_arvalid_i && top_.s_axil_arready_o;
      if (top_.s_axil_rvalid_o) {
        response = top_.s_axil_rresp_o;
        *value = top_.s_axil_rdata_o;
      }
      pass([&] {
        if (asked) top_.s_axil_arvalid_i = 0;
        if (response >= 0) top_.s_axil_rready_i = 0;
      });
    }
    top_.s_axil_arvalid_i = 0;
    top_.s_axil_rready_i = 0;
    return response;
  }

  int write(uint32_t address, uint32_t value) {
    if (address >= kBarBytes) return CIPHERMILL_CARD_DECODE_ERROR;
    quiet_ = 0;
    assign(top_.s_axil_awaddr_i, address);
    top_.s_axil_awvalid_i = 1;
    top_.s_axil_wdata_i = value;
    top_.s_axil_wstrb_i = 0xF;
    top_.s_axil_wvalid_i = 1;
    top_.s_axil_bready_i = 1;
    top_.eval();
    int response = -1;
    for (uint64_t clock = 0; clock < patience() && response < 0; ++clock) {
      const bool addressed = top_.s_axil_awvalid_i && top_.s_axil_awready_o;
      const bool given = top_.s_axil_wvalid_i && top_.s_axil_wready_o;
      if (top_.s_axil_bvalid_o) response = top_.s_axil_bresp_o;
      pass([&] {
        if (addressed) top_.s_axil_awvalid_i = 0;
        if (given) top_.s_axil_wvalid_i = 0;
        if (response >= 0) top_.s_axil_bready_i = 0;
      });
    }
    top_.s_axil_awvalid_i = 0;
    top_.s_axil_wvalid_i = 0;
    top_.s_axil_wdata_i = 0;  // it may have been a word of a key
    top_.s_axil_bready_i = 0;
    return response;
  }

  uint64_t advance(uint64_t cycles, uint32_t *reason) {
    const uint64_t begun = cycles_;
    uint32_t interrupts = 0;
    while (cycles_ - begun < cycles && interrupts == 0 && !is_idle()) {
      pass();
      interrupts = top_.interrupt_o;
    }
    *reason = (cycles_ - begun >= cycles ? CIPHERMILL_CARD_CYCLES_SPENT : 0) |
              (interrupts != 0 ? CIPHERMILL_CARD_INTERRUPT : 0) |
              (is_idle() ? CIPHERMILL_CARD_IDLE : 0);
    return cycles_ - begun;
  }

  uint32_t interrupts() {
    const uint32_t given = interrupts_;
    interrupts_ = 0;
    return given;
  }

  uint64_t cycles() const { return cycles_; }

 private:
  static size_t rate(const ciphermill_card_memory &memory) {
    const size_t rate = memory.bytes_per_cycle;
    return rate == 0 ? kBeatBytes : std::min(rate, kBeatBytes);
  }

  // Cycles in which a register access must be answered. One that comes in a reset waits for the
  // bursts on the bus.
  uint64_t patience() const { return kAnswerCycles + uint64_t{64} * latency_; }

  template <typename Port>
  static void assign(Port &port, uint32_t value) {
    port = static_cast<Port>(value);
  }

  // ------------------------------------------------------------ whether there is work

  void find_signals() {
    const std::string card = std::string(top_.name()) + ".card";
    reset_busy_ = find<uint8_t>(card, "reset_busy");
    cleared_ = find<uint8_t>(card, "cleared_q");
    for (unsigned n = 0; n < kRings; ++n) {
      const std::string ring = card + ".gen_ring[" + std::to_string(n) + "].u_ring";
      const std::string csr = ring + ".u_csr", interrupt = ring + ".u_interrupt";
      rings_[n] = {find<uint8_t>(csr, "active_q"),      find<uint8_t>(csr, "stop_q"),
                   find<uint8_t>(csr, "enable"),        find<uint8_t>(csr, "key_busy_i"),
                   find<uint8_t>(interrupt, "enable_i"), find<uint32_t>(csr, "rung"),
                   find<uint32_t>(csr, "completed_i"),  find<uint32_t>(interrupt, "fresh"),
                   find<uint32_t>(interrupt, "cycles_i")};
    }
  }

  template <typename Word>
  const Word *find(const std::string &scope, const char *name) const {
    const VerilatedScope *const found = context_.scopeFind(scope.c_str());
    const VerilatedVar *const signal = found ? found->varFind(name) : nullptr;
    if (!signal || signal->entSize() != sizeof(Word)) {
      throw std::runtime_error(scope + "." + name + " is not in the model");
    }
    return static_cast<const Word *>(signal->datap());
  }

  bool is_resetting() const { return *reset_busy_ || !*cleared_; }

  bool has_work() const {
    if (is_resetting() || !reads_.empty() || !asked_.empty() || !answers_.empty()) return true;
    return std::any_of(rings_.begin(), rings_.end(), [](const RingSignals &ring) {
      return *ring.stop || *ring.key_busy || *ring.enable != *ring.active ||
             (*ring.active && *ring.completed != *ring.rung) ||
             (*ring.interrupts && *ring.fresh && *ring.interrupt_cycles);
    });
  }

  bool is_idle() const { return quiet_ >= kQuietCycles; }

  // ------------------------------------------------------------ the host's memory

  int fetch(uint64_t address, uint8_t *data, size_t bytes) const {
    return response(memory_.read(memory_.context, address, data, bytes));
  }

  // Read a burst.
  void fetch(Burst &burst) const {
    burst.errors.resize(burst.beats);
    if (fetch(burst.address, burst.data.data(), burst.data.size()) == CIPHERMILL_CARD_OKAY) return;
    for (size_t beat = 0; beat < burst.beats; ++beat) {
      const size_t at = beat * kBeatBytes;
      const int answer = fetch(burst.address + at, &burst.data[at], kBeatBytes);
      burst.errors[beat] = static_cast<uint8_t>(answer);
      if (answer != CIPHERMILL_CARD_OKAY) std::memset(&burst.data[at], 0, kBeatBytes);
    }
  }

  // Write the bytes of a burst that are to be written, and return its response.
  int store(const Burst &burst) const {
    int answer = CIPHERMILL_CARD_OKAY;
    const auto begin = burst.strobes.begin(), end = burst.strobes.end();
    for (auto at = begin; at != end;) {
      const auto next = std::find(at, end, !*at);
      if (*at) {
        const uint8_t *const data = &burst.data[static_cast<size_t>(at - begin)];
        const uint64_t address = burst.address + static_cast<uint64_t>(at - begin);
        const auto bytes = static_cast<size_t>(next - at);
        answer = std::max(answer, response(memory_.write(memory_.context, address, data, bytes)));
      }
      at = next;
    }
    return answer;
  }

  static int response(int answer) {
    return answer == CIPHERMILL_CARD_OKAY || answer == CIPHERMILL_CARD_DECODE_ERROR
               ? answer
               : CIPHERMILL_CARD_SLAVE_ERROR;
  }

  // Take what is handed over with the edge that comes. Inputs change only behind it.
  void take() {
    const uint64_t due = cycles_ + latency_;
    read_given_ = top_.m_axi_rvalid_i && top_.m_axi_rready_o;
    write_answered_ = top_.m_axi_bvalid_i && top_.m_axi_bready_o;
    if (read_given_ && top_.m_axi_rlast_i) reads_.pop_front();
    if (write_answered_) answers_.pop_front();
    if (top_.m_axi_arvalid_o && top_.m_axi_arready_i) {
      reads_.emplace_back(top_.m_axi_araddr_o, top_.m_axi_arlen_o + size_t{1}, due);
    }
    if (top_.m_axi_wvalid_o && top_.m_axi_wready_i) {
      write_budget_.take();
      take_beat(asked_.front());
      if (top_.m_axi_wlast_o) {
        asked_.front().due = due;
        answers_.push_back(std::move(asked_.front()));
        asked_.pop_front();
      }
    }
    if (top_.m_axi_awvalid_o && top_.m_axi_awready_i) {
      asked_.emplace_back(top_.m_axi_awaddr_o, top_.m_axi_awlen_o + size_t{1}, 0);
      asked_.back().strobes.resize(asked_.back().data.size());
    }
  }

  // Take a beat of a write.
  void take_beat(Burst &burst) {
    const size_t at = burst.moved++ * kBeatBytes;
    const uint32_t strobes = top_.m_axi_wstrb_o;
    std::memcpy(&burst.data[at], lanes(top_.m_axi_wdata_o), kBeatBytes);
    for (size_t lane = 0; lane < kBeatBytes; ++lane) burst.strobes[at + lane] = strobes >> lane & 1;
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
      if (burst.errors.empty()) fetch(burst);
      const size_t beat = burst.moved++;
      std::memcpy(lanes(top_.m_axi_rdata_i), &burst.data[beat * kBeatBytes], kBeatBytes);
      top_.m_axi_rresp_i = burst.errors[beat];
      top_.m_axi_rlast_i = burst.moved == burst.beats;
      top_.m_axi_rvalid_i = 1;
      read_budget_.take();
    }
    if (!top_.m_axi_bvalid_i && is_due(answers_)) {
      top_.m_axi_bresp_i = static_cast<uint8_t>(store(answers_.front()));
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
    interrupts_ |= top_.interrupt_o;
    quiet_ = has_work() ? 0 : quiet_ + 1;
  }

  void pass() {
    pass([] {});
  }

  // By default a context starts threads that a model built without --threads never uses.
  static VerilatedContext *single_threaded(VerilatedContext &context) {
    context.threads(1);
    return &context;
  }

  const ciphermill_card_memory memory_;
  const uint64_t latency_;
  Budget read_budget_, write_budget_;
  std::deque<Burst> reads_;    // whose answers are to come
  std::deque<Burst> asked_;    // writes whose data are to come
  std::deque<Burst> answers_;  // writes that are to be made and answered
  bool read_given_ = false, write_answered_ = false;  // with the last edge
  VerilatedContext context_;
  Vcard top_;
  const uint8_t *reset_busy_ = nullptr, *cleared_ = nullptr;
  std::array<RingSignals, kRings> rings_ = {};
  uint32_t interrupts_ = 0;
  uint64_t cycles_ = 0;
  unsigned quiet_ = 0;  // cycles without work
};

extern "C" {

uint32_t ciphermill_card_interface(void) { return CIPHERMILL_CARD_INTERFACE; }

const char *ciphermill_card_description(void) { return CARD_DESCRIPTION; }

ciphermill_card *ciphermill_card_open(const ciphermill_card_memory *memory) try {
  auto card = std::make_unique<ciphermill_card>(*memory);
  return card->reset() ? card.release() : nullptr;
} catch (const std::exception &) {
  return nullptr;
}

void ciphermill_card_close(ciphermill_card *card) { delete card; }

int ciphermill_card_read_register(ciphermill_card *card, uint32_t address, uint32_t *value) {
  return card->read(address, value);
}

int ciphermill_card_write_register(ciphermill_card *card, uint32_t address, uint32_t value) {
  return card->write(address, value);
}

uint64_t ciphermill_card_advance(ciphermill_card *card, uint64_t cycles, uint32_t *reason) {
  return card->advance(cycles, reason);
}

uint32_t ciphermill_card_interrupts(ciphermill_card *card) { return card->interrupts(); }

uint64_t ciphermill_card_cycles(const ciphermill_card *card) { return card->cycles(); }

}  // extern "C"
