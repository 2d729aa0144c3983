# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Code that the block tests of the hardware share.

- :mod:`ciphermill_dv.simulate`: build RTL with Verilator, run cocotb benches on it, lint it;
- :mod:`ciphermill_dv.parameters`: the parameters of the module under test;
- :mod:`ciphermill_dv.ports`: AXI buses whose signals end in _i and _o;
- :mod:`ciphermill_dv.registers`: addresses and fields from a SystemRDL source;
- :mod:`ciphermill_dv.residue`: data left behind in registers and memories;
- :mod:`ciphermill_dv.stall`: idle and back-pressure patterns;
- :mod:`ciphermill_dv.streams`: the valid/ready streams of a core, cycle by cycle;
- :mod:`ciphermill_dv.stream_vectors`: AXI4-Streams side by side in vectors of ports;
- :mod:`ciphermill_dv.coverage`: functional coverage, collected over all runs and reported;
- :mod:`ciphermill_dv.formal`: proofs of the assertions of a harness, by yosys and Z3;
- :mod:`ciphermill_dv.equivalence`: two combinational circuits proven equal, by yosys;
- :mod:`ciphermill_dv.yosys`: what these and the next have in common;
- :mod:`ciphermill_dv.structure`: clock-domain crossings and combinational paths in the netlist;
- :mod:`ciphermill_dv.mutation`: whether the benches notice one wrong operator.

A *bench* is a module of cocotb tests (``*_bench.py``, run inside the simulator); a *test* is
a module of pytest tests (``test_*.py``) that builds parameter sets and runs benches on them.
Nothing in ``hw`` imports the tools in ``src``.
"""
