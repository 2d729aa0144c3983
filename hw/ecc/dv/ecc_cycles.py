# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The cycles of the ECC engine's operations, which its bench asserts of the RTL."""

# The README of hw/ecc prints the same figures; change both.
CYCLES = {
    (136, 1): (
        (34669, 39443, 75834, 66042),
        (82594, 94638, 197764, 170369),
        (182696, 208422, 443185, 379717),
    ),
    (136, 2): (
        (32859, 37294, 71366, 62538),
        (62981, 71534, 143314, 123242),
        (126151, 142443, 291515, 251466),
    ),
    (68, 1): (
        (89388, 102352, 221789, 191039),
        (270888, 310446, 685836, 586461),
        (626479, 718991, 1583144, 1343862),
    ),
}
"""Cycles to generate, sign, verify and agree, from start to status, of each build and curve."""
CYCLES_OF_P521_ALONE = (126151, 151877, 300935, 251466)
"""The same of the build with this curve alone."""
