// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Host test of elliptic curves: commands from standard input, results to standard output, one
// a line, bytes in hexadecimal, "-" for none. `place` is 1 for results in place of the
// operands. A refused operation must write nothing.
//
//   BITS OPERATION PLACE OPERANDS  -> STATUS RESULTS
#include "ecc.h"
#include "hexadecimal.h"

#define MAXIMUM_FIELD 1024

static const struct ecc_curve *const curves[] = {&ecc_p256, &ecc_p384, &ecc_p521};
static const unsigned results_of[] = {3, 2, 2, 0, 1};

int main(void) {
  static char field[MAXIMUM_FIELD + 1];
  unsigned bits, operation, in_place;
  while (scanf("%u %u %u %1024s", &bits, &operation, &in_place, field) == 4) {
    const struct ecc_curve *curve = NULL;
    for (size_t index = 0; index < 3; index++) {
      curve = curves[index]->bits == bits ? curves[index] : curve;
    }
    if (curve == NULL || operation >= sizeof results_of / sizeof results_of[0]) {
      fprintf(stderr, "no such curve or operation\n");
      return 2;
    }
    size_t bytes, given = results_of[operation] * curve->bytes;
    uint8_t *operands = parse(field, &bytes);
    if (in_place && bytes < given) {
      operands = realloc(operands, given);
      memset(operands + bytes, 0, given - bytes);
    }
    uint8_t *before = malloc(given), *results = in_place ? operands : calloc(given, 1);
    memcpy(before, results, given);
    int status = ecc_run(curve, (enum ecc_operation)operation, operands, results);
    if (status != ECC_GOOD && memcmp(results, before, given) != 0) {
      fprintf(stderr, "a refused operation gave results\n");
      return 3;
    }
    printf("%d ", status);
    print(results, status == ECC_GOOD ? given : 0, '\n');
    free(before);
    free(in_place ? NULL : results);
    free(operands);
  }
  return 0;
}
