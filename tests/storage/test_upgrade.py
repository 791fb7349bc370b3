"""A catalog written at commit e8b857e is opened by this version, and all of it can be read (spec STORE-21).

The two dumps in `support/old_catalogs.py` are of one catalog with rows in nearly every table, written on SQLite and on PostgreSQL.
"""

import json
import signal
import sqlite3
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StoreTooNew, UnsupportedStore
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_run_urn
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.core.search.search import SearchRequest, ValuesRequest
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.maintenance import open_store_for_maintenance
from jupyter_colophon.operations.problems import PREFIX, render_rejection_as_problem
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.changes import consumed_offsets, schedules, sinks
from jupyter_colophon.storage.migrations.runner import (
    NAME,
    MigrationProgress,
    read_migration_progress,
    write_migration_progress,
)
from jupyter_colophon.storage.search.index import REMOVED
from jupyter_colophon.storage.spi import Range, TableContext
from jupyter_colophon.storage.sqlite.compressed_texts import decode_compressed_text
from support.catalog import ADA, list_hit_names, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.old_catalogs import OLD
from support.process import start_script_process
from support.stores import STORES
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, build_file_urn, build_table_urn
from support.waiting import wait_for

BOB = Principal("bob", None, frozenset({"read", "annotate", "emit"}))
#: The number of rows in the tables that are not derived, by their present names.
ROWS = {
    "entities": 25,
    "aspects": 77,
    "aspect_versions": 89,
    "timeseries": 2,
    "containment": 1,
    "runs": 4,
    "accesses": 6,
    "snapshots": 12,
    "column_edges": 1,
    "column_runs": 1,
    "openlineage": 4,
    "openlineage_names": 6,
    "dead_letters": 3,
    "failures": 2,
    "consumed_offsets": 1,
    "cursors": 2,
    "sink_states": 1,
    "redeliveries": 1,
    "loads": 1,
    "load_rejections": 2,
    "schedules": 1,
}
#: Opens a catalog, and kills itself during the migration.
DYING = """
import os, signal
from pathlib import Path
from jupyter_colophon.storage.migrations import version_1
from support.catalog import open_catalog_file
version_1.delete_some_counters = lambda tx, after: os.kill(os.getpid(), signal.SIGKILL)
open_catalog_file(Path(sys.argv[1]))
"""


@pytest.fixture(params=list(OLD))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageChoice]:
    """Create a store with the catalog of e8b857e."""
    with OLD[request.param](tmp_path) as choice:
        yield choice


@pytest.fixture(params=list(STORES))
def choice(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageChoice]:
    """Create an empty store."""
    with STORES[request.param](tmp_path) as created:
        yield created


@pytest.fixture(scope="module", params=list(OLD))
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Catalog]:
    """Open the same catalog for tests that only read."""
    with OLD[request.param](tmp_path_factory.mktemp("upgraded")) as choice:
        catalog = open_or_create_catalog(choice, IdentityRules())
        yield catalog
        catalog.close()


def _read(catalog: Catalog, work: Any) -> Any:
    return catalog.provider.tx_runner.run(work, read_only=True)


def test_no_row_is_lost_and_no_check_fails(old: StorageChoice) -> None:
    catalog = open_or_create_catalog(old, IdentityRules())
    catalog.inbox.stop_thread()
    counts = _read(catalog, lambda tx: {name: tx.get_table(name).count() for name in ROWS})
    grown = {"entities": 26, "aspects": 80, "aspect_versions": 92}
    # The pending batch of the inbox was applied: a dataset with its key and one aspect, and that of its platform.
    assert {name: count for name, count in counts.items() if name not in grown} == {
        name: count for name, count in ROWS.items() if name not in grown
    }
    assert all(counts[name] >= ROWS[name] for name in grown)
    assert list_integrity_issues(create_maintenance(catalog)) == []
    assert sorted(catalog.provider.table_admin.list()) == sorted(spec.id for spec in tables.ALL)
    catalog.close()


class TestReading:
    def test_search_keys_and_counts_after_upgrade(self, upgraded: Catalog) -> None:
        answer = search_catalog(upgraded, "tags:gold")
        assert list_hit_names(answer) == ["orders"]
        assert ("gold", 1) in answer.facets["tag"]
        assert [count for _, count in answer.facets["platform"]] == [1]
        assert list_hit_names(search_catalog(upgraded, "owner:sre")) == ["orders"]
        assert sorted(list_hit_names(search_catalog(upgraded, "source:*"))) == ["orders", "report"]
        assert list_hit_names(search_catalog(upgraded, "second")) == ["twice"]
        assert [list_hit_names(search_catalog(upgraded, word)) for word in ("first", "nobody", "tags:secret")] == [
            [],
            [],
            [],
        ]
        hidden = upgraded.searcher.search_page_of_hits(SearchRequest("tags:secret", removed=True), ADA)
        assert list_hit_names(hidden) == ["hidden"]
        values, _ = upgraded.keys.list_values_with_counts(ValuesRequest("source", ""), 10, ADA)
        assert values == [("orders", 1), ("till", 1)]

    def test_history_and_timeseries_after_upgrade(self, upgraded: Catalog) -> None:
        history, _ = upgraded.reader.list_aspect_versions(Urn.parse(ORDERS), "technicalMetadata", 9, "", ADA)
        assert [version.value["properties"]["owner"] for version in history] == ["Grace", "Ada"]
        twice, _ = upgraded.reader.list_aspect_versions(
            Urn.parse(build_table_urn("twice")), "technicalMetadata", 9, "", ADA
        )
        assert [version.version for version in twice] == [3]
        assert upgraded.reader.read_current_aspect(Urn.parse(ORDERS), "businessMetadata", ADA).actor == "bob"

    def test_runs_keep_their_facts_except_cell_source(self, upgraded: Catalog) -> None:
        run = upgraded.runs.read_visible_run(str(make_run_urn(Urn.parse(CELL), "run-1")), ADA)
        assert dict(run.facts) == {"cellId": "a1", "sourceHash": "sha256:1f", "executionCount": 3}
        assert [(item.data, item.mode) for item in run.accesses] == [(ORDERS, "read"), (REPORT, "write")]
        assert upgraded.runs.read_visible_run(str(make_run_urn(Urn.parse(NOTEBOOK), "run-2")), ADA).facts == {
            "source": "the till"
        }

        def stored_results(tx: TableContext) -> list[bytes]:
            return [zlib.decompress(row["result"]) for row in tx.get_table("idempotency_results").scan(Range())]

        assert [b"hunter2" in item for item in _read(upgraded, stored_results)] == [False]

    def test_lineage_and_columns_after_upgrade(self, upgraded: Catalog) -> None:
        lineage = upgraded.lineage.read_lineage(LineageRequest(Urn.parse(REPORT), levels=3, columns=True), ADA)
        load = "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,sales),flows.load)"
        assert {ORDERS, REPORT, CELL, load, build_file_urn("/data/raw/orders.csv")} <= {
            node.urn for node in lineage.nodes
        }
        assert [(edge.source_field, edge.target_field) for edge in lineage.columns] == [("price", "total")]

    def test_openlineage_data_after_upgrade(self, upgraded: Catalog) -> None:
        job = upgraded.marquez.read_job_or_dataset("job", OriginalName("airflow", "daily.load"), ADA)
        assert job.facets["sql"]["query"] == "select 1"
        bills = upgraded.marquez.read_job_or_dataset("dataset", OriginalName("file", "/data/bills"), ADA)
        assert bills.facets["storage"]["storageLayer"] == "delta"

    def test_dead_letters_and_refusals_after_upgrade(self, upgraded: Catalog) -> None:
        letters, _ = upgraded.dead_letters.list_visible_page("", 10, "", ADA)
        problems = [
            (item.kind, render_rejection_as_problem(item.refusal)["type"].removeprefix(PREFIX)) for item in letters
        ]
        assert sorted(problems) == [
            ("openlineage", "invalid-value"),
            ("proposals", "already-exists"),
            ("proposals", "condition-failed"),
        ]
        rows, _ = upgraded.loads.list_rejected_rows("night", 10, "", ADA)
        assert [render_rejection_as_problem(item.row.refusal)["status"] for item in rows] == [409, 400]
        load = upgraded.loads.read_load_of_principal("night", ADA)
        assert (load.state, load.written, load.refused) == ("committed", 1, 2)
        entries = _read(upgraded, lambda tx: [row["id"] for row in tx.get_table("inbox").scan(Range())])

        def list_states() -> list[str]:
            return [upgraded.inbox.require_visible_entry(number, ADA).state for number in entries]

        # The thread of the inbox applies the batch that was pending.
        states = wait_for(list_states, lambda states: "pending" not in states)
        assert states.count("rejected") == 2
        assert set(states) == {"applied", "rejected"}

    def test_cursors_and_offsets_after_upgrade(self, upgraded: Catalog) -> None:
        place = consumed_offsets.MessagePosition("MetadataChangeProposal_v1", 0, 41)
        assert _read(upgraded, lambda tx: consumed_offsets.is_consumed(tx, place))
        assert not _read(upgraded, lambda tx: consumed_offsets.is_consumed(tx, replace(place, offset=42)))
        sink = _read(upgraded, lambda tx: sinks.read_sink_state(tx, "audit"))
        assert (sink.attempts, sink.problem, sink.lost) == (2, "HTTP 500", 1)
        positions = _read(
            upgraded, lambda tx: {row["name"]: row["seq"] for row in tx.get_table("cursors").scan(Range())}
        )
        assert positions == {"sink:audit": 5, "listener:mirror": 106}
        assert _read(upgraded, lambda tx: schedules.read_schedule_states(tx)["nightly"].due) == 9_000

    def test_changes_after_upgrade(self, upgraded: Catalog) -> None:
        changes = upgraded.feed.read_visible_changes(0, 1_000, {}, ADA)
        assert [change.seq for change in changes] == list(range(1, len(changes) + 1))
        assert len(changes) >= 106


def test_documents_of_softly_deleted_entities_are_marked(choice: StorageChoice) -> None:
    catalog = open_or_create_catalog(choice, IdentityRules())
    for urn in (ORDERS, REPORT):
        write_metadata(catalog, urn, {"owner": "ops"})
    catalog.write_path.apply_proposals_atomically(
        [Proposal(Urn.parse(ORDERS), "status", "upsert", {"removed": True})], ADA
    )

    def restore_version_1(tx: TableContext) -> None:
        documents = tx.search.read_documents_after("", 100)
        tx.search.put_documents(*(replace(item, terms=item.terms - {REMOVED}) for item in documents))
        write_migration_progress(tx, MigrationProgress(1))

    catalog.provider.tx_runner.run(restore_version_1)
    catalog.close()
    catalog = open_or_create_catalog(choice, IdentityRules())
    assert list_hit_names(search_catalog(catalog, "owner:ops")) == ["report"]
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()


def test_texts_of_documents_are_compressed(tmp_path: Path) -> None:
    file = tmp_path / "colophon.db"
    catalog = open_or_create_catalog(choose_sqlite_store(file), IdentityRules())
    for urn in (ORDERS, REPORT):
        write_metadata(catalog, urn, {"owner": "ops"})
    catalog.provider.tx_runner.run(lambda tx: write_migration_progress(tx, MigrationProgress(2)))
    catalog.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.create_function("decode_compressed_text", 1, decode_compressed_text)
        connection.execute("UPDATE search_texts SET words = decode_compressed_text(words)")
    before = file.read_bytes().count(b" dataset ")
    catalog = open_or_create_catalog(choose_sqlite_store(file), IdentityRules())
    assert sorted(list_hit_names(search_catalog(catalog, "owner:ops"))) == ["orders", "report"]
    assert list_integrity_issues(create_maintenance(catalog)) == []
    # The words of the text that was compressed later are deleted with it.
    write_metadata(catalog, ORDERS, {"owner": "sales"}, version=1)
    assert list_hit_names(search_catalog(catalog, "owner:ops")) == ["report"]
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.provider.reclaim_space()
    catalog.close()
    assert before > 0 == file.read_bytes().count(b" dataset ")


def test_pages_of_texts_that_become_smaller_are_freed(tmp_path: Path) -> None:
    file = tmp_path / "colophon.db"
    catalog = open_or_create_catalog(choose_sqlite_store(file), IdentityRules())
    write_metadata(catalog, ORDERS, {"owner": "ops"})
    document = catalog.provider.tx_runner.run(lambda tx: tx.search.read_documents_after("", 1))[0]
    # Two uncompressed texts fill a page.
    texts = [
        replace(document, urn=f"{ORDERS}{number}", words=frozenset({f"{number}" * 600})) for number in range(100, 500)
    ]
    catalog.provider.tx_runner.run(lambda tx: tx.search.put_documents(*texts))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.create_function("decode_compressed_text", 1, decode_compressed_text)
        connection.execute("UPDATE search_texts SET words = decode_compressed_text(words)")
    before = int(catalog.provider.describe_store()["freeBytes"])
    catalog.provider.tx_runner.run(lambda tx: tx.search.put_documents(*texts))
    catalog.close()
    reopened = open_or_create_catalog(choose_sqlite_store(file), IdentityRules())
    assert int(reopened.provider.describe_store()["freeBytes"]) - before > 500_000
    reopened.close()


def test_what_a_search_reads_of_matches_is_written(tmp_path: Path) -> None:
    file = tmp_path / "colophon.db"
    catalog = open_or_create_catalog(choose_sqlite_store(file), IdentityRules())
    for urn in (ORDERS, REPORT, CELL):
        write_metadata(catalog, urn, {"owner": "ops"})
    before = search_catalog(catalog, "owner:ops")
    catalog.provider.tx_runner.run(lambda tx: write_migration_progress(tx, MigrationProgress(5)))
    catalog.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        rows = connection.execute("SELECT * FROM search_entries ORDER BY id").fetchall()
        connection.execute("DROP INDEX search_entries_for_matches")
        for column in ("group_number", "name_bits"):
            connection.execute(f"ALTER TABLE search_entries DROP COLUMN {column}")
    catalog = open_or_create_catalog(choose_sqlite_store(file), IdentityRules())
    assert search_catalog(catalog, "owner:ops") == before
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute("SELECT * FROM search_entries ORDER BY id").fetchall() == rows


def test_killed_migration_is_resumed_by_concurrent_processes(tmp_path: Path) -> None:
    with OLD["sqlite"](tmp_path) as choice:
        path = tmp_path / "colophon.db"
        with start_script_process(DYING, str(path)) as dying:
            assert dying.wait(timeout=300) == -signal.SIGKILL
        store = providers.open_complete_provider(choice)
        assert store.tx_runner.run(read_migration_progress).place != ""
        store.close()
        with ThreadPoolExecutor(3) as threads:
            catalogs = list(
                threads.map(lambda _: open_or_create_catalog(choice, IdentityRules()), range(3), timeout=300)
            )
        for catalog in catalogs:
            assert list_hit_names(search_catalog(catalog, "tags:gold")) == ["orders"]
            assert catalog.provider.tx_runner.run(read_migration_progress) == MigrationProgress(6)
        assert write_metadata(catalogs[0], ORDERS, {"owner": "Mary"}, version=2).version == 3
        assert list_integrity_issues(create_maintenance(catalogs[0])) == []
        for catalog in catalogs:
            catalog.close()


def _set(choice: StorageChoice, name: str, value: bytes | None) -> None:
    """Write or delete a row of a store's settings."""

    def work(tx: TableContext) -> None:
        table = tx.get_table("settings")
        table.delete((name,)) if value is None else table.upsert({"name": name, "value": value})

    store = providers.open_complete_provider(choice)
    store.tx_runner.run(work)
    store.close()


@pytest.mark.parametrize("value", [b'{"done": 6, "place": ""}', b'{"done": 9, "place": ""}', b"{}", None])
def test_catalog_of_unsupported_version_is_refused_and_unchanged(old: StorageChoice, value: bytes | None) -> None:
    _set(old, "migrations", value)
    store = providers.open_complete_provider(old)
    before = store.table_admin.list()
    with pytest.raises(UnsupportedStore, match="export the catalog with the version that wrote it"):
        open_or_create_catalog(old, IdentityRules())
    assert store.table_admin.list() == before
    assert store.tx_runner.run(lambda tx: tx.get_table("settings").read((NAME,))) is None
    store.close()


def test_catalog_of_newer_version_is_refused_and_unchanged(old: StorageChoice) -> None:
    open_or_create_catalog(old, IdentityRules()).close()
    _set(old, NAME, json.dumps({"version": 99, "place": ""}).encode())
    store = providers.open_complete_provider(old)
    before = store.get_data_version()
    with pytest.raises(StoreTooNew):
        open_or_create_catalog(old, IdentityRules())
    assert store.get_data_version() == before
    store.close()


def test_new_catalog_has_the_newest_version(tmp_path: Path) -> None:
    catalog = open_or_create_catalog(choose_sqlite_store(tmp_path / "new.db"), IdentityRules())
    assert catalog.provider.tx_runner.run(read_migration_progress) == MigrationProgress(6)
    catalog.close()


def test_upgraded_catalog_is_backed_up_and_restored(old: StorageChoice, tmp_path: Path) -> None:
    catalog, path = open_or_create_catalog(old, IdentityRules()), tmp_path / "backup.gz"
    create_maintenance(catalog).create_backup_service("1").write_backup_file(path)
    catalog.close()
    store = open_store_for_maintenance(
        choose_sqlite_store(tmp_path / "restored.db"), lambda what, steps: None, new=True
    )
    store.create_backup_service("1").restore_into_empty_store(path)
    assert list_integrity_issues(store) == []
    store.close()
