// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The embedded system as a program: loads a firmware image, runs it until it says
// that it has finished, and prints one JSON object. README.md has the command line.
//
// soc_config.h is written by the build: SOC_MEMORY_BYTES, SOC_TRACE.

#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "Vsoc.h"
#include "Vsoc___024root.h"
#include "options.h"
#include "soc_config.h"
#include "verilated.h"
#if SOC_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

enum Exit { kDone = 0, kFirmware = 1, kUsageError = 2, kWatchdog = 3, kTrap = 4 };

constexpr unsigned kResetCycles = 4;

// Firmware is little-endian, and so its words lie in the host's memory as they are.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory is copied as it lies");

void write_whole(const std::string &name, const void *data, size_t length) {
  std::ofstream file(name, std::ios::binary);
  file.write(static_cast<const char *>(data), static_cast<std::streamsize>(length));
  file.close();
  if (!file) throw Usage(name + ": cannot be written");
}

class Soc {
 public:
  explicit Soc(const Options &options) : options_(options), top_(&context_) {
    if (options.console.empty()) {
      console_ = stderr;
    } else if ((console_ = std::fopen(options.console.c_str(), "wb")) == nullptr) {
      throw Usage(options.console + ": cannot be written");
    }
    for (const Options::Load &load : options.loads) place(load);
    for (const Options::Dump &dump : options.dumps) check(dump);
    top_.memory_read_wait_i = static_cast<uint8_t>(options.read_wait);
    top_.memory_write_wait_i = static_cast<uint8_t>(options.write_wait);
    top_.fault_valid_i = options.stuck_bit >= 0;
    top_.fault_bit_i = options.stuck_bit >= 0 ? static_cast<uint8_t>(options.stuck_bit) : 0;
  }

  ~Soc() {
    top_.final();
    if (console_ != stderr) std::fclose(console_);
  }

  // Runs until something ends it; the cycles of the reset do not count.
  Exit run() {
    open_trace();
    top_.rst_ni = 0;
    for (unsigned clock = 0; clock < kResetCycles; ++clock) pass();
    top_.rst_ni = 1;
    cycles_ = 0;
    Exit exit = kWatchdog;
    end_ = "watchdog";
    while (cycles_ < options_.max_cycles) {
      pass();
      if (!top_.event_o) continue;
      if (top_.console_valid_o) std::fputc(top_.console_o, console_);
      if (top_.bus_error_o || top_.trap_o) {
        exit = kTrap;
        end_ = top_.bus_error_o ? "bus error" : "trap";
        break;
      }
      if (top_.finish_valid_o) {
        status_ = top_.finish_o;
        exit = status_ == 0 ? kDone : kFirmware;
        end_ = "finished";
        break;
      }
    }
    std::fflush(console_);
    close_trace();
    for (const Options::Dump &dump : options_.dumps)
      write_whole(dump.file, memory() + dump.address, dump.length);
    return exit;
  }

  void report(std::FILE *out, double seconds) const {
    std::fprintf(out,
                "{\"end\": \"%s\", \"status\": %" PRIu32 ", \"cycles\": %" PRIu64
                 ", \"wall_seconds\": %.6f}\n",
                 end_, status_, cycles_, seconds);
  }

 private:
  uint8_t *memory() {
    return reinterpret_cast<uint8_t *>(&top_.rootp->soc__DOT__u_memory__DOT__words_q[0]);
  }

  void place(const Options::Load &load) {
    std::ifstream file(load.file, std::ios::binary);
    if (!file) throw Usage(load.file + ": cannot be read");
    const std::string data{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (data.size() > SOC_MEMORY_BYTES || load.address > SOC_MEMORY_BYTES - data.size())
      throw Usage(load.file + ": " + std::to_string(data.size()) + " bytes at " +
                  std::to_string(load.address) + " do not fit into a memory of " +
                  std::to_string(SOC_MEMORY_BYTES));
    std::memcpy(memory() + load.address, data.data(), data.size());
  }

  static void check(const Options::Dump &dump) {
    if (dump.length > SOC_MEMORY_BYTES || dump.address > SOC_MEMORY_BYTES - dump.length)
      throw Usage("--dump: " + std::to_string(dump.length) + " bytes at " +
                  std::to_string(dump.address) + " are not within a memory of " +
                  std::to_string(SOC_MEMORY_BYTES));
  }

  // One clock, rising edge first.
  void pass() {
    top_.clk_i = 1;
    top_.eval();
    sample(0);
    top_.clk_i = 0;
    top_.eval();
    sample(1);
    ++cycles_;
  }

#if SOC_TRACE
  void open_trace() {
    if (options_.trace.empty()) return;
    context_.traceEverOn(true);
    trace_ = std::make_unique<VerilatedFstC>();
    top_.trace(trace_.get(), 99);
    trace_->open(options_.trace.c_str());
    if (!trace_->isOpen()) throw Usage(options_.trace + ": cannot be written");
  }
  void close_trace() {
    if (trace_) trace_->close();
  }
  // A clock is 10 units of time long; its number is that of cycles_.
  void sample(unsigned half) {
    if (trace_ && top_.rst_ni && cycles_ >= options_.trace_from && cycles_ <= options_.trace_to)
      trace_->dump(cycles_ * 10 + half * 5);
  }
  std::unique_ptr<VerilatedFstC> trace_;
#else
  void open_trace() {
    if (!options_.trace.empty()) throw Usage("--trace: this model was built without tracing");
  }
  void close_trace() {}
  void sample(unsigned) {}
#endif

  const Options &options_;
  VerilatedContext context_;
  Vsoc top_;
  std::FILE *console_ = nullptr;
  uint64_t cycles_ = 0;
  uint32_t status_ = 0;
  const char *end_ = "";
};

}  // namespace

int main(int count, char **words) try {
  const Options options = Options::parse(count, words);
  // What the hardware itself says ($display) is not the result: it goes to stderr.
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> out(fdopen(dup(STDOUT_FILENO), "w"),
                                                             std::fclose);
  if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) throw Usage("no standard output");
  Soc soc(options);
  const auto begin = std::chrono::steady_clock::now();
  const Exit exit = soc.run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  soc.report(out.get(), wall.count());
  return exit;
} catch (const Usage &error) {
  std::fprintf(stderr, "%s\n%s", error.what(), kUsage);
  return kUsageError;
}
