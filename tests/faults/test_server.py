"""The whole server is killed_server while eight clients write."""

import http.client
import json
import random
import threading
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from faults import choice
from faults.oracle import Acknowledged, find_violations
from faults.size import sized
from faults.workload import ASPECTS, Write
from jupyter_colophon.core.store import choose_sqlite_store
from live import LiveServer

KILLS, CLIENTS = sized(1, 20), 8


class Client(threading.Thread):
    """Posts writes one by one, repeating each with the same key until it is answered."""

    def __init__(self, server: LiveServer, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._server, self._stopped = server, threading.Event()
        self.acknowledged: list[Acknowledged] = []
        self.unexpected: list[str] = []

    def stop(self) -> None:
        """Stop writing."""
        self._stopped.set()
        self.join(300)
        assert not self.is_alive()

    def run(self) -> None:
        """Write until stopped."""
        at = 0
        while not self._stopped.is_set():
            write = Write(f"{self.name}-{at}")
            key, answer = str(uuid.uuid4()), None
            while answer is None and not self._stopped.is_set():
                answer = self._post(write, key)
            at += 1

    def _post(self, write: Write, key: str) -> bool | None:
        batch = [
            {"urn": urn, "aspect": aspect, "operation": "upsert", "value": write.value}
            for urn in write.urns
            for aspect in ASPECTS
        ]
        headers = self._server.headers | {"Idempotency-Key": key}
        where = urlsplit(self._server.url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port or 0, timeout=60)
        try:
            connection.request("POST", "/colophon/api/proposals", json.dumps({"proposals": batch}), headers)
            answer = connection.getresponse()
            body = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(0.05)
            return None
        finally:
            connection.close()
        if answer.status == 200:
            done = tuple((one["urn"], one["aspect"], one["version"]) for one in body["results"])
            self.acknowledged.append(Acknowledged(write.number, done))
        elif answer.status != 503:
            self.unexpected.append(f"{answer.status} {body}")
        return answer.status == 200


@pytest.fixture
def killed_server(tmp_path: Path) -> Any:
    """Run clients against a server that is killed_server repeatedly."""
    root = tmp_path / "root"
    root.mkdir()
    server, chance = LiveServer(root, tmp_path), random.Random(3)
    server.start()
    clients = [Client(server, f"c{number}") for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for _ in range(KILLS):
        before = sum(len(client.acknowledged) for client in clients)
        deadline = time.monotonic() + 300
        while sum(len(client.acknowledged) for client in clients) < before + 30:
            assert time.monotonic() < deadline, [client.unexpected for client in clients]
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.1))
        server.kill()
        server.start()
    for client in clients:
        client.stop()
    server.stop()
    return server, clients


def test_answered_writes_survive_a_kill_and_retries_apply_once(killed_server: Any) -> None:
    server, clients = killed_server
    assert [client.unexpected for client in clients if client.unexpected] == []
    acknowledged = [one for client in clients for one in client.acknowledged]
    assert len(acknowledged) > 30 * KILLS
    catalog = choice.open_choice(choice.format_choice(choose_sqlite_store(server.data / "colophon" / "colophon.db")))
    assert find_violations(catalog, acknowledged) == []
    catalog.close()
