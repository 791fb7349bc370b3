"""Two users, each with a server of their own, and the service that both share: what one does arrives under their name,
also after the service, kernels and servers were away, and a notebook of one cannot harm the other.
"""

import json
import threading
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.error import HTTPError

import pytest
from faults.size import IS_FULL
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.identity.names import make_cell_program_urn, make_notebook_program_urn, make_variable_urn
from live import LiveKernel, LiveServer, run_live_server
from support.artifacts import TOOLS
from support.hostile_notebook import SECRET, Target, run_attacks
from support.service import Service, run_service
from support.stores import READY
from support.system_apps import install_example

#: The token of each user of the service.
TOKENS = {"alice": "a" * 32, "bob": "b" * 32, "grace": "c" * 32}
GROUPS = {"alice": "red", "bob": "blue", "grace": "platform"}
POLICY = {
    "rules": [
        {"role": "contributor", "to": ["group:red"], "on": {"namespace": ["red"]}},
        {"role": "contributor", "to": ["group:blue"], "on": {"namespace": ["blue"]}},
        *(
            {"role": "contributor", "to": [f"user:{name}"], "on": {"namespace": [f"user_{name}"]}}
            for name in ("alice", "bob")
        ),
    ]
}
TABLE = "urn:li:dataset:(urn:li:dataPlatform:spark,red.secrets,PROD)"
#: What Spark's listener does, without Spark: a cell wrote a table.
WRITE = """
from jupyter_colophon.kernel import loading
from jupyter_colophon.kernel.cells import read_time_ms
from jupyter_colophon.capture.observation import DataRef, DatasetKind, Observation
((session, _),) = loading._loaded.values()
ref = DataRef("urn:li:dataset:(urn:li:dataPlatform:spark,red.{table},PROD)", DatasetKind.TABLE, None, "parquet", None)
session.recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "insert", writes=(ref,)))
"""
#: The cell sets a variable; its kernel knows the path that the notebook had when it started.
ASSIGN = """
from jupyter_colophon.core.identity.names import make_variable_urn
variable = DataRef(str(make_variable_urn("user_alice", "later.ipynb", "c1", "x")), DatasetKind.VARIABLE)
session.recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "assign", reads=(ref,), writes=(variable,)))
"""
#: The cell reports, and does not end.
GO_ON = "session.recorder.flush(10)\nimport time; time.sleep(600)"
PIPELINE = {
    "display_name": "Tags",
    "schema_name": "pipeline",
    "metadata": {
        "namespace": "red",
        "stages": [
            {
                "name": "tag",
                "type": "action",
                "plugin": "set-metadata",
                "properties": {"dataset": "secrets", "tags": ["from-a-pipeline"]},
            }
        ],
    },
}


@dataclass(frozen=True)
class Team:
    """The service, and the servers of two users."""

    service: Service
    alice: LiveServer
    bob: LiveServer

    def connect(self, user: str) -> Operations:
        """Return the service itself, as one of its users."""
        return Operations(Transport(ServerAddress(self.service.url, TOKENS[user])))


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("service")
    (folder / "policies").mkdir()
    (folder / "policies" / "teams.json").write_text(json.dumps(POLICY))
    options = [
        "--ServerApp.identity_provider_class=support.named_tokens.NamedTokens",
        *(f"--NamedTokens.users={token}={user}:{GROUPS[user]}" for user, token in TOKENS.items()),
        f"--Colophon.policy_folder={folder / 'policies'}",
        "--Colophon.admins=grace",
        "--Colophon.metadata_store=catalog",
    ]
    packages = [folder / "site", install_example(folder / "site")]
    with (
        READY["sqlite"](folder) as store,
        run_service(folder, store, options=options, token=TOKENS["grace"], packages=packages) as service,
    ):
        for namespace in ("red", "blue", "user_alice", "user_bob"):
            service.connect().write_aspect(f"urn:li:namespace:{namespace}", "status", {"removed": False})
        with (
            run_server(tmp_path_factory, service, "alice") as alice,
            run_server(tmp_path_factory, service, "bob") as bob,
        ):
            yield Team(service, alice, bob)


def run_server(factory: pytest.TempPathFactory, service: Service, user: str) -> Any:
    home = factory.mktemp(user)
    (home / "config").mkdir()
    lines = [
        "import os",
        f"os.environ['COLOPHON_SERVICE_TOKEN'] = {TOKENS[user]!r}",
        f"c.Colophon.service_url = {service.url!r}",
        f"c.Colophon.notebook_namespace = 'user_{user}'",
    ]
    (home / "config" / "jupyter_server_config.py").write_text("\n".join(lines))
    return run_live_server(factory.mktemp("root"), home)


def tag(catalog: Operations, urn: str, *tags: str) -> None:
    value = {"properties": {}, "tags": list(tags)}
    proposal = {"urn": urn, "aspect": "businessMetadata", "operation": "upsert", "value": value}
    catalog.submit_proposals({"proposals": [proposal]})


def wait_for(condition: Callable[[], Any]) -> Any:
    pause = threading.Event()
    for _ in range(600):
        try:
            if found := condition():
                return found
        except (RequestFailed, ServerUnavailable):
            pass
        pause.wait(0.1)
    raise AssertionError("the condition does not hold in time")


def load(server: LiveServer, path: str) -> LiveKernel:
    kernel = server.open(path)
    assert kernel.run("%load_ext jupyter_colophon", "load").succeeded
    return kernel


def list_runs(catalog: Operations, path: str, cell: str, user: str = "alice") -> list[dict[str, Any]]:
    program = str(make_cell_program_urn(f"user_{user}", path, cell))
    return list(catalog.list_runs(program=program)["runs"])


def test_what_happens_while_the_service_is_away_arrives_later(team: Team) -> None:
    alice, connection = team.connect("alice"), team.alice.create_client()
    (team.alice.root / "drafts").mkdir()
    folder = team.alice.data / "colophon" / "outbox"
    run = {"program": str(make_cell_program_urn("user_alice", "drafts/moved.ipynb", "c1")), "runId": str(uuid.uuid4())}
    connection.start_run(run | {"start": "2026-11-20T12:00:00Z", "end": "2026-11-20T12:00:01Z", "status": "succeeded"})
    kernel = load(team.alice, "waits.ipynb")
    assert kernel.run(WRITE.format(table="first"), "c1").succeeded
    wait_for(lambda: list_runs(alice, "waits.ipynb", "c1"))
    team.service.stop()
    try:
        assert kernel.run(WRITE.format(table="waits"), "c2").succeeded
        team.alice.call("PATCH", "api/contents/drafts", {"path": "final"})
        # Jupyter answers before its listeners have been called.
        wait_for(lambda: "final" in "".join(file.read_text() for file in folder.glob("server/*.jsonl")))
        # The kernel ends with its server.
        team.alice.kill()
    finally:
        team.service.start()
        team.alice.start()
    # The next server reports the rename, and the end of the kernel.
    wait_for(lambda: list_runs(alice, "final/moved.ipynb", "c1"))
    assert list_runs(alice, "drafts/moved.ipynb", "c1") == []
    program = str(make_notebook_program_urn("user_alice", "waits.ipynb"))
    wait_for(lambda: [each for each in alice.list_runs(program=program)["runs"] if each["status"] == "killed"])
    # The next kernel sends what waits in the file of the killed one.
    (pending,) = folder.glob("reports/*.jsonl")
    assert pending.stat().st_mode & 0o777 == 0o600
    later = load(team.alice, "later.ipynb")
    wait_for(lambda: not pending.exists())
    (found,) = list_runs(alice, "waits.ipynb", "c2")
    assert (found["actor"], found["status"]) == ("alice", "succeeded")
    assert [access["data"] for access in found["accesses"]] == [TABLE.replace("secrets", "waits")]
    require_that_kernels_are_followed(team, later)


def require_that_kernels_are_followed(team: Team, kernel: LiveKernel) -> None:
    """Rename the notebook `later.ipynb` of a kernel and kill the kernel: both are recorded at the service."""
    alice = team.connect("alice")
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    team.alice.call("PUT", "api/contents/later.ipynb", {"type": "notebook", "content": content, "format": "json"})
    team.alice.call("PATCH", "api/contents/later.ipynb", {"path": "latest.ipynb"})
    # The kernel was started with the former path.
    kernel.begin(WRITE.format(table="later") + ASSIGN + GO_ON, "c1")
    (run,) = wait_for(lambda: [each for each in list_runs(alice, "latest.ipynb", "c1") if each["accesses"]])
    assert (run["status"], run["facts"]["notebook"]) == ("running", "latest.ipynb")
    variable = str(make_variable_urn("user_alice", "latest.ipynb", "c1", "x"))
    assert variable in {access["data"] for access in run["accesses"]}
    kernel.close()
    wait_for(lambda: [each for each in list_runs(alice, "latest.ipynb", "c1") if each["status"] == "killed"])


def test_pipelines_know_the_artifacts_of_the_service(team: Team) -> None:
    team.connect("grace").upload_artifact("red", "shop-tools", "1.0", TOOLS.encode())
    seen = {}
    for user, server in (("alice", team.alice), ("bob", team.bob)):
        catalog = server.create_client()
        with pytest.raises(RequestFailed) as refusal:
            catalog.upload_artifact("red", "shop-tools", "2.0", TOOLS.replace('"1.0"', '"2.0"').encode())
        assert refusal.value.status == 403
        listed = catalog.list_pipeline_plugins(namespace="red")["plugins"]
        seen[user] = "shop-tools/upper" in {plugin["name"] for plugin in listed}
    # The namespace is hidden from bob.
    assert seen == {"alice": True, "bob": False}


def test_package_has_the_artifacts_of_the_service(team: Team) -> None:
    team.connect("grace").upload_artifact("red", "pack-tools", "1.0", TOOLS.encode())
    stages = [
        {"name": "people", "type": "source", "plugin": "file", "properties": {"path": "people"}},
        {"name": "loud", "type": "transform", "plugin": "pack-tools/upper", "properties": {"column": "name"}},
        {"name": "out", "type": "sink", "plugin": "file", "properties": {"path": "out"}},
    ]
    connections = [{"from": "people", "to": "loud"}, {"from": "loud", "to": "out"}]
    document = {"metadata": {"namespace": "red", "stages": stages, "connections": connections}}
    packaged = team.alice.create_client().package_pipeline({"name": "loud", "document": document})
    assert f"{sha256(TOOLS.encode()).hexdigest()}.artifact" in packaged["command"]


def test_panels_and_methods_of_applications_are_those_of_the_service(team: Team) -> None:
    namespace = "colophon/v3/namespaces/system/apps/bookmarks"

    def call_method(server: LiveServer, method: str, path: str, body: Any = None) -> Any:
        return server.call(method, f"{namespace}/services/service/methods/v1/contexts/red/{path}", body)

    for server in (team.alice, team.bob):
        (panel,) = server.create_client().list_app_panels()["panels"]
        request = urllib.request.Request(server.url + panel["module"], headers=server.headers)
        with urllib.request.urlopen(request, timeout=60) as sent:
            assert sent.headers["Content-Type"] == "text/javascript; charset=utf-8"
            assert sent.headers["X-Content-Type-Options"] == "nosniff"
            assert b"export async function activate" in sent.read()
            etag = sent.headers["Etag"]
        request.add_header("If-None-Match", etag)
        with pytest.raises(HTTPError, match="304"):
            urllib.request.urlopen(request, timeout=60)
        with pytest.raises(HTTPError, match="403"):
            urllib.request.urlopen(server.url + panel["module"], timeout=60)
    written = call_method(team.alice, "PUT", "bookmarks/docs", {"url": "https://docs.example"})
    assert written["created_by"] == "alice"
    assert call_method(team.alice, "GET", "bookmarks")["bookmarks"] == [written]
    # The namespace is hidden from bob, as one that does not exist.
    for method, path, body in (("GET", "bookmarks", None), ("PUT", "bookmarks/docs", {"url": "https://evil.example"})):
        with pytest.raises(HTTPError) as refused:
            call_method(team.bob, method, path, body)
        document = json.loads(refused.value.read())
        assert (refused.value.code, document["message"]) == (404, "Namespace 'red' not found")
    with pytest.raises(RequestFailed) as denied:
        team.alice.create_client().disable_system_app("bookmarks")
    assert denied.value.status == 403


@pytest.mark.skipif(not IS_FULL, reason="runs a pipeline: make long-hub")
def test_pipelines_run_in_the_server_of_their_user(team: Team) -> None:
    grace = team.connect("grace")
    grace.create_instance("pipelines", {"name": "tags", **PIPELINE})
    tag(team.connect("alice"), TABLE, "raw")
    for user, server in (("alice", team.alice), ("bob", team.bob)):
        catalog = server.create_client()
        if user == "bob":
            with pytest.raises(RequestFailed) as refusal:
                catalog.start_pipeline_run({"name": "tags"})
            assert refusal.value.status in (403, 404)
            continue
        assert catalog.check_pipeline({"name": "tags"})["problems"] == []
        started = catalog.start_pipeline_run({"name": "tags"})
        ended = wait_for(lambda: _find_ended(catalog, started["id"]))  # noqa: B023  it is called in this round only
        assert (ended["status"], ended["problem"]) == ("succeeded", ""), ended["log"]
        run = team.connect("alice").read_run(ended["run"])
        assert (run["status"], run["actor"]) == ("succeeded", "alice")
    assert wait_for(lambda: "from-a-pipeline" in team.connect("alice").read_entity_metadata(TABLE)["USER"]["tags"])


def _find_ended(catalog: Operations, execution: str) -> dict[str, Any] | None:
    found = catalog.read_pipeline_execution(execution)
    return found if found["ended"] else None


def test_a_service_token_is_for_the_service_itself(team: Team) -> None:
    issued = team.connect("grace").create_service_token({"name": "etl", "scopes": ["read"], "expiresInDays": 1})
    through = Operations(Transport(ServerAddress(team.alice.url, issued["token"])))
    with pytest.raises(RequestFailed, match="send it to the shared service itself") as refusal:
        through.read_me()
    assert refusal.value.status == 403
    assert Operations(Transport(ServerAddress(team.service.url, issued["token"]))).read_me()["scopes"] == ["read"]


def test_a_hostile_notebook_achieves_nothing(team: Team) -> None:
    alice = team.connect("alice")
    kernel = load(team.alice, "owned.ipynb")
    tag(alice, TABLE, SECRET)
    kernel.begin(WRITE.format(table="secrets") + GO_ON, "c1")
    (run,) = wait_for(lambda: list_runs(alice, "owned.ipynb", "c1"))
    target = Target("alice", "red", TABLE, run["urn"], kernel.id, team.alice.url, team.service.url)
    before = read_state(alice, target)
    hostile = load(team.bob, "hostile.ipynb")
    assert run_attacks(hostile, target, TOKENS["bob"]) == []
    hostile.close()
    assert read_state(alice, target) == before
    assert before["runs"][0]["status"] == "running"
    kernel.close()


def read_state(catalog: Operations, target: Target) -> dict[str, Any]:
    """Return everything that an attack could have changed."""
    pending = wait_for(lambda: not catalog.read_health()["inbox"]["pending"])
    return {
        "pending": not pending,
        "entity": catalog.read_entity(target.dataset),
        "runs": list_runs(catalog, "owned.ipynb", "c1"),
        "taken": list_runs(catalog, "taken.ipynb", "c1"),
        "changes": catalog.read_changes(urn=target.dataset, limit=500)["changes"],
    }
