# What a newcomer types. Each target does everything it needs on a fresh Debian machine.
.DEFAULT_GOAL := build
.PHONY: build demo test test-long coverage bench fuzz format setup setup-test clean

setup:
	@tools/setup run
setup-test:
	@tools/setup run test

build: setup
	@cmake --preset tools > /dev/null
	@cmake --build build

demo: build
	@build/pleat demo

test: setup-test
	@tools/check test

test-long: setup-test
	@tools/check long

coverage: setup-test
	@tools/check coverage

bench: setup-test
	@cmake --preset release > /dev/null
	@cmake --build build --target pleat_bench
	@build/pleat_bench build/bench.json

fuzz: setup-test
	@tools/check fuzz

format:
	@git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i

clean:
	@rm -rf build
