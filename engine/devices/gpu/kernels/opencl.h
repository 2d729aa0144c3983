// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The words of the kernels in OpenCL C 1.2.
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_MEMORY __local
#define INLINE static inline
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID ((uint)get_local_id(0))
#define LOCAL_SIZE ((uint)get_local_size(0))
#define GROUP_ID ((uint)get_group_id(0))
#define GROUPS ((uint)get_num_groups(0))
#define UNROLL _Pragma("unroll")
#define ROTATE_LEFT(word, bits) rotate(word, (word_t)(bits))
#define XOR3(result, a, b, c) result = (a) ^ (b) ^ (c)

typedef uint uint32_t;
typedef ulong uint64_t;
