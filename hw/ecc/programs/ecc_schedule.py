# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The order in which digit products of a Montgomery multiplication are computed.

A product of operands of *n* words has 2 *n* columns; column *k* sums the products of words whose
numbers add up to *k*. A window of three words holds the sums of the columns *k*, *k* + 1 and
*k* + 2; its lowest word leaves when column *k* is complete. The kinds of products are

- ``PRODUCT``, word *i* of the one operand times word *j* of the other;
- ``DIGIT``, the lowest word of the window times the modulus' factor: gives quotient digit *i*,
  which is kept, and not added to the window;
- ``REDUCTION``, quotient digit *i* times word *j* of the modulus.

A product enters the window one cycle after it is computed; so a quotient digit is computed two
cycles at least after the last product of its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NONE, PRODUCT, DIGIT, REDUCTION = range(4)


@dataclass(frozen=True)
class Work:
    """What a multiplier does in a cycle."""

    kind: int = NONE
    i: int = 0
    j: int = 0
    offset: int = 0
    """0: the product belongs to the lowest column of the window; 1: to the next one."""


@dataclass(frozen=True)
class Slot:
    """A cycle of the schedule."""

    works: tuple[Work, Work]
    shift: bool
    """The lowest word of the window leaves after these products."""
    write: bool
    """It is a word of the result."""
    loadable: bool = False
    """A multiplication that is issued now, or later, finds its operands' place free."""
    readable: bool = False
    """An instruction that is issued now, or later, reads the result, each word when it is there."""
    last: bool = False


class _Columns:
    """Products that have not been computed yet, by their columns."""

    def __init__(self, words: int) -> None:
        pairs = {
            k: [(i, k - i) for i in range(words) if 0 <= k - i < words] for k in range(2 * words)
        }
        self.products = pairs
        # Those with word 0 of the modulus complete their columns, and are not in these lists.
        self.reductions = {k: [(i, j) for i, j in pairs[k] if j] for k in pairs}
        self.entered = dict.fromkeys(range(2 * words), -2)
        """The slot of the last product that went into a column."""

    def complete(self, column: int) -> bool:
        """Whether nothing is left in a column, but the product that makes it vanish."""
        return not self.products[column] and not self.reductions[column]

    def product(self, at: int, lowest: int) -> Work | None:
        """Take a product of the lowest column of the window, or of the next one."""
        for column in (lowest, lowest + 1):
            if self.products[column]:
                self.entered[column] = at
                return Work(PRODUCT, *self.products[column].pop(0), column - lowest)
        return None

    def reduction(self, at: int, lowest: int, columns: Sequence[int], known: int) -> Work | None:
        """Take a reduction by one of the first ``known`` quotient digits."""
        for column in columns:
            for pair in self.reductions[column]:
                if pair[0] < known:
                    self.reductions[column].remove(pair)
                    self.entered[column] = at
                    return Work(REDUCTION, *pair, column - lowest)
        return None


def schedule(words: int, multipliers: int) -> list[Slot]:
    """Return the cycles of a multiplication.

    Args:
        words: Words of an operand, 2 at least.
        multipliers: 1 or 2. With two, the first computes ``PRODUCT``, the second the others.
    """
    columns = _Columns(words)
    slots: list[Slot] = []
    k, digit_at = 0, -2  # the lowest column of the window; the slot of the last quotient digit
    while k < 2 * words - 1:
        at = len(slots)
        known = min(k, words)
        special: Work | None = None
        vanishes = k < words and digit_at == at - 1
        if vanishes:
            special = Work(REDUCTION, k, 0)
        elif k < words and columns.complete(k) and columns.entered[k] <= at - 2:
            special, digit_at = Work(DIGIT, k), at
        first: Work | None
        second: Work | None = None
        if multipliers == 2:
            first = columns.product(at, k)
            second = special or columns.reduction(at, k, (k, k + 1), known)
        elif special is not None:
            first = special
        elif columns.products[k]:
            first = columns.product(at, k)
        else:
            first = columns.reduction(at, k, (k,), known)
            if first is None:
                first = columns.product(at, k) or columns.reduction(at, k, (k + 1,), known)
        shift = vanishes or (k >= words and columns.complete(k))
        works = (first or Work(), second or Work())
        slots.append(Slot(works, shift, shift and k >= words))
        k += shift
    slots.append(Slot((Work(), Work()), True, True, last=True))
    # An instruction that is issued in a cycle reads word j in the cycle 1 + j after it. A load
    # writes it at the end of the cycle after that, and it is used later.
    used = [
        max(
            at
            for at, slot in enumerate(slots)
            for work in slot.works
            if work.kind == PRODUCT and word in (work.i, work.j)
        )
        for word in range(words)
    ]
    loadable = max(at - 2 - word for word, at in enumerate(used))
    # A word of the result is in the memory three cycles after its last products.
    written = [at for at, slot in enumerate(slots) if slot.write]
    readable = max(at + 2 - word for word, at in enumerate(written))
    return [
        Slot(s.works, s.shift, s.write, at >= loadable, at >= readable, s.last)
        for at, s in enumerate(slots)
    ]
