# From a clean clone: `make demo`. Everything that is created lies in .venv/ and .daybreak/.
PYTHON ?= python3
VENV := .venv/bin
SETUP := $(PYTHON) -B -m infra.setup

.DEFAULT_GOAL := help
.PHONY: help setup setup-test demo test check soak helm metrics mutations bench bench-night bench-encodings catalog lock lock-jars lock-go sbom audit clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: ## Install Python packages, jars and the object store (once; a second time takes no time)
	@command -v $(PYTHON) >/dev/null || { echo "daybreak: Python 3.11 to 3.13 is needed and there is no \`$(PYTHON)\`: apt install python3 python3-venv" >&2; exit 1; }
	@$(SETUP)

demo: setup ## Start the platform, send two days and live events, run the nights, show the result
	@$(VENV)/daybreak demo

setup-test: ## The same, with what the tests need too: Kafka Connect, the queue broker, MinIO, Postgres with TLS
	@$(SETUP) python jars compiled store classes connect queue minio postgres

test: setup-test ## Every claim once, on real services
	@$(VENV)/python -m pytest -n 3

helm: ## Check the chart for Kubernetes: helm lint, helm template, kubeconform (built once, some minutes)
	@$(SETUP) python helm
	@$(VENV)/python -m pytest -m soak tests/infra/test_helm.py

metrics: ## Check the rules and metrics for Prometheus: promtool, with tests of every alert (built once, some minutes)
	@$(SETUP) python promtool
	@$(VENV)/python -m pytest -m soak tests/batch/metrics

soak: setup ## What takes longer: random deaths under load, the tutorials, more random histories; then all mutations
	@$(SETUP) helm promtool
	@$(VENV)/python -m pytest -m soak -s
	@$(VENV)/python -m tests.mutations

check: ## Lint, format, types and the quick tests that need no service
	@command -v $(PYTHON) >/dev/null || { echo "daybreak: Python 3.11 to 3.13 is needed and there is no \`$(PYTHON)\`: apt install python3 python3-venv" >&2; exit 1; }
	@$(SETUP) python jars compiled
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy
	@$(VENV)/python -m pytest -n 2 -m "not platform and not slow and not soak" -q

mutations: ## Make each listed mistake in a copy of the code, and see its check notice; ONLY="gate" for some
	@$(SETUP) python jars compiled
	@$(VENV)/python -m tests.mutations $(ONLY)

bench: setup ## What everything costs, beside what it may; ONLY="drain live" for some, also airflow, load, views, per_view, capture, commands, age (AGE=50000), scale (SCALE=600000)
	@$(VENV)/python -m tests.bench $(if $(AGE),--age $(AGE)) $(if $(SCALE),--scale $(SCALE)) $(ONLY)

bench-night: ## What a night costs: CPU per million events, against one thread of DuckDB, for 1x, 4x and 16x events
	@$(SETUP) python jars compiled
	@$(VENV)/python -m tests.bench.oracle

bench-encodings: ## What an event costs as JSON, Avro and Protobuf: bytes and CPU, with each codec of the producer
	@$(SETUP) python jars compiled
	@$(VENV)/python -m tests.bench.encodings

catalog: ## Write what follows from views, topics, tables and settings: dbt sources, staging, facts, docs
	@$(SETUP) python
	@$(VENV)/python -m batch.catalog

lock: ## Resolve pyproject.toml again into infra/requirements.lock, and the tools of `make audit` into theirs
	@$(SETUP) python
	@.daybreak/tools/uv/bin/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
	  --overrides infra/overrides.txt --generate-hashes --custom-compile-command "make lock" -q -o infra/requirements.lock

	@.daybreak/tools/uv/bin/uv pip compile infra/setup/audit_tools.in --universal --python-version 3.11 \
	  --generate-hashes --custom-compile-command "make lock" -q -o infra/setup/audit_tools.txt

lock-jars: ## Resolve infra/ivy.xml again, and write the hash and licence of every jar into infra/jars.lock
	@$(SETUP) python
	@$(PYTHON) -B -m infra.setup.jar_list

lock-go: ## Resolve the modules of the programs in Go again into infra/setup/go; ONLY="minio" for some
	@$(SETUP) python
	@$(PYTHON) -B -m infra.setup.go_lock $(ONLY)

sbom: ## Write what the platform stands on into .daybreak/sbom: CycloneDX for Python, jars and Go, and all licences
	@$(SETUP) python audit-tools
	@.daybreak/tools/audit/bin/python -B -m infra.materials.sbom

audit: ## Ask for known advisories, say what could not be asked, fail on one without exception (infra/materials)
	@$(SETUP) python audit-tools govulncheck
	@.daybreak/tools/audit/bin/python -B -m infra.materials.audit

clean: ## Stop the platform and remove .venv/ and .daybreak/ with all data
	@test ! -x $(VENV)/daybreak || $(VENV)/daybreak down
	@rm -rf .venv .daybreak
