"""A failing class of a third-party package affects only its own schemaspace (spec PROMISE-7)."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from urllib.error import HTTPError

import pytest
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.http import schemaspace_pools
from live import LiveServer, run_live_server
from support.packages import install_package
from support.snippets import SPACE, build_snippet

READ_SECONDS = 5.0
CLASSES = '''
"""A schema whose class waits for a file, or ends the program."""

import time
from pathlib import Path

from jupyter_colophon.elyra import Metadata
from jupyter_colophon.elyra.schema import SchemasProvider, Schemaspace

ID = "b7a5c9a0-3a5e-4d6f-8f0e-5a1f6c1d2e3e"


class Slow(Schemaspace):
    def __init__(self, *args, **kwargs):
        super().__init__(ID, "slow", "Slow", "Takes its time", **kwargs)


class Waiting(Metadata):
    def pre_save(self, **kwargs):
        if self.metadata.get("ends"):
            raise SystemExit(3)
        while self.metadata.get("gate") and not Path(self.metadata["gate"]).exists():
            time.sleep(0.02)

    def on_load(self, **kwargs):
        while self.metadata.get("opened") and not Path(self.metadata["opened"]).exists():
            time.sleep(0.02)


class Provider(SchemasProvider):
    def get_schemas(self):
        return [
            {
                "name": "slow",
                "schemaspace": "slow",
                "schemaspace_id": ID,
                "metadata_class_name": "slow.Waiting",
                "properties": {
                    "schema_name": {"const": "slow"},
                    "display_name": {"type": "string"},
                    "metadata": {"type": "object"},
                },
            }
        ]
'''
ENTRY_POINTS = """
[metadata.schemaspaces]
slow = slow:Slow

[metadata.schemas_providers]
slow = slow:Provider
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveServer]:
    site = tmp_path / "site"
    install_package(site, "slow", CLASSES, ENTRY_POINTS)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep))
    for folder in ("root", "home"):
        (tmp_path / folder).mkdir()
    with run_live_server(
        tmp_path / "root", tmp_path / "home", f"--Colophon.read_timeout_seconds={READ_SECONDS}"
    ) as running:
        yield running


def create(server: LiveServer, space: str, document: dict[str, object]) -> int:
    """The status of the answer."""
    transport = Transport(ServerAddress(server.url, server.token), timeout_s=300)
    try:
        return transport.request("POST", f"/schemaspaces/{space}/instances", body=document).status
    except RequestFailed as refusal:
        return refusal.status
    finally:
        transport.close()


def slow(name: str, **metadata: object) -> dict[str, object]:
    return {"display_name": name, "schema_name": "slow", "metadata": metadata}


def test_a_class_that_ends_the_program_ends_no_server(server: LiveServer) -> None:
    assert create(server, "slow", slow("Ends", ends=True)) == 400
    assert create(server, "slow", slow("Goes on")) == 201
    assert server.call("GET", "api")["version"]


def test_hanging_schemaspace_class_hits_the_read_deadline(server: LiveServer, tmp_path: Path) -> None:
    barrier = tmp_path / "opened"
    barrier.touch()
    assert create(server, "slow", slow("One", opened=str(barrier))) == 201
    barrier.unlink()
    path = "elyra/metadata/slow/one"
    try:
        with pytest.raises(HTTPError) as refused:
            server.call("GET", path)
        assert refused.value.code == 503
        assert server.create_client().read_health()["status"] == "ok"
        barrier.touch()
        assert server.call("GET", path)["name"] == "one"
    finally:
        barrier.touch()


def test_hanging_classes_do_not_delay_other_schemaspaces(server: LiveServer, tmp_path: Path) -> None:
    barrier, most = tmp_path / "gate", schemaspace_pools.THREADS + schemaspace_pools.WAITING
    assert create(server, "slow", slow("First")) == 201
    with ThreadPoolExecutor(most + 3) as threads:
        requested = [threads.submit(create, server, "slow", slow(f"W {n}", gate=str(barrier))) for n in range(most + 3)]
        try:
            refused = [one.result() for one in islice(as_completed(requested, timeout=300), 3)]
            assert refused == [503] * 3
            assert create(server, SPACE, build_snippet("Meanwhile")) == 201
            assert server.create_client().read_health()["status"] == "ok"
            assert len(server.call("GET", f"elyra/metadata/{SPACE}")[SPACE]) == 1
        finally:
            barrier.touch()
        assert sorted(one.result(300) for one in requested) == [201] * most + [503] * 3
    assert create(server, "slow", slow("After")) == 201
