# Two commands are all a newcomer needs: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
STAMP  := $(VENV)/.installed
LANGCHAIN := integrations/langchain-belief-memory
LLAMA     := integrations/llama-index-memory-belief

.PHONY: demo test coverage lint types layers versions surface bench format clean

demo: $(STAMP)
	$(BIN)/python cookbook/00_end_of_life/main.py $(DEMO)

test: $(STAMP)
	$(BIN)/python -m pytest tests $(PYTEST)
	cd $(LANGCHAIN) && ../../$(BIN)/python -m pytest $(PYTEST)
	cd $(LLAMA) && ../../$(BIN)/python -m pytest $(PYTEST)

coverage: $(STAMP)
	$(BIN)/coverage run -m pytest tests -q $(PYTEST)
	$(BIN)/coverage report --skip-covered --sort=miss

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/sync_facade.py --check
	$(BIN)/python scripts/house_rules.py

types: $(STAMP)
	$(BIN)/mypy
	cd $(LANGCHAIN) && ../../$(BIN)/mypy
	cd $(LLAMA) && ../../$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

versions: $(STAMP)
	$(BIN)/python scripts/versions.py $(VERSIONS)

surface: export BELIEF_MEMORY_REWRITE_SURFACE = 1
surface: $(STAMP)
	$(BIN)/python -m pytest -q tests/house/test_surface.py -k written_down
	cd $(LANGCHAIN) && ../../$(BIN)/python -m pytest -q tests/unit_tests/test_surface.py
	cd $(LLAMA) && ../../$(BIN)/python -m pytest -q tests/test_surface.py

bench: $(STAMP)
	$(BIN)/python -m benchmarks --data $(DATA)

format: $(STAMP)
	$(BIN)/python scripts/sync_facade.py
	$(BIN)/ruff check --fix -q .
	$(BIN)/ruff format -q .

$(STAMP): pyproject.toml $(LANGCHAIN)/pyproject.toml $(LLAMA)/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet \
		--editable . --group dev \
		--editable "$(LANGCHAIN)[classic]" --group $(LANGCHAIN)/pyproject.toml:test \
		--editable $(LLAMA) --group $(LLAMA)/pyproject.toml:test
	touch $(STAMP)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
