"""Kafka becomes unavailable during writes and comes back later; then the relay is killed while it catches up."""

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
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.service.changes.sinks import read_sink_states
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.sinks import get_follower_name_of_sink
from support.catalog import ADA, write_metadata
from support.kafka.broker import Broker
from support.kafka.topic_listener import TopicListener, TopicRecord, open_topic_listener
from support.relay_process import start_relay_process
from support.urns import build_table_urn

URNS = [build_table_urn(f"t{n}") for n in range(sized(5, 50))]
ROUNDS, OUTAGE_S = sized(40, 400), sized(4, 300)
TOPIC = "MetadataChangeLog_Versioned_v1"


@dataclass
class Writer:
    """Writes increasing numbers to each entity over a time, the second half after Kafka is gone; records the time of
    each write.
    """

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
                write_metadata(self.catalog, urn, {"number": str(number)})
                self.took.append(time.monotonic() - at)
                self.done += 1
                time.sleep(max(0.0, begin + self.over_s * self.done / total - time.monotonic()))


def test_kafka_outage_blocks_no_write_and_loses_no_change(tmp_path: Path) -> None:
    catalog, store = (
        open_or_create_catalog(choose_sqlite_store(tmp_path / "store.db"), IdentityRules()),
        choose_sqlite_store(tmp_path / "store.db"),
    )
    broker = Broker(tmp_path / "node")
    broker.start()
    sinks = {
        "kafka": {
            "kind": "kafka",
            "servers": broker.servers,
            "lease_seconds": 10,
            "retry_delay_seconds": 0.5,
            "server": False,
        }
    }
    try:
        with (
            start_relay_process(tmp_path / "a", store, sinks=sinks) as relay,
            open_topic_listener(broker.servers, [TOPIC]) as listener,
        ):
            wait_until_started(catalog)
            before = catalog.feed.read_newest_change_number()
            writer = Writer(catalog, OUTAGE_S * 1.05)
            thread = threading.Thread(target=writer.work)
            thread.start()
            listener.wait_for_records(lambda received: len(received) >= 20)
            broker.kill()
            left = writer.done
            writer.gone.set()
            time.sleep(OUTAGE_S)
            written = writer.done - left
            broker.start()
            back = time.monotonic()
            thread.join()
            # It catches up and is killed meanwhile; another relay continues.
            listener.wait_for_records(lambda received: len(received) >= left + 10)
            relay.kill()
            with start_relay_process(tmp_path / "b", store, sinks=sinks):
                expected = read_log(catalog, before)
                wait_for_changes(listener, set(expected))
                wait_until_caught_up(catalog)
                lag_s = time.monotonic() - back
        found = count_errors(listener.received, expected)
        assert found["lost"] == found["order errors"] == found["other content"] == 0
        assert written > 0
        report(found, writer, written, lag_s)
    finally:
        broker.stop()
        catalog.close()


def wait_until_started(catalog: Catalog) -> None:
    while not catalog.provider.tx_runner.run(
        lambda tx: cursors.find_follower_row(tx, get_follower_name_of_sink("kafka")), read_only=True
    ):
        time.sleep(0.05)


def wait_until_caught_up(catalog: Catalog) -> None:
    while read_sink_states(catalog.provider, ["kafka"])[0].undelivered:
        time.sleep(0.05)


def read_log(catalog: Catalog, after: int) -> dict[int, str]:
    """Return the expected changes: their numbers and entities."""
    found: dict[int, str] = {}
    while changes := catalog.feed.read_visible_changes(after, 500, {}, ADA):
        found |= {one.seq: one.urn for one in changes if one.aspect is not None}
        after = changes[-1].seq
    return found


def get_seq(one: TopicRecord) -> int:
    return int(one.event.split("-")[1])


def wait_for_changes(listener: TopicListener, expected: set[int]) -> None:
    seen: set[int] = set()
    at = 0

    def fits(received: Sequence[TopicRecord]) -> bool:
        nonlocal at
        seen.update(get_seq(one) for one in received[at:])
        at = len(received)
        return expected <= seen

    listener.wait_for_records(fits, 300)


def count_errors(received: Sequence[TopicRecord], expected: dict[int, str]) -> dict[str, int]:
    """Count the changes that were lost, repeated, out of order at first delivery, or repeated with other content."""
    contents: dict[str, set[str]] = defaultdict(set)
    orders: dict[str, list[int]] = defaultdict(list)
    for one in received:
        if one.event not in contents:
            orders[one.key].append(get_seq(one))
        contents[one.event].add(json.dumps(one.value, sort_keys=True))
    first: Counter[str] = Counter()
    first["changes"] = len(expected)
    first["entities"] = len({expected[one] for one in expected} & set(URNS))
    first["lost"] = len(expected.keys() - {get_seq(one) for one in received})
    first["repeated"] = len(received) - len(contents)
    first["order errors"] = sum(a > b for found in orders.values() for a, b in pairwise(found))
    first["other content"] = sum(len(found) > 1 for found in contents.values())
    return dict(first)


def report(figures: dict[str, Any], writer: Writer, written: int, lag_s: float) -> None:
    took = sorted(writer.took)
    figures["written while Kafka was unavailable"] = written
    figures["median write, ms"] = round(1_000 * took[len(took) // 2], 1)
    figures["99th percentile, ms"] = round(1_000 * took[len(took) * 99 // 100], 1)
    figures["seconds from its return to lag 0"] = round(lag_s, 1)
    sys.stdout.write("".join(f"{name}: {value}\n" for name, value in figures.items()))
