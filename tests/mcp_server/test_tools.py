"""The declarations of tools, held against those of operations and against their documentation."""

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.mcp_server.arguments import (
    build_input_schema,
    build_operation_parameters,
    require_valid_arguments,
)
from jupyter_colophon.mcp_server.operation_calls import find_operation
from jupyter_colophon.mcp_server.resources import format_uri, parse_uri
from jupyter_colophon.mcp_server.tool import Tool
from jupyter_colophon.mcp_server.toolbox import find_tool
from jupyter_colophon.mcp_server.tools import TOOLS
from support.process import run_script
from support.urns import CELL, ORDERS, build_file_urn

DOCUMENTATION = Path(__file__).parents[2] / "docs/mcp.md"
IMPORTS = """
import jupyter_colophon.mcp_server.http_api
import jupyter_colophon.mcp_server.tools
print(sorted({"mcp", "pydantic", "starlette"} & {name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
class TestATool:
    def test_has_a_valid_schema_with_a_description_of_each_argument(self, tool: Tool) -> None:
        schema = build_input_schema(tool)
        assert jsonschema_rs.meta.is_valid(schema)
        for argument in schema["properties"].values():
            assert argument["description"]
            assert not argument.get("format", "").startswith("colophon-")

    def test_reads_with_an_operation_that_reads(self, tool: Tool) -> None:
        assert find_operation(tool.operation).is_read_only is not tool.writes

    def test_sends_only_parameters_of_its_operation(self, tool: Tool) -> None:
        if tool.run is not None:
            # It builds the body of the operation.
            return
        operation = find_operation(tool.operation)
        known = {one.name for one in operation.parameters} | set(re.findall(r"\{(\w+)\}", operation.path))
        values = {name: schema.get("default", "x") for name, schema in build_input_schema(tool)["properties"].items()}
        assert set(build_operation_parameters(tool, values)) <= known

    def test_is_documented_with_its_operation(self, tool: Tool) -> None:
        (row,) = [line for line in DOCUMENTATION.read_text().splitlines() if line.startswith(f"| `{tool.name}` |")]
        assert row.endswith(f"| `{tool.operation}` |")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "missing argument 'query'"),
        ({"query": "a", "colour": "red", "size": 1}, "unknown argument 'colour'; unknown argument 'size'"),
        ({"query": 1}, "query: "),
        ({"query": "a", "limit": 0.5}, "limit: "),
        ({"query": "a", "limit": -1}, "limit: "),
        ({"query": "a", "scope": "ALL"}, 'scope: the value is not one of "", "USER", "SYSTEM"'),
        ({"query": None}, "query: "),
    ],
)
def test_a_wrong_argument_is_named(arguments: Any, sentence: str) -> None:
    with pytest.raises(InvalidQuery, match=re.escape(sentence)):
        require_valid_arguments(find_tool("colophon_search"), arguments)


def test_values_of_arguments_are_in_no_error() -> None:
    with pytest.raises(InvalidQuery) as raised:
        require_valid_arguments(
            find_tool("colophon_set_properties"), {"urn": ORDERS, "properties": {"key": ["s3cret"]}}
        )
    assert "s3cret" not in raised.value.detail


@pytest.mark.parametrize("urn", [ORDERS, CELL, build_file_urn("/data/50 % of it, (new)/ä.csv")])
def test_the_uri_of_an_entity_leads_back_to_it(urn: str) -> None:
    assert parse_uri(format_uri(urn)) == urn
    assert parse_uri(urn) == urn
    assert re.fullmatch(r"[A-Za-z0-9:/%_.~-]+", format_uri(urn))


def test_declarations_load_without_the_sdk() -> None:
    assert run_script(IMPORTS).splitlines()[-1] == "[]"
