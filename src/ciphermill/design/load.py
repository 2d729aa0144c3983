# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reading designs, platforms and workloads from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from .design import Design
from .errors import CannotBeError, DesignError, UnknownNameError, explain
from .home import find_home
from .module import Module
from .platform import Platform

Model = TypeVar("Model", bound=BaseModel)


def load_design(name_or_path: str | Path, *, home: Path | None = None) -> Design:
    """Return a design, by its name in ``designs/`` or by the path of its file.

    Args:
        name_or_path: A name such as ``aes-iterative``, or a path: anything that
            ends in ``.toml`` or has a separator.
        home: The source tree; found by ``find_home`` unless given.

    Raises:
        DesignError: There is no such design (the message lists those that
            exist), or its file is malformed (the message says where and how).
    """
    return _load("design", Design, name_or_path, home)


def load_platform(name_or_path: str | Path, *, home: Path | None = None) -> Platform:
    """Return a platform, by its name in ``platforms/`` or by the path of its file.

    Raises:
        DesignError: As for ``load_design``.
    """
    return _load("platform", Platform, name_or_path, home)


def load_module(name_or_path: str | Path, *, home: Path | None = None) -> Module:
    """Return a module, by its name in ``designs/modules/`` or by the path of its file.

    Raises:
        DesignError: As for ``load_design``.
    """
    return _load("module", Module, name_or_path, home, "designs/modules")


def module_names(*, home: Path | None = None) -> list[str]:
    """Return the names of the modules in ``designs/modules/``, sorted."""
    return _names((home or find_home()) / "designs" / "modules")


def design_names(*, home: Path | None = None) -> list[str]:
    """Return the names of the designs in ``designs/``, sorted."""
    return _names((home or find_home()) / "designs")


def load_model(model: type[Model], path: Path) -> Model:
    """Return the model that a TOML file describes.

    Raises:
        DesignError: The file cannot be read, is not TOML, or has a missing, an
            unknown or a wrong field; the message says which and what is allowed.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CannotBeError(f"{path}: {error.strerror}") from error
    except OSError as error:
        raise DesignError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise DesignError(f"{path}: not TOML: {error}") from error
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise explain(path, error, _fields(model)) from error


def _load(
    kind: str,
    model: type[Model],
    name_or_path: str | Path,
    home: Path | None,
    below: str | None = None,
) -> Model:
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text:
        return load_model(model, Path(name_or_path))
    folder = (home or find_home()) / (below or f"{kind}s")
    names = _names(folder)
    if text not in names:
        raise UnknownNameError(kind, text, names)
    found = load_model(model, folder / f"{text}.toml")
    own = getattr(found, "name", text)
    if own != text:
        raise DesignError(
            f"{folder / f'{text}.toml'}: name: is {own!r}, but the file says {text!r}"
        )
    return found


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.toml"))


def _fields(model: type[BaseModel], prefix: str = "") -> Mapping[str, Sequence[str]]:
    """Return the field names of a model and of its tables, by dotted name."""
    fields: dict[str, Sequence[str]] = {prefix: tuple(model.model_fields)}
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            fields.update(_fields(field.annotation, f"{prefix}.{name}" if prefix else name))
    return fields
