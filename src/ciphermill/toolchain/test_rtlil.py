# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from .rtlil import share_modules

HEAD = "autoidx 9\nattribute \\top 1\nmodule \\top\n"


def gate(name: str, operation: str, number: int) -> str:
    return (
        f'attribute \\src "x.sv:1"\nmodule \\{name}\n  wire input 1 \\a\n'
        f"  cell {operation} {operation}$x.sv:2${number}\n    connect \\A \\a\n"
        f"    connect \\Y $y$x.sv:2${number + 1}\n  end\nend\n"
    )


def outer(name: str, inner: str) -> str:
    return f"module \\{name}\n  cell \\{inner} \\part\n    connect \\a \\a\n  end\nend\n"


def test_equal_modules_become_the_first_of_them() -> None:
    top = HEAD + "  cell \\b1 \\x\n  end\n  cell \\b2 \\y\n  end\nend\n"
    text = top + gate("b1", "$not", 3) + gate("b2", "$not", 7)

    assert share_modules(text) == top.replace("\\b2", "\\b1") + gate("b1", "$not", 3)


def test_modules_that_differ_stay() -> None:
    text = HEAD + "end\n" + gate("b1", "$not", 3) + gate("b2", "$neg", 3)

    assert share_modules(text) == text


def test_modules_whose_parts_are_equal_become_one() -> None:
    top = HEAD + "  cell \\o1 \\x\n  end\n  cell \\o2 \\y\n  end\nend\n"
    parts = gate("b1", "$not", 3) + gate("b2", "$not", 7)

    shared = share_modules(top + outer("o1", "b1") + outer("o2", "b2") + parts)

    assert shared == top.replace("\\o2", "\\o1") + outer("o1", "b1") + gate("b1", "$not", 3)


def test_text_without_modules_stays() -> None:
    assert share_modules("autoidx 1\n") == "autoidx 1\n"
