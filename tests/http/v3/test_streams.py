"""Events of streams: what is taken, where it is stored, and who wrote (spec LINEAGE-19, LINEAGE-20)."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.identity.names import custom, stream
from jupyter_colophon.http.state import SETTING

CLICKS = "namespaces/shop/streams/clicks"
URN = str(stream("shop", "clicks"))
JSON = {"Content-Type": "application/json"}
TEXT, LINES = {"Content-Type": "text/plain"}, {"Content-Type": "application/x-ndjson"}
PATIENCE_S = 300
#: A test within a UTC day takes no longer.
DAYS_END_S = 180


@pytest.fixture
def within_a_day() -> None:
    """Shortly before midnight (UTC), the next day is waited for."""
    left_s = 86_400 - time.time() % 86_400
    if left_s < DAYS_END_S:
        time.sleep(left_s)


async def written(v3: Any, path: str = CLICKS) -> Path:
    """The folder of a stream's events."""
    return Path((await v3("GET", path)).body["events"])


async def events(folder: Path, count: int) -> list[Any]:
    """The events in the files that everybody may read, once there are so many."""
    found: list[Any] = []
    for _ in range(PATIENCE_S * 10):
        files = sorted(folder.glob("day=*/[!.]*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
        found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        if len(found) >= count:
            break
        await asyncio.sleep(0.1)
    return found


def source(name: str) -> str:
    return str(custom("external", [("namespace", "shop"), ("external", name)]))


async def test_an_event_may_have_any_body(v3: Any, shop: None) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    sent = ((b"User1 bought", form), (b"User2 bought", {"Content-Type": "application/octet-stream"}))
    for body, headers in (*sent, (b'{"page": "a"}', form), (b"\xff\x00", form)):
        answer = await v3("POST", CLICKS, body, headers=headers)
        assert (answer.status, answer.body["stored"]) == (200, True)
    assert (await v3("POST", f"{CLICKS}/async", b"User3 left", headers=form)).status == 202
    assert (await v3("POST", f"{CLICKS}/batch", b'User4 bought\n{"page": "b"}\n', headers=form)).body["events"] == 2
    found = await events(await written(v3), 7)
    assert [one["body"] for one in found] == [
        "User1 bought",
        "User2 bought",
        {"page": "a"},
        "/wA=",
        "User3 left",
        "User4 bought",
        {"page": "b"},
    ]
    assert [one.get("encoding") for one in found] == [None] * 3 + ["base64"] + [None] * 3


async def test_empty_body_is_event_with_empty_text(v3: Any, shop: None) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for headers in (form, TEXT, {}):
        answer = await v3("POST", CLICKS, b"", headers=headers)
        assert (answer.status, answer.body["events"]) == (200, 1), headers
    found = await events(await written(v3), 3)
    assert [one["body"] for one in found] == ["", "", ""]


async def test_events_are_stored_one_a_line_and_say_when_and_from_whom_they_came(v3: Any, shop: None) -> None:
    one = await v3("POST", CLICKS, {"page": "a"})
    assert (one.status, one.body["events"], one.body["stored"]) == (200, 1, True)
    later = await v3("POST", f"{CLICKS}/async", {"page": "b"}, source="web")
    assert later.status == 202
    assert (await v3("POST", CLICKS, "zwölf\n".encode(), headers=TEXT)).status == 200
    many = await v3("POST", f"{CLICKS}/batch", [{"page": "c"}, 4, None])
    assert (many.status, many.body["events"]) == (200, 3)
    await v3("POST", f"{CLICKS}/batch", b"x,1\r\ny,2\n\n", headers=TEXT)
    await v3("POST", f"{CLICKS}/batch", b'{"page": "d"}\n\n{"page": "e"}', headers=LINES)
    folder = await written(v3)
    found = await events(folder, 10)
    assert [one["body"] for one in found] == [
        {"page": "a"},
        {"page": "b"},
        "zwölf\n",
        {"page": "c"},
        4,
        None,
        "x,1",
        "y,2",
        {"page": "d"},
        {"page": "e"},
    ]
    assert [one["source"] for one in found][:3] == [None, "web", None]
    assert all(set(one) == {"timestamp", "source", "body"} and one["timestamp"] > 10**12 for one in found)
    assert {file.stat().st_mode & 0o777 for file in folder.glob("day=*/*")} == {0o600}


async def test_nobody_changes_a_file_that_can_be_seen(v3: Any, shop: None) -> None:
    folder, seen = await written(v3), dict[Path, str]()
    for number in range(30):
        assert (await v3("POST", CLICKS, {"n": number})).status == 200
        for file in folder.glob("day=*/[!.]*"):
            assert seen.setdefault(file, file.read_text()) == file.read_text()
        await asyncio.sleep(0.05)
    assert [one["body"]["n"] for one in await events(folder, 30)] == list(range(30))
    assert len(seen) > 0


REFUSED_EVENTS = [
    ("namespaces/shop/streams/none", {"a": 1}, {}, 404),
    ("namespaces/shop/streams/none", b"{", {}, 404),
    ("namespaces/none/streams/clicks", {"a": 1}, {}, 404),
    ("namespaces/shop/datasets/orders", {"a": 1}, {}, 404),
    ("namespaces/shop/streams/a%2Fb", {"a": 1}, {}, 400),
    ("namespaces/shop/streams/..%2F..%2Fclicks", {"a": 1}, {}, 400),
    (CLICKS, b"{", JSON, 400),
    (CLICKS, b"", JSON, 400),
    (CLICKS, b'{"a": NaN}', JSON, 400),
    (CLICKS, b"\xff", TEXT, 400),
    (CLICKS, b'"' + b"x" * 1_100_000 + b'"', {}, 413),
    (f"{CLICKS}/batch", {"a": 1}, {}, 400),
    (f"{CLICKS}/batch", b'{"a": 1}\n{', LINES, 400),
    (f"{CLICKS}/batch", b"[" + b"1," * 100_001 + b"1]", {}, 413),
    (f"{CLICKS}/other", {"a": 1}, {}, 404),
]


async def test_refused_events_are_not_stored(v3: Any, shop: None) -> None:
    for path, body, headers, status in REFUSED_EVENTS:
        refused = await v3("POST", path, body, headers=headers, source="web")
        assert refused.status == status, refused.body
        folder = await written(v3)
        assert not folder.exists(), (path, body, headers, status)
        assert (await v3("GET", f"{CLICKS}/metadata")).status == 200, (path, body, headers, status)


async def test_a_source_is_named_as_custom_entities_are(v3: Any, shop: None) -> None:
    for wrong in ("\x7f", "ü" * 257):
        assert (await v3("POST", CLICKS, {"a": 1}, source=wrong)).status == 400
    for right in ("web/shop front", "ü,(%)=", "../../etc", ""):
        assert (await v3("POST", CLICKS, {"a": 1}, source=right)).status == 200


@pytest.mark.each_store
async def test_a_stream_and_a_source_are_one_access_a_day_however_many_write(
    within_a_day: None, v3: Any, api: Any, shop: None
) -> None:
    told = [v3("POST", f"{CLICKS}/{way}", {"n": 1}, source="web") for way in ("async",) * 8]
    told += [v3("POST", CLICKS, {"n": 2}, source=name) for name in ("web", "app", "web", "app")]
    assert {one.status for one in await asyncio.gather(*told)} == {200, 202}
    runs = (await api("GET", "runs", params={"program": source("web")}, answers="runs")).body["runs"]
    assert [one["status"] for one in runs] == ["succeeded"]
    assert [(one["data"], one["mode"]) for one in runs[0]["accesses"]] == [(URN, "write")]
    assert runs[0]["start"][:10] == runs[0]["runId"] == runs[0]["end"][:10]
    changes = (await api("GET", "changes", params={"urn": URN}, answers="changes")).body["changes"]
    assert [one["value"]["program"] for one in changes if one["operation"] == "access"] in (
        [source("web"), source("app")],
        [source("app"), source("web")],
    )
    asked = {"urn": URN, "start": "now-1m", "end": "now"}
    graph = (await api("GET", "lineage", params=asked, answers="lineage")).body
    assert {(edge["source"], edge["target"]) for edge in graph["edges"]} == {(source("web"), URN), (source("app"), URN)}


WRITE = """
import threading
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Identity, stream
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.composition import open_catalog
import json, sys
from pathlib import Path
choice = json.loads(sys.argv[1])
catalog = open_catalog(StoreChoice(choice["provider"], choice["options"]), Identity(), events=Path(sys.argv[2]))
gate = threading.Barrier(4)
def write():
    gate.wait()
    for number in range(10):
        catalog.streams.write(stream("shop", "clicks"), lambda: [number], "web", Principal("ada"))
threads = [threading.Thread(target=write) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
catalog.close()
"""


@pytest.mark.each_store
async def test_two_processes_with_threads_add_one_access_and_lose_no_event(
    within_a_day: None, v3: Any, api: Any, shop: None, jp_serverapp: Any
) -> None:
    folder = await written(v3)
    store = jp_serverapp.web_app.settings[SETTING].store
    choice = json.dumps({"provider": store.provider, "options": dict(store.options)})
    arguments = [sys.executable, "-c", WRITE, choice, str(folder.parents[1])]
    others = [subprocess.Popen(arguments, stderr=subprocess.PIPE) for _ in range(2)]
    for number in range(10):
        assert (await v3("POST", CLICKS, number, source="web")).status == 200
    loop = asyncio.get_running_loop()
    for other in others:
        _, said = await loop.run_in_executor(None, other.communicate)
        assert other.returncode == 0, said.decode()
    assert sorted(one["body"] for one in await events(folder, 90)) == sorted(list(range(10)) * 9)
    runs = (await api("GET", "runs", params={"program": source("web")}, answers="runs")).body["runs"]
    assert [len(one["accesses"]) for one in runs] == [1]
    changes = (await api("GET", "changes", params={"urn": URN}, answers="changes")).body["changes"]
    assert [one["operation"] for one in changes].count("access") == 1


async def test_events_of_a_process_that_was_killed_are_shown_without_its_torn_line(v3: Any, shop: None) -> None:
    folder = await written(v3)
    day = folder / "day=2026-01-01"
    day.mkdir(parents=True)
    (day / ".1-a.open").write_bytes(b'{"timestamp":1,"source":null,"body":"whole"}\n{"timestamp":2,"sou')
    (day / ".2-b.open").write_bytes(b'{"timestamp":2')
    assert (await v3("POST", CLICKS, "new")).status == 200
    assert {one["body"] for one in await events(folder, 2)} == {"whole", "new"}
    assert [file.name for file in day.iterdir()] == ["1-a.jsonl"]


async def test_a_stream_that_is_made_anew_has_other_events(v3: Any, shop: None) -> None:
    await v3("POST", CLICKS, "old", source="web")
    before = await written(v3)
    assert (await v3("DELETE", CLICKS)).status == 200
    assert (await v3("POST", CLICKS, "none")).status == 404
    assert (await v3("PUT", CLICKS)).status == 200
    after = await written(v3)
    assert after != before
    await v3("POST", CLICKS, "new", source="web")
    assert [one["body"] for one in await events(after, 1)] == ["new"]
    assert [one["body"] for one in await events(before, 1)] == ["old"]


async def test_what_cannot_be_stored_is_refused_and_leaves_nothing(
    v3: Any, shop: None, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await written(v3)
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.write_text("in the way")
    refused = await v3_failing(v3, CLICKS)
    assert refused == 503
    folder.parent.unlink()
    assert (await v3("POST", CLICKS, 2)).status == 200
    assert [one["body"] for one in await events(folder, 1)] == [2]


async def v3_failing(v3: Any, path: str) -> int:
    """The status of a failure of the store's, which the caller of `v3` takes for a fault."""
    with pytest.raises(AssertionError) as told:
        await v3("POST", path, 1)
    return 503 if "503" in str(told.value) else 0


class TestDropped:
    """Where the setting says so."""

    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any]) -> dict[str, Any]:
        colophon = jp_server_config["Colophon"] | {"store_stream_events": False}
        return {**jp_server_config, "Colophon": colophon}

    async def test_events_are_taken_and_dropped_and_lineage_is_told(self, v3: Any, api: Any, shop: None) -> None:
        taken = await v3("POST", CLICKS, {"a": 1}, source="web")
        assert (taken.status, taken.body["events"], taken.body["stored"]) == (200, 1, False)
        assert (await v3("POST", CLICKS, b"{", headers=JSON)).status == 400
        assert (await v3("GET", CLICKS)).body["events"] is None
        runs = (await api("GET", "runs", params={"program": source("web")}, answers="runs")).body["runs"]
        assert len(runs) == 1
        assert not [thread for thread in threading.enumerate() if thread.name == "colophon-events"]
