"""Events of streams: accepted bodies, files, and lineage of the senders (spec LINEAGE-19, LINEAGE-20)."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.identity.names import make_custom_urn, make_stream_urn
from jupyter_colophon.http.state import SETTING

CLICKS = "namespaces/shop/streams/clicks"
URN = str(make_stream_urn("shop", "clicks"))
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
    """Return the events in the published files, once there are this many."""
    found: list[Any] = []
    for _ in range(PATIENCE_S * 10):
        files = sorted(folder.glob("day=*/[!.]*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
        found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        if len(found) >= count:
            break
        await asyncio.sleep(0.1)
    return found


def source(name: str) -> str:
    return str(make_custom_urn("external", [("namespace", "shop"), ("external", name)]))


async def test_an_event_may_have_any_body(v3: Any, shop: None) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    sent = ((b"User1 bought", form), (b"User2 bought", {"Content-Type": "application/octet-stream"}))
    for body, headers in (*sent, (b'{"page": "a"}', form), (b"\xff\x00", form)):
        answer = await v3("POST", CLICKS, body, headers=headers)
        assert (answer.status, answer.body["stored"]) == (200, True)
    assert (await v3("POST", f"{CLICKS}/async", b"User3 left", headers=form)).status == 202
    assert (await v3("POST", f"{CLICKS}/batch", b'User4 bought\n{"page": "b"}\n', headers=form)).body["events"] == 2
    found = await events(await written(v3), 7)
    assert [event["body"] for event in found] == [
        "User1 bought",
        "User2 bought",
        {"page": "a"},
        "/wA=",
        "User3 left",
        "User4 bought",
        {"page": "b"},
    ]
    assert [event.get("encoding") for event in found] == [None] * 3 + ["base64"] + [None] * 3


async def test_empty_body_is_event_with_empty_text(v3: Any, shop: None) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for headers in (form, TEXT, {}):
        answer = await v3("POST", CLICKS, b"", headers=headers)
        assert (answer.status, answer.body["events"]) == (200, 1), headers
    found = await events(await written(v3), 3)
    assert [event["body"] for event in found] == ["", "", ""]


async def test_events_are_stored_as_lines_with_time_and_sender(v3: Any, shop: None) -> None:
    answer = await v3("POST", CLICKS, {"page": "a"})
    assert (answer.status, answer.body["events"], answer.body["stored"]) == (200, 1, True)
    later = await v3("POST", f"{CLICKS}/async", {"page": "b"}, source="web")
    assert later.status == 202
    assert (await v3("POST", CLICKS, "zwölf\n".encode(), headers=TEXT)).status == 200
    many = await v3("POST", f"{CLICKS}/batch", [{"page": "c"}, 4, None])
    assert (many.status, many.body["events"]) == (200, 3)
    await v3("POST", f"{CLICKS}/batch", b"x,1\r\ny,2\n\n", headers=TEXT)
    await v3("POST", f"{CLICKS}/batch", b'{"page": "d"}\n\n{"page": "e"}', headers=LINES)
    folder = await written(v3)
    found = await events(folder, 10)
    assert [event["body"] for event in found] == [
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
    assert [event["source"] for event in found][:3] == [None, "web", None]
    assert all(set(event) == {"timestamp", "source", "body"} and event["timestamp"] > 10**12 for event in found)
    assert {file.stat().st_mode & 0o777 for file in folder.glob("day=*/*")} == {0o600}


async def test_visible_stream_files_are_immutable(v3: Any, shop: None) -> None:
    folder, seen = await written(v3), dict[Path, str]()
    for number in range(30):
        assert (await v3("POST", CLICKS, {"n": number})).status == 200
        for file in folder.glob("day=*/[!.]*"):
            assert seen.setdefault(file, file.read_text()) == file.read_text()
        await asyncio.sleep(0.05)
    assert [event["body"]["n"] for event in await events(folder, 30)] == list(range(30))
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
async def test_stream_writes_are_one_access_per_source_and_day(
    within_a_day: None, v3: Any, api: Any, shop: None
) -> None:
    reported = [v3("POST", f"{CLICKS}/{way}", {"n": 1}, source="web") for way in ("async",) * 8]
    reported += [v3("POST", CLICKS, {"n": 2}, source=name) for name in ("web", "app", "web", "app")]
    assert {answer.status for answer in await asyncio.gather(*reported)} == {200, 202}
    runs = (await api("GET", "runs", params={"program": source("web")}, answers="runs")).body["runs"]
    assert [run["status"] for run in runs] == ["succeeded"]
    assert [(access["data"], access["mode"]) for access in runs[0]["accesses"]] == [(URN, "write")]
    assert runs[0]["start"][:10] == runs[0]["runId"] == runs[0]["end"][:10]
    changes = (await api("GET", "changes", params={"urn": URN}, answers="changes")).body["changes"]
    assert [change["value"]["program"] for change in changes if change["operation"] == "access"] in (
        [source("web"), source("app")],
        [source("app"), source("web")],
    )
    requested = {"urn": URN, "start": "now-1m", "end": "now"}
    graph = (await api("GET", "lineage", params=requested, answers="lineage")).body
    assert {(edge["source"], edge["target"]) for edge in graph["edges"]} == {(source("web"), URN), (source("app"), URN)}


WRITE = """
import threading
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules, make_stream_urn
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.composition import open_or_create_catalog
import json, sys
from pathlib import Path
choice = json.loads(sys.argv[1])
catalog = open_or_create_catalog(StorageChoice(choice["provider"], choice["options"]), IdentityRules(), events=Path(sys.argv[2]))
gate = threading.Barrier(4)
def write():
    gate.wait()
    for number in range(10):
        catalog.streams.append_events_and_record_run(make_stream_urn("shop", "clicks"), lambda: [number], "web", Principal("ada"))
threads = [threading.Thread(target=write) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
catalog.close()
"""


@pytest.mark.each_store
async def test_concurrent_processes_lose_no_event_and_add_one_access(
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
        _, recorded = await loop.run_in_executor(None, other.communicate)
        assert other.returncode == 0, recorded.decode()
    assert sorted(event["body"] for event in await events(folder, 90)) == sorted(list(range(10)) * 9)
    runs = (await api("GET", "runs", params={"program": source("web")}, answers="runs")).body["runs"]
    assert [len(run["accesses"]) for run in runs] == [1]
    changes = (await api("GET", "changes", params={"urn": URN}, answers="changes")).body["changes"]
    assert [change["operation"] for change in changes].count("access") == 1


async def test_truncated_line_of_a_killed_process_is_skipped(v3: Any, shop: None) -> None:
    folder = await written(v3)
    day = folder / "day=2026-01-01"
    day.mkdir(parents=True)
    (day / ".1-a.open").write_bytes(b'{"timestamp":1,"source":null,"body":"whole"}\n{"timestamp":2,"sou')
    (day / ".2-b.open").write_bytes(b'{"timestamp":2')
    assert (await v3("POST", CLICKS, "new")).status == 200
    assert {event["body"] for event in await events(folder, 2)} == {"whole", "new"}
    assert [file.name for file in day.iterdir()] == ["1-a.jsonl"]


async def test_recreated_stream_has_no_old_events(v3: Any, shop: None) -> None:
    await v3("POST", CLICKS, "old", source="web")
    before = await written(v3)
    assert (await v3("DELETE", CLICKS)).status == 200
    assert (await v3("POST", CLICKS, "none")).status == 404
    assert (await v3("PUT", CLICKS)).status == 200
    after = await written(v3)
    assert after != before
    await v3("POST", CLICKS, "new", source="web")
    assert [event["body"] for event in await events(after, 1)] == ["new"]
    assert [event["body"] for event in await events(before, 1)] == ["old"]


async def test_unstorable_event_is_refused_without_a_trace(
    v3: Any, shop: None, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await written(v3)
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.write_text("in the way")
    refused = await v3_failing(v3, CLICKS)
    assert refused == 503
    folder.parent.unlink()
    assert (await v3("POST", CLICKS, 2)).status == 200
    assert [event["body"] for event in await events(folder, 1)] == [2]


async def v3_failing(v3: Any, path: str) -> int:
    """The status of a failure of the store's, which the caller of `v3` takes for a fault."""
    with pytest.raises(AssertionError) as reported:
        await v3("POST", path, 1)
    return 503 if "503" in str(reported.value) else 0


class TestDropped:
    """With `store_stream_events` switched off."""

    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any]) -> dict[str, Any]:
        colophon = jp_server_config["Colophon"] | {"store_stream_events": False}
        return {**jp_server_config, "Colophon": colophon}

    async def test_pipeline_reads_a_stream_and_reports_lineage(self, v3: Any, api: Any, shop: None) -> None:
        taken = await v3("POST", CLICKS, {"a": 1}, source="web")
        assert (taken.status, taken.body["events"], taken.body["stored"]) == (200, 1, False)
        assert (await v3("POST", CLICKS, b"{", headers=JSON)).status == 400
        assert (await v3("GET", CLICKS)).body["events"] is None
        runs = (await api("GET", "runs", params={"program": source("web")}, answers="runs")).body["runs"]
        assert len(runs) == 1
        assert not [thread for thread in threading.enumerate() if thread.name == "colophon-events"]
