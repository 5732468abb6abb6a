# Every target sets up what it needs. PYTHON may name another interpreter (3.11 to 3.13).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MINOR := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test test-slow lint bench proof lock clean

help:
	@echo "make demo    fetch two small local models and run a real evaluation (about 5 minutes)"
	@echo "make test    run the test suite"
	@echo "make test-slow  its longer part: simulations, accessibility of every state"
	@echo "make lint    format, lint, type and architecture checks"
	@echo "make bench   measure speed and memory beside a raw loop"
	@echo "make proof   long simulations; figures go to docs/proof/"
	@echo "make lock    resolve the lock files again"

$(VENV)/run.ok: pyproject.toml requirements/run-$(MINOR).txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/run-$(MINOR).txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.ok: pyproject.toml requirements/dev-$(MINOR).txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/dev-$(MINOR).txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/run.ok

demo: $(VENV)/run.ok
	$(BIN)/befit demo

test: $(VENV)/dev.ok
	$(BIN)/python -m compileall -q src  # for the many processes that tests start
	tools/in_memory.sh $(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(VENV)/dev.ok
	$(BIN)/python -m pytest -n 2 -m slow

lint: $(VENV)/dev.ok
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/budgets.py

bench: $(VENV)/dev.ok
	$(BIN)/python benchmarks/throughput.py

proof: $(VENV)/dev.ok
	$(BIN)/python tools/proof.py
	$(BIN)/python tools/proof_screening.py
	$(BIN)/python tools/proof_decisions.py
	$(BIN)/python tools/proof_load.py
	$(BIN)/python tools/proof_review.py
	$(BIN)/python tools/proof_review_load.py
	$(BIN)/python tools/proof_sets.py
	$(BIN)/python tools/proof_import.py

lock:
	$(BIN)/python tools/lock.py

clean:
	rm -rf $(VENV) out
