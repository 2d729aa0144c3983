# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Spaces to explore: designs, platforms and workloads, steps of measurement, objectives.

A file in ``designs/spaces/`` describes one (docs/reference/explore.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .errors import DesignError, UnknownNameError
from .expression import Expression, known_figures, parse
from .load import find_file, load_model, names_of_files
from .runs import WORKLOAD_FIELDS
from .table import NAME_PATTERN, Table

FOLDER = "designs"
TOLERANCE = 0.1
"""Relative error that cheap figures of an objective are taken to have, unless stated."""

Names = str | list[str]
"""A name of a file, or several."""


def _checked(text: str) -> str:
    parse(text, known_figures())
    return text


class ObjectiveTable(Table):
    """A figure to make small or large: ``[[objective]]``."""

    minimise: str | None = None
    maximise: str | None = None
    expected: str | None = None
    """An expression over cheap figures that is in proportion to the objective, where the
    objective itself needs a dear figure."""
    tolerance: Annotated[float, Field(ge=0, lt=1)] = TOLERANCE
    """Relative error of the objective by cheap figures: a candidate that is worse by less than
    that is not dropped."""

    @field_validator("minimise", "maximise", "expected")
    @classmethod
    def _read(cls, text: str | None) -> str | None:
        return None if text is None else _checked(text)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.minimise is None) == (self.maximise is None):
            raise ValueError("an objective has either minimise or maximise")
        return self

    @property
    def text(self) -> str:
        """The expression."""
        return self.minimise or self.maximise or ""

    @property
    def direction(self) -> Literal["minimise", "maximise"]:
        """Whether it is to be small or large."""
        return "minimise" if self.minimise is not None else "maximise"


class StepTable(BaseModel):
    """A kind of measurement: ``[[step]]``. Fields without a meaning here are its options."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    """One of ``campaign.explore.steps.STEPS``."""
    dear: bool = False
    """Whether only candidates that are still in the race get it."""
    platform: str | None = None
    """The name of a platform that replaces the candidate's in this step."""

    @property
    def options(self) -> Mapping[str, Any]:
        """The other fields, such as ``bytes`` and ``clock_mhz``."""
        return dict(self.model_extra or {})


class VariantTable(Table):
    """A part of a space; its tables add to, or replace, those of the whole: ``[[variant]]``."""

    design: dict[str, Any] | Names = Field(default_factory=dict)
    platform: dict[str, Any] | Names | None = None
    workload: dict[str, Any] = Field(default_factory=dict)


class SearchSpace(Table):
    """A space to explore. Any field of its designs, platforms and workloads may be a list."""

    kind: Literal["space"] = "space"
    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    design: dict[str, Any] | Names = Field(default_factory=dict)
    """Fields of a design of any kind, or names of designs."""
    platform: dict[str, Any] | Names | None = None
    """Fields of a platform, or names of platforms; absent if each step has its own."""
    workload: dict[str, Any] = Field(default_factory=dict)
    variant: tuple[VariantTable, ...] = ()
    """Parts whose union is the space, where one product does not describe it."""
    step: Annotated[tuple[StepTable, ...], Field(min_length=1)]
    """In the order in which they are made; cheap steps come first."""
    objective: Annotated[tuple[ObjectiveTable, ...], Field(min_length=1, max_length=4)]
    constraints: tuple[str, ...] = ()

    @field_validator("constraints")
    @classmethod
    def _read(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(_checked, texts))

    @model_validator(mode="after")
    def _agree(self) -> Self:
        problems = []
        names = [one.name for one in self.step]
        if len(set(names)) < len(names):
            problems.append("step: two steps have the same name")
        if sorted(self.step, key=lambda one: one.dear) != list(self.step):
            problems.append("step: a cheap step comes after a dear one; put the cheap ones first")
        parts: list[SearchSpace | VariantTable] = [self, *self.variant]
        if not any(one.design for one in parts):
            problems.append("design: is missing; give a [design], or one in each [[variant]]")
        for one in parts:
            unknown = [name for name in one.workload if name not in (*WORKLOAD_FIELDS, "mode")]
            if unknown:
                listed = ", ".join((*WORKLOAD_FIELDS, "mode"))
                problems.append(
                    f"workload.{unknown[0]}: is not a field here; the fields are {listed}"
                )
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def parts(self) -> tuple[VariantTable, ...]:
        """The parts of the space, each with the tables that all share."""
        whole = VariantTable(design=self.design, platform=self.platform, workload=self.workload)
        return tuple(_merged(whole, one) for one in self.variant) or (whole,)

    def expressions(self) -> tuple[Expression, ...]:
        """Return the expressions of the objectives."""
        return tuple(parse(one.text) for one in self.objective)


def load_space(name_or_path: str | Path) -> SearchSpace:
    """Return a space, by its name in ``designs/spaces/`` or by the path of its file.

    Raises:
        DesignError: There is no such space (the message lists those that exist), or its file
            is malformed (the message says where and how).
    """
    try:
        path = find_file(FOLDER, {"space": SearchSpace}, name_or_path)
    except UnknownNameError:
        raise UnknownNameError("space", str(name_or_path), space_names()) from None
    found = load_model(SearchSpace, path)
    if path != Path(name_or_path) and found.name != path.stem:
        raise DesignError(f"{path}: name: is {found.name!r}, but the file says {path.stem!r}")
    return found


def space_names() -> list[str]:
    """Return the names of the spaces in ``designs/spaces/``, sorted."""
    return names_of_files(FOLDER, "space")


def _merged(whole: VariantTable, part: VariantTable) -> VariantTable:
    def both(common: Any, own: Any) -> Any:
        if isinstance(common, dict) and isinstance(own, dict):
            return {**common, **own}
        return own or common

    return VariantTable(
        design=both(whole.design, part.design),
        platform=both(whole.platform, part.platform),
        workload=both(whole.workload, part.workload),
    )
