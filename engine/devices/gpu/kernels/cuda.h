// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The words of the kernels in CUDA C++, as NVRTC compiles it.
#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL
#define LOCAL_MEMORY __shared__
#define INLINE __device__ __forceinline__
#define BARRIER() __syncthreads()
#define LOCAL_ID threadIdx.x
#define LOCAL_SIZE blockDim.x
#define GROUP_ID blockIdx.x
#define GROUPS gridDim.x
#define UNROLL _Pragma("unroll")
#define ROTATE_LEFT(word, bits) __funnelshift_l(word, word, bits)

// The function of three bits whose value for a, b and c is bit 4a + 2b + c of the table (PTX ISA,
// lop3). A compiler for processors has no such instruction.
#ifdef __CUDA_ARCH__
#define LUT3(result, a, b, c, table) \
  asm("lop3.b32 %0, %1, %2, %3, " #table ";" : "=r"(result) : "r"(a), "r"(b), "r"(c))
#else
#define LUT3(result, a, b, c, table) result = look_up_bits(a, b, c, table)
INLINE unsigned look_up_bits(unsigned a, unsigned b, unsigned c, int table) {
  unsigned result = 0;
  for (int row = 0; row < 8; row++) {
    if (table >> row & 1)
      result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}
#endif
#define SELECT(result, mask, a, b) LUT3(result, mask, a, b, 0xca)
#define XOR3(result, a, b, c) LUT3(result, a, b, c, 0x96)

#define EXCHANGE_BYTES(low, high, lower, upper)       \
  do {                                                \
    const unsigned old = low;                         \
    low = __byte_perm(old, high, lower);              \
    high = __byte_perm(old, high, upper);             \
  } while (0)
#define EXCHANGE_16(low, high) EXCHANGE_BYTES(low, high, 0x5410, 0x7632)
#define EXCHANGE_8(low, high) EXCHANGE_BYTES(low, high, 0x6240, 0x7351)

typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
