// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// A memory-mapped coprocessor as a library: soc_register_coprocessor (hw/soc), 32 bits
// wide, behind functions that make one bus transfer or let cycles pass. An
// instruction-set simulator has it behind its memory-mapped registers.
//
// A model is reset when it is opened. One thread at a time may use one; several may be
// open. Cycles are the coprocessor's own.
#include <cstdint>
#include <memory>
#include <new>

#include "Vsoc_register_coprocessor.h"

// Verilator's library asks for the time where a design does.
double sc_time_stamp() { return 0; }

namespace {

// While nothing computes and no transfer waits, what a coprocessor still does by itself
// (a zeroisation, at most 213 cycles) is over after these; more change nothing.
constexpr uint64_t kQuietCycles = 256;

class Model {
 public:
  Model() {
    top_.rst_ni = 0;
    top_.bus_wstrb_i = 0xF;
    clock();
    clock();
    top_.rst_ni = 1;
    advance(kQuietCycles);
  }
  ~Model() { top_.final(); }

  void advance(uint64_t cycles) {
    uint64_t quiet = 0;
    for (; cycles != 0 && quiet < kQuietCycles; cycles--) {
      clock();
      quiet = top_.busy_o ? 0 : quiet + 1;
    }
  }

  // One transfer. Returns the word read, and how many cycles it waited before the clock
  // of the transfer itself, and in how many of them the cipher computed.
  uint32_t transfer(bool write, uint32_t address, uint32_t data, uint32_t limit,
                    uint32_t* waited, uint32_t* computing) {
    *waited = *computing = 0;
    top_.bus_valid_i = 1;
    top_.bus_write_i = write;
    top_.bus_address_i = address & 0xFFF;
    top_.bus_wdata_i = data;
    top_.eval();
    while (!top_.bus_ready_o && *waited < limit) {
      *computing += top_.busy_o;
      ++*waited;
      clock();
    }
    uint32_t read = top_.bus_rdata_o;
    clock();
    top_.bus_valid_i = 0;
    top_.eval();
    return read;
  }

  void stick(uint32_t bits) { top_.fault_i = bits; }

 private:
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  VerilatedContext context_;
  Vsoc_register_coprocessor top_{&context_};
};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* coprocessor_model_open() {
  return new (std::nothrow) Model;
}

__attribute__((visibility("default"))) void coprocessor_model_close(void* model) {
  delete static_cast<Model*>(model);
}

// Lets cycles pass without a transfer.
__attribute__((visibility("default"))) void coprocessor_model_advance(void* model,
                                                                      uint64_t cycles) {
  static_cast<Model*>(model)->advance(cycles);
}

// Makes a transfer, given up after `limit` cycles of waiting.
__attribute__((visibility("default"))) uint32_t coprocessor_model_transfer(
    void* model, int write, uint32_t address, uint32_t data, uint32_t limit, uint32_t* waited,
    uint32_t* computing) {
  return static_cast<Model*>(model)->transfer(write != 0, address, data, limit, waited, computing);
}

// Makes these bits of every result that is read stuck at one, for tests.
__attribute__((visibility("default"))) void coprocessor_model_stick(void* model, uint32_t bits) {
  static_cast<Model*>(model)->stick(bits);
}
}
