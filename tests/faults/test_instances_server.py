"""Instances behind real servers: no change is lost, and no reader of the file sees half of one."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from faults.damages import DAMAGES
from faults.size import sized
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.transport import HttpAnswer, ServerAddress, Transport
from live import LiveServer, run_live_server
from support.files import write_file
from support.snippets import SPACE, build_snippet

CHANGERS, CHANGES = 8, sized(5, 25)
DAMAGED, GOOD = 1_000, 200
ONE = f"/schemaspaces/{SPACE}/instances/shared"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, LiveServer]]:
    """Start two servers on one data directory."""
    root, data = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("data")
    with (
        run_live_server(root, tmp_path_factory.mktemp("one"), data=data) as one,
        run_live_server(root, tmp_path_factory.mktemp("two"), data=data) as two,
    ):
        yield one, two


def transport(server: LiveServer) -> Transport:
    return Transport(ServerAddress(server.url, server.token), timeout_s=300)


def _add(ask: Callable[..., HttpAnswer], tag: str) -> None:
    """Read, change, and write if nobody else did in between."""
    while True:
        found = ask("GET", ONE).body
        found["metadata"]["tags"].append(tag)
        body = {key: found[key] for key in ("display_name", "schema_name", "metadata")}
        try:
            ask("PUT", ONE, body=body, headers={"If-Match": f'"{found["version"]}"'})
            return
        except RequestFailed as refusal:
            # 503: the file's lock was held too long, or the store was busy; nothing was done.
            if refusal.status not in (412, 503):
                raise


def test_eight_concurrent_writers_lose_no_update(servers: tuple[LiveServer, LiveServer]) -> None:
    maker = transport(servers[0])
    maker.request("POST", f"/schemaspaces/{SPACE}/instances", body=build_snippet(tags=[]) | {"name": "shared"})
    path = servers[0].data / "metadata" / SPACE / "shared.json"
    ended, seen = threading.Event(), []

    def read() -> None:
        while not ended.is_set():
            try:
                seen.append(len(json.loads(path.read_bytes())["metadata"]["tags"]))
            except (OSError, ValueError) as error:
                seen.append(error)
            time.sleep(0)

    def change(number: int) -> None:
        mine = transport(servers[number % 2])
        for at in range(CHANGES):
            _add(mine.request, f"t{number}-{at}")
        mine.close()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with ThreadPoolExecutor(CHANGERS) as threads:
            list(threads.map(change, range(CHANGERS)))
    finally:
        ended.set()
        reader.join()
    found = maker.request("GET", ONE).body
    assert sorted(found["metadata"]["tags"]) == sorted(f"t{n}-{at}" for n in range(CHANGERS) for at in range(CHANGES))
    assert found["version"] == CHANGERS * CHANGES + 1
    assert [one for one in seen if not isinstance(one, int)] == []
    assert seen == sorted(seen)
    assert seen


def test_damaged_files_do_not_hide_valid_instances(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    data = tmp_path / "data"
    folder, chance = data / "metadata" / SPACE, random.Random(7)
    good, bad = [f"good-{number}" for number in range(GOOD)], [f"bad-{number}" for number in range(DAMAGED)]
    for name in (*good, *bad):
        write_file(folder, name, json.dumps(build_snippet(name)))
    for name in bad:
        chance.choice(DAMAGES)(folder / f"{name}.json", chance)
    with run_live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home"), data=data) as server:
        mine = transport(server)
        names, reasons, cursor = [], {}, ""
        while cursor is not None:
            query = urlencode({"limit": 500, "cursor": cursor})
            page = mine.request("GET", f"/schemaspaces/{SPACE}/instances?{query}", timeout_s=120).body
            names += [one["name"] for one in page["instances"] if one["valid"]]
            reasons |= {one["name"]: one["reason"] for one in page["instances"] if not one["valid"]}
            cursor = page["cursor"]
        assert sorted(names) == sorted(good)
        assert sorted(reasons) == sorted(bad)
        assert all(reasons.values())
        listed = server.call("GET", f"elyra/metadata/{SPACE}")[SPACE]
        assert {one["name"] for one in listed} == set(names)
        mine.close()
