"""`/colophon/mcp` of a real Jupyter server, by the SDK's client and by hand."""

import json
from typing import Any

import pytest
from jupyter_server.auth.authorizer import Authorizer
from mcp.shared.exceptions import MCPError
from support.assistants import MODES, READING, WRITING, call_refused_tool, call_tool, connect_assistant, list_tool_names
from support.catalog import build_metadata_value
from support.urns import CELL, ORDERS, REPORT, SALES, build_table_urn

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class OnlyReading(Authorizer):
    """Allows everyone to read, and no one to write to the catalog."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return resource != "colophon" or action == "read"


@pytest.fixture
def mcp_url(jp_serverapp: Any, jp_http_port: int, jp_base_url: str) -> str:
    return f"http://127.0.0.1:{jp_http_port}{jp_base_url}colophon/mcp"


@pytest.fixture
def post(jp_serverapp: Any, http_server_client: Any, jp_base_url: str, jp_auth_header: Any) -> Any:
    """`await post(message, method=…, headers=…)`: send a request unchanged."""

    async def send(message: Any, *, method: str = "POST", headers: Any = None) -> Any:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return await http_server_client.fetch(
            f"{jp_base_url}colophon/mcp",
            method=method,
            body=body if method == "POST" else None,
            headers=ACCEPTED | (jp_auth_header if headers is None else headers),
            raise_error=False,
            allow_nonstandard_methods=True,
            request_timeout=120,
        )

    return send


@pytest.fixture
def writing(jp_server_config: Any) -> None:
    jp_server_config["Colophon"]["mcp_access"] = "write"


@pytest.fixture
def off(jp_server_config: Any) -> None:
    jp_server_config["Colophon"]["mcp_access"] = "off"


@pytest.mark.parametrize("mode", MODES)
async def test_an_assistant_only_reads_by_default(
    api: Any, sales: None, mcp_url: str, jp_auth_header: Any, mode: str
) -> None:
    async with connect_assistant(mcp_url, jp_auth_header, mode) as client:
        assert await list_tool_names(client) == READING
        assert client.server_capabilities.tools is not None
        (hit,) = (await call_tool(client, "colophon_search", query="orders", type="dataset"))["hits"]
        assert hit["urn"] == ORDERS
        assert "read-only" in await call_refused_tool(client, "colophon_tag", urn=ORDERS, add=["gold"])
    found = await api("GET", "entities", ORDERS, params={"aspects": "businessMetadata"})
    assert found.body["aspects"] == {}


async def test_a_write_is_read_at_once_by_every_tool(api: Any, sales: None, mcp_url: str, jp_auth_header: Any) -> None:
    async with connect_assistant(mcp_url, jp_auth_header) as client:
        head = (await call_tool(client, "colophon_changes", limit=0))["cursor"]
        for number in range(3):
            value = build_metadata_value({"batch": f"b{number}"})
            await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=value)
            assert (await call_tool(client, "colophon_search", query=f"batch:b{number}"))["total"] == 1
            entity = await call_tool(client, "colophon_read_entity", urn=ORDERS)
            assert entity["aspects"]["businessMetadata"]["value"] == value
        changes = await call_tool(client, "colophon_changes", after=head, urn=ORDERS)
        assert len(changes["changes"]) == 3
        await api("POST", "runs", body={"program": CELL, "runId": "r", "start": "2026-11-20T12:00:00Z"})
        (run,) = (await call_tool(client, "colophon_runs", program=CELL))["runs"]
        accesses = [{"data": ORDERS, "mode": "read"}, {"data": REPORT, "mode": "write"}]
        await api("POST", "runs", run["urn"], "accesses", body={"accesses": accesses})
        graph = await call_tool(client, "colophon_lineage", urn=REPORT)
        assert ORDERS in {node["urn"] for node in graph["nodes"]}
        impact = await call_tool(client, "colophon_impact", urn=ORDERS)
        assert {"name": "dataset", "count": 1} in impact["byType"]
        (state,) = (await call_tool(client, "colophon_cells", notebook="shop.ipynb"))["cells"]
        assert (state["program"], state["state"]) == (CELL, "fresh")


class TestWriting:
    async def test_tags_and_properties_are_added_and_removed(
        self, writing: None, api: Any, sales: None, mcp_url: str, jp_auth_header: Any
    ) -> None:
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            assert await list_tool_names(client) == READING | WRITING
            await call_tool(client, "colophon_tag", urn=ORDERS, add=["gold", "raw"])
            recorded = await call_tool(client, "colophon_tag", urn=ORDERS, add=["new"], remove=["raw"])
            assert recorded["tags"] == ["gold", "new"]
            recorded = await call_tool(
                client, "colophon_set_properties", urn=ORDERS, properties={"owner": "ops", "tier": "1"}
            )
            recorded = await call_tool(client, "colophon_set_properties", urn=ORDERS, remove=["tier"])
            assert recorded["properties"] == {"owner": "ops"}
            again = await call_tool(client, "colophon_tag", urn=ORDERS, add=["gold"])
            assert (recorded["changed"], again["changed"]) == (True, False)
        found = await api("GET", "entities", ORDERS, "aspects", "businessMetadata", answers="aspect")
        assert found.body["value"] == build_metadata_value({"owner": "ops"}, ["gold", "new"])

    async def test_user_description_is_replaced_only_if_repeated(
        self, writing: None, sales: None, mcp_url: str, jp_auth_header: Any
    ) -> None:
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            first = await call_tool(client, "colophon_propose_description", urn=ORDERS, description="All orders.")
            assert first["properties"] == {"description": "All orders."}
            other: dict[str, Any] = {"urn": ORDERS, "description": "Orders since 2020."}
            assert "replaces: " in await call_refused_tool(client, "colophon_propose_description", **other)
            assert "replaces: " in await call_refused_tool(
                client, "colophon_propose_description", **other, replaces="Orders"
            )
            second = await call_tool(client, "colophon_propose_description", **other, replaces="All orders.")
            assert second["properties"] == {"description": "Orders since 2020."}

    async def test_write_to_unknown_entity_is_refused(
        self, writing: None, api: Any, sales: None, mcp_url: str, jp_auth_header: Any
    ) -> None:
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            for name, arguments in (
                ("colophon_tag", {"add": ["gold"]}),
                ("colophon_set_properties", {"properties": {"a": "b"}}),
                ("colophon_propose_description", {"description": "x"}),
            ):
                assert "ordres" in await call_refused_tool(client, name, urn=build_table_urn("ordres"), **arguments)
        assert (await api("GET", "entities", build_table_urn("ordres"))).status == 404

    async def test_it_takes_the_scope_annotate(
        self, writing: None, sales: None, mcp_url: str, kernel: Any, jp_serverapp: Any
    ) -> None:
        async with connect_assistant(mcp_url, kernel) as client:
            assert await list_tool_names(client) == READING | WRITING
            await call_tool(client, "colophon_tag", urn=ORDERS, add=["gold"])

    async def test_it_takes_the_authorizer_of_the_server(
        self, writing: None, sales: None, mcp_url: str, jp_auth_header: Any, jp_serverapp: Any
    ) -> None:
        jp_serverapp.web_app.settings["authorizer"] = OnlyReading()
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            assert await list_tool_names(client) == READING
            assert "does not allow" in await call_refused_tool(client, "colophon_tag", urn=ORDERS, add=["gold"])


class TestWhatAPolicyHides:
    @pytest.fixture
    def jp_server_config(self, jp_server_config: Any) -> Any:
        settings = jp_server_config["Colophon"] | {
            "policy": "support.policies.HiddenAndReadOnlyNamespaces",
            "mcp_access": "write",
        }
        return jp_server_config | {"Colophon": settings}

    async def test_is_in_no_answer(self, api: Any, mcp_url: str, jp_auth_header: Any, kernel: Any) -> None:
        hidden, shown = build_table_urn("salaries", "secret"), build_table_urn("orders", "shown")
        for urn in (hidden, shown):
            proposal = {
                "urn": urn,
                "aspect": "technicalMetadata",
                "operation": "upsert",
                "value": build_metadata_value({"a": "b"}),
            }
            assert (await api("POST", "proposals", body={"proposals": [proposal]})).status == 200
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            assert (await call_tool(client, "colophon_search", query="a:b"))["total"] == 2
        async with connect_assistant(mcp_url, kernel) as client:
            (hit,) = (await call_tool(client, "colophon_search", query="a:b"))["hits"]
            assert hit["urn"] == shown
            for tool in ("colophon_read_entity", "colophon_lineage", "colophon_impact"):
                assert "salaries" in await call_refused_tool(client, tool, urn=hidden)
            assert "may not" in await call_refused_tool(client, "colophon_tag", urn=shown, add=["gold"])
            changes = (await call_tool(client, "colophon_changes"))["changes"]
            assert hidden not in {change["urn"] for change in changes}
            uris = [one.uri for one in (await client.list_resources()).resources]
            assert not [uri for uri in uris if "salaries" in uri]
            with pytest.raises(MCPError, match="salaries"):
                await client.read_resource(f"colophon://entity/{hidden}")


async def test_wrong_arguments_are_answered_by_sentences(sales: None, mcp_url: str, jp_auth_header: Any) -> None:
    async with connect_assistant(mcp_url, jp_auth_header) as client:
        assert "missing argument 'query'" in await call_refused_tool(client, "colophon_search")
        assert "unknown argument 'colour'" in await call_refused_tool(
            client, "colophon_search", query="a", colour="red"
        )
        assert "limit: " in await call_refused_tool(client, "colophon_search", query="a", limit=100_000)
        assert "levels: " in await call_refused_tool(client, "colophon_lineage", urn=ORDERS, levels="many")
        assert "no such entity type" in await call_refused_tool(client, "colophon_search", query="a", type="nonsense")
        assert "cursor" in await call_refused_tool(client, "colophon_search", query="*", cursor="forged")
        assert "orders" in await call_refused_tool(client, "colophon_read_entity", urn="orders")
        assert "colophon_search" in await call_refused_tool(client, "colophon_nothing")


async def test_truncated_list_names_the_next_cursor(api: Any, sales: None, mcp_url: str, jp_auth_header: Any) -> None:
    proposals = [
        {
            "urn": build_table_urn(f"t{n}"),
            "aspect": "technicalMetadata",
            "operation": "upsert",
            "value": build_metadata_value({"a": "b"}),
        }
        for n in range(5)
    ]
    await api("POST", "proposals", body={"proposals": proposals})
    async with connect_assistant(mcp_url, jp_auth_header) as client:
        found, cursor = [], ""
        for _ in range(3):
            more = {"cursor": cursor} if cursor else {}
            result = await client.call_tool("colophon_search", {"query": "a:b", "limit": 2, **more})
            found += [hit["urn"] for hit in result.structured_content["hits"]]
            cursor = result.structured_content["cursor"]
            notes = [content.text for content in result.content[1:]]
            assert [cursor in note for note in notes] == ([True] if cursor else [])
        assert sorted(found) == sorted(proposal["urn"] for proposal in proposals)


async def test_too_large_answer_is_refused(api: Any, sales: None, mcp_url: str, jp_auth_header: Any) -> None:
    value = {
        "schemaName": "s",
        "platform": "urn:li:dataPlatform:spark",
        "version": 0,
        "hash": "",
        "fields": [],
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": "x" * 600_000}},
    }
    written = await api("PUT", "entities", ORDERS, "aspects", "schemaMetadata", body=value)
    assert written.status == 200, written.body
    async with connect_assistant(mcp_url, jp_auth_header) as client:
        assert "schemaMetadata" in await call_refused_tool(client, "colophon_read_entity", urn=ORDERS)
        entity = await call_tool(client, "colophon_read_entity", urn=ORDERS, aspects="technicalMetadata")
        assert list(entity["aspects"]) == ["technicalMetadata"]


class TestResources:
    async def test_are_entities(self, sales: None, mcp_url: str, jp_auth_header: Any) -> None:
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == "colophon://entity/{urn}"
            listed = {one.uri: one for one in (await client.list_resources()).resources}
            uri = next(uri for uri, one in listed.items() if one.name == "orders")
            for name in (uri, f"colophon://entity/{ORDERS}", ORDERS):
                (content,) = (await client.read_resource(name)).contents
                assert json.loads(content.text)["urn"] == ORDERS

    async def test_are_listed_page_by_page(self, api: Any, sales: None, mcp_url: str, jp_auth_header: Any) -> None:
        proposals = [
            {
                "urn": build_table_urn(f"t{n}"),
                "aspect": "technicalMetadata",
                "operation": "upsert",
                "value": build_metadata_value({"a": "b"}),
            }
            for n in range(120)
        ]
        await api("POST", "proposals", body={"proposals": proposals})
        found: list[str] = []
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            page = await client.list_resources()
            found += [one.name for one in page.resources]
            while page.next_cursor is not None:
                page = await client.list_resources(cursor=page.next_cursor)
                found += [one.name for one in page.resources]
        assert {f"t{n}" for n in range(120)} <= set(found)
        assert len(found) == len(set(found))

    async def test_that_are_not_there_are_refused(self, sales: None, mcp_url: str, jp_auth_header: Any) -> None:
        async with connect_assistant(mcp_url, jp_auth_header) as client:
            for uri in (
                "colophon://entity/nonsense",
                "file:///etc/passwd",
                f"colophon://entity/{build_table_urn('ordres')}",
            ):
                with pytest.raises(MCPError):
                    await client.read_resource(uri)


async def test_prompt_explains_the_origin_of_a_table(sales: None, mcp_url: str, jp_auth_header: Any) -> None:
    async with connect_assistant(mcp_url, jp_auth_header) as client:
        (prompt,) = (await client.list_prompts()).prompts
        assert (prompt.name, prompt.title) == ("explain_table_origin", "Explain where this table comes from")
        (message,) = (await client.get_prompt(prompt.name, {"table": "sales.orders"})).messages
        assert "sales.orders" in message.content.text
        assert "colophon_lineage" in message.content.text
        with pytest.raises(MCPError, match="table"):
            await client.get_prompt(prompt.name, {"table": " "})


class TestByHand:
    async def test_strangers_are_refused(self, post: Any, sales: None) -> None:
        for headers in ({}, {"Authorization": "token wrong"}):
            assert (await post(INITIALIZE, headers=headers)).code == 403

    async def test_a_message_is_answered_in_json_without_a_session(self, post: Any) -> None:
        found = await post(INITIALIZE)
        assert found.code == 200
        assert found.headers["Content-Type"].startswith("application/json")
        assert "Mcp-Session-Id" not in found.headers
        assert json.loads(found.body)["result"]["protocolVersion"] == "2025-06-18"
        reported = await post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (reported.code, reported.body) == (202, b"")
        listed = await post({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert {one["name"] for one in json.loads(listed.body)["result"]["tools"]} == READING

    async def test_other_methods_are_not_allowed(self, post: Any) -> None:
        for method in ("GET", "DELETE", "PUT"):
            found = await post(INITIALIZE, method=method)
            assert (found.code, found.headers.get("Allow")) == (405, "POST")

    @pytest.mark.parametrize(
        "message",
        [
            b"",
            b"{",
            b"[" * 100_000,
            b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}',
            [INITIALIZE],
            {"id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1},
            {"jsonrpc": "2.0", "id": {}, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
        ],
    )
    async def test_invalid_message_is_refused_with_a_sentence(self, post: Any, message: Any) -> None:
        found = await post(message)
        error = json.loads(found.body)
        assert found.code in (400, 413)
        assert error["id"] is None
        assert error["error"]["message"]
        assert "pydantic" not in error["error"]["message"]

    async def test_a_message_that_is_too_large_is_refused(self, post: Any) -> None:
        assert (await post({**INITIALIZE, "padding": "x" * 2_000_000})).code == 413

    async def test_mcp_endpoint_is_absent_if_disabled(self, off: None, post: Any) -> None:
        found = await post(INITIALIZE)
        assert found.code == 404
        assert "mcp_access" in json.loads(found.body)["error"]["message"]


async def test_a_namespace_is_a_resource_too(sales: None, mcp_url: str, jp_auth_header: Any) -> None:
    async with connect_assistant(mcp_url, jp_auth_header) as client:
        assert json.loads((await client.read_resource(SALES)).contents[0].text)["type"] == "namespace"
