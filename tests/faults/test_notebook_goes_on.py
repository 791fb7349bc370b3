"""The catalog's database becomes unavailable under a running notebook, which continues, is saved, and is recorded
later.

Guarantee 8 of the architecture: an unavailable database never prevents a notebook from running or saving.
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
from live import LiveKernel, LiveServer, run_live_kernel, run_live_server
from support.memory import find_memory_folder
from support.postgres import PostgresServer, create_store_in_schema

NOTEBOOK = "work.ipynb"
TABLE = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
EMIT = """
from jupyter_colophon import metadata
with metadata.run("shop.spark.load", namespace="sales") as context:
    for number in range({}, {}):
        context.metadata.add_properties("orders", {{"number": str(number)}})
print("emitted")
"""
BACK_S = 300.0


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    """Start a server that no other test uses."""
    made = PostgresServer(find_memory_folder())
    yield made
    made.stop()


@pytest.fixture
def server(database: PostgresServer, tmp_path: Path) -> Iterator[LiveServer]:
    """Start a Jupyter server whose catalog is in that database and has a table."""
    with create_store_in_schema(database) as store:
        config, root = tmp_path / "home" / "config", tmp_path / "root"
        config.mkdir(parents=True)
        root.mkdir()
        chosen = {"storage_provider": store.provider, "storage_options": dict(store.options)}
        (config / "jupyter_server_config.json").write_text(json.dumps({"Colophon": chosen}))
        with run_live_server(root, tmp_path / "home") as running:
            write_format(running, "there")
            yield running


def write_format(server: LiveServer, what: str) -> None:
    catalog = server.create_client()
    value = {"properties": {"format": what}, "tags": []}
    catalog.submit_proposals(
        {"proposals": [{"urn": TABLE, "aspect": "technicalMetadata", "operation": "upsert", "value": value}]}
    )
    catalog.close()


def save_notebook(server: LiveServer, source: str) -> None:
    """Save the notebook as JupyterLab does, and read it again."""
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    content = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    server.call("PUT", f"api/contents/{NOTEBOOK}", {"type": "notebook", "format": "json", "content": content})
    assert server.call("GET", f"api/contents/{NOTEBOOK}")["content"]["cells"][0]["source"] == source


def check_without_database(server: LiveServer, kernel: LiveKernel) -> None:
    save_notebook(server, "x = 6 * 7")
    assert kernel.run("x = 6 * 7\nprint(x)", "compute").text == "42\n"
    output = kernel.run("%metadata tag sales.orders late", "tag")
    # Commands that need the catalog report in one line that it is unavailable.
    assert "Traceback" not in output.text
    assert len(output.text.splitlines()) == 1
    assert kernel.run("print(x + 1)", "more").text == "43\n"
    assert kernel.run(EMIT.format(0, 30), "emit").text == "emitted\n"
    save_notebook(server, "x = 6 * 7  # kept")
    with run_live_kernel(server, "another.ipynb") as another:
        assert another.run("print('a new kernel')", "c").text == "a new kernel\n"


def wait_for(there: Callable[[], Any]) -> Any:
    """Wait until the function returns a value, ignoring errors of the catalog."""
    deadline = time.monotonic() + BACK_S
    while True:
        with suppress(ClientError):
            if found := there():
                return found
        assert time.monotonic() < deadline, "metadata emitted during the outage did not arrive"
        time.sleep(0.2)


def has_arrived(server: LiveServer, program: str) -> bool:
    """Return whether the last emitted metadata arrived, and the program's run succeeded."""
    catalog = server.create_client()
    try:
        aspect = read_stored_aspect(catalog, TABLE, "businessMetadata").value
        runs = catalog.list_runs(program=program)["runs"]
        return aspect["properties"].get("number") == "29" and [one["status"] for one in runs] == ["succeeded"]
    finally:
        catalog.close()


@pytest.mark.parametrize(
    ("away", "back"),
    [
        pytest.param(PostgresServer.crash, PostgresServer.start, id="stopped at once"),
        pytest.param(PostgresServer.freeze, PostgresServer.resume, id="standing still"),
    ],
)
def test_notebook_works_during_database_outage_and_reports_later(
    server: LiveServer,
    database: PostgresServer,
    away: Callable[[PostgresServer], None],
    back: Callable[[PostgresServer], None],
) -> None:
    with run_live_kernel(server, NOTEBOOK) as kernel:
        assert kernel.run("%metadata tag sales.orders early", "before").succeeded
        away(database)
        try:
            check_without_database(server, kernel)
        finally:
            back(database)
        program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,sales),spark.load)"
        wait_for(lambda: has_arrived(server, program))
        assert wait_for(lambda: kernel.run("%metadata tag sales.orders again", "after").succeeded)
    catalog = server.create_client()
    assert set(read_stored_aspect(catalog, TABLE, "businessMetadata").value["tags"]) >= {"early", "again"}
    catalog.close()
