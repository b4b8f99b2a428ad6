# Everything runs in .venv, which `make setup` creates.
# Another interpreter: make PYTHON=python3.13 app. Another port: make PORT=8600 app.
# For a class, on a machine that others reach: make HOST=0.0.0.0 serve.

PYTHON ?= python3
PORT ?= 8501
# Not taken from the environment, where some shells keep the machine's name: only a word on the command line opens it.
HOST := 127.0.0.1
VENV_PYTHON := .venv/bin/python
APP := .venv/.app
INSTALLED := .venv/.installed
COMPILED := .venv/.compiled
BROWSER := .venv/.browser
SOURCES := $(shell find dpviz -name '*.py')

# The engine's matrices are small: more BLAS threads than one only get in each other's way.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

define CREATE_VENV
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
    echo "dpviz needs Python 3.11 or newer, which '$(PYTHON)' is not. Name another one: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; \
    exit 1; }; \
$(PYTHON) -m venv --clear .venv || { \
    echo "'$(PYTHON) -m venv' failed. On Debian and Ubuntu: apt install python3-venv" >&2; \
    exit 1; }
endef

.PHONY: setup app serve check test fuzz bench lint script wasm chromium firefox pictures constraints

setup: $(INSTALLED) $(COMPILED)

# What the app needs: half of what tests and checks need besides.
$(APP): pyproject.toml constraints.txt
	@$(VENV_PYTHON) -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { $(CREATE_VENV); }
	$(VENV_PYTHON) -m pip install -c constraints.txt -e '.[app]'
	@touch $@

$(INSTALLED): $(APP)
	$(VENV_PYTHON) -m pip install -c constraints.txt -e '.[dev]'
	@touch $@

$(COMPILED): $(APP) $(SOURCES)
	$(VENV_PYTHON) -m dpviz.engine.warm
	$(VENV_PYTHON) -m dpviz.analysis.warm
	@touch $@

# The server compiles what is missing while it answers.
app: $(APP)
	$(VENV_PYTHON) -m dpviz.cli app --port $(PORT)

# What a server that others reach needs is in dpviz/server.py; its health is at /_stcore/health.
serve: $(COMPILED)
	$(VENV_PYTHON) -m dpviz.cli app --serve --host $(HOST) --port $(PORT)

# While one works: some of every layer and every page once, in two minutes of one core.
check: setup
	$(VENV_PYTHON) -m pytest -q @tests/check.txt

# One worker per core. In browser tests each has a browser, and all share the servers.
test: setup chromium
	$(VENV_PYTHON) -m pytest -q -m "not browser" -n auto --dist worksteal --ignore=tests/browser
	$(VENV_PYTHON) -m pytest -q -m browser -n auto --dist worksteal tests/browser

# Fifty times as many generated tables, damaged files, odd calls and walks over controls as the tests have, and every
# number of a chapter and knob of a lesson over its range with data and runs of full size.
# For more: make FUZZ=500 fuzz.
FUZZ := 50
fuzz: setup
	DPVIZ_FUZZ=$(FUZZ) $(VENV_PYTHON) -m pytest -q -n auto tests/datasets/test_fuzz_tables.py tests/ui/test_fuzz_controls.py \
		tests/wasm/test_knob_positions.py

bench: setup
	$(VENV_PYTHON) benchmarks/engine.py

# Build the engine of browsers anew, after its kernels changed: a test says when. It takes some minutes, of which
# MODULES=columns takes a part. From kernels compiled before it would be larger.
MODULES = engine columns
wasm: setup
	$(VENV_PYTHON) -m pip install -q -c constraints.txt -e '.[wasm]'
	for module in $(MODULES); do rm -rf build/wasm; NUMBA_OPT=0 NUMBA_CPU_NAME=generic NUMBA_CPU_FEATURES= \
		DPVIZ_CACHE_DIR=build/wasm $(VENV_PYTHON) -m dpviz.browser.build $$module || exit 1; done

# Bundle the scripts of pages anew, after a module of them changed: a test says when. It takes seconds, and needs Node.
script: $(APP)
	$(VENV_PYTHON) -m dpviz.scripts

lint: setup
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy

define APT_INSTALL
as_root="env DEBIAN_FRONTEND=noninteractive"; \
test "$$(id -u)" = 0 || as_root="sudo -n $$as_root"; \
$$as_root apt-get update -q; \
$$as_root apt-get install -y -q --no-install-recommends
endef

# The browser tests drive the system's Chromium; no browser is downloaded from anywhere else. Without windows it is
# quicker, so that one is asked for, once; the whole one serves as well. To choose: make CHROMIUM=/usr/bin/chromium test.
chromium: $(BROWSER)

$(BROWSER): $(INSTALLED)
	@{ test -x /usr/bin/chromium-headless-shell || { $(APT_INSTALL) chromium-headless-shell; } || \
	    test -x /usr/bin/chromium || { $(APT_INSTALL) chromium; }; } && touch $@ || { \
	    echo "The browser tests need Chromium, which could not be installed; they will fail." >&2; \
	    echo "Install it (Debian: apt install chromium), or leave them out: $(VENV_PYTHON) -m pytest -m 'not browser'" >&2; }

# Every page in Firefox, which it installs where it may; pictures go to build/firefox.
firefox: setup
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || { $(APT_INSTALL) firefox-esr; }
	$(VENV_PYTHON) -m benchmarks.firefox

# The pictures of README and docs, anew: look at them before they are committed.
pictures: setup chromium
	$(VENV_PYTHON) -m benchmarks.pictures

# Start from an empty environment, so that only what dpviz asks for is pinned, at its newest version.
constraints:
	@$(CREATE_VENV)
	$(VENV_PYTHON) -m pip install -e '.[dev]'
	@mkdir -p build
	@echo '# Every package a set-up installs, at the version it was tested with. Renew with: make constraints' > build/constraints.txt
	$(VENV_PYTHON) -m pip freeze --exclude-editable > build/frozen.txt
	@LC_ALL=C sort -f build/frozen.txt >> build/constraints.txt
	@mv build/constraints.txt constraints.txt
	@touch $(INSTALLED)
