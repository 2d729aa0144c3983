# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Mutants of SystemVerilog sources: what to change, and a source that holds many changes.

A mutant changes one operator, literal or statement. All chosen mutants of a file are written
into one copy of it, each behind a choice at run time::

    a == b      becomes      ((mutation_pkg::selected == 32'h4d550007) ? (a != b) : (a == b))

so that one build serves them all (mutant schemata: R. H. Untch, A. J. Offutt, M. J. Harrold,
"Mutation Analysis Using Mutant Schemata", ISSTA 1993). ``+mutation=7`` chooses mutant 7.

What must be constant is left alone: parameters, types, ranges, conditions of generate blocks,
labels of case statements, headers of loops, functions that parameters call, whole packages.
So are resets, assertions, indexes, and expressions without any signal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyslang import syntax

Kind = syntax.SyntaxKind

BASE = 0x4D55_0000
"""Offset of the mutants' numbers in the source, by which they are found in a build."""

PACKAGE = f"""// The number of the mutant that is chosen, from the plusarg +mutation=.
package mutation_pkg;
  function automatic int unsigned chosen();
    int unsigned number;
    if ($value$plusargs("mutation=%d", number) == 0) number = 0;
    return (number == 0) ? 0 : number + 32'h{BASE:08x};
  endfunction
  int unsigned selected = chosen();
endpackage
"""

_SWAPS = {
    Kind.EqualityExpression: ("==", "!="),
    Kind.InequalityExpression: ("!=", "=="),
    Kind.LogicalAndExpression: ("&&", "||"),
    Kind.LogicalOrExpression: ("||", "&&"),
    Kind.BinaryAndExpression: ("&", "|"),
    Kind.BinaryOrExpression: ("|", "&"),
    Kind.AddExpression: ("+", "-"),
    Kind.SubtractExpression: ("-", "+"),
    Kind.LessThanExpression: ("<", "<="),
    Kind.LessThanEqualExpression: ("<=", "<"),
    Kind.GreaterThanExpression: (">", ">="),
    Kind.GreaterThanEqualExpression: (">=", ">"),
}
_SKIPPED = {
    Kind.PackageDeclaration,
    Kind.ModuleHeader,
    Kind.ParameterDeclarationStatement,
    Kind.TypedefDeclaration,
    Kind.VariableDimension,
    Kind.ElementSelect,
    Kind.ParameterValueAssignment,
    Kind.InitialBlock,
    Kind.FinalBlock,
    Kind.ElabSystemTask,
    Kind.AttributeInstance,
    Kind.GenvarDeclaration,
    Kind.ConcurrentAssertionMember,
    Kind.ImmediateAssertionMember,
    Kind.ImmediateAssertStatement,
    Kind.ImmediateAssumeStatement,
    Kind.ImmediateCoverStatement,
    Kind.AssertPropertyStatement,
    Kind.AssumePropertyStatement,
    Kind.CoverPropertyStatement,
    Kind.PropertyDeclaration,
    Kind.SequenceDeclaration,
    Kind.EventControlWithExpression,
}
_SIMULATION = re.compile(rb"`ifndef SYNTHESIS\b.*?`endif", re.DOTALL)
_SIGNAL = re.compile(r"(?<![\w'$])[a-z]\w*")
_RESET = re.compile(r"^!?\(?(\w+_)?rst(_\w+)?\)?$")
_SIZED = re.compile(r"^(\d+'[bB])([01_]+)$|^(\d+'[dD])(\d+)$|^(\d+'[hH])([0-9a-fA-F_]+)$")


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        file: The file.
        start: Where what is changed begins, in bytes.
        end: Where it ends.
        line: Its line, from 1.
        operator: What kind of change it is.
        pieces: What takes its place: texts, and spans of the file that stay as they are.
        statement: It is a statement that is left out, not an expression.
        digest: Of the file's content.
    """

    file: Path
    start: int
    end: int
    line: int
    operator: str
    pieces: tuple[str | tuple[int, int], ...]
    statement: bool
    digest: str

    def original(self, content: bytes) -> str:
        """Return the original text, in one line."""
        return _one_line(content[self.start : self.end])

    def mutated(self, content: bytes) -> str:
        """Return the mutated text, in one line."""
        if self.statement:
            return "(left out)"
        parts = [
            piece if isinstance(piece, str) else content[slice(*piece)].decode()
            for piece in self.pieces
        ]
        return _one_line("".join(parts).encode())

    def key(self, root: Path) -> str:
        """Return a name that stays the same as long as the file does."""
        facts = (self.file.relative_to(root), self.digest, self.start, self.end, self.operator)
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _one_line(text: bytes) -> str:
    return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text.decode())).strip()


def candidates(file: Path) -> list[Mutant]:
    """Return every mutant that a file offers, in its order."""
    return _Finder(file).run()


def modules(files: Iterable[Path]) -> dict[str, set[str]]:
    """Return the modules that each file's module instantiates, by the files' stems."""
    pattern = re.compile(r"^\s*([a-z]\w*)\s+(?:#\s*\(|u_\w+)", re.MULTILINE)
    return {file.stem: set(pattern.findall(file.read_text())) for file in files}


def write(content: bytes, chosen: Mapping[int, Mutant]) -> str:
    """Return a source that holds mutants.

    Args:
        content: The file.
        chosen: Mutants of that file by their numbers.
    """
    # An outer one comes before those inside it.
    order = sorted(chosen.items(), key=lambda item: (item[1].start, -item[1].end))
    return _render(content, 0, len(content), order)


def _render(content: bytes, start: int, end: int, order: Sequence[tuple[int, Mutant]]) -> str:
    """Return a span of a file with the mutants that lie in it, the outer ones first."""
    text = []
    at = start
    for index, (number, mutant) in enumerate(order):
        if mutant.start < at or mutant.end > end:
            continue
        text.append(content[at : mutant.start].decode())
        # Mutants with the same span are inside this one, in the text that it keeps.
        inner = order[index + 1 :]
        kept = _render(content, mutant.start, mutant.end, inner)
        chosen = f"mutation_pkg::selected == 32'h{BASE + number:08x}"
        if mutant.statement:
            text.append(f"begin if (!({chosen})) begin {kept} end end")
        else:
            changed = "".join(
                piece if isinstance(piece, str) else _render(content, *piece, inner)
                for piece in mutant.pieces
            )
            text.append(f"(({chosen}) ? ({changed}) : ({kept}))")
        at = mutant.end
    text.append(content[at:end].decode())
    return "".join(text)


class _Finder:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.content = file.read_bytes()
        self.digest = hashlib.sha256(self.content).hexdigest()[:16]
        # Assertions are for simulation only: the parser sees spaces there, so positions stay.
        circuit = _SIMULATION.sub(lambda part: re.sub(rb"[^\n]", b" ", part[0]), self.content)
        self.tree = syntax.SyntaxTree.fromText(circuit.decode())
        self.found: list[Mutant] = []
        self.assigned: list[set[str]] = []
        """For each always_comb block around, the signals that have been assigned so far."""
        self.clocked = False
        self.constant = self._constant_text()

    def run(self) -> list[Mutant]:
        """Return every mutant."""
        self._visit(self.tree.root)
        return self.found

    # ------------------------------------------------------------ helpers

    def _span(self, node: Any) -> tuple[int, int]:
        area = node.sourceRange
        return area.start.offset, area.end.offset

    def _text(self, node: Any) -> str:
        return _one_line(self.content[slice(*self._span(node))])

    def _constant_text(self) -> str:
        """Return the text of everything that must be constant."""
        texts: list[str] = []

        def collect(node: Any) -> None:
            if not isinstance(node, syntax.SyntaxNode):
                return
            if node.kind in (
                Kind.ParameterDeclaration,
                Kind.VariableDimension,
                Kind.ParameterValueAssignment,
            ):
                texts.append(self._text(node))
            elif node.kind == Kind.IfGenerate:
                texts.append(self._text(node.condition))
            for child in node:
                collect(child)

        collect(self.tree.root)
        return "\n".join(texts)

    def _add(
        self,
        node: Any,
        operator: str,
        pieces: Sequence[str | tuple[int, int]] = (),
        statement: bool = False,
    ) -> None:
        start, end = self._span(node)
        line = self.content.count(b"\n", 0, start) + 1
        self.found.append(
            Mutant(self.file, start, end, line, operator, tuple(pieces), statement, self.digest)
        )

    def _worth(self, node: Any) -> bool:
        """Say whether an expression depends on a signal, and not on a reset alone."""
        text = self._text(node)
        return bool(_SIGNAL.search(text)) and not _RESET.match(text)

    # ------------------------------------------------------------ walk

    def _visit(self, node: Any) -> None:
        if not isinstance(node, syntax.SyntaxNode) or node.kind in _SKIPPED:
            return
        method: Callable[[Any], None] | None = getattr(self, f"_at_{node.kind.name}", None)
        if method is not None:
            method(node)
        elif node.kind in _SWAPS:
            self._at_binary(node)
        else:
            self._inside(node)

    def _inside(self, node: Any) -> None:
        for child in node:
            self._visit(child)

    def _at_binary(self, node: Any) -> None:
        before, after = _SWAPS[node.kind]
        if self._worth(node):  # else it is constant, and so is everything in it
            left, right = self._span(node.left), self._span(node.right)
            self._add(node, f"{before} to {after}", [left, f" {after} ", right])
            self._inside(node)

    def _at_UnaryLogicalNotExpression(self, node: Any) -> None:
        if self._worth(node):
            self._add(node, "! removed", ["!!(", self._span(node.operand), ")"])
        self._inside(node)

    def _at_UnaryBitwiseNotExpression(self, node: Any) -> None:
        if self._worth(node):
            self._add(node, "~ removed", [self._span(node.operand)])
        self._inside(node)

    def _at_ConditionalExpression(self, node: Any) -> None:
        left, right = self._span(node.left), self._span(node.right)
        patterns = (Kind.AssignmentPatternExpression,)
        if self._worth(node.predicate) and node.left.kind not in patterns:
            predicate = self._span(node.predicate)
            pieces = ["(", predicate, ") ? (", right, ") : (", left, ")"]
            self._add(node, "arms of ?: swapped", pieces)
        self._inside(node)

    def _at_ConditionalStatement(self, node: Any) -> None:
        predicate = node.predicate
        text = self._text(predicate)
        if self._worth(predicate):
            # A comparison or a negation alone has a mutant of its own that does the same.
            if not re.fullmatch(r"![\w.\[\]]+|[^&|]+ [!=]= [^&|]+", text):
                pieces = ["!(", self._span(predicate), ")"]
                self._add(predicate, "condition of if negated", pieces)
            self._visit(predicate)
        self._branches([node.statement, node.elseClause])

    def _branches(self, nodes: list[Any]) -> None:
        """Visit branches; an assignment in one does not count as made in another."""
        before = self.assigned[-1] if self.assigned else set()
        after = set(before)
        for node in nodes:
            if node is not None:
                if self.assigned:
                    self.assigned[-1] = set(before)
                self._visit(node)
                after |= self.assigned[-1] if self.assigned else set()
        if self.assigned:
            self.assigned[-1] = after

    def _at_ForLoopStatement(self, node: Any) -> None:
        self._visit(node.statement)

    def _at_IfGenerate(self, node: Any) -> None:
        self._visit(node.block)
        if node.elseClause is not None:
            self._visit(node.elseClause)

    def _at_LoopGenerate(self, node: Any) -> None:
        self._visit(node.block)

    def _at_CaseGenerate(self, node: Any) -> None:
        for item in node.items:
            self._visit(item.clause)

    def _at_CaseStatement(self, node: Any) -> None:
        self._visit(node.expr)
        self._branches(list(node.items))

    def _at_StandardCaseItem(self, node: Any) -> None:
        self._visit(node.clause)

    def _at_CastExpression(self, node: Any) -> None:
        self._visit(node.right)

    def _at_MultipleConcatenationExpression(self, node: Any) -> None:
        self._visit(node.concatenation)

    def _at_StreamingConcatenationExpression(self, node: Any) -> None:
        self._visit(node.expressions)

    def _at_InvocationExpression(self, node: Any) -> None:
        if not self._text(node).startswith("$"):
            self._inside(node)

    def _at_FunctionDeclaration(self, node: Any) -> None:
        name = self._text(node.prototype.name)
        if re.search(rf"\b{re.escape(name)}\s*\(", self.constant):
            return
        for item in node.items:
            self._visit(item)

    def _at_AlwaysFFBlock(self, node: Any) -> None:
        self.clocked = True
        self._inside(node)
        self.clocked = False

    def _at_AlwaysCombBlock(self, node: Any) -> None:
        self.assigned.append(set())
        self._inside(node)
        self.assigned.pop()

    def _at_ExpressionStatement(self, node: Any) -> None:
        expression = node.expr
        if expression.kind == Kind.NonblockingAssignmentExpression:
            if self.clocked:
                self._add(node, "assignment left out", statement=True)
        elif expression.kind == Kind.AssignmentExpression and self.assigned:
            target = re.split(r"[\[.]", self._text(expression.left))[0]
            # Leaving it out would infer a latch unless a default stands before it.
            if target in self.assigned[-1]:
                self._add(node, "assignment left out", statement=True)
            self.assigned[-1].add(target)
        self._inside(node)

    def _at_NonblockingAssignmentExpression(self, node: Any) -> None:
        self._visit(node.right)

    def _at_AssignmentExpression(self, node: Any) -> None:
        self._visit(node.right)

    # ------------------------------------------------------------ literals

    def _at_IntegerVectorExpression(self, node: Any) -> None:
        match = _SIZED.match(self._text(node).replace(" ", ""))
        if match is None:
            return
        binary, bits, decimal, number, hexadecimal, digits = match.groups()
        if binary:
            changed = binary + bits[:-1] + ("1" if bits[-1] == "0" else "0")
        elif decimal:
            changed = decimal + str(int(number) ^ 1)
        else:
            changed = f"{hexadecimal}{digits[:-1]}{int(digits[-1], 16) ^ 1:x}"
        self._add(node, "lowest bit of a literal flipped", [changed])

    def _at_UnbasedUnsizedLiteralExpression(self, node: Any) -> None:
        text = self._text(node)
        if text in ("'0", "'1"):
            self._add(node, "literal inverted", ["'1" if text == "'0" else "'0"])

    def _at_IntegerLiteralExpression(self, node: Any) -> None:
        self._add(node, "literal plus one", [str(int(self._text(node).replace("_", "")) + 1)])

    def _at_StructuredAssignmentPattern(self, node: Any) -> None:
        for item in node.items:
            if isinstance(item, syntax.SyntaxNode):
                self._visit_pattern(item.expr)

    def _at_SimpleAssignmentPattern(self, node: Any) -> None:
        for item in node.items:
            if isinstance(item, syntax.SyntaxNode):
                self._visit_pattern(item)

    def _at_ReplicatedAssignmentPattern(self, node: Any) -> None:
        """Leave it alone: its count is constant."""

    def _visit_pattern(self, node: Any) -> None:
        """Visit an element of a pattern; a literal of no size could stand for a whole type."""
        if node.kind != Kind.UnbasedUnsizedLiteralExpression:
            self._visit(node)
