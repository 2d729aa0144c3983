# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

import os
import signal
from pathlib import Path

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup
# has them ignore a hang-up; the programs under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Cell libraries are no part of the project; those that lie beside it are found without being named.
_BESIDE = Path(__file__).resolve().parent.parent / "shared" / "pdk"
if _BESIDE.is_dir():
    os.environ.setdefault("CIPHERMILL_PDK_PATH", str(_BESIDE))
