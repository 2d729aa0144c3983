// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Host test of one partition of elliptic curves: commands from standard input, results to
// standard output, one a line, bytes in hexadecimal, "-" for none. `place` is 1 for results in
// place of the operands.
//
//   OPERATION BITS PLACE RESULT-BYTES OPERANDS  -> STATUS RESULTS
//   0 0 0 0 zeroise                             -> zeroised
#include "hexadecimal.h"
#include "partition.h"

#define MAXIMUM_FIELD 1024

int main(void) {
  static char field[MAXIMUM_FIELD + 1];
  unsigned operation, bits, in_place;
  size_t given, bytes;
  while (scanf("%u %u %u %zu %1024s", &operation, &bits, &in_place, &given, field) == 5) {
    if (strcmp(field, "zeroise") == 0) {
      partition_zeroise();
      printf("zeroised\n");
      continue;
    }
    // Whole words on the heap, so that the sanitiser sees any step beyond.
    uint8_t *data = parse(field, &bytes);
    size_t room = ((bytes > given ? bytes : given) + 3) / 4 * 4;
    uint32_t *operands = malloc(room), *results = in_place ? operands : malloc((given + 3) / 4 * 4);
    memset(operands, 0xA5, room);
    memcpy(operands, data, bytes);
    int status = partition_operate((enum workload_operation)operation, bits, operands, bytes,
                                   results);
    printf("%d ", status);
    print((const uint8_t *)results, status == PARTITION_OK ? given : 0, '\n');
    free(in_place ? NULL : results);
    free(operands);
    free(data);
  }
  return 0;
}
