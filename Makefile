# Every target does its own set-up: virtual environment, Rust toolchain, engine, test modules.
PYTHON ?= python3
BIN := .venv/bin
RUST := 1.97.0
CACHE := $(or $(STDB_SWEEP_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/stdb-sweep)

.PHONY: help setup sweep test bench lint docs wheel clean

help:
	@echo "make setup   virtual environment, Rust $(RUST) by rustup, engine and modules"
	@echo "make sweep   the main job on the embedded engine: 10,50,100 clients x 8..1000 rooms"
	@echo "make test    the tests, on the embedded engine"
	@echo "make bench   the benchmarks in tests/bench"
	@echo "make lint    ruff, mypy, cargo fmt, clippy"
	@echo "make docs    the documentation site, in site/"
	@echo "make wheel   wheel and sdist, with the modules' WASM inside"

.venv/.installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev,docs,fast]'
	@touch $@

# A toolchain that is there is left alone; without rustup the build says what it needs.
.PHONY: rust
rust:
	@if command -v rustup >/dev/null && ! rustup run $(RUST) rustc --version >/dev/null 2>&1; then \
	  rustup toolchain install $(RUST) --profile minimal --target wasm32-unknown-unknown; fi
	@if command -v rustup >/dev/null; then \
	  rustup target add --toolchain $(RUST) wasm32-unknown-unknown >/dev/null 2>&1; fi

setup: .venv/.installed rust
	$(BIN)/stdb-sweep engine build

# Debian's Prometheus for tests/prometheus, unpacked into the cache: nothing is installed, so that
# no service starts. Where there is no apt-get, the tests say what to do.
APT_GET := apt-get -qq -o APT::Sandbox::User=root
.PHONY: prometheus
prometheus:
	@if command -v apt-get >/dev/null && ! command -v prometheus >/dev/null \
	  && [ ! -d $(CACHE)/prometheus ]; then \
	  mkdir -p $(CACHE) && new=$$(mktemp -d $(CACHE)/unpack.XXXXXX) && ( cd $$new && \
	  { $(APT_GET) download prometheus 2>/dev/null || \
	    { $(APT_GET) update && $(APT_GET) download prometheus; }; } && \
	  dpkg -x prometheus_*.deb prometheus && mv prometheus $(CACHE) ); rm -rf $$new; fi

# Debian's Chromium for tests/report/test_page.py. It needs too many libraries to be unpacked by
# hand, so it is installed, by root only; for others the test says what to do.
.PHONY: chromium
chromium:
	@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	  && ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then \
	  { $(APT_GET) install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null 2>&1 || \
	    { $(APT_GET) update && \
	      $(APT_GET) install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null; }; }; fi

sweep: setup
	$(BIN)/stdb-sweep --clients 10,50,100 --rooms 8,64,256,1000

test: setup prometheus chromium
	cd modules && CARGO_TARGET_DIR=$(CACHE)/modules/target cargo test --locked --quiet -p poker
	$(BIN)/python -m pytest

bench: setup
	$(BIN)/python tests/bench/bench_swarm.py
	$(BIN)/python tests/bench/bench_subscribers.py
	$(BIN)/python tests/bench/bench_model.py
	$(BIN)/python -m tests.bench.bench_report
	$(BIN)/python tests/bench/bench_noise.py
	$(BIN)/python tests/bench/bench_sweep.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	rustup component add --toolchain $(RUST) rustfmt clippy
	cd modules && cargo +$(RUST) fmt --check
	cd tests/modules && cargo +$(RUST) fmt --check
	cd engine && cargo +$(RUST) fmt --check
	cd modules && CARGO_TARGET_DIR=$(CACHE)/modules/target \
	  cargo +$(RUST) clippy --release --locked --target wasm32-unknown-unknown -- -D warnings
	cd tests/modules && CARGO_TARGET_DIR=$(CACHE)/modules/target \
	  cargo +$(RUST) clippy --release --locked --target wasm32-unknown-unknown -- -D warnings
	cd engine && CARGO_TARGET_DIR=$(CACHE)/engine/target RUSTY_V8_ARCHIVE=$(CACHE)/engine/no-v8.a \
	  cargo +$(RUST) clippy --release --locked -- -D warnings

# The notice is of the theme's makers, about their next product.
docs: .venv/.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel: setup
	$(BIN)/python -m analyzer.build.modules
	$(BIN)/python -m hatchling build

clean:
	rm -rf .venv dist build site analyzer/wasm
