# Everything that a developer does. Each target sets up what it needs and is quick the second time.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
# The virtual environment's own node comes first: it is there on every machine.
export PATH := $(CURDIR)/$(BIN):$(CURDIR)/node_modules/.bin:$(PATH)
# Tests start hundreds of processes: what one has compiled the next need not.
unexport PYTHONDONTWRITEBYTECODE
STAMPS := .stamps
FRONTEND := $(shell find labextension/src labextension/apps labextension/style labextension/schema -type f 2>/dev/null) package.json
# An editable install copies the built frontend here; it is replaced by a link, so that a build is seen at once.
INSTALLED := $(VENV)/share/jupyter/labextensions/jupyter-colophon
ROOT_MAY := $(if $(filter 0,$(shell id -u)),--allow-root)

.PHONY: help lab sample test test-spark test-fuzz test-python test-frontend test-ui screenshots check docs fix long long-faults long-lineage long-openlineage long-policies long-races long-stores long-postgresql long-service long-soak long-floor long-notebook7 long-fuzz long-cluster long-connect long-table-formats long-hub long-kafka long-pipelines-kafka long-oracle long-dbt long-airflow long-apps long-analytics long-capture long-networks bench bench-all bench-ui clean

help: ## say what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

lab: $(STAMPS)/frontend ## open JupyterLab on the sample notebook without Spark
	cd examples && jupyter lab $(ROOT_MAY) --LabApp.default_url=/lab/tree/flights-pandas.ipynb

sample: $(STAMPS)/python ## run the sample notebooks without a browser, and check what the catalog then knows
	python examples/run_sample.py

# Two parts run beside each other, the longest first; each runs, whatever another one finds. What several of them need is
# built before they begin: they would build it at the same time.
test: $(STAMPS)/frontend $(STAMPS)/classes $(STAMPS)/kafka $(STAMPS)/jdbc $(STAMPS)/clients $(STAMPS)/elyra $(STAMPS)/server-tools ## run every test in its small form
	$(MAKE) --jobs=2 --keep-going --output-sync=line test-python test-spark test-ui test-fuzz test-frontend

# Of the tests, only those of test-fuzz use schemathesis, whose plugin takes a second in each process.
WITHOUT_FUZZ := -p no:schemathesis

# A process of its own: py4j takes no file descriptor above 1,023.
test-spark: $(STAMPS)/python $(STAMPS)/classes $(STAMPS)/jdbc
	python -m pytest -q $(WITHOUT_FUZZ) tests/spark

# A process of its own: requests are generated where tests are collected, and each process of test-python would do so.
test-fuzz: $(STAMPS)/python
	python -m pytest -q tests/http/test_fuzz.py

# A file's tests stay together: what a process starts for them (PostgreSQL, a server) serves them all.
test-python: $(STAMPS)/python $(STAMPS)/kafka $(STAMPS)/clients $(STAMPS)/elyra $(STAMPS)/server-tools $(STAMPS)/classes
	python -m pytest -q $(WITHOUT_FUZZ) --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder \
		--ignore tests/spark --ignore tests/hub --ignore tests/http/test_fuzz.py

test-frontend: $(STAMPS)/frontend
	jlpm test

test-ui: $(STAMPS)/frontend $(STAMPS)/ui-tests $(STAMPS)/browser $(STAMPS)/kafka
	cd ui-tests && npx playwright test

screenshots: $(STAMPS)/frontend $(STAMPS)/ui-tests $(STAMPS)/browser ## take the screenshots of the documentation, light and dark
	cd ui-tests && npx playwright test --config screenshots.config.ts

check: $(STAMPS)/frontend $(STAMPS)/ui-tests ## look at the code without running it
	ruff check .
	ruff format --check .
	mypy
	MYPYPATH=server_ext:bench:examples:tests mypy bench/*.py
	MYPYPATH=server_ext:tools mypy tools/generate.py
	lint-imports --no-cache
	deptry server_ext
	jlpm generate:check
	jlpm typecheck
	tsc -p ui-tests
	jlpm lint:check
	codespell $$(git ls-files)
	python -m pytest -q tests/test_house.py tests/test_language.py
	$(MAKE) docs

docs: $(STAMPS)/python ## build the documentation site; a warning is an error
	sphinx-build --quiet --fail-on-warning --keep-going --jobs auto -d build/doctrees docs build/site

fix: $(STAMPS)/frontend ## repair what a tool can repair
	ruff check --fix .
	ruff format .
	jlpm generate
	jlpm lint:fix

long: long-faults long-lineage long-openlineage long-floor long-notebook7 long-fuzz ## run what takes over a minute alone

long-faults: $(STAMPS)/python $(STAMPS)/kafka ## run the fault suite at full size
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/faults

long-postgresql: $(STAMPS)/python ## stop PostgreSQL two hundred times in the middle of writes
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/faults/test_postgresql.py

long-service: $(STAMPS)/python ## kill a process of the shared service every 20 seconds under fifty clients, for ten minutes
	COLOPHON_TEST_SIZE=full python -m pytest -q -s tests/faults/test_team.py

long-soak: $(STAMPS)/python ## let fifty clients use the shared service with faults for COLOPHON_SOAK_SECONDS (two hours), and measure its memory
	python -m pytest -q -s tests/faults/soak.py

long-lineage: $(STAMPS)/python ## hold ten thousand random lineage graphs against a walk that looks at everything
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/service/test_lineage_model.py

long-openlineage: $(STAMPS)/python ## hold two hundred random histories of OpenLineage events against a model of them
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/service/test_openlineage.py

long-policies: $(STAMPS)/python ## hold ten thousand random access policies against a model that evaluates them rule by rule, and search every answer for hidden words
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/service/test_policies.py tests/http/test_hidden_namespaces.py

long-races: $(STAMPS)/python ## race conditional writes of 24 writers, some of whom are killed, and look for an order
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/faults/test_races.py

long-floor: $(STAMPS)/python $(STAMPS)/ui-tests $(STAMPS)/browser ## install both distributions in empty environments, and run the browser's journey on the oldest JupyterLab that is supported
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/wheel
	bash ui-tests/floor.sh

long-notebook7: $(STAMPS)/frontend $(STAMPS)/ui-tests $(STAMPS)/browser $(STAMPS)/notebook ## run the browser's journey in Notebook 7
	cd ui-tests && npx playwright test --config notebook7.config.ts

long-fuzz: $(STAMPS)/python ## send a server all that its OpenAPI documents allow, and hostile patterns and nesting
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/http/test_fuzz.py tests/http/test_fuzz_patterns.py

long-stores: $(STAMPS)/python ## run every test of HTTP on PostgreSQL, also those that make test runs on SQLite alone
	python -m pytest -q --storage-provider postgresql tests/http

long-cluster: $(STAMPS)/python ## run the jobs on a Spark cluster, and kill an executor
	python -m pytest -q -s tests/cluster/standalone.py

long-connect: $(STAMPS)/python ## read, write and stream the catalog in a session of Spark Connect, and record what such a session reads and writes
	python -m pytest -q -s tests/cluster/connect.py
	python -m pytest -q tests/cluster/connect_lineage.py

long-table-formats: $(STAMPS)/spark40 $(STAMPS)/table-formats ## change tables of Delta and Iceberg, and compare what is recorded
	$(VENV)/spark40/bin/python -m pytest -q tests/cluster/table_formats.py

long-hub: $(STAMPS)/hub ## run a JupyterHub with three users and the shared service, and replace the service's processes under load
	COLOPHON_TEST_SIZE=full python -m pytest -q tests/hub tests/http/service

long-kafka: $(STAMPS)/python $(STAMPS)/kafka ## leave Kafka away for five minutes while twenty thousand changes are written
	COLOPHON_TEST_SIZE=full python -m pytest -q -s tests/faults/test_kafka_away.py

long-pipelines-kafka: $(STAMPS)/spark40 $(STAMPS)/kafka ## run pipelines on Kafka and Avro, with the connectors of Spark 4.0.0
	$(VENV)/spark40/bin/python -m pytest -q tests/cluster/connectors.py

long-oracle: $(STAMPS)/python ## hold the capture of Spark's lineage against OpenLineage's agent, over a hundred statements
	python -m pytest -q tests/spark/beside_agent.py tests/spark/test_oracle.py

long-dbt: $(STAMPS)/python $(STAMPS)/dbt ## build a project with dbt on DuckDB and PostgreSQL, ingest what it wrote, and hold the recorded artifacts and the events of dbt-ol against it
	python -m pytest -q tests/dbt/real.py

long-airflow: $(STAMPS)/python $(STAMPS)/airflow ## run a DAG of Airflow whose provider reports to a server
	python -m pytest -q tests/airflow/real.py

long-apps: $(STAMPS)/python ## kill processes with listeners of applications during twenty thousand events, interleave ten thousand uses of namespaces that are deleted and created again, and delete a hundred thousand rows of one beside another
	COLOPHON_TEST_SIZE=full python -m pytest -q -s tests/faults/test_app_events.py tests/apps/test_race.py \
		tests/apps/test_large_namespaces.py

long-analytics: $(STAMPS)/frontend $(STAMPS)/ui-tests $(STAMPS)/browser ## split data, and train, compare and apply two models in the browser, on Spark
	cd ui-tests && npx playwright test --config analytics.config.ts

long-capture: $(STAMPS)/pandas ## run the corpus of captured notebooks, and pandas' own tests of input and output with and without capture, on pandas 2 and 3
	python -m pytest -q -s tests/capture/test_corpus.py
	for version in 2 3; do \
		COLOPHON_PANDAS_PYTHON=$(CURDIR)/$(VENV)/pandas$$version/bin/python python -m pytest -q tests/capture/own_tests_of_pandas.py || exit 1; \
	done

long-networks: $(STAMPS)/networks ## save and load networks of torch and keras, and compare what is recorded
	$(VENV)/networks/bin/python -m pytest -q tests/capture/weights_of_networks.py

bench: $(STAMPS)/python ## print ratios, side by side, for about ten minutes, and which of them became worse
	python bench/run.py --small --minutes=10

bench-all: $(STAMPS)/python ## print ratios, side by side, of all benchmarks, with a million entities
	python bench/run.py

build/bench/filled1000000.db: | $(STAMPS)/python
	python bench/stores.py $(@D) 1000000

bench-ui: build/bench/filled1000000.db $(STAMPS)/frontend $(STAMPS)/ui-tests $(STAMPS)/browser ## print the times of the search, the lineage viewer and the start of JupyterLab, with a million entities
	cd ui-tests && npx playwright test --config bench.config.ts

clean: ## remove what the other targets made
	rm -rf $(VENV) $(STAMPS) node_modules ui-tests/node_modules ui-tests/test-results ui-tests/playwright-report
	rm -rf labextension/lib labextension/tsconfig.tsbuildinfo server_ext/jupyter_colophon/_labextension dist build
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMPS)/venv:
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@mkdir -p $(STAMPS) && touch $@

# An editable install: it builds the frontend as well, with a node that it brings along.
$(STAMPS)/python: $(STAMPS)/venv pyproject.toml tools/lazy_iri_grammar.py tools/lazy_iri_grammar.pth
	@test ! -L $(INSTALLED) || rm $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@cp tools/lazy_iri_grammar.* "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	@touch $@

# The clients of others that the tests drive, in an environment of their own: what they need is not what we need.
$(STAMPS)/clients: $(STAMPS)/venv tests/datahub/requirements.txt tests/openlineage/requirements.txt
	python3 -m venv $(VENV)/clients
	$(VENV)/clients/bin/python -m pip install --quiet --requirement tests/datahub/requirements.txt \
		--requirement tests/openlineage/requirements.txt
	@touch $@

# dbt with OpenLineage's wrapper, and Airflow with its provider, each in an environment of its own.
$(STAMPS)/dbt $(STAMPS)/airflow: $(STAMPS)/%: $(STAMPS)/venv tests/%/requirements.txt
	python3 -m venv $(VENV)/$*
	$(VENV)/$*/bin/python -m pip install --quiet --requirement tests/$*/requirements.txt
	@touch $@

# An environment $(1) above ours: it has all that ours has, and first what is installed in it.
define create_environment
$(BIN)/python -m venv $(VENV)/$(1)
echo "import site; site.addsitedir('$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')')" \
	>"$$($(VENV)/$(1)/bin/python -c 'import site; print(site.getsitepackages()[0])')/colophon.pth"
endef

# Elyra, in an environment of its own above everything else that we need: both extensions run side by side there.
$(STAMPS)/elyra: $(STAMPS)/python tests/elyra/requirements.txt
	$(call create_environment,elyra)
	$(VENV)/elyra/bin/python -m pip install --quiet --no-deps --requirement tests/elyra/requirements.txt
	@touch $@

# jupyter-server-mcp, in an environment of its own above everything else that we need: where it is installed, every
# Jupyter server enables it.
$(STAMPS)/server-tools: $(STAMPS)/python tests/mcp_server/requirements.txt
	$(call create_environment,server-tools)
	$(VENV)/server-tools/bin/python -m pip install --quiet --no-deps --ignore-installed --requirement tests/mcp_server/requirements.txt
	@touch $@

# pandas 2 and 3 with the readers and writers that their own tests use, each in an environment above everything else that we need.
$(STAMPS)/pandas: $(STAMPS)/python tests/capture/requirements.txt
	$(call create_environment,pandas2)
	$(call create_environment,pandas3)
	$(VENV)/pandas3/bin/python -m pip install --quiet --no-deps --ignore-installed "pandas>=3,<4"
	for version in 2 3; do $(VENV)/pandas$$version/bin/python -m pip install --quiet --requirement tests/capture/requirements.txt; done
	@touch $@

# torch and keras, in an environment above everything else that we need: torch has some gigabytes.
$(STAMPS)/networks: $(STAMPS)/python tests/capture/networks.txt
	$(call create_environment,networks)
	$(VENV)/networks/bin/python -m pip install --quiet --requirement tests/capture/networks.txt
	@touch $@

# JupyterHub with its proxy, in an environment of its own above everything else that we need. Of the server extensions,
# only ours is enabled there.
$(STAMPS)/hub: $(STAMPS)/python tests/hub/requirements.txt tests/hub/package-lock.json
	$(call create_environment,hub)
	$(VENV)/hub/bin/python -m pip install --quiet --no-deps --ignore-installed --requirement tests/hub/requirements.txt
	mkdir -p $(VENV)/hub/etc/jupyter/jupyter_server_config.d $(VENV)/hub/share build/hub
	cp server_ext/jupyter-config/jupyter_colophon.json $(VENV)/hub/etc/jupyter/jupyter_server_config.d
	cp tests/hub/package.json tests/hub/package-lock.json build/hub
	npm ci --prefix build/hub --no-audit --no-fund
	@touch $@

# Notebook 7, with the JupyterLab whose settings and themes it reads from the same environment.
$(STAMPS)/notebook: $(STAMPS)/python ui-tests/notebook7/requirements.txt
	$(call create_environment,notebook)
	$(VENV)/notebook/bin/python -m pip install --quiet --no-deps --ignore-installed \
		--requirement ui-tests/notebook7/requirements.txt
	@touch $@

# The newest PySpark all of whose connectors are published, above everything else that we need.
$(STAMPS)/spark40: $(STAMPS)/python
	$(call create_environment,spark40)
	$(VENV)/spark40/bin/python -m pip install --quiet --ignore-installed pyspark==4.0.0
	ln -sfn $(CURDIR)/$(VENV)/etc $(VENV)/spark40/etc
	@touch $@

$(STAMPS)/node: $(STAMPS)/python yarn.lock
	jlpm install --immutable
	@touch $@

$(STAMPS)/frontend: $(STAMPS)/node $(FRONTEND)
	jlpm build
	jupyter-builder develop . --overwrite >/dev/null
	@touch $@

$(STAMPS)/ui-tests: $(STAMPS)/python ui-tests/package-lock.json
	cd ui-tests && npm ci --no-audit --no-fund
	@touch $@

# A real broker, of its published jars, for the tests of the relay.
$(STAMPS)/kafka: $(STAMPS)/python $(wildcard tests/support/kafka/pom.xml tests/support/kafka/jars.sha256)
	bash tests/support/install_jars.sh tests/support/kafka build/kafka
	@touch $@

# The drivers of PostgreSQL and SQLite, for the tests of Spark.
$(STAMPS)/jdbc: $(STAMPS)/python $(wildcard tests/support/jdbc/pom.xml tests/support/jdbc/jars.sha256)
	bash tests/support/install_jars.sh tests/support/jdbc build/jdbc
	@touch $@

# Delta and Iceberg for the newest PySpark that has both.
$(STAMPS)/table-formats: $(STAMPS)/python $(wildcard tests/support/table_formats/pom.xml tests/support/table_formats/jars.sha256)
	bash tests/support/install_jars.sh tests/support/table_formats build/table-formats
	@touch $@

# What Spark loads, for Java to have it at hand: tests start Spark dozens of times.
$(STAMPS)/classes: $(STAMPS)/python tests/support/java.py
	python tests/support/java.py
	@touch $@

$(STAMPS)/browser: ui-tests/install-browser.sh
	bash ui-tests/install-browser.sh
	@mkdir -p $(STAMPS) && touch $@
