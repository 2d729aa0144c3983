// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A board with an FPGA (board_ctr) and memory banks as a program: it encrypts one message,
// writes the output to a file and prints one JSON object with the cycles of both clocks.
//
//   board_model CORE_KHZ MEMORY_KHZ INPUT OUTPUT
//
// INPUT is the key (16 bytes), the counter of the first block (16 bytes) and the message.
// The clocks are free: one model runs at any. The banks answer each access in one cycle of
// the memory clock. board_config.h is written by the build: BOARD_BANKS, BOARD_ADDRESS_WIDTH.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
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

uint32_t word_at(const std::string &bytes, size_t at) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

class Board {
 public:
  Board(uint64_t core_khz, uint64_t memory_khz)
      : core_khz_(core_khz), memory_khz_(memory_khz), banks_(kBanks, std::vector<uint32_t>(kWords)) {
    top_.rst_ni = 0;
    for (unsigned n = 0; n < 4; ++n) edge();
    top_.rst_ni = 1;
  }

  // The place of a message's byte: block n is in bank n modulo the number of banks.
  uint8_t *place(size_t at) {
    const size_t block = at / kBlock;
    auto *bank = reinterpret_cast<uint8_t *>(banks_[block % kBanks].data());
    return bank + block / kBanks * kBlock + at % kBlock;
  }

  void run(const std::string &key, const std::string &counter, size_t bytes) {
    for (unsigned n = 0; n < 4; ++n) {
      set_word(top_.key_i, n, word_at(key, 4 * n));
      set_word(top_.counter_i, n, word_at(counter, 4 * n));
    }
    top_.bytes_i = static_cast<uint32_t>(bytes);
    top_.start_valid_i = 1;
    top_.eval();
    const uint64_t most = 1000 * (bytes / kBlock + 1000);
    bool started = false;
    while (!started || top_.busy_o) {
      const bool starts = top_.start_valid_i && top_.start_ready_o;
      const uint64_t before = memory_cycles_;
      edge();
      if (starts && memory_cycles_ != before) {
        top_.start_valid_i = 0;
        started = true;
        core_cycles_ = 0;
      }
      if (core_cycles_ > most && memory_cycles_ > most)
        throw std::runtime_error("the message does not end");
    }
  }

  void report() const {
    std::printf("{\"core_cycles\": %" PRIu64 ", \"memory_cycles\": %" PRIu32 "}\n", core_cycles_,
                static_cast<uint32_t>(top_.cycles_o));
  }

  ~Board() { top_.final(); }

 private:
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

  const uint64_t core_khz_, memory_khz_;
  uint64_t core_at_ = 0, memory_at_ = 0;
  uint64_t core_cycles_ = 0, memory_cycles_ = 0;
  std::vector<std::vector<uint32_t>> banks_;
  Vboard_ctr top_;
};

}  // namespace

int main(int count, char **words) try {
  if (count != 5) throw std::runtime_error("usage: board_model CORE_KHZ MEMORY_KHZ INPUT OUTPUT");
  const uint64_t core = std::strtoull(words[1], nullptr, 10);
  const uint64_t memory = std::strtoull(words[2], nullptr, 10);
  if (!core || !memory) throw std::runtime_error("a clock is not a number of kHz above zero");
  std::ifstream source(words[3], std::ios::binary);
  const std::string input{std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>()};
  if (!source || input.size() < 2 * kBlock)
    throw std::runtime_error(std::string(words[3]) + ": no key, counter and message");
  const size_t bytes = input.size() - 2 * kBlock;
  if (bytes > 4 * kWords * kBanks)
    throw std::runtime_error("the message is longer than the memory of the board");
  Board board(core, memory);
  for (size_t n = 0; n < bytes; ++n) *board.place(n) = static_cast<uint8_t>(input[2 * kBlock + n]);
  board.run(input.substr(0, kBlock), input.substr(kBlock, kBlock), bytes);
  std::string output(bytes, '\0');
  for (size_t n = 0; n < bytes; ++n) output[n] = static_cast<char>(*board.place(n));
  std::ofstream target(words[4], std::ios::binary);
  target << output;
  target.close();
  if (!target) throw std::runtime_error(std::string(words[4]) + ": cannot be written");
  board.report();
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
