# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

import signal

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup
# has them ignore a hang-up; the programs under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
