# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A processor in Unicorn, with the estimated cycles of each instruction.

Unicorn calls back at each block of instructions, whose cycles ``make_block`` gives, and at
each access to peripherals.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import MappingProxyType
from typing import Any

from ciphermill.evaluate.system.errors import Broke, CosimError, Hung
from ciphermill.evaluate.system.image import explain_status
from ciphermill.evaluate.system.instruction_set.block import Block, make_block
from ciphermill.evaluate.system.instruction_set.peripherals import Peripherals
from ciphermill.evaluate.system.instruction_set.tables import CycleTable
from ciphermill.registers import soc
from ciphermill.toolchain.errors import ToolError

RESET = MappingProxyType({"picorv32": 0, "vexriscv": 0, "ibex": 0x80, "sa1110": 0})
"""The address of the first instruction."""
_VEXRISCV_EXTERNALS = 0xBC0
"""VexRiscv's own control register, which enables custom instructions."""
_PERIPHERAL_BYTES = 0x4_0000
_ILLEGAL_INSTRUCTION = 2
"""RISC-V's exception code."""


class Machine:
    """Memory, a processor and its peripherals; :meth:`run` runs them once."""

    def __init__(self, table: CycleTable, memory_bytes: int, peripherals: Peripherals) -> None:
        if importlib.util.find_spec("unicorn") is None:
            raise ToolError("unicorn is missing: pip install unicorn (or run make setup)")
        unicorn: Any = importlib.import_module("unicorn")
        from unicorn import arm_const, riscv_const

        self.table = table
        self._uc: Any  # most methods of Unicorn have no type annotations
        self.peripherals = peripherals
        self.cycles = 0
        """Cycles of the blocks that have ended, without wait cycles of accesses."""
        self.instructions = 0
        self._block: Block | None = None
        self._blocks: dict[tuple[int, int], Block] = {}
        self._limit = 0
        self._failure: Exception | None = None
        if table.isa == "arm":
            self._uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
            self._uc.ctl_set_cpu_model(arm_const.UC_CPU_ARM_SA1110)
            self._counter = arm_const.UC_ARM_REG_PC
        else:
            self._uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
            self._counter = riscv_const.UC_RISCV_REG_PC
        self._unicorn: Any = unicorn
        self._uc.mem_map(0, memory_bytes)
        self._uc.mem_map(soc.SYSTEM, _PERIPHERAL_BYTES)
        self._uc.hook_add(unicorn.UC_HOOK_BLOCK, self._enter)
        begin, end = soc.SYSTEM, soc.SYSTEM + _PERIPHERAL_BYTES - 1
        self._uc.hook_add(unicorn.UC_HOOK_MEM_READ, self._read, begin=begin, end=end)
        self._uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, self._write, begin=begin, end=end)
        self._uc.hook_add(unicorn.UC_HOOK_INTR, self._interrupt)

    def load(self, address: int, data: bytes) -> None:
        """Put bytes into memory."""
        self._uc.mem_write(address, data)

    def dump(self, address: int, length: int) -> bytes:
        """Return bytes of memory."""
        return bytes(self._uc.mem_read(address, length))

    def run(self, max_cycles: int) -> None:
        """Run from reset until the firmware finishes.

        Raises:
            Hung: It does not within the cycles.
            Broke: It met an exception, or reported a failure.
        """
        self._limit = max_cycles
        try:
            self._uc.emu_start(RESET[self.table.processor], 0xFFFF_FFFF)
        except self._unicorn.UcError as error:
            self._failure = self._failure or Broke(
                f"the processor stopped at 0x{self._uc.reg_read(self._counter):x}: {error}"
            )
        if self._failure is not None:
            raise self._failure
        if self.peripherals.status != 0:
            status = self.peripherals.status
            raise Broke("the firmware did not end" if status is None else explain_status(status))

    def _stop(self, failure: Exception | None = None) -> None:
        self._failure = self._failure or failure
        self._uc.emu_stop()

    def _enter(self, uc: Any, address: int, size: int, data: object) -> None:
        """Handle the begin of a block, which ends the one before."""
        last = self._block
        if last is not None:
            self.cycles += last.cycles if address == last.end else last.taken
            self.instructions += last.count
            if self.cycles > self._limit:
                self._stop(
                    Hung(f"the firmware did not end within {self._limit:,} estimated cycles")
                )
        block = self._blocks.get((address, size))
        if block is None:
            block = make_block(address, bytes(uc.mem_read(address, size)), self.table)
            self._blocks[address, size] = block
        self._block = block

    def _access(self, address: int, data: int | None) -> int:
        block = self._block
        if block is None:
            raise CosimError("an access before the first instruction")
        counter = self._uc.reg_read(self._counter)
        cycles, instructions = block.before.get(counter, (block.cycles, block.count))
        return self.peripherals.access(
            address, data, self.cycles + cycles, self.instructions + instructions
        )

    def _read(self, uc: Any, kind: int, address: int, size: int, value: int, data: object) -> None:
        try:
            word = self._access(address, None)
            uc.mem_write(address, word.to_bytes(4, "little"))
        except (CosimError, ValueError) as error:
            self._stop(_told(error))

    def _write(self, uc: Any, kind: int, address: int, size: int, value: int, data: object) -> None:
        try:
            self._access(address, value & 0xFFFF_FFFF)
        except (CosimError, ValueError) as error:
            self._stop(_told(error))
        if self.peripherals.status is not None:
            self._stop()

    def _interrupt(self, uc: Any, number: int, data: object) -> None:
        """Handle an exception: skip accesses to VexRiscv's control register, fail on others."""
        # Unicorn is already at the next instruction.
        counter = uc.reg_read(self._counter) - 4
        word = int.from_bytes(uc.mem_read(counter, 4), "little") if counter >= 0 else 0
        is_own = word & 0x7F == 0x73 and word >> 20 == _VEXRISCV_EXTERNALS
        if number == _ILLEGAL_INSTRUCTION and is_own and self.table.processor == "vexriscv":
            return
        self._stop(
            Broke(f"the processor met exception {number} at 0x{counter:x} (word 0x{word:08x})")
        )


def _told(error: Exception) -> Exception:
    return error if isinstance(error, CosimError) else Broke(str(error))
