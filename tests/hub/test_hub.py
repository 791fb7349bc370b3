"""A real JupyterHub: three users in two groups, their single-user servers, and one service on PostgreSQL.

Each writes through their own server; groups of the hub decide what each may see.
"""

import http.client
import os
import signal
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from faults.size import IS_FULL
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.core.identity.names import make_cell_program_urn
from support.hub import Hub, call_json, is_answered, needs_hub

pytestmark = needs_hub
SECRET = "urn:li:dataset:(urn:li:dataPlatform:spark,red.secrets,PROD)"
EMIT = """
from jupyter_colophon import metadata
with metadata.run("red.spark.load", arguments={}) as context:
    context.metadata.add_tags(%r, "from-a-notebook")
"""


def read_tags(catalog: Operations, urn: str) -> list[str]:
    return catalog.read_entity_metadata(urn)["USER"]["tags"]


def tag(catalog: Operations, urn: str, *tags: str) -> None:
    value = {"properties": {}, "tags": list(tags)}
    proposal = {"urn": urn, "aspect": "businessMetadata", "operation": "upsert", "value": value}
    catalog.submit_proposals({"proposals": [proposal]})


#: A cell with Spark that writes a folder.
WRITE = """
%%load_ext jupyter_colophon
from jupyter_colophon.spark.session import get_session
spark = get_session("waits")
spark.range(3).write.mode("overwrite").parquet(%r)
"""


def test_members_of_a_group_share_what_others_cannot_find(hub: Hub, tokens: dict[str, str]) -> None:
    alice, bob = hub.connect("alice", tokens["alice"]), hub.connect("bob", tokens["bob"])
    # Carol has no server in the small size: she asks the service itself.
    carol = hub.connect("carol", tokens["carol"]) if IS_FULL else hub.connect_to_service(tokens["carol"])
    tag(alice, SECRET, "payroll")
    assert read_tags(carol, SECRET) == ["payroll"]
    assert [hit["urn"] for hit in carol.search("tags:payroll")["hits"]] == [SECRET]
    with pytest.raises(RequestFailed) as refusal:
        read_tags(bob, SECRET)
    assert refusal.value.status == 404
    assert bob.search("tags:payroll")["total"] == 0
    with pytest.raises(RequestFailed):
        tag(bob, SECRET, "found")
    assert {change["actor"] for change in alice.read_changes(urn=SECRET)["changes"]} == {"alice"}


def test_applications_of_the_service_know_their_users(hub: Hub, tokens: dict[str, str]) -> None:
    (panel,) = hub.connect("alice", tokens["alice"]).list_app_panels()["panels"]
    methods = "colophon/v3/namespaces/system/apps/bookmarks/services/service/methods/v1/contexts/red/bookmarks"
    read_file = urllib.request.Request(
        f"{hub.url}user/alice/{panel['module']}", headers={"Authorization": f"token {tokens['alice']}"}
    )
    with urllib.request.urlopen(read_file, timeout=60) as sent:
        assert b"export async function activate" in sent.read()
    service = f"{hub.url}services/colophon/{methods}"
    through = {user: f"{hub.url}user/{user}/{methods}" for user in ("alice", "bob")}
    grace, _ = hub.create_token("grace")
    row = call_json("PUT", f"{service}/docs", grace, {"url": "https://docs.example"})
    assert row["created_by"] == "grace"
    for url, user in ((through["alice"], "alice"), (service, "carol")):
        assert call_json("GET", url, tokens[user])["bookmarks"] == [row]
    # Tokens of writers have no scope for `edit`.
    for method, path, user, status in (("GET", "", "bob", 404), ("PUT", "/docs", "alice", 403)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            call_json(method, through[user] + path, tokens[user], {"url": "a"} if method == "PUT" else None)
        assert refused.value.code == status


def test_the_server_of_another_user_gives_no_access(hub: Hub, tokens: dict[str, str]) -> None:
    with pytest.raises(RequestFailed, match="does not accept the token"):
        hub.connect("alice", tokens["bob"]).read_me()


def test_a_token_has_the_scopes_that_its_user_gave_it(hub: Hub, tokens: dict[str, str]) -> None:
    reads, _ = hub.create_token("alice", "access:services!service=colophon", "custom:colophon:read")
    assert hub.connect_to_service(reads).read_me()["scopes"] == ["read"]
    elsewhere, _ = hub.create_token("alice", "access:servers!user=alice", "custom:colophon:write")
    with pytest.raises(RequestFailed, match="does not accept the token"):
        hub.connect_to_service(elsewhere).read_me()
    with pytest.raises(RequestFailed):
        tag(hub.connect_to_service(reads), SECRET, "written")


def test_a_revoked_token_and_its_stream_end(hub: Hub, tokens: dict[str, str]) -> None:
    token, number = hub.create_token("alice")
    catalog = hub.connect_to_service(token)
    assert catalog.read_me()["user"]["username"] == "alice"
    stream = follow_changes(hub, token)
    hub.call("DELETE", f"users/alice/tokens/{number}")
    # Read to the end: the service closes the stream.
    assert b"event: hello" in read_to_end(stream)
    with pytest.raises(RequestFailed, match="does not accept the token"):
        catalog.read_me()


def test_a_kernel_uses_the_shared_catalog(hub: Hub, tokens: dict[str, str]) -> None:
    tag(hub.connect("alice", tokens["alice"]), SECRET, "payroll")
    kernel = hub.open_notebook("alice", tokens["alice"], "uses.ipynb")
    environment = kernel.run("import os; print(sorted(os.environ), os.environ['COLOPHON_NAMESPACE'])", "c1").text
    assert "user_alice" in environment
    assert "JUPYTERHUB_API_TOKEN" not in environment
    kernel.run("%load_ext jupyter_colophon", "c2")
    assert "payroll" in kernel.run("%metadata show red.secrets", "c3").text
    kernel.close()


def test_emits_wait_for_the_service(hub: Hub, tokens: dict[str, str]) -> None:
    alice = hub.connect("alice", tokens["alice"])
    tag(alice, SECRET, "payroll")
    head = alice.read_changes(limit=0)["cursor"]
    kernel = hub.open_notebook("alice", tokens["alice"], "waits.ipynb")
    (process,) = hub.list_service_processes()
    # Stopped, it answers nothing, as when its machine is away.
    os.kill(process, signal.SIGSTOP)
    try:
        assert kernel.run(EMIT % SECRET, "c1").succeeded
    finally:
        os.kill(process, signal.SIGKILL)
    kernel.close()
    # The hub has started it again.
    hub.wait_until(lambda: is_answered(alice))
    assert read_tags(alice, SECRET) == ["payroll"]
    later = hub.open_notebook("alice", tokens["alice"], "later.ipynb")
    later.run("%load_ext jupyter_colophon", "c1")
    hub.wait_until(lambda: is_tagged(alice))
    later.close()
    changes = alice.read_changes(urn=SECRET, after=head)["changes"]
    assert [change["actor"] for change in changes if change["aspect"] == "businessMetadata"] == ["alice"]


@pytest.mark.skipif(not IS_FULL, reason="starts Spark: make long-hub")
def test_reports_of_spark_outlive_the_kernel_and_its_server(hub: Hub, tokens: dict[str, str]) -> None:
    alice, program = (
        hub.connect("alice", tokens["alice"]),
        str(make_cell_program_urn("user_alice", "spark.ipynb", "c1")),
    )
    kernel = hub.open_notebook("alice", tokens["alice"], "spark.ipynb")
    (process,) = hub.list_service_processes()
    os.kill(process, signal.SIGSTOP)
    try:
        written = kernel.run(WRITE % str(hub.folder / "written"), "c1")
        assert written.succeeded, written.text
        hub.call("DELETE", "users/alice/server")
    finally:
        os.kill(process, signal.SIGKILL)
    hub.wait_until(lambda: "" not in hub.call("GET", "users/alice")["servers"])
    hub.start_server("alice")
    hub.wait_until(lambda: is_answered(alice))
    assert alice.list_runs(program=program)["runs"] == []
    later = hub.open_notebook("alice", tokens["alice"], "later.ipynb")
    later.run("%load_ext jupyter_colophon", "c1")
    hub.wait_until(lambda: [run for run in alice.list_runs(program=program)["runs"] if run["status"] != "running"])
    later.close()
    (run,) = alice.list_runs(program=program)["runs"]
    assert (run["actor"], run["status"]) == ("alice", "succeeded")
    assert [(access["mode"], "written" in access["data"]) for access in run["accesses"]] == [("write", True)]


def is_tagged(catalog: Operations) -> bool:
    try:
        return read_tags(catalog, SECRET) == ["from-a-notebook", "payroll"]
    except (RequestFailed, ServerUnavailable):
        return False


def follow_changes(hub: Hub, token: str) -> http.client.HTTPResponse:
    parts = urlsplit(hub.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=120)
    headers = {"Authorization": f"token {token}", "Accept": "text/event-stream"}
    connection.request("GET", "/services/colophon/colophon/api/changes/stream", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    return response


def read_to_end(stream: http.client.HTTPResponse) -> bytes:
    blocks = []
    while block := stream.read1(65_536):
        blocks.append(block)
    return b"".join(blocks)
