"""The functions that jupyter-server-mcp makes tools of, as it finds them: by their entry point.

tests/mcp_server/test_jupyter_server_mcp.py runs the package itself.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import Any, get_type_hints

import pytest
from support.assistants import READING
from support.catalog import build_metadata_value
from support.urns import ORDERS

#: The subject is how tools are found.
STORE_NAMES = ["sqlite"]


@pytest.fixture
def off(jp_server_config: Any) -> None:
    jp_server_config["Colophon"]["mcp_access"] = "off"


@pytest.fixture
def writing(jp_server_config: Any) -> None:
    jp_server_config["Colophon"]["mcp_access"] = "write"


def load_tools() -> dict[str, Callable[..., Any]]:
    """Load the functions that the entry point names, by their names."""
    (entry_point,) = entry_points(group="jupyter_server_mcp.tools", name="jupyter-colophon")
    specifications = [specification.split(":") for specification in entry_point.load()()]
    return {name: getattr(import_module(module), name) for module, name in specifications}


async def test_tools_read_committed_writes(api: Any, sales: None) -> None:
    tools = load_tools()
    for number in range(2):
        value = build_metadata_value({"batch": f"b{number}"})
        await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=value)
        (hit,) = (await tools["colophon_search"](query=f"batch:b{number}"))["hits"]
        assert hit["urn"] == ORDERS
    changes = await tools["colophon_changes"](urn=ORDERS, limit=2)
    assert [change["urn"] for change in changes["changes"]] == [ORDERS] * 2


def test_arguments_have_their_types_and_descriptions(writing: None, jp_serverapp: Any) -> None:
    tools = load_tools()
    assert set(tools) == READING  # none that writes, whatever the setting is
    search = tools["colophon_search"]
    assert "Find datasets" in str(search.__doc__)
    parameters = signature(search).parameters
    assert [name for name, one in parameters.items() if one.default is one.empty] == ["query"]
    assert parameters["limit"].default == 20
    assert get_type_hints(search)["query"] is str
    for tool in tools.values():
        assert all(one.annotation.__metadata__[0] for one in signature(tool).parameters.values())


def test_disabled_setting_lists_no_tools(off: None, jp_serverapp: Any) -> None:
    assert load_tools() == {}


def test_no_tools_are_listed_without_a_server() -> None:
    assert load_tools() == {}
