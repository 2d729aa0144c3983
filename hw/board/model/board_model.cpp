// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A board with an FPGA (board_ctr) and memory banks, behind the interface of
// ciphermill_board.h. The banks answer each access in one cycle of the memory clock.
//
// board_config.h is written by the build: BOARD_DESCRIPTION (a JSON object), BOARD_BANKS,
// BOARD_ADDRESS_WIDTH.

#include "ciphermill_board.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <type_traits>
#include <vector>

#include "Vboard_ctr.h"
#include "board_config.h"
#include "verilated.h"

namespace {

// Words lie in the host's memory as the banks hold them.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory is copied as it lies");

constexpr unsigned kBanks = BOARD_BANKS;
constexpr size_t kWords = size_t{1} << BOARD_ADDRESS_WIDTH;
constexpr size_t kBlock = 16;
constexpr size_t kMemoryBytes = 4 * kWords * kBanks;
// Longer than a reset takes to clear the FIFOs, which have at most 128 blocks (board_ctr).
constexpr unsigned kResetEdges = 256;

// Bits of a port, which is an integer or an array of words, as its width has it.
template <typename Port>
uint32_t field(const Port &port, unsigned lsb, unsigned width) {
  const uint32_t mask = width < 32 ? (1u << width) - 1 : ~0u;
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<uint32_t>(static_cast<uint64_t>(port) >> lsb) & mask;
  } else {
    const unsigned word = lsb / 32, shift = lsb % 32;
    uint64_t value = port[word];
    if (shift + width > 32) value |= static_cast<uint64_t>(port[word + 1]) << 32;
    return static_cast<uint32_t>(value >> shift) & mask;
  }
}

template <typename Port>
void set_word(Port &port, unsigned number, uint32_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const uint64_t mask = uint64_t{0xffffffff} << (32 * number);
    port = static_cast<Port>((static_cast<uint64_t>(port) & ~mask) |
                             (static_cast<uint64_t>(value) << (32 * number)));
  } else {
    port[number] = value;
  }
}

uint32_t word_at(const uint8_t *bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

struct ciphermill_board {
  ciphermill_board(uint64_t core_khz, uint64_t memory_khz)
      : core_khz_(core_khz),
        memory_khz_(memory_khz),
        banks_(kBanks, std::vector<uint32_t>(kWords)),
        top_(single_threaded(context_)) {
    reset();
  }

  ~ciphermill_board() {
    const uint8_t zero[kBlock] = {};
    ports(zero, zero);
    reset();
    for (auto &bank : banks_) explicit_bzero(bank.data(), 4 * bank.size());
    top_.final();
  }

  void write(const uint8_t *data, size_t length) {
    each_block(length, [&](size_t at, size_t bytes) { std::memcpy(place(at), data + at, bytes); });
  }

  void read(uint8_t *data, size_t length) const {
    each_block(length, [&](size_t at, size_t bytes) { std::memcpy(data + at, place(at), bytes); });
  }

  void start(const uint8_t *key, const uint8_t *counter, size_t length) {
    ports(key, counter);
    top_.bytes_i = static_cast<uint32_t>(std::min(length, kMemoryBytes));
    top_.start_valid_i = 1;
    top_.eval();
  }

  bool advance(uint64_t edges) {
    for (; edges > 0 && is_busy(); --edges) {
      const bool starts = top_.start_valid_i && top_.start_ready_o;
      const uint64_t before = memory_cycles_;
      edge();
      if (starts && memory_cycles_ != before) {
        top_.start_valid_i = 0;
        core_cycles_ = 0;
      }
    }
    return is_busy();
  }

  uint64_t core_cycles() const { return core_cycles_; }
  uint64_t memory_cycles() const { return top_.cycles_o; }

 private:
  bool is_busy() const { return top_.start_valid_i || top_.busy_o; }

  void reset() {
    top_.rst_ni = 0;
    for (unsigned n = 0; n < kResetEdges; ++n) {
      for (const bool high : {true, false}) {
        top_.memory_clk_i = high;
        top_.core_clk_i = high;
        top_.eval();
      }
    }
    top_.rst_ni = 1;
  }

  void ports(const uint8_t *key, const uint8_t *counter) {
    for (unsigned n = 0; n < 4; ++n) {
      set_word(top_.key_i, n, word_at(key + 4 * n));
      set_word(top_.counter_i, n, word_at(counter + 4 * n));
    }
  }

  template <typename Copy>
  static void each_block(size_t length, Copy copy) {
    length = std::min(length, kMemoryBytes);
    for (size_t at = 0; at < length; at += kBlock) copy(at, std::min(kBlock, length - at));
  }

  // The place of a block's first byte: block n is in bank n modulo the number of banks.
  size_t word_of(size_t at) const { return at / kBlock / kBanks * (kBlock / 4); }
  uint32_t *place(size_t at) { return &banks_[at / kBlock % kBanks][word_of(at)]; }
  const uint32_t *place(size_t at) const { return &banks_[at / kBlock % kBanks][word_of(at)]; }

  // The next rising edge of a clock, or of both. A clock's period is proportional to the
  // other's frequency.
  void edge() {
    const bool memory = memory_at_ <= core_at_, core = core_at_ <= memory_at_;
    if (memory) {
      memory_at_ += core_khz_;
      ++memory_cycles_;
    }
    if (core) {
      core_at_ += memory_khz_;
      ++core_cycles_;
    }
    uint32_t answers[kBanks];
    if (memory) {
      for (unsigned n = 0; n < kBanks; ++n) answers[n] = access(n);
    }
    top_.memory_clk_i = memory;
    top_.core_clk_i = core;
    top_.eval();
    if (memory) {
      for (unsigned n = 0; n < kBanks; ++n) set_word(top_.memory_data_i, n, answers[n]);
    }
    top_.memory_clk_i = 0;
    top_.core_clk_i = 0;
    top_.eval();
  }

  // What a bank does in the cycle that ends: the word that it reads.
  uint32_t access(unsigned n) {
    top_.memory_ready_i = (1u << kBanks) - 1;
    if (!field(top_.memory_valid_o, n, 1)) return 0;
    uint32_t &word = banks_[n][field(top_.memory_address_o, n * BOARD_ADDRESS_WIDTH,
                                     BOARD_ADDRESS_WIDTH)];
    if (!field(top_.memory_write_o, n, 1)) return word;
    const uint32_t strobe = field(top_.memory_strobe_o, 4 * n, 4);
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      if (strobe >> lane & 1) mask |= 0xffu << (8 * lane);
    }
    word = (word & ~mask) | (field(top_.memory_data_o, 32 * n, 32) & mask);
    return 0;
  }

  // By default a context starts threads that a model built without --threads never uses.
  static VerilatedContext *single_threaded(VerilatedContext &context) {
    context.threads(1);
    return &context;
  }

  const uint64_t core_khz_, memory_khz_;
  uint64_t core_at_ = 0, memory_at_ = 0;
  uint64_t core_cycles_ = 0, memory_cycles_ = 0;
  std::vector<std::vector<uint32_t>> banks_;
  VerilatedContext context_;
  Vboard_ctr top_;
};

extern "C" {

uint32_t ciphermill_board_interface(void) { return CIPHERMILL_BOARD_INTERFACE; }

const char *ciphermill_board_description(void) { return BOARD_DESCRIPTION; }

ciphermill_board *ciphermill_board_open(uint64_t core_khz, uint64_t memory_khz) try {
  return core_khz && memory_khz ? new ciphermill_board(core_khz, memory_khz) : nullptr;
} catch (const std::exception &) {
  return nullptr;
}

void ciphermill_board_close(ciphermill_board *board) { delete board; }

void ciphermill_board_write(ciphermill_board *board, const uint8_t *data, size_t length) {
  board->write(data, length);
}

void ciphermill_board_read(const ciphermill_board *board, uint8_t *data, size_t length) {
  board->read(data, length);
}

void ciphermill_board_start(ciphermill_board *board, const uint8_t key[16],
                            const uint8_t counter[16], size_t length) {
  board->start(key, counter, length);
}

int ciphermill_board_advance(ciphermill_board *board, uint64_t edges) {
  return board->advance(edges);
}

uint64_t ciphermill_board_core_cycles(const ciphermill_board *board) {
  return board->core_cycles();
}

uint64_t ciphermill_board_memory_cycles(const ciphermill_board *board) {
  return board->memory_cycles();
}

}  // extern "C"
