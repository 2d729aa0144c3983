// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A Verilator model of any module with one clock behind a C interface, which
// rtl_simulation.py calls. rtl_ports.h is generated for each module; it has
//   RTL_CLOCK    the clock input
//   RTL_PORTS(X) X(name, bits, is_input) for each other port, in the order of their numbers
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Vrtl.h"
#include "rtl_ports.h"
#include "trace_once.h"
#include "verilated.h"
#include "verilated_saif_c.h"

#define RTL_API extern "C" __attribute__((visibility("default")))

namespace rtl_trace {
namespace {

// A thread its own: simulations of one module may run side by side.
thread_local std::map<uint32_t, std::string> names;  // by code
thread_local std::vector<std::string> scopes;
thread_local std::string aliases;  // lines of "alias=name"

}  // namespace

void push(const char* name) { scopes.emplace_back(name); }

void pop() { scopes.pop_back(); }

void reset() {
  names.clear();
  scopes.clear();
  aliases.clear();
}

bool declares(uint32_t code, const char* name, int array_index) {
  std::string path;
  for (const std::string& scope : scopes) {
    if (scope == "$rootio") return false;
    if (!scope.empty()) path += scope + '/';
  }
  path += name;
  if (array_index >= 0) path += '[' + std::to_string(array_index) + ']';
  const auto added = names.emplace(code, path);
  if (!added.second) aliases += path + '=' + added.first->second + '\n';
  return added.second;
}

}  // namespace rtl_trace

namespace {

constexpr uint64_t kHalf = 1u << 19;  // time units of half a clock

// Values of ports travel as bytes, the lowest first.
template <class Integer>
void store(Integer& port, const uint8_t* bytes) {
  Integer value = 0;
  for (size_t n = 0; n < sizeof(Integer); ++n) value |= static_cast<Integer>(bytes[n]) << (8 * n);
  port = value;
}

template <size_t Words>
void store(VlWide<Words>& port, const uint8_t* bytes) {
  for (size_t n = 0; n < Words; ++n) store(port[n], bytes + 4 * n);
}

template <class Integer>
void load(const Integer& port, uint8_t* bytes) {
  for (size_t n = 0; n < sizeof(Integer); ++n) bytes[n] = static_cast<uint8_t>(port >> (8 * n));
}

template <size_t Words>
void load(const VlWide<Words>& port, uint8_t* bytes) {
  for (size_t n = 0; n < Words; ++n) load(port[n], bytes + 4 * n);
}

}  // namespace

struct rtl_simulation {
  VerilatedContext context;
  std::unique_ptr<Vrtl> model;
  std::unique_ptr<VerilatedSaifC> trace;  // while a window is open
  uint64_t edges = 0;                     // rising edges so far
  uint64_t window_from = 0;               // edges at the window's beginning
  bool edge_pending = false;  // the clock has risen, and nothing has acted on it yet
  uint64_t next_dump = 0;

  void act() {
    model->eval();
    edge_pending = false;
  }

  // Begins a file with what the nets are now. A trace would write only changes to a
  // second file, so each has a trace of its own.
  void open(const char* file) {
    rtl_trace::reset();
    trace = std::make_unique<VerilatedSaifC>();
    model->trace(trace.get(), 99);
    trace->open(file);
    next_dump = 0;
    dump(0);
  }

  // Verilator ignores a second dump of one time: it comes a unit later.
  void dump(uint64_t units) {
    if (trace == nullptr) return;
    const uint64_t when = std::max(2 * kHalf * (edges - window_from) + units, next_dump);
    trace->dump(when);
    next_dump = when + 1;
  }

  void close() {
    trace->close();
    trace.reset();
  }

  // Shows the trace the clock as it was before an edge on which nothing has acted.
  template <class Action>
  void before_edge(Action action) {
    model->RTL_CLOCK = 0;
    action();
    model->RTL_CLOCK = 1;
  }
};

// The ports, a line each in the order of their numbers: name, bits, and 1 for an input.
RTL_API const char* rtl_ports() {
#define RTL_LINE(name, bits, is_input) #name " " #bits " " #is_input "\n"
  return "" RTL_PORTS(RTL_LINE);
#undef RTL_LINE
}

RTL_API rtl_simulation* rtl_create() {
  auto simulation = std::make_unique<rtl_simulation>();
  simulation->context.traceEverOn(true);
  simulation->model = std::make_unique<Vrtl>(&simulation->context, "");
  simulation->model->eval();
  return simulation.release();
}

RTL_API void rtl_destroy(rtl_simulation* simulation) {
  simulation->model->final();
  delete simulation;
}

RTL_API void rtl_poke(rtl_simulation* simulation, int32_t port, const uint8_t* bytes) {
  if (simulation->edge_pending) simulation->act();
  int32_t number = 0;
#define RTL_STORE(name, bits, is_input) \
  if (port == number++) store(simulation->model->name, bytes);
  RTL_PORTS(RTL_STORE)
#undef RTL_STORE
}

RTL_API void rtl_peek(rtl_simulation* simulation, int32_t port, uint8_t* bytes) {
  simulation->act();
  int32_t number = 0;
#define RTL_LOAD(name, bits, is_input) \
  if (port == number++) load(simulation->model->name, bytes);
  RTL_PORTS(RTL_LOAD)
#undef RTL_LOAD
}

RTL_API void rtl_clock(rtl_simulation* simulation, int64_t cycles) {
  for (int64_t n = 0; n < cycles; ++n) {
    simulation->act();
    simulation->dump(0);
    if (simulation->model->RTL_CLOCK) {
      simulation->model->RTL_CLOCK = 0;
      simulation->act();
      simulation->dump(kHalf);
    }
    ++simulation->edges;
    simulation->model->RTL_CLOCK = 1;
    simulation->edge_pending = true;
  }
}

// Opens a window: writes to one file what the nets are now, and begins another one.
// Returns -1 where the last edge has been acted on already.
RTL_API int rtl_start(rtl_simulation* simulation, const char* before, const char* file) {
  if (!simulation->edge_pending) return -1;
  simulation->window_from = simulation->edges;
  simulation->before_edge([&] {
    simulation->open(before);
    simulation->close();
    simulation->open(file);
  });
  return 0;
}

// Ends the window; returns as rtl_start.
RTL_API int rtl_end(rtl_simulation* simulation) {
  if (!simulation->edge_pending) return -1;
  simulation->before_edge([&] { simulation->dump(0); });
  simulation->close();
  return 0;
}

// Names of nets that have others, as this thread's last window had them: lines of
// "alias=name", by hierarchical name.
RTL_API const char* rtl_aliases() { return rtl_trace::aliases.c_str(); }
