# Every target does its own set-up: on a fresh Debian 12 `make demo` and `make test` need nothing beforehand.
.DEFAULT_GOAL := help
.PHONY: help setup build demo demo-learners test test-long bench bench-docs peers lint-setup fuzz docs tidy format format-check clean

SECONDS ?= 60
export JOBS ?= $(shell nproc 2>/dev/null || echo 2)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: ## install what building and testing need (Debian packages; says which first)
	@scripts/setup.sh build test

build: ## build the program: build/release/proxstream
	@scripts/setup.sh build
	@scripts/build.sh release -DPROXSTREAM_TESTS=OFF

demo: build ## route a city's working week against rivals: table, certificate, proxstream-report.html
	@scripts/demo.sh

demo-learners: build ## compare learners of rows on a drifting stream, with a certificate
	@scripts/demo-learners.sh

test: setup ## everything that must hold: tests, sanitizers, format, rooms, package, page
	@scripts/test.sh

test-long: setup lint-setup ## the same with longer sweeps, lint, the thread sanitizer and the static analyser
	@scripts/test.sh --long

bench: peers ## measure: a table of ratios with their spread (ROWS=kernels: some of it)
	@scripts/bench.sh $(if $(ROWS),--rows $(ROWS))

bench-docs: peers ## the same, and the table goes into docs/speed.md
	@scripts/bench.sh --docs docs/speed.md

peers:
	@scripts/setup.sh build test
	@scripts/setup.sh bench || echo "bench: not every peer is here; their rows will be skipped"

lint-setup:
	@scripts/setup.sh lint fuzz

fuzz: ## run every fuzz target for SECONDS (default 60; JOBS of them at a time)
	@scripts/setup.sh build fuzz
	@scripts/fuzz.sh $(SECONDS)

docs: ## build the API reference from the public headers: build/docs/html
	@scripts/setup.sh docs
	@scripts/docs.sh

tidy: setup lint-setup ## lint every source with clang-tidy
	@scripts/tidy.sh

format: setup ## format every source in place
	@scripts/format.sh

format-check: setup ## name the sources that are not formatted
	@scripts/format.sh --check

clean: ## remove everything that was built
	rm -rf build
