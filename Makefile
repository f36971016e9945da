# Everything happens in .venv; nothing here needs root, Docker or a model download.
PYTHON ?= python3
# Processes that run tests; most of them wait for servers.
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help setup dev demo test unit lint format up down docs compose-env clean

help: ## Show what make can do
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(VENV)/.installed ## Prepare .venv with the command .venv/bin/rubrica

dev: $(VENV)/.installed-dev ## The same with the developers' tools

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Rubrica needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }  # half a .venv would pass for a whole one

$(VENV)/.installed: requirements.txt constraints.txt pyproject.toml | $(BIN)/python
	@echo "Installing the packages into $(VENV); this takes a minute or two."
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt -c constraints.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@touch $@

demo: setup ## The whole job on the example repository, in under five minutes
	$(BIN)/python -m pipeline.demo

lint: dev ## ruff, mypy and the direction of imports, as CI runs them
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: dev ## Let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

unit: dev ## The fast tests
	$(BIN)/python -m pytest tests/unit

test: lint ## Every check and every test, on real services
	$(BIN)/python -m pytest -n $(JOBS) --no-loadscope-reorder

up: setup ## Start the local stack
	$(BIN)/rubrica up

down: ## Stop the local stack
	$(BIN)/rubrica down

docs: setup ## Write the pages that are generated
	$(BIN)/python -m pipeline.settings_table > docs/settings.md

compose-env: ## Write .env, with fresh passwords, for docker-compose.yml
	@$(PYTHON) pipeline/compose_env.py

clean: ## Remove .venv and the local stack's data
	@if [ -x $(BIN)/rubrica ]; then $(BIN)/rubrica down --purge; fi
	rm -rf $(VENV) .rubrica
