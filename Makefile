# Two commands on a fresh machine with Python 3.11, make and git:
#   make demo   sets up an environment and plays the main job
#   make test   sets up an environment and passes every test
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
JOBS   ?= 2
TARGET ?= all
RUNS   ?= 5000

# a process of ours is started hundreds of times: none compiles what another has compiled
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo sandbox format check test browser floors fuzz chaos audit clean

help: ## Say what each target does.
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## Make the environment from the lock: hashes checked, wheels only.

$(READY): requirements.lock pyproject.toml
	@echo "setup: making $(VENV) from requirements.lock (package indexes only, hashes checked)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hivebot needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

demo: $(READY) ## Play the main job on real parts. ASK='…' asks something else.
	@$(BIN)/hivebot demo $(if $(ASK),--ask '$(subst ','\'',$(ASK))')

sandbox: $(READY) ## Open a local workspace in the browser. ARGS='--fresh' and the like.
	@$(BIN)/hivebot sandbox $(ARGS)

format: $(READY) ## Format and sort what a tool can.
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

check: $(READY) ## Formatting, lint, types, import contracts.
	@echo "check: formatting";  $(BIN)/ruff format --check --quiet .
	@echo "check: lint";        $(BIN)/ruff check --quiet .
	@echo "check: types";       $(BIN)/pyright
	@echo "check: contracts";   $(BIN)/lint-imports --no-cache

# by file, in the order of their names: few long stories come early, many short tests fill up the end
test: $(READY) ## Every test: folds, vectors, architecture, store, contracts, whole stories.
	@rm -f .coverage .coverage.*
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --cov --cov-report= $(ARGS)

browser: $(READY) ## The tests in a real browser; they need Debian's chromium. ARGS=--pictures draws those of docs/.
	@command -v chromium > /dev/null || { echo "make: tests/browser were not run: there is no chromium. On Debian: apt-get install chromium" >&2; exit 1; }
	@$(BIN)/python -m pytest tests/browser $(ARGS)

floors: $(READY) ## After `make test`: is enough of each file run?
	@$(BIN)/python .ci/floors.py

fuzz: $(READY) ## Fuzz every parser, guided by coverage. TARGET=blocks RUNS=0 CORPUS=… fuzzes one for ever.
	@$(BIN)/python -m tests.fuzz $(TARGET) $(RUNS) $(CORPUS)

chaos: $(READY) ## Kill web, worker and database under 200 questions, and report. ARGS='--seed 7 --away 75' and the like.
	@$(BIN)/hivebot bench chaos $(ARGS)

audit: $(READY) ## Known holes in what we depend on.
	@$(BIN)/python -m pip install --quiet pip-audit && $(BIN)/pip-audit --requirement requirements.lock --disable-pip

clean: ## Remove the environment and everything generated.
	@rm -rf $(VENV) .coverage .coverage.* .pytest_cache .ruff_cache .hypothesis build dist
