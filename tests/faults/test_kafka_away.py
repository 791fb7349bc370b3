"""Kafka goes away in the middle of writes and stays away; then it is back, and the relay is killed as it catches up."""

import json
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from faults.size import sized
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import sqlite_file
from jupyter_colophon.service.changes.sinks import states
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.sinks import follower
from support.catalog import ADA, say
from support.kafka.broker import Broker
from support.kafka.heard import Heard, Listener, listening
from support.relaying import relaying
from support.urns import table

URNS = [table(f"t{n}") for n in range(sized(5, 50))]
ROUNDS, AWAY_S = sized(40, 400), sized(4, 300)
TOPIC = "MetadataChangeLog_Versioned_v1"


@dataclass
class Writer:
    """Has each entity say a number after the other, over a time, and the second half of them when Kafka is gone at
    the earliest; notes how long each write took."""

    catalog: Catalog
    over_s: float
    gone: threading.Event = field(default_factory=threading.Event)
    took: list[float] = field(default_factory=list)
    done: int = 0

    def work(self) -> None:
        begin, total = time.monotonic(), ROUNDS * len(URNS)
        for number in range(ROUNDS):
            if number == ROUNDS // 2:
                self.gone.wait(300)
            for urn in URNS:
                at = time.monotonic()
                say(self.catalog, urn, {"number": str(number)})
                self.took.append(time.monotonic() - at)
                self.done += 1
                time.sleep(max(0.0, begin + self.over_s * self.done / total - time.monotonic()))


def test_while_kafka_is_away_nothing_waits_and_nothing_is_lost(tmp_path: Path) -> None:
    catalog, store = open_catalog(sqlite_file(tmp_path / "store.db"), Identity()), sqlite_file(tmp_path / "store.db")
    broker = Broker(tmp_path / "node")
    broker.start()
    told = {"kafka": {"kind": "kafka", "servers": broker.servers, "lease_s": 10, "retry_delay_s": 0.5, "server": False}}
    try:
        with relaying(tmp_path / "a", store, sinks=told) as relay, listening(broker.servers, [TOPIC]) as listener:
            until_begun(catalog)
            before = catalog.feed.head()
            writer = Writer(catalog, AWAY_S * 1.05)
            thread = threading.Thread(target=writer.work)
            thread.start()
            listener.wait(lambda heard: len(heard) >= 20)
            broker.kill()
            left = writer.done
            writer.gone.set()
            time.sleep(AWAY_S)
            written = writer.done - left
            broker.start()
            back = time.monotonic()
            thread.join()
            # It catches up, and is killed at that; another goes on.
            listener.wait(lambda heard: len(heard) >= left + 10)
            relay.kill()
            with relaying(tmp_path / "b", store, sinks=told):
                expected = logged(catalog, before)
                heard_all(listener, set(expected))
                until_caught_up(catalog)
                lag_s = time.monotonic() - back
        found = judged(listener.heard, expected)
        assert found["lost"] == found["order faults"] == found["other content"] == 0
        assert written > 0
        report(found, writer, written, lag_s)
    finally:
        broker.stop()
        catalog.close()


def until_begun(catalog: Catalog) -> None:
    while not catalog.provider.tx_runner.run(lambda tx: cursors.read(tx, follower("kafka")), read_only=True):
        time.sleep(0.05)


def until_caught_up(catalog: Catalog) -> None:
    while states(catalog.provider, ["kafka"])[0].behind:
        time.sleep(0.05)


def logged(catalog: Catalog, after: int) -> dict[int, str]:
    """The changes that are to be heard: their numbers, and of which entity they are."""
    found: dict[int, str] = {}
    while changes := catalog.feed.changes(after, 500, {}, ADA):
        found |= {one.seq: one.urn for one in changes if one.aspect is not None}
        after = changes[-1].seq
    return found


def seq(one: Heard) -> int:
    return int(one.event.split("-")[1])


def heard_all(listener: Listener, expected: set[int]) -> None:
    seen: set[int] = set()
    at = 0

    def fits(heard: Sequence[Heard]) -> bool:
        nonlocal at
        seen.update(seq(one) for one in heard[at:])
        at = len(heard)
        return expected <= seen

    listener.wait(fits, 300)


def judged(heard: Sequence[Heard], expected: dict[int, str]) -> dict[str, int]:
    """What was lost, came twice, came out of order when it came first, or came twice with other content."""
    contents: dict[str, set[str]] = defaultdict(set)
    orders: dict[str, list[int]] = defaultdict(list)
    for one in heard:
        if one.event not in contents:
            orders[one.key].append(seq(one))
        contents[one.event].add(json.dumps(one.value, sort_keys=True))
    first: Counter[str] = Counter()
    first["changes"] = len(expected)
    first["entities"] = len({expected[one] for one in expected} & set(URNS))
    first["lost"] = len(expected.keys() - {seq(one) for one in heard})
    first["heard twice"] = len(heard) - len(contents)
    first["order faults"] = sum(a > b for found in orders.values() for a, b in pairwise(found))
    first["other content"] = sum(len(found) > 1 for found in contents.values())
    return dict(first)


def report(told: dict[str, Any], writer: Writer, written: int, lag_s: float) -> None:
    took = sorted(writer.took)
    told["written while Kafka was away"] = written
    told["median write, ms"] = round(1_000 * took[len(took) // 2], 1)
    told["99th percentile, ms"] = round(1_000 * took[len(took) * 99 // 100], 1)
    told["seconds from its return to lag 0"] = round(lag_s, 1)
    sys.stdout.write("".join(f"{name}: {value}\n" for name, value in told.items()))
