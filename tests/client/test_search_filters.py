"""Every client of search offers the filters that are declared, and a filter needs no query."""

from typing import Any

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.cli.entities.search import SearchCommand
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.core.model.search_filters import FACETS, FILTERS
from jupyter_colophon.kernel.arguments import parse_line
from jupyter_colophon.kernel.commands.command_table import COMMANDS
from jupyter_colophon.kernel.completion_values import CANDIDATES
from jupyter_colophon.mcp_server.tools import TOOLS
from jupyter_colophon.spark.source.queries import TABLE_QUERIES


@pytest.fixture(autouse=True)
def known(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The environment of a program that a server started."""
    monkeypatch.setenv("COLOPHON_URL", server.url)
    monkeypatch.setenv("COLOPHON_TOKEN", server.token)
    current.use_server(None)
    yield
    current.use_server(None)


NAMES = {one.name for one in FILTERS}


def test_magic_command_line_spark_and_assistants_have_every_filter() -> None:
    options = [f"--{one.name}={one.choices[0] if one.choices else 'x'}" for one in FILTERS]
    requested = vars(parse_line(f"search word {' '.join(options)}"))
    assert all(requested[name] for name in NAMES)
    assert all(f"[--{name} " in " ".join(COMMANDS["search"].help.split()) for name in NAMES)
    parser = CommandParser()
    SearchCommand.add_arguments(parser)
    parsed = vars(parser.parse_args(["word", *options]))
    assert all(parsed[name] for name in NAMES)
    assert set(TABLE_QUERIES["search"].options) >= NAMES
    assert {one.name for tool in TOOLS if tool.operation == "search" for one in tool.arguments} >= NAMES
    assert set(FACETS) <= CANDIDATES.keys()


def test_filter_needs_no_query(catalog: Any, database: str) -> None:
    metadata.tag(f"{database}.t", f"tag-{database}")
    assert [row["name"] for row in metadata.search(tag=f"tag-{database}")] == [f"{database}.t"]
    assert [row["name"] for row in metadata.search(tag=f"tag-{database}", scope="USER", platform="spark")] == [
        f"{database}.t"
    ]
    assert len(metadata.search(tag=f"tag-{database}", scope="SYSTEM", platform="hive")) == 0
    with pytest.raises(ValueError, match="needs a query or a filter"):
        metadata.search()
    with pytest.raises(TypeError, match="unknown filter 'colour'; known filters: type, namespace"):
        metadata.search("x", colour="red")


def test_answer_names_the_facets_in_their_order(catalog: Any, database: str) -> None:
    metadata.tag(f"{database}.t", f"tag-{database}")
    found = catalog.search("*", tag=f"tag-{database}")
    assert list(found["labels"].items()) == [(one.name, one.label) for one in FILTERS if one.is_facet]
    assert list(found["facets"]) == list(FACETS)
    assert found["facets"]["tag"] == [{"value": f"tag-{database}", "count": 1}]
    assert found["facets"]["platform"] == [{"value": "spark", "count": 1}]
