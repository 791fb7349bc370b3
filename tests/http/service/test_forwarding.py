"""A Jupyter server that forwards to a shared service: every API, streams, headers, and the service away."""

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import websocket
from jupyter_colophon.client.problems import RequestFailed
from live import LiveServer, run_live_server
from support.service import Service, run_service
from support.stores import READY

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:spark,default.orders,PROD)"
PROPOSAL = {
    "urn": ORDERS,
    "aspect": "businessMetadata",
    "operation": "upsert",
    "value": {"properties": {}, "tags": ["raw"]},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    with READY["sqlite"](folder) as store, run_service(folder, store) as running:
        yield running


@pytest.fixture(scope="module")
def server(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A Jupyter server with a token of its own, which sends that of the service."""
    home = tmp_path_factory.mktemp("home")
    (home / "config").mkdir()
    config = f"import os\nos.environ['COLOPHON_SERVICE_TOKEN'] = {service.token!r}\n"
    (home / "config" / "jupyter_server_config.py").write_text(config)
    option = f"--Colophon.service_url={service.url}"
    with run_live_server(tmp_path_factory.mktemp("root"), home, option) as running:
        running.create_client().submit_proposals({"proposals": [PROPOSAL]})
        yield running


def send(server: LiveServer, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send a request as a browser would, without the checks of a client."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port or 0, timeout=60)
    connection.request(method, path, headers={"Authorization": f"token {server.token}", **headers})
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return found


def request(server: LiveServer, method: str, path: str, body: Any = None) -> Any:
    return server.create_transport("").request(method, path, body=body).body


def test_every_api_answers_from_the_service(server: LiveServer, service: Service) -> None:
    assert service.connect().read_entity_metadata(ORDERS)["USER"]["tags"] == ["raw"]
    assert server.create_client().read_entity_metadata(ORDERS)["USER"]["tags"] == ["raw"]
    assert request(server, "GET", "/colophon/v3/namespaces/default/datasets/orders/metadata/tags")
    assert request(server, "GET", "/elyra/metadata/code-snippets") == {"code-snippets": []}
    assert request(server, "GET", "/colophon/openlineage/api/v1/namespaces")["namespaces"] is not None
    assert request(server, "GET", "/colophon/datahub/config")
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert request(server, "POST", "/colophon/mcp", message)["id"] == 1
    # Nothing was opened here.
    assert not (server.data / "colophon" / "colophon.db").exists()


def test_conditions_and_urls_pass_through(server: LiveServer) -> None:
    _, headers, _ = send(
        server, "GET", "/colophon/api/entities/" + ORDERS.replace(":", "%3A") + "/aspects/businessMetadata"
    )
    status, _, body = send(
        server,
        "GET",
        "/colophon/api/entities/" + ORDERS.replace(":", "%3A") + "/aspects/businessMetadata",
        **{"If-None-Match": headers["etag"]},
    )
    assert (status, body) == (304, b"")
    answer = server.create_transport().request(
        "POST", "/proposals", query={"async": True}, body={"proposals": [PROPOSAL]}
    )
    assert answer.status == 202
    location = urlsplit(answer.headers["location"]).path
    assert request(server, "GET", location)


def test_credentials_and_paths_do_not_leave(server: LiveServer) -> None:
    # The token of this server is none of the service, which would refuse it.
    assert send(server, "GET", f"/colophon/api/me?token={server.token}")[0] == 200
    assert send(server, "GET", "/colophon/api/entities/../../../api/status")[0] == 404
    assert send(server, "GET", "/colophon/api/me", Authorization="token wrong")[0] == 403


def test_changes_arrive_over_a_socket_and_as_events(server: LiveServer) -> None:
    url = server.url.replace("http", "ws", 1) + "colophon/api/changes/ws"
    socket = websocket.create_connection(url, header={"Authorization": f"token {server.token}"}, timeout=60)
    assert json.loads(socket.recv())["kind"] == "hello"
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port or 0, timeout=60)
    headers = {"Authorization": f"token {server.token}", "Accept": "text/event-stream"}
    connection.request("GET", "/colophon/api/changes/stream", headers=headers)
    events = connection.getresponse()
    assert events.readline().startswith(b"id: ")
    value = {"properties": {"arrives": "yes"}, "tags": []}
    server.create_client().submit_proposals({"proposals": [PROPOSAL | {"value": value}]})
    (change,) = json.loads(socket.recv())["changes"]
    assert change["value"] == value
    while not (line := events.readline()).startswith(b"event: change"):
        assert line
    assert json.loads(events.readline().removeprefix(b"data: "))["seq"] == change["seq"]
    socket.close()
    connection.close()


def test_a_kernel_has_the_rights_of_a_kernel(server: LiveServer) -> None:
    kernel = server.open("rights.ipynb")
    code = """
import os
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
catalog = Operations(Transport(ServerAddress(os.environ["COLOPHON_URL"], os.environ["COLOPHON_TOKEN"])))
me = catalog.read_me()
print(me["scopes"], me["via"] == os.environ["COLOPHON_KERNEL"], "COLOPHON_SERVICE_TOKEN" in os.environ)
"""
    assert kernel.run(code, "c1").text == "['annotate', 'emit', 'read'] True False\n"
    kernel.close()


def test_without_the_service_requests_are_refused_for_now(server: LiveServer, service: Service) -> None:
    service.stop()
    try:
        with pytest.raises(RequestFailed, match="does not answer") as refusal:
            server.create_client().read_health()
        assert refusal.value.status == 503
        status, headers, body = send(server, "GET", "/colophon/v3/namespaces")
        assert (status, headers["retry-after"]) == (503, "5")
        assert "does not answer" in body.decode()
        url = server.url.replace("http", "ws", 1) + "colophon/api/changes/ws"
        with pytest.raises(websocket.WebSocketBadStatusException, match="503"):
            websocket.create_connection(url, header={"Authorization": f"token {server.token}"}, timeout=60)
    finally:
        service.start()
    assert server.create_client().read_health()["status"] == "ok"
