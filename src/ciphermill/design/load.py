# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reading designs and platforms from TOML.

A name refers to a file of this name below ``designs/`` or ``platforms/``. Its field
``kind`` selects the model; every model refuses unknown fields.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args, overload

from pydantic import BaseModel, ValidationError

from ciphermill.names import did_you_mean

from .design import DESIGNS, Design
from .errors import CannotBeError, DesignError, UnknownNameError, explain
from .home import find_home
from .platform import PLATFORMS, Platform

Model = TypeVar("Model", bound=BaseModel)

_KIND = re.compile(r'^kind\s*=\s*"([^"\n]*)"', re.MULTILINE)


@overload
def load_design(name_or_path: str | Path) -> Design: ...
@overload
def load_design(name_or_path: str | Path, kind: type[Model]) -> Model: ...
def load_design(name_or_path: str | Path, kind: type[BaseModel] | None = None) -> BaseModel:
    """Return a design, by its name in ``designs/`` or by the path of its file.

    Args:
        name_or_path: A name such as ``aes-iterative``, or a path: anything that
            ends in ``.toml`` or has a separator.
        kind: The kind that it must be: ``Core``, ``Accelerator``, ``System`` or
            ``Software``; any unless given.

    Raises:
        DesignError: There is no such design of this kind (the message lists those that
            exist), or its file is malformed (the message says where and how).
    """
    return _load("designs", DESIGNS, name_or_path, kind)


@overload
def load_platform(name_or_path: str | Path) -> Platform: ...
@overload
def load_platform(name_or_path: str | Path, kind: type[Model]) -> Model: ...
def load_platform(name_or_path: str | Path, kind: type[BaseModel] | None = None) -> BaseModel:
    """Return a platform, by its name in ``platforms/`` or by the path of its file.

    Args:
        name_or_path: As for ``load_design``.
        kind: The kind that it must be, such as ``Memory``; any unless given.

    Raises:
        DesignError: As for ``load_design``.
    """
    return _load("platforms", PLATFORMS, name_or_path, kind)


def design_names(*kinds: type[Design]) -> list[str]:
    """Return the names of the designs in ``designs/``, of all kinds or of some, sorted."""
    return sorted(_files("designs", _names_of(DESIGNS, kinds)))


def platform_names(*kinds: type[Platform]) -> list[str]:
    """Return the names of the platforms in ``platforms/``, of all kinds or of some, sorted."""
    return sorted(_files("platforms", _names_of(PLATFORMS, kinds)))


def names_of_files(folder: str, kind: str) -> list[str]:
    """Return the names of the files of a kind below a folder, sorted."""
    return sorted(_files(folder, (kind,)))


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises:
        DesignError: It cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CannotBeError(f"{path}: {error.strerror}") from error
    except OSError as error:
        raise DesignError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise DesignError(f"{path}: not TOML: {error}") from error


def load_model(model: type[Model], path: Path) -> Model:
    """Return the model that a TOML file describes.

    Raises:
        DesignError: The file cannot be read, is not TOML, or has a missing, an
            unknown or a wrong field; the message says which and what is allowed.
    """
    return make_model(model, read_table(path), path)


def make_model(model: type[Model], values: Mapping[str, Any], source: Path | str) -> Model:
    """Return the model that a table describes.

    Raises:
        ContradictionError: Each field is valid, but the values contradict each other.
        DesignError: It has a missing, an unknown or a wrong field.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise explain(source, error, _fields(model)) from error


def kind_of(
    kinds: Mapping[str, type[BaseModel]], values: Mapping[str, Any], source: Path | str
) -> type[BaseModel]:
    """Return the model that a table's field ``kind`` names.

    Raises:
        DesignError: It names none.
    """
    listed = ", ".join(kinds)
    if "kind" not in values:
        raise DesignError(f"{source}: kind: is missing; it is one of {listed}")
    found = kinds.get(values["kind"]) if isinstance(values["kind"], str) else None
    if found is None:
        question = did_you_mean(str(values["kind"]), kinds)
        asked = f"; {question}" if question else ""
        raise DesignError(f"{source}: kind: is one of {listed}, not {values['kind']!r}{asked}")
    return found


def find_file(
    folder: str,
    kinds: Mapping[str, type[BaseModel]],
    name_or_path: str | Path,
    wanted: type[BaseModel] | None = None,
) -> Path:
    """Return the file with a name below a folder, or the file at a path.

    Args:
        folder: ``designs`` or ``platforms``.
        kinds: The models by kind.
        name_or_path: As for ``load_design``.
        wanted: The one kind that it must be; any unless given.

    Raises:
        UnknownNameError: There is no such file; the message lists those that exist.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text:
        return Path(name_or_path)
    names = _names_of(kinds, (wanted,) if wanted else ())
    files = _files(folder, names)
    if text not in files:
        noun = folder.removesuffix("s")
        word = f"{names[0]} {noun}" if wanted and folder == "platforms" else noun
        raise UnknownNameError(word, text, sorted(files))
    return files[text]


def _load(
    folder: str,
    kinds: Mapping[str, type[BaseModel]],
    name_or_path: str | Path,
    wanted: type[BaseModel] | None,
) -> BaseModel:
    path = find_file(folder, kinds, name_or_path, wanted)
    values = read_table(path)
    model = kind_of(kinds, values, path)
    if wanted is not None and model is not wanted:
        [name] = _names_of(kinds, (wanted,))
        raise CannotBeError(f"{path}: is of kind {values['kind']}, not {name}")
    found = make_model(model, values, path)
    own = getattr(found, "name", None)
    if path != Path(name_or_path) and own != path.stem:
        raise DesignError(f"{path}: name: is {own!r}, but the file says {path.stem!r}")
    return found


def _names_of(
    kinds: Mapping[str, type[BaseModel]], wanted: Sequence[type[BaseModel]]
) -> tuple[str, ...]:
    return tuple(name for name, model in kinds.items() if not wanted or model in wanted)


def _files(folder: str, kinds: Sequence[str]) -> dict[str, Path]:
    """Return the files of some kinds below a folder, by name, without parsing them."""
    found = {}
    for path in sorted((find_home() / folder).rglob("*.toml")):
        kind = _KIND.search(path.read_text(encoding="utf-8", errors="replace"))
        if kind is not None and kind[1] in kinds:
            found[path.stem] = path
    return found


def _fields(model: type[BaseModel], prefix: str = "") -> Mapping[str, Sequence[str]]:
    """Return the field names of a model and of its tables, by dotted name."""
    fields: dict[str, Sequence[str]] = {
        prefix: tuple(field.alias or name for name, field in model.model_fields.items())
    }
    for name, field in model.model_fields.items():
        for one in (field.annotation, *get_args(field.annotation)):
            if isinstance(one, type) and issubclass(one, BaseModel):
                place = field.alias or name
                fields.update(_fields(one, f"{prefix}.{place}" if prefix else place))
    return fields
