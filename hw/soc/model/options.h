// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The command line of the system's model.
#ifndef CIPHERMILL_SOC_OPTIONS_H
#define CIPHERMILL_SOC_OPTIONS_H

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr const char *kUsage =
    "usage: --image FILE [--max-cycles N] [--memory-read-wait N] [--memory-write-wait N]\n"
    "       [--load FILE@ADDRESS]... [--dump ADDRESS:LENGTH:FILE]... [--console FILE]\n"
    "       [--trace FILE.fst [--trace-from CYCLE] [--trace-to CYCLE]] [--stuck-bit N]\n";

struct Options {
  struct Load {
    std::string file;
    uint64_t address;
  };
  struct Dump {
    uint64_t address, length;
    std::string file;
  };

  std::vector<Load> loads;  // the image first
  std::vector<Dump> dumps;
  std::string console, trace;
  uint64_t max_cycles = 100'000'000, trace_from = 0, trace_to = UINT64_MAX;
  uint64_t read_wait = 0, write_wait = 0;
  int stuck_bit = -1;  // -1: none

  static uint64_t number(const std::string &text, uint64_t most, const std::string &what) {
    char *end = nullptr;
    const uint64_t value = std::strtoull(text.c_str(), &end, 0);
    const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
    if (!digits || *end != '\0' || value > most)
      throw Usage(what + ": '" + text + "' is not a number from 0 to " + std::to_string(most));
    return value;
  }

  static Load load(const std::string &text) {
    const size_t at = text.rfind('@');
    if (at == std::string::npos) throw Usage("--load: '" + text + "' is not FILE@ADDRESS");
    return {text.substr(0, at), number(text.substr(at + 1), UINT32_MAX, "--load")};
  }

  static Dump dump(const std::string &text) {
    const size_t first = text.find(':');
    const size_t second = first == std::string::npos ? first : text.find(':', first + 1);
    if (second == std::string::npos)
      throw Usage("--dump: '" + text + "' is not ADDRESS:LENGTH:FILE");
    return {number(text.substr(0, first), UINT32_MAX, "--dump"),
            number(text.substr(first + 1, second - first - 1), UINT32_MAX, "--dump"),
            text.substr(second + 1)};
  }

  static Options parse(int count, char **words) {
    Options options;
    std::string image;
    for (int index = 1; index < count; index += 2) {
      const std::string name = words[index];
      if (index + 1 == count) throw Usage(name + ": wants a value");
      const std::string value = words[index + 1];
      if (name == "--image") image = value;
      else if (name == "--load") options.loads.push_back(load(value));
      else if (name == "--dump") options.dumps.push_back(dump(value));
      else if (name == "--console") options.console = value;
      else if (name == "--trace") options.trace = value;
      else if (name == "--max-cycles") options.max_cycles = number(value, UINT64_MAX >> 1, name);
      else if (name == "--memory-read-wait") options.read_wait = number(value, 255, name);
      else if (name == "--memory-write-wait") options.write_wait = number(value, 255, name);
      else if (name == "--trace-from") options.trace_from = number(value, UINT64_MAX >> 1, name);
      else if (name == "--trace-to") options.trace_to = number(value, UINT64_MAX >> 1, name);
      else if (name == "--stuck-bit") options.stuck_bit = int(number(value, 127, name));
      else throw Usage("unknown option '" + name + "'");
    }
    if (image.empty()) throw Usage("--image is missing");
    options.loads.insert(options.loads.begin(), Load{image, 0});
    return options;
  }
};

#endif
