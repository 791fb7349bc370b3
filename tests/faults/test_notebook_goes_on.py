"""The catalog's database goes away under a running notebook, which runs on, is saved, and is recorded later.

Promise 8 of the architecture: our database being down never stops a notebook from running or saving.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.problems import ClientError
from live import LiveKernel, LiveServer, live_kernel, live_server
from support.memory import memory
from support.postgres import PostgresServer, fresh_schema

NOTEBOOK = "work.ipynb"
TABLE = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
EMIT = """
from jupyter_colophon import metadata
with metadata.run("shop.spark.load", namespace="sales") as context:
    for number in range({}, {}):
        context.metadata.add_properties("orders", {{"number": str(number)}})
print("said")
"""
BACK_S = 300.0


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    """A server that no other test uses."""
    made = PostgresServer(memory())
    yield made
    made.stop()


@pytest.fixture
def server(database: PostgresServer, tmp_path: Path) -> Iterator[LiveServer]:
    """A Jupyter server whose catalog is in that database, and knows a table."""
    with fresh_schema(database) as store:
        config, root = tmp_path / "home" / "config", tmp_path / "root"
        config.mkdir(parents=True)
        root.mkdir()
        chosen = {"storage_provider": store.provider, "storage_options": dict(store.options)}
        (config / "jupyter_server_config.json").write_text(json.dumps({"Colophon": chosen}))
        with live_server(root, tmp_path / "home") as running:
            say(running, "there")
            yield running


def say(server: LiveServer, what: str) -> None:
    catalog = server.catalog()
    value = {"properties": {"format": what}, "tags": []}
    catalog.submit_proposals(
        {"proposals": [{"urn": TABLE, "aspect": "technicalMetadata", "operation": "upsert", "value": value}]}
    )
    catalog.close()


def saved(server: LiveServer, source: str) -> None:
    """Save the notebook as JupyterLab does, and read it again."""
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    content = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    server.call("PUT", f"api/contents/{NOTEBOOK}", {"type": "notebook", "format": "json", "content": content})
    assert server.call("GET", f"api/contents/{NOTEBOOK}")["content"]["cells"][0]["source"] == source


def works_without_a_database(server: LiveServer, kernel: LiveKernel) -> None:
    saved(server, "x = 6 * 7")
    assert kernel.run("x = 6 * 7\nprint(x)", "compute").text == "42\n"
    told = kernel.run("%metadata tag sales.orders late", "tag")
    # What needs the catalog says in a line that it cannot be reached.
    assert "Traceback" not in told.text
    assert len(told.text.splitlines()) == 1
    assert kernel.run("print(x + 1)", "more").text == "43\n"
    assert kernel.run(EMIT.format(0, 30), "emit").text == "said\n"
    saved(server, "x = 6 * 7  # kept")
    with live_kernel(server, "another.ipynb") as another:
        assert another.run("print('a new kernel')", "c").text == "a new kernel\n"


def until(there: Callable[[], Any]) -> Any:
    """Wait until something is there, and while the catalog says that it cannot tell."""
    deadline = time.monotonic() + BACK_S
    while True:
        with suppress(ClientError):
            if found := there():
                return found
        assert time.monotonic() < deadline, "what was said while the database was away did not arrive"
        time.sleep(0.2)


def arrived(server: LiveServer, program: str) -> bool:
    """Whether the last thing that was emitted is there, and the program's run ended well."""
    catalog = server.catalog()
    try:
        said = read_stored_aspect(catalog, TABLE, "businessMetadata").value
        runs = catalog.list_runs(program=program)["runs"]
        return said["properties"].get("number") == "29" and [one["status"] for one in runs] == ["succeeded"]
    finally:
        catalog.close()


@pytest.mark.parametrize(
    ("away", "back"),
    [
        pytest.param(PostgresServer.crash, PostgresServer.start, id="stopped at once"),
        pytest.param(PostgresServer.freeze, PostgresServer.thaw, id="standing still"),
    ],
)
def test_a_notebook_runs_on_and_is_saved_while_the_database_is_away_and_what_it_said_arrives_later(
    server: LiveServer,
    database: PostgresServer,
    away: Callable[[PostgresServer], None],
    back: Callable[[PostgresServer], None],
) -> None:
    with live_kernel(server, NOTEBOOK) as kernel:
        assert kernel.run("%metadata tag sales.orders early", "before").succeeded
        away(database)
        try:
            works_without_a_database(server, kernel)
        finally:
            back(database)
        program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,sales),spark.load)"
        until(lambda: arrived(server, program))
        assert until(lambda: kernel.run("%metadata tag sales.orders again", "after").succeeded)
    catalog = server.catalog()
    assert set(read_stored_aspect(catalog, TABLE, "businessMetadata").value["tags"]) >= {"early", "again"}
    catalog.close()
