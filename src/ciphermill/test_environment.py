# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermill import environment
from ciphermill.campaign.store import default_location
from ciphermill.design import home
from ciphermill.toolchain import cells, provenance
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.verilator import need_program

VARIABLES = (
    "CIPHERMILL_HOME",
    "CIPHERMILL_BUILD",
    "CIPHERMILL_MODELS",
    "CIPHERMILL_STORE",
    cells.PATH_VARIABLE,
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "HOME",
)


@pytest.fixture
def chosen_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every variable, and the working directory, is in the hands of whoever started us."""
    (tmp_path / home.MARK).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / home.MARK).touch()
    for name in VARIABLES:
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def places() -> list[Path]:
    """Where code and files would be taken from."""
    return [
        home.find_home(),
        home.build_folder(),
        home.models_folder(),
        default_location().file or Path(),
        *cells.library_folders(),
        environment.home_folder(),
    ]


def test_variables_choose_in_a_program_of_its_user(chosen_by_another: Path) -> None:
    assert sum(place.is_relative_to(chosen_by_another) for place in places()) == 6


def test_nothing_chooses_in_a_program_with_more_rights(
    chosen_by_another: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "is_privileged", lambda: True)
    found = places()
    assert len(found) >= 5
    assert not any(place.is_relative_to(chosen_by_another) for place in found)
    assert environment.find_program("sh") is None
    assert provenance.commit.__wrapped__().startswith("release ")
    # A compiler would be found by PATH.
    with pytest.raises(ToolError, match="more rights"):
        need_program("sh", "dash")
