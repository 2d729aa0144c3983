# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import doctest

import pytest

from ciphermill import passwords
from ciphermill.toolchain.provenance import command_line


def test_its_examples() -> None:
    result = doctest.testmod(passwords)
    assert result.attempted == 2
    assert result.failed == 0


@pytest.mark.parametrize("password", ["secret", "p@ss:w0rd/x", "%40"])
def test_a_stored_command_has_no_password(password: str) -> None:
    store = f"postgresql://ann:{password}@host/db"
    for words in (["--store", store], [f"--store={store}"]):
        told = command_line(["/bin/ciphermill", "explore", "aes", *words])
        assert password not in told
        assert "ann:***@host/db" in told


def test_other_words_stay_as_they_are() -> None:
    words = "explore http://host:80/x ray://head:10001 file:///a/b@c d:e@f"
    assert passwords.without_passwords(words) == words
