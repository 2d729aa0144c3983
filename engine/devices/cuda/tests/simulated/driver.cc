// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// As much of CUDA's driver and of its compiler NVRTC as the device uses, on the processor: device
// memory is the host's, commands are done at once, and a kernel's threads run one after the other.
// The program ends with a message where something is used as the driver forbids: memory that is
// released with secrets in it, bytes behind a buffer's end, words at an odd address, an event that was
// not recorded, a thread without a context, a forked process.
//
// The environment variable SIMULATED_CUDA has one of these faults:
//   compiler     the kernels do not compile
//   driver       the driver is older than the compiler
//   registers    a kernel runs in groups of at most 8 threads
//   memory=N     the device has N bytes of memory
//   lost=N       the device is lost after N kernels
//
// The names are those of the CUDA Driver API's and of NVRTC's manuals.

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kCompilation = 6, kNewerPtx = 222,
              kLaunchFailed = 719;
constexpr size_t kGuardBytes = 64;
constexpr unsigned char kGuard = 0xa5;
constexpr size_t kMemoryBytes = size_t(1) << 30;
// The primary context, and another one of the device.
char primary, other, stream;

struct Allocation {
  size_t bytes;
  void *context;
};

const pid_t process = getpid();
thread_local std::vector<void *> contexts;
std::mutex lock;
std::map<uint64_t, Allocation> allocations;
unsigned kernels_run = 0;

// The number behind a fault's name; 0 for a fault without one, and otherwise what is given.
long fault(const char *name, long otherwise) {
  const char *set = getenv("SIMULATED_CUDA");
  const size_t length = strlen(name);
  if (!set || strncmp(set, name, length) != 0) return otherwise;
  return set[length] == '=' ? atol(set + length + 1) : 0;
}
bool has(const char *name) { return fault(name, -1) == 0; }

// What a command gives: an error once the device is lost.
int outcome() {
  const long limit = fault("lost", -1);
  return limit >= 0 && kernels_run >= limit ? kLaunchFailed : kSuccess;
}

using Time = std::chrono::steady_clock::time_point;
struct Event {
  bool is_recorded = false;
  Time time;
};

void require(bool holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "simulated CUDA driver: %s\n", what);
    _exit(99);
  }
}

void *current() { return contexts.empty() ? nullptr : contexts.back(); }

void require_process() { require(getpid() == process, "a forked process calls the driver"); }

void require_any_context() {
  require_process();
  require(current() != nullptr, "this thread has no context");
}

void require_context() {
  require_process();
  require(current() == &primary, "this thread is not in the primary context");
}

// The allocation that an address is in, or the end.
std::map<uint64_t, Allocation>::iterator find(uint64_t address) {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return allocations.end();
  auto found = std::prev(next);
  return address < found->first + found->second.bytes ? found : allocations.end();
}

// Both ends of a range are in one allocation.
void require_range(uint64_t start, size_t bytes) {
  if (bytes == 0) return;
  std::lock_guard<std::mutex> guard(lock);
  auto found = find(start);
  require(found != allocations.end(), "an address that was not allocated");
  require(start + bytes <= found->first + found->second.bytes, "bytes behind the end of a buffer");
}

struct Program {
  std::string source, log, library;
};

struct Index {
  unsigned x, y, z;
};

const char *const kPrelude = R"(
struct Index { unsigned x, y, z; };
extern "C" { Index threadIdx, blockIdx, blockDim, gridDim; }
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
static inline void __syncthreads() {}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned bits) {
  return bits % 32 ? high << bits % 32 | low >> (32 - bits % 32) : high;
}
static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned order) {
  unsigned long long bytes = (unsigned long long)high << 32 | low;
  unsigned result = 0;
  for (int n = 0; n < 4; n++) result |= (bytes >> 8 * (order >> 4 * n & 7) & 0xff) << 8 * n;
  return result;
}
)";

struct Module {
  void *library;
};

struct Function {
  void (*run)(const void *, void *, const void *, const void *, unsigned, unsigned, unsigned,
              unsigned, unsigned, unsigned);
  Index *thread, *block, *block_size, *grid_size;
};

}  // namespace

extern "C" {

int cuInit(unsigned) { return kSuccess; }
int cuGetErrorName(int, const char **name) { return *name = "SIMULATED_ERROR", kSuccess; }
int cuGetErrorString(int, const char **text) { return *text = "simulated error", kSuccess; }
int cuDeviceGetCount(int *count) { return *count = 1, kSuccess; }
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : kInvalidValue;
}
int cuDeviceGetName(char *name, int bytes, int) {
  snprintf(name, bytes, "simulated device");
  return kSuccess;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  // Clock rate in kHz, multiprocessors, compute capability.
  const std::map<int, int> attributes = {{13, 1000000}, {16, 1}, {75, 9}, {76, 0}};
  require(attributes.count(attribute), "an attribute that is not simulated");
  *value = attributes.at(attribute);
  return kSuccess;
}
int cuDriverGetVersion(int *version) { return *version = 12040, kSuccess; }
int cuDevicePrimaryCtxRetain(void **given, int) { return *given = &primary, kSuccess; }
int cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
int cuCtxSynchronize() { return require_context(), outcome(); }
int cuCtxCreate_v2(void **given, unsigned, int) {
  contexts.push_back(&other);
  return *given = &other, kSuccess;
}
int cuCtxGetCurrent(void **given) { return *given = current(), kSuccess; }
int cuCtxSetCurrent(void *given) {
  if (!contexts.empty()) contexts.pop_back();
  if (given) contexts.push_back(given);
  return kSuccess;
}
int cuCtxPushCurrent_v2(void *given) { return require_process(), contexts.push_back(given), kSuccess; }
int cuCtxPopCurrent_v2(void **given) {
  require_any_context();
  *given = contexts.back();
  return contexts.pop_back(), kSuccess;
}

int cuModuleLoadData(void **module, const void *image) {
  require_context();
  const char *path = static_cast<const char *>(image) + 2;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  require(library != nullptr, "the image is none of this compiler's");
  if (has("driver")) return kNewerPtx;
  *module = new Module{library};
  return kSuccess;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  require_context();
  void *library = static_cast<Module *>(module)->library;
  auto index = [&](const char *symbol) { return static_cast<Index *>(dlsym(library, symbol)); };
  auto *found = new Function;
  found->run = reinterpret_cast<decltype(found->run)>(dlsym(library, name));
  require(found->run != nullptr, "no kernel has this name");
  found->thread = index("threadIdx");
  found->block = index("blockIdx");
  found->block_size = index("blockDim");
  found->grid_size = index("gridDim");
  *function = found;
  return kSuccess;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  require(attribute == 0, "an attribute that is not simulated");
  return *value = has("registers") ? 8 : 1024, kSuccess;
}
int cuModuleUnload(void *module) {
  require_context();
  delete static_cast<Module *>(module);
  return kSuccess;
}

int cuStreamCreate(void **created, unsigned) { return require_context(), *created = &stream, kSuccess; }
int cuStreamSynchronize(void *) { return require_process(), outcome(); }
int cuStreamDestroy_v2(void *) { return require_context(), kSuccess; }

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  require_any_context();
  if (outcome() != kSuccess) return outcome();
  std::lock_guard<std::mutex> guard(lock);
  size_t taken = bytes;
  for (const auto &one : allocations) taken += one.second.bytes;
  if (taken > size_t(fault("memory", kMemoryBytes))) return kOutOfMemory;
  auto *memory = static_cast<unsigned char *>(malloc(bytes + kGuardBytes));
  memset(memory, kGuard, bytes + kGuardBytes);
  *address = reinterpret_cast<uint64_t>(memory);
  allocations[*address] = {bytes, current()};
  return kSuccess;
}
int cuMemFree_v2(uint64_t address) {
  require_any_context();
  std::lock_guard<std::mutex> guard(lock);
  auto found = allocations.find(address);
  require(found != allocations.end(), "memory that was not allocated is released");
  auto *memory = reinterpret_cast<unsigned char *>(address);
  const size_t bytes = found->second.bytes;
  for (size_t n = 0; n < bytes; n++)
    require(memory[n] == 0, "memory is released that is not zeroised");
  for (size_t n = 0; n < kGuardBytes; n++)
    require(memory[bytes + n] == kGuard, "a kernel wrote behind the end of a buffer");
  allocations.erase(found);
  free(memory);
  return kSuccess;
}
// Contexts, types of memory, device's ordinals, beginnings and lengths, as the driver numbers them;
// zeros for memory that is not the device's.
int cuPointerGetAttributes(unsigned count, const int *attributes, void **places, uint64_t address) {
  std::lock_guard<std::mutex> guard(lock);
  auto found = find(address);
  const bool is_there = found != allocations.end();
  for (unsigned n = 0; n < count; n++) {
    switch (attributes[n]) {
      case 1:
        *static_cast<void **>(places[n]) = is_there ? found->second.context : nullptr;
        break;
      case 2:
        *static_cast<unsigned *>(places[n]) = is_there ? 2 : 0;
        break;
      case 9:
        *static_cast<int *>(places[n]) = is_there ? 0 : -2;
        break;
      case 11:
        *static_cast<uint64_t *>(places[n]) = is_there ? found->first : 0;
        break;
      case 12:
        *static_cast<size_t *>(places[n]) = is_there ? found->second.bytes : 0;
        break;
      default:
        require(false, "an attribute that is not simulated");
    }
  }
  return kSuccess;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  require_context();
  return *memory = malloc(bytes), kSuccess;
}
int cuMemFreeHost(void *memory) { return require_context(), free(memory), kSuccess; }
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void *) {
  require_any_context();
  if (outcome() != kSuccess) return outcome();
  require_range(address, bytes);
  memset(reinterpret_cast<void *>(address), value, bytes);
  return kSuccess;
}
int cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes, void *) {
  require_any_context();
  if (outcome() != kSuccess) return outcome();
  require_range(target, bytes);
  memcpy(reinterpret_cast<void *>(target), source, bytes);
  return kSuccess;
}
int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes, void *) {
  require_context();
  if (outcome() != kSuccess) return outcome();
  require_range(target, bytes);
  require_range(source, bytes);
  memcpy(reinterpret_cast<void *>(target), reinterpret_cast<void *>(source), bytes);
  return kSuccess;
}
int cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t bytes, void *) {
  require_any_context();
  if (outcome() != kSuccess) return outcome();
  require_range(source, bytes);
  memcpy(target, reinterpret_cast<void *>(source), bytes);
  return kSuccess;
}

int cuEventCreate(void **event, unsigned) {
  require_context();
  return *event = new Event, kSuccess;
}
int cuEventRecord(void *event, void *) {
  require_context();
  *static_cast<Event *>(event) = {true, std::chrono::steady_clock::now()};
  return outcome();
}
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  auto *first = static_cast<Event *>(start), *last = static_cast<Event *>(end);
  require(first->is_recorded && last->is_recorded, "an event that was not recorded");
  *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
  return kSuccess;
}
int cuEventDestroy_v2(void *event) { return delete static_cast<Event *>(event), kSuccess; }

// A barrier does nothing, so each group runs twice: the second time its shared memory holds what all
// of its threads stored before the barrier. Where a kernel writes what it reads, the blocks are as
// before then.
int cuLaunchKernel(void *function, unsigned groups, unsigned, unsigned, unsigned items, unsigned,
                   unsigned, unsigned, void *, void **arguments, void **) {
  require_context();
  if (outcome() != kSuccess) return outcome();
  kernels_run++;
  auto pointer = [&](int n) { return *static_cast<void **>(arguments[n]); };
  for (int n = 0; n < 4; n++)
    require(reinterpret_cast<uint64_t>(pointer(n)) % 4 == 0, "words at an odd address");
  auto number = [&](int n) { return *static_cast<unsigned *>(arguments[n]); };
  const bool in_place = pointer(0) == pointer(1);
  const size_t bytes = in_place ? size_t(16) * number(5) : 0;
  if (in_place) require_range(reinterpret_cast<uint64_t>(pointer(1)), bytes);
  auto *kernel = static_cast<Function *>(function);
  std::lock_guard<std::mutex> guard(lock);
  *kernel->block_size = {items, 1, 1};
  *kernel->grid_size = {groups, 1, 1};
  for (unsigned group = 0; group < groups; group++) {
    *kernel->block = {group, 0, 0};
    auto *data = static_cast<unsigned char *>(pointer(1));
    const std::vector<unsigned char> before(data, data + bytes);
    for (unsigned run = 0; run < 2; run++) {
      if (in_place) memcpy(data, before.data(), bytes);
      for (unsigned item = 0; item < items; item++) {
        *kernel->thread = {item, 0, 0};
        kernel->run(pointer(0), pointer(1), pointer(2), pointer(3), number(4), number(5),
                    number(6), number(7), number(8), number(9));
      }
    }
  }
  return kSuccess;
}

int nvrtcVersion(int *major, int *minor) { return *major = 12, *minor = 9, kSuccess; }
const char *nvrtcGetErrorString(int) { return "simulated error"; }
int nvrtcCreateProgram(void **program, const char *source, const char *, int, const char *const *,
                       const char *const *) {
  *program = new Program{source, "", ""};
  return kSuccess;
}
int nvrtcCompileProgram(void *given, int count, const char *const *options) {
  auto *program = static_cast<Program *>(given);
  bool is_device_code = false;
  for (int n = 0; n < count; n++)
    is_device_code |= strcmp(options[n], "--device-as-default-execution-space") == 0;
  require(is_device_code, "functions without a space would be the host's");
  char name[] = "/tmp/ciphermill-cuda-XXXXXX";
  int file = mkstemp(name);
  require(file >= 0, "no temporary file");
  close(file);
  std::string base(name);
  std::ofstream(base + ".cc") << kPrelude << program->source << (has("compiler") ? "colour" : "");
  // Tests of a fault run few blocks, and compiling takes longer than they do.
  const char *set = getenv("SIMULATED_CUDA");
  const std::string level = set && *set ? "-O0" : "-O2";
  std::string command =
      "g++ -w " + level + " -fPIC -shared -o " + base + ".so " + base + ".cc 2> " + base;
  int status = system(command.c_str());
  std::ifstream errors(base);
  program->log.assign(std::istreambuf_iterator<char>(errors), {});
  unlink(name);
  unlink((base + ".cc").c_str());
  program->library = base + ".so";
  return status == 0 ? kSuccess : kCompilation;
}
int nvrtcGetProgramLogSize(void *given, size_t *bytes) {
  return *bytes = static_cast<Program *>(given)->log.size() + 1, kSuccess;
}
int nvrtcGetProgramLog(void *given, char *log) {
  return strcpy(log, static_cast<Program *>(given)->log.c_str()), kSuccess;
}
// The image is a comment of PTX with the library's path.
int nvrtcGetPTXSize(void *given, size_t *bytes) {
  return *bytes = static_cast<Program *>(given)->library.size() + 3, kSuccess;
}
int nvrtcGetPTX(void *given, char *image) {
  return strcpy(image, ("//" + static_cast<Program *>(given)->library).c_str()), kSuccess;
}
int nvrtcDestroyProgram(void **given) {
  return delete static_cast<Program *>(*given), *given = nullptr, kSuccess;
}

}
