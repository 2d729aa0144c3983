# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A SoC of LiteX without a processor around an export, written as Verilog.

    python litex_soc.py EXPORT CLASS OUTPUT

It has registers at ORIGIN of its bus, on which a host outside is a master, and the streams of the
first channel and the interrupt as pins. ``soc.f`` in OUTPUT lists the files.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.sim.platform import SimPlatform
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import axi

ORIGIN = 0x3000_0000


def module_class(export: Path, name: str) -> type:
    (path,) = (export / "litex").glob("*.py")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return getattr(module, name)


def stream_pins(name: str, bits: int) -> tuple:
    widths = {"tdata": bits, "tkeep": bits // 8, "tlast": 1, "tvalid": 1, "tready": 1}
    return (name, 0, *(Subsignal(signal, Pins(width)) for signal, width in widths.items()))


class Soc(SoCMini):
    def __init__(self, platform: SimPlatform, kind: type) -> None:
        standard = "axi" if "memory" in kind.__init__.__code__.co_names else "axi-lite"
        width = 128 if standard == "axi" else 32
        SoCMini.__init__(
            self, platform, 100e6, bus_standard=standard, bus_data_width=width, with_uart=False
        )
        self.crg = CRG(platform.request("sys_clk"), platform.request("sys_rst"))
        self.block = block = kind(platform)
        region = SoCRegion(origin=ORIGIN, size=kind.SIZE, cached=False)
        self.bus.add_slave("block", block.bus, region)
        host = axi.AXILiteInterface(data_width=32, address_width=32)
        platform.add_extension(host.get_ios("host"))
        self.comb += host.connect_to_pads(platform.request("host"), mode="slave")
        self.bus.add_master("host", host)
        self.comb += platform.request("interrupt").eq(block.interrupt[0])
        if hasattr(block, "memory"):
            self.add_ram("memory", 0x4000_0000, 0x1000)
            self.bus.add_master("block", block.memory)
        if hasattr(block, "sinks"):
            sink, source = block.sinks[0], block.sources[0]
            platform.add_extension([stream_pins(name, len(sink.data)) for name in ("into", "out")])
            into, out = platform.request("into"), platform.request("out")
            self.comb += [
                sink.data.eq(into.tdata),
                sink.keep.eq(into.tkeep),
                sink.last.eq(into.tlast),
                sink.valid.eq(into.tvalid),
                into.tready.eq(sink.ready),
                out.tdata.eq(source.data),
                out.tkeep.eq(source.keep),
                out.tlast.eq(source.last),
                out.tvalid.eq(source.valid),
                source.ready.eq(out.tready),
            ]


def main() -> None:
    export, name, output = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    output.mkdir(parents=True, exist_ok=True)
    os.chdir(output)  # LiteX writes the contents of memories where it runs
    pins = [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), ("interrupt", 0, Pins(1))]
    platform = SimPlatform("SIM", pins)
    soc = Soc(platform, module_class(export, name))
    soc.finalize()
    platform.get_verilog(soc, name="litex_soc").write("litex_soc.v")
    sources = [Path(source[0]) for source in platform.sources]
    Path("soc.f").write_text("".join(f"{path}\n" for path in ["litex_soc.v", *sources]))


if __name__ == "__main__":
    main()
