# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of builds of benches."""

from pathlib import Path

import pytest
from ciphermill_dv.simulate import EVERY_SIGNAL, PORTS_ONLY, run_bench, visible_registers

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ((), "registers_and_memories_are_visible"),
        (PORTS_ONLY, "nothing_below_is_visible"),
        (EVERY_SIGNAL, "everything_is_visible"),
    ],
    ids=["registers", "ports-only", "every-signal"],
)
def test_what_a_bench_sees_below_the_top_module(options, seen) -> None:
    run_bench(
        HERE / "sight_bench.py",
        "sight_fixture",
        [HERE / "sight_fixture.sv"],
        tests=["ports_are_visible", seen],
        options=options,
    )


def test_registers_are_what_is_assigned_without_blocking(tmp_path) -> None:
    source = tmp_path / "some.sv"
    source.write_text(
        """
// comment_q <= 0;
module first #(parameter int unsigned P = 1) (input logic clk_i);
  always_ff @(posedge clk_i)
    if (wire_i) plain_q <= other; else begin
      {pair_q, part_q[3:0]} <= 2'b0;
      memory[address[1:0]][3] <= data;
      state_q.field.deep[1] <= '0;
      /* hidden_q <= 0; */
    end
  assign sum = a + b;
endmodule
module second;
  always_ff @(posedge clk_i) last_q <= first_q;
endmodule
"""
    )
    lines = visible_registers([source, tmp_path / "other.vlt"]).splitlines()
    assert lines[0] == "`verilator_config"
    wanted = {("first", name) for name in ("plain_q", "pair_q", "part_q", "memory", "state_q")} | {
        ("second", "last_q"),
    }
    assert set(lines[1:]) == {
        f'public_flat_rw -module "{module}" -var "{name}"' for module, name in wanted
    }
