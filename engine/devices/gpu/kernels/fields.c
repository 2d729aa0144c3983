// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// GF(2^128) as GCM and XTS use it. Both kernels run in constant time. They take the arguments of
// the modes, and use the numbers as they say.

// The steps of GHASH (SP 800-38D, 6.4) that work-items do side by side. Of `blocks` blocks of the
// input, item t takes every `items`-th one and writes the sum of each times H^(items * (those of
// its blocks that follow)), where `items` is the number of all. The items' blocks end with the
// last: items whose first block would stand before the input begin with the next one.
// From word counter0 on, `keys` holds H^items times x^0 to x^127, each in four words of
// big-endian numbers.
KERNEL void ghash(ARGUMENTS) {
  const uint32_t item = GROUP_ID * LOCAL_SIZE + LOCAL_ID, items = GROUPS * LOCAL_SIZE;
  const uint32_t turns = (blocks + items - 1) / items;
  const uint32_t missing = turns * items - blocks;
  GLOBAL const uint32_t *multiples = keys + counter0;
  uint32_t sum[4] = {0, 0, 0, 0};
  for (uint32_t turn = 0; turn < turns; turn++) {
    uint32_t product[4] = {0, 0, 0, 0};
    for (int c = 0; c < 4; c++) {
      for (int bit = 0; bit < 32; bit++) {
        const uint32_t mask = 0u - ((sum[c] >> (31 - bit)) & 1);
        UNROLL for (int n = 0; n < 4; n++) product[n] ^= multiples[128 * c + 4 * bit + n] & mask;
      }
    }
    const uint32_t place = turn * items + item;
    UNROLL for (int n = 0; n < 4; n++) {
      sum[n] = product[n];
      if (place >= missing) {
        const uint32_t word = input[4 * (place - missing) + n];
        sum[n] ^= (word << 24) | ((word & 0xff00) << 8) | ((word >> 8) & 0xff00) | (word >> 24);
      }
    }
  }
  UNROLL for (int n = 0; n < 4; n++) {
    const uint32_t word = sum[n];
    output[4 * item + n] =
        (word << 24) | ((word & 0xff00) << 8) | ((word >> 8) & 0xff00) | (word >> 24);
  }
}

// The masks of XTS (IEEE 1619-2018, 5.2): block j of a data unit has the unit's encrypted number
// times x^j. The input holds these numbers; a data unit has counter0 blocks, and each item writes
// counter1 of them, a multiple of 64, in one of its unit's counter2 segments.
KERNEL void xts_masks(ARGUMENTS) {
  const uint32_t item = GROUP_ID * LOCAL_SIZE + LOCAL_ID;
  const uint32_t unit = item / counter2, segment = item % counter2;
  const uint32_t first = segment * counter1;
  const uint64_t start = (uint64_t)unit * counter0;
  if (start + first >= blocks || first >= counter0) return;
  uint64_t low = input[4 * unit] | (uint64_t)input[4 * unit + 1] << 32;
  uint64_t high = input[4 * unit + 2] | (uint64_t)input[4 * unit + 3] << 32;
  for (uint32_t n = 0; n < first; n += 64) {
    // Times x^64: the high half becomes its product with x^128 = x^7 + x^2 + x + 1.
    const uint64_t old = low;
    low = high ^ high << 1 ^ high << 2 ^ high << 7;
    high = old ^ high >> 63 ^ high >> 62 ^ high >> 57;
  }
  for (uint32_t n = first; n < first + counter1 && n < counter0 && start + n < blocks; n++) {
    GLOBAL uint32_t *mask = output + 4 * (start + n);
    mask[0] = (uint32_t)low;
    mask[1] = (uint32_t)(low >> 32);
    mask[2] = (uint32_t)high;
    mask[3] = (uint32_t)(high >> 32);
    const uint64_t carry = high >> 63;
    high = high << 1 | low >> 63;
    low = low << 1 ^ carry * 0x87;
  }
}
