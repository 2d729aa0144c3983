# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Papers to compare with, one folder each: published figures, experiment and conclusions."""

import importlib

PAPERS = {
    "aes256-hw-sw-partitions": "ciphermill.papers.aes256_hw_sw_partitions.entry",
    "aes-present-coprocessors": "ciphermill.papers.aes_present_coprocessors.entry",
    "thesis-zynq-ciphers": "ciphermill.papers.thesis_zynq_ciphers.entry",
    "aes-fpga-vs-gpu": "ciphermill.papers.aes_fpga_vs_gpu.entry",
    "crypto-suite-sw-vs-hw": "ciphermill.papers.crypto_suite_sw_vs_hw.entry",
}
"""Papers by their names, and the module of each that has its ``ENTRY``."""

WORKLOADS = ("ciphermill.papers.aes_present_coprocessors.workloads",)
"""Modules that register workloads of papers."""


def register_workloads() -> None:
    """Add the workloads of papers to those of ``evaluate.chip``."""
    for module in WORKLOADS:
        importlib.import_module(module)
