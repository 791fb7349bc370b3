"""A repeated write with the same idempotency key takes effect once (spec WRITE-9)."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.changes.idempotency import KEPT_MS, IdempotencyKey
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, IdempotencyKeyReused
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, RunChange, RunStart
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult, WriteCondition
from support.catalog import ADA, build_metadata_value, open_catalog_file, write_metadata, write_numbered_version
from support.process import start_script_process
from support.urns import CELL, ORDERS

ORDERS_URN = Urn.parse(ORDERS)
KILLS = 5
#: Writes one version after the other, each with its own key, and prints each when it is done.
WRITER = """
from pathlib import Path
from support.catalog import write_numbered_version, open_catalog_file
catalog = open_catalog_file(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**9):
    write_numbered_version(catalog, number)
    print(number, flush=True)
"""


#: Writes a number of versions, each with its own key.
SENDER = """
from pathlib import Path
from support.catalog import write_numbered_version, open_catalog_file
catalog = open_catalog_file(Path(sys.argv[1]))
for number in range(40):
    write_numbered_version(catalog, number)
catalog.close()
"""


def proposed(catalog: Catalog, proposal: Proposal, key: str, fingerprint: str = "f") -> ProposalResult:
    (done,) = catalog.write_path.apply_proposals_atomically(
        [proposal], ADA, idempotency_key=IdempotencyKey("ada", key, fingerprint)
    )
    return done


def versions(catalog: Catalog) -> list[int]:
    history, _ = catalog.reader.list_aspect_versions(ORDERS_URN, "technicalMetadata", 500, "", ADA)
    return [one.version for one in history]


def test_hundred_threads_with_one_key_write_once(catalog: Catalog) -> None:
    write_metadata(catalog)
    proposal = Proposal(ORDERS_URN, "businessMetadata", "create", build_metadata_value({"owner": "ops"}))
    results: list[ProposalResult] = []
    threads = [threading.Thread(target=lambda: results.append(proposed(catalog, proposal, "k"))) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 100
    assert set(results) == {results[0]}
    changes = catalog.feed.read_visible_changes(0, 100, {"urn": ORDERS}, ADA)
    assert [one.aspect for one in changes].count("businessMetadata") == 1


def test_repeated_request_returns_first_result_despite_stale_condition(catalog: Catalog) -> None:
    write_metadata(catalog)
    wish = Proposal(
        ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value({"a": "b"}), WriteCondition(version=1)
    )
    first = proposed(catalog, wish, "k")
    write_metadata(catalog, properties={"by": "somebody else"})
    assert proposed(catalog, wish, "k") == first
    with pytest.raises(ConditionFailed):
        proposed(catalog, wish, "another")
    assert versions(catalog) == [3, 2, 1]


def test_refused_write_stores_no_key(catalog: Catalog) -> None:
    write_metadata(catalog)
    wish = Proposal(ORDERS_URN, "technicalMetadata", "create", build_metadata_value({"a": "b"}))
    with pytest.raises(AlreadyExists):
        proposed(catalog, wish, "k")
    catalog.write_path.apply_proposals_atomically([Proposal(ORDERS_URN, "technicalMetadata", "delete")], ADA)
    assert proposed(catalog, wish, "k", "with another body").version == 3
    with pytest.raises(IdempotencyKeyReused):
        proposed(catalog, wish, "k")


def test_repeated_request_returns_run_as_first_written(catalog: Catalog) -> None:
    path, start = catalog.write_path, RunStart(Urn.parse(CELL), "r1", 1_000)
    access = [Access(ORDERS_URN, "read", time=1_500)]
    writes: list[Callable[[IdempotencyKey | None], Any]] = [
        lambda once: path.start_run(start, ADA, once),
        lambda once: path.record_run_accesses(run.urn, access, [], ADA, once),
        lambda once: path.update_run(run.urn, RunChange("succeeded", 2_000, {"n": 1}), ADA, once),
    ]
    run = writes[0](IdempotencyKey("ada", "0", "f"))
    runs = [run, *(write(IdempotencyKey("ada", str(at), "f")) for at, write in enumerate(writes[1:], 1))]
    assert run.name == "shop.ipynb#a1"
    assert [one.status for one in runs] == ["running", "running", "succeeded"]
    assert [len(one.accesses) for one in runs] == [0, 1, 1]
    assert [write(IdempotencyKey("ada", str(at), "f")) for at, write in enumerate(writes)] == runs


def test_key_expires_after_a_day(catalog: Catalog) -> None:
    first = catalog.write_path.now()
    times = {"now": first}
    path = replace(catalog.write_path, now=lambda: times["now"])
    wish = Proposal(ORDERS_URN, "technicalMetadata", "patch", {"properties": {"a": "b"}})

    def written(key: str, fingerprint: str = "f") -> bool:
        return path.apply_proposals_atomically([wish], ADA, idempotency_key=IdempotencyKey("ada", key, fingerprint))[
            0
        ].has_changed

    assert written("0")
    for number in range(1, 200):
        assert not written(str(number))
    times["now"] += KEPT_MS
    assert written("0")  # the first result is returned
    times["now"] += 1
    assert not written("0", "of something else")
    for number in range(200, 400):
        written(str(number))
    kept = catalog.provider.tx_runner.run(lambda tx: tx.get_table("idempotency_results").count(), read_only=True)
    assert kept == 201


def test_processes_with_same_keys_write_once(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    with start_script_process(SENDER, str(path)) as a, start_script_process(SENDER, str(path)) as b:
        for process in (a, b):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    catalog = open_catalog_file(path)
    assert [write_numbered_version(catalog, number).version for number in range(40)] == list(range(1, 41))
    assert len(versions(catalog)) == 40
    catalog.close()


def test_killed_writer_that_repeats_has_written_once(tmp_path: Path) -> None:
    path, number = tmp_path / "colophon.db", 0
    for kill in range(KILLS):
        with start_script_process(WRITER, str(path), str(number)) as writer:
            assert writer.stdout is not None
            for _ in range(1 + kill):
                number = int(writer.stdout.readline())
            os.kill(writer.pid, signal.SIGKILL)
            for line in writer.stdout:
                number = int(line)
        # It is unknown whether the next one was written.
        catalog = open_catalog_file(path)
        write_numbered_version(catalog, number + 1)
        for done in range(number + 2):
            assert write_numbered_version(catalog, done).version == done + 1
        assert versions(catalog)[0] == number + 2
        catalog.close()
        number += 2
