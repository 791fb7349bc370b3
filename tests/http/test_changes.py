"""The change log: slices, long poll, and the WebSocket."""

import asyncio
import json
from dataclasses import asdict
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.settings import Settings
from support.catalog import build_metadata_value, write_metadata
from support.change_socket import ChangeSocket, Listen, open_change_socket
from support.process import start_script_process
from support.urns import CELL, ORDERS, REPORT, build_cell_urn, build_table_urn
from tornado.httpclient import HTTPClientError

pytestmark = pytest.mark.each_store

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
#: More changes of 120 KB than any buffer of a connection holds.
_MANY = 160
SOCKETS_MAX = Settings.max_connections_per_user.default_value
#: Another process on the same store: looks for each owner that it reads, and follows `orders`; then writes the next.
OTHER = """
import json
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.composition import open_or_create_catalog
from support.catalog import ADA, search_catalog, record_run, write_metadata
from support.urns import ORDERS, build_cell_urn
catalog = open_or_create_catalog(StorageChoice(**json.loads(sys.argv[1])), IdentityRules())
print("ready", flush=True)
for line in sys.stdin:
    owner = line.strip()
    found = search_catalog(catalog, f"owner:{owner}").total
    nodes = catalog.lineage.read_lineage(LineageRequest(Urn.parse(ORDERS)), ADA).nodes
    write_metadata(catalog, properties={"owner": f"other-{owner}"})
    record_run(catalog, build_cell_urn(f"other-{owner}"), "1", ("read", ORDERS))
    print(found, len(nodes), flush=True)
"""


@pytest.fixture
def listen(jp_serverapp: Any, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any) -> Listen:
    async def connect(**params: Any) -> ChangeSocket:
        url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
        return await open_change_socket(url, jp_auth_header, **params)

    return connect


async def test_the_log_is_read_in_slices_in_order(api: Any, sales: None) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body
    assert head["changes"] == []
    whole = (await api("GET", "changes", answers="changes")).body
    seqs = [one["seq"] for one in whole["changes"]]
    assert seqs == sorted(seqs)
    assert whole["cursor"] == head["cursor"] == seqs[-1]
    some = (await api("GET", "changes", params={"limit": 2}, answers="changes")).body
    rest = (await api("GET", "changes", params={"after": some["cursor"]}, answers="changes")).body
    assert some["changes"] + rest["changes"] == whole["changes"]
    none = (await api("GET", "changes", params={"after": head["cursor"]}, answers="changes")).body
    assert none == {"cursor": head["cursor"], "changes": []}
    for name, value in (("namespace", "sales"), ("type", "namespace"), ("urn", ORDERS)):
        found = (await api("GET", "changes", params={name: value}, answers="changes")).body["changes"]
        assert found == [one for one in whole["changes"] if one[name] == value] != []
    for wrong in ({"after": "x"}, {"after": "-1"}, {"waitSeconds": "31"}, {"limit": "501"}):
        assert (await api("GET", "changes", params=wrong)).status == 400


async def test_a_long_poll_answers_as_soon_as_something_fits(api: Any, sales: None) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    params = {"after": head, "waitSeconds": 30, "urn": ORDERS}
    waiting = asyncio.ensure_future(api("GET", "changes", params=params, answers="changes"))
    await api("PUT", "entities", REPORT, "aspects", "technicalMetadata", body=build_metadata_value())
    await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))
    found = (await waiting).body
    assert [one["value"] for one in found["changes"]] == [build_metadata_value({"owner": "ops"})]
    nothing = (
        await api("GET", "changes", params=params | {"after": found["cursor"], "waitSeconds": 1}, answers="changes")
    ).body
    assert nothing == {"cursor": found["cursor"], "changes": []}


async def test_change_has_old_value_new_value_and_actor(api: Any, sales: None) -> None:
    await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))
    await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "sre"}))
    (*_, last) = (await api("GET", "changes", params={"urn": ORDERS}, answers="changes")).body["changes"]
    assert (last["previous"], last["value"]) == (
        build_metadata_value({"owner": "ops"}),
        build_metadata_value({"owner": "sre"}),
    )
    assert (last["operation"], last["version"], last["scope"], last["name"]) == ("update", 2, "USER", "orders")
    assert (last["actor"], last["via"]) == ((await api("GET", "me", answers="me")).body["user"]["username"], None)


async def test_each_subscriber_gets_each_change_once_in_order(api: Any, sales: None, listen: Listen) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    first, second = await listen(), await listen()
    assert first.head == second.head == head
    for number in range(20):
        await api("PUT", *BUSINESS, body=build_metadata_value({"number": str(number)}))
    written = (await api("GET", "changes", params={"after": head}, answers="changes")).body["changes"]
    for listener in (first, second):
        assert await listener.read_until(lambda one: one["seq"] == written[-1]["seq"]) == written
        listener.socket.close()


async def test_reconnected_subscriber_resumes_after_its_cursor(api: Any, sales: None, listen: Listen) -> None:
    await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))
    whole = (await api("GET", "changes", answers="changes")).body["changes"]
    resumed = await listen(after=whole[2]["seq"])
    assert await resumed.read_until(lambda one: one["seq"] == whole[-1]["seq"]) == whole[3:]
    await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "sre"}))
    (news,) = await resumed.read_until(lambda one: True)
    assert news["value"] == build_metadata_value({"owner": "sre"})
    resumed.socket.close()
    from_the_start = await listen(after=0, urn=ORDERS)
    received = await from_the_start.read_until(lambda one: one["seq"] == news["seq"])
    assert received == [*(one for one in whole if one["urn"] == ORDERS), news]
    from_the_start.socket.close()


async def test_subscription_filters_changes(api: Any, sales: None, listen: Listen) -> None:
    by_urn, by_space, by_type = await listen(urn=ORDERS), await listen(namespace="zoo"), await listen(type="dataJob")
    await api(
        "PUT", "entities", build_table_urn("t", "zoo"), "aspects", "technicalMetadata", body=build_metadata_value()
    )
    await api("PUT", "entities", CELL, "aspects", "technicalMetadata", body=build_metadata_value())
    await api("PUT", *BUSINESS, body=build_metadata_value())
    assert {one["urn"] for one in await by_urn.read_until(lambda one: True)} == {ORDERS}
    received = await by_space.read_until(lambda one: one["aspect"] == "technicalMetadata" and one["type"] == "dataset")
    assert {one["namespace"] for one in received} == {"zoo"}
    received = await by_type.read_until(lambda one: one["aspect"] == "technicalMetadata")
    assert {one["type"] for one in received} == {"dataJob"}
    for listener in (by_urn, by_space, by_type):
        listener.socket.close()


@pytest.mark.parametrize("after", ["x", "-1", "²", "9" * 40])
async def test_invalid_start_is_refused_before_the_handshake(sales: None, listen: Listen, after: str) -> None:
    with pytest.raises(HTTPClientError) as refused:
        await listen(after=after)
    assert refused.value.code == 400


async def test_slow_subscriber_is_disconnected_without_affecting_others(
    api: Any, sales: None, listen: Listen, jp_serverapp: Any
) -> None:
    endpoint = jp_serverapp.web_app.settings[SETTING]
    catalog = endpoint.get_or_open_catalog()
    slow, quick = await listen(), await listen()
    received = asyncio.ensure_future(quick.read_until(lambda one: (one["value"] or {}).get("tags") == ["last"]))

    def write() -> None:
        for number in range(_MANY):
            write_metadata(catalog, properties={"text": "x" * 60_000, "number": str(number)})
        write_metadata(catalog, tags=["last"])

    writing = asyncio.get_running_loop().run_in_executor(None, write)
    while endpoint.change_hub.count == 2:
        await asyncio.sleep(0.01)
    # Tornado gives a disconnected client five seconds to read the close reason, however long the others continue.
    while await slow.read_message() is not None:
        pass
    assert slow.socket.close_code == 1013
    await writing
    assert len(await received) == _MANY + 1
    quick.socket.close()


async def test_change_of_another_process_is_read_and_sent(
    api: Any, sales: None, listen: Listen, jp_serverapp: Any
) -> None:
    store = json.dumps(asdict(jp_serverapp.web_app.settings[SETTING].store))
    listener, loop = await listen(urn=ORDERS), asyncio.get_running_loop()
    with start_script_process(OTHER, store) as other:
        assert other.stdin is not None
        assert other.stdout is not None

        async def line() -> str:
            return (await loop.run_in_executor(None, other.stdout.readline)).strip()

        assert await line() == "ready"
        for number in range(3):
            await api("PUT", *BUSINESS, body=build_metadata_value({"owner": f"o{number}"}))
            run = {"program": build_cell_urn(f"ours-{number}"), "runId": "r", "start": "2026-11-20T12:00:00Z"}
            urn = (await api("POST", "runs", body=run, answers="run")).body["urn"]
            accesses = {"accesses": [{"data": ORDERS, "mode": "read"}]}
            await api("POST", "runs", urn, "accesses", body=accesses, answers="run")
            other.stdin.write(f"o{number}\n")
            other.stdin.flush()
            assert await line() == f"1 {2 + 2 * number}"
            found = await api("GET", "search", params={"q": f"owner:other-o{number}"}, answers="search-results")
            assert [hit["urn"] for hit in found.body["hits"]] == [ORDERS]
            nodes = (await api("GET", "lineage", params={"urn": ORDERS}, answers="lineage")).body["nodes"]
            assert len(nodes) == 3 + 2 * number
            received = await listener.read_until(
                lambda one: one["operation"] == "access" and "other" in one["value"]["program"]
            )
            owners = [one["value"]["properties"]["owner"] for one in received if one["aspect"]]
            assert owners == [f"o{number}", f"other-o{number}"]
    listener.socket.close()


async def test_connection_beyond_64_is_refused(sales: None, listen: Listen) -> None:
    listeners = [await listen() for _ in range(SOCKETS_MAX)]
    with pytest.raises(HTTPClientError) as refused:
        await listen()
    assert refused.value.code == 429
    listeners.pop().socket.close()
    for _ in range(2_400):
        try:
            listeners.append(await listen())
            break
        except HTTPClientError:
            await asyncio.sleep(0.05)
    assert len(listeners) == SOCKETS_MAX
    for listener in listeners:
        listener.socket.close()


async def test_cursor_beyond_the_end_returns_410(api: Any, sales: None) -> None:
    gone = await api("GET", "changes", params={"after": 999_999})
    assert gone.status == 410
    assert gone.body["type"].endswith("log-reset")


async def test_connection_without_pong_is_closed(
    api: Any, sales: None, listen: Listen, jp_serverapp: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    jp_serverapp.web_app.settings |= {"ws_ping_interval": 50, "ws_ping_timeout": 3_000}
    answering = await listen()
    reader, writer = await asyncio.open_connection("127.0.0.1", jp_http_port)
    head = {"Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    lines = [f"{name}: {value}" for name, value in {**head, "Sec-WebSocket-Key": "YQ==", **jp_auth_header}.items()]
    requested = f"GET {jp_base_url}colophon/api/changes/ws HTTP/1.1"
    writer.write("\r\n".join([requested, *lines, "\r\n"]).encode())
    # All that is ever sent to a client that does not respond: an answer, hello, pings, and the close.
    assert b'"hello"' in await reader.read()
    writer.close()
    write_metadata(jp_serverapp.web_app.settings[SETTING].get_or_open_catalog(), tags=["heard"])
    assert len(await answering.read_until(lambda one: (one["value"] or {}).get("tags") == ["heard"])) == 1
    answering.socket.close()
