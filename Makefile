# make lab     open the course in JupyterLab at lesson 00;  make lab ARGS="--no-browser --port=8890" passes options on
# make test    tests, lessons and a browser, in minutes; ARGS=all as CI runs them
# make flower  Flower, in .venv-flower, for the federated rounds that run on it
# make dashboard   train private models on Adult, attack them, and compare them in results/dashboard.html
# make grade SUBMISSIONS=folder   grade a class; the grades are in grades/ (OUT=elsewhere)
# make site    the web site, in build/site, from the stored notebooks; REPOSITORY=owner/name adds "run it yourself" buttons
# make audit   the long versions of the statistical tests: over an hour; PART=thorough those of projects, cheats and the grader
#
# Each sets up .venv first if it has to. Needed: make, and a Python from 3.11 to 3.14 (make lab PYTHON=python3.13 picks one).

SUPPORTED := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
PYTHON ?= $(shell for p in python3 python python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c '$(SUPPORTED)' >/dev/null 2>&1 && { echo "$$p"; break; }; done)

BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
READY := .venv/.stamp-ready
SETTINGS := .venv/share/jupyter/lab/settings
FLOWER := .venv-flower/.stamp-ready
LESSON := notebooks/00_start_here.ipynb

# What is imported is compiled once. Where an environment forbids it, every kernel would compile for seconds at its start.
export PYTHONDONTWRITEBYTECODE :=

# JupyterLab refuses to start for root, which is who everybody is inside a container, unless told so.
ROOT := $(shell [ "$$(id -u 2>/dev/null)" = 0 ] && echo --allow-root)

.PHONY: lab test flower audit notebooks lock clean
.DELETE_ON_ERROR:

lab: $(READY)
	@echo "Opening JupyterLab at $(LESSON) (Ctrl-C stops it)"
	@"$(PY)" -m jupyterlab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/$(LESSON) $(ROOT) $(ARGS)

test: $(READY)
	@"$(PY)" tools/run_tests.py $(ARGS)

flower: $(FLOWER)
	@echo "Flower is in .venv-flower: .venv-flower/bin/python -m dpcourse.flower_app --engine simulation --rounds 3"

# One thread for each of the two workers. PART=thorough is the rest: projects, cheats, the grader; PART=all both.
PART ?= daily
audit: export OMP_NUM_THREADS := 1
audit: export OPENBLAS_NUM_THREADS := 1
audit: $(READY)
	@echo "Running the audits ($(PART)), over an hour on two cores, then the property tests on new examples"
	@failed=0; \
	"$(PY)" -m pytest -m audit --part=$(PART) -n 2 --dist worksteal $(ARGS) || failed=1; \
	"$(PY)" -m pytest -m "hypothesis and not audit" --hypothesis-profile=default -n 2 || failed=1; \
	exit $$failed

# Every known answer to one lesson's exercises (LESSON=03) or one capstone's milestones (CAPSTONE=2), many times each.
# Stopped, it goes on where it was; ARGS="-n 2 --dist worksteal" uses two cores.
.PHONY: rehearse
rehearse: $(READY)
	@"$(PY)" -m pytest -q -m audit --rehearse=full tests/lessons/test_answers.py tests/lessons/test_declared.py $(ARGS) \
	    -k "$(if $(CAPSTONE),capstone and $(CAPSTONE).,$(LESSON).)"

# Baseline, private models, attacks and a dashboard; make dashboard CONFIG=mine.yaml takes another config.
.PHONY: dashboard
CONFIG ?= dpcourse/pipeline/adult.yaml
dashboard: $(READY)
	@"$(PY)" -m dpcourse.pipeline $(CONFIG) $(ARGS)

.PHONY: grade
OUT ?= grades
grade: $(READY)
	@"$(PY)" -m dpcourse.grade "$(SUBMISSIONS)" --out "$(OUT)" $(ARGS)

.PHONY: site
site: $(READY)
	@"$(PY)" tools/make_site.py

# For maintainers: run lessons and solutions, store their outputs, and write the exercises.
notebooks: $(READY)
	@"$(PY)" tools/run_notebooks.py $(ARGS)
	@"$(PY)" tools/make_exercises.py

# For maintainers: newer versions into requirements.lock, within the ranges of pyproject.toml. It names no host.
lock: $(READY)
	@"$(PY)" -m uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
		--no-header --no-annotate pyproject.toml --extra lab --extra test --extra site -o requirements.lock
	@sed -n 's/^\([A-Za-z0-9._-]*==.*[^ ]\) *\\$$/\1/p' requirements.lock | grep -vE '^(uv|packaging)==' > .venv/shared.txt
	@"$(PY)" -m uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 --no-header \
		--no-annotate pyproject.toml --extra flower --constraint .venv/shared.txt -o requirements-flower.lock
	@git --no-pager diff --stat requirements.lock requirements-flower.lock

clean:
	rm -rf .venv .venv-flower build dist

.venv/.stamp-venv:
	@if [ -z "$(PYTHON)" ]; then \
		echo "No Python from 3.11 to 3.14 with the venv module was found. Install one (on Debian: apt install python3-venv),"; \
		echo "or name it: make lab PYTHON=/path/to/python3"; exit 1; fi
	@echo "Creating .venv with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv --clear .venv
	@touch $@

# pip installs one package, uv, at the version and hashes of the lock; uv installs the rest in seconds instead of a minute.
$(READY): requirements.lock pyproject.toml .venv/.stamp-venv
	@awk '/^uv==/ {on = 1} on {print} on && !/\\$$/ {exit}' requirements.lock > .venv/uv.txt
	@"$(PY)" -m uv --version 2>/dev/null | grep -q "^uv $$(sed -n 's/^uv==\([^ ]*\).*/\1/p' .venv/uv.txt) " || { \
		echo "Installing uv, the installer"; \
		"$(PY)" -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt; }
	@echo "Installing the packages of requirements.lock"
	@"$(PY)" -m uv pip sync --quiet --python "$(PY)" --require-hashes requirements.lock
	@echo "Installing dpcourse itself, editable"
	@"$(PY)" -m uv pip install --quiet --python "$(PY)" --no-deps --no-build-isolation --editable .
	@mkdir -p $(SETTINGS)
	@echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' \
		> $(SETTINGS)/overrides.json
	@touch $@

# Not with the rest: Flower caps the versions of packages that we need newer. The checkout itself is found by working in it.
$(FLOWER): requirements-flower.lock $(READY)
	@echo "Installing the packages of requirements-flower.lock"
	@"$(PY)" -m uv venv --quiet --clear --python "$(PY)" .venv-flower
	@"$(PY)" -m uv pip sync --quiet --python .venv-flower --require-hashes requirements-flower.lock
	@touch $@
