# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from .rtlil import own_name, share_modules, take_out

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


PORT = "  wire width 8 input 1 \\a\n"


def test_a_module_that_is_taken_out_leaves_its_ports() -> None:
    top = HEAD + "  cell \\core$top.x \\x\n  end\nend\n"
    core = (
        'attribute \\src "x.sv:1"\nmodule \\core$top.x\n' + PORT + "  wire \\b\n"
        "  cell \\part$top.x.y \\y\n    connect \\a \\a\n  end\nend\n"
    )
    part = gate("part$top.x.y", "$not", 7)
    divided = take_out(top + core + part, {"core"})

    box = 'attribute \\blackbox 1\nattribute \\src "x.sv:1"\nmodule \\core$top.x\n' + PORT + "end\n"
    assert divided.rest == top + box + part
    assert list(divided.taken) == ["\\core$top.x"]
    [text] = divided.taken.values()
    assert own_name("\\core$top.x") == "core"
    assert "module \\core\n" in text
    assert "cell \\part$y \\y" in text and "module \\part$y\n" in text
    assert "top.x" not in text


def test_a_module_is_the_same_wherever_it_was() -> None:
    def taken(place: str, number: int, other: str) -> str:
        top = HEAD + f"  cell \\core${place} \\x\n  end\nend\n"
        text = top + gate("before", other, 3) + gate(f"core${place}", "$not", number)
        return take_out(text, {"core"}).taken[f"\\core${place}"]

    assert taken("top.x", 7, "$neg") == taken("top.deep.y", 90, "$pos")


def test_what_is_inside_another_is_taken_out_with_that() -> None:
    top = HEAD + "  cell \\o1 \\x\n  end\nend\n"
    divided = take_out(top + outer("o1", "b1") + gate("b1", "$not", 3), {"o1", "b1"})
    assert list(divided.taken) == ["\\o1"]
    assert "module \\b1\n" in divided.taken["\\o1"]


def test_the_top_module_is_not_taken_out() -> None:
    text = HEAD + "end\n"
    assert take_out(text, {"top"}).taken == {}
    assert take_out(text, {"top"}).rest == text


def test_generated_names_do_not_meet_numbers_that_were_there() -> None:
    core = "module \\core\n  wire $0\n  wire $and$x.sv:1$5\nend\n"
    [text] = take_out(HEAD + "  cell \\core \\x\n  end\nend\n" + core, {"core"}).taken.values()
    wires = [line for line in text.splitlines() if line.startswith("  wire")]
    assert len(set(wires)) == 2 and "  wire $0" in wires
