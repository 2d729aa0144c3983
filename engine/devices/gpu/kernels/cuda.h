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

typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
