"""A backup is a consistent snapshot despite concurrent writes, and can be restored into any store."""

import gzip
import itertools
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.registration_request import RegistrationRequest
from jupyter_colophon.core.errors import BackupRejected
from jupyter_colophon.core.identity.names import Urn, make_stream_urn
from jupyter_colophon.core.lineage.graph import LineageRequest, RunListing
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.search.search import KeysRequest
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.maintenance import Maintenance, open_store_for_maintenance
from jupyter_colophon.storage.spi import Range, TableSpec
from support.catalog import ADA, open_catalog_file, record_run, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.histories import HISTORIES, apply_steps, read_derived_rows
from support.stores import STORES
from support.urns import CELL, ORDERS, REPORT


def _silent(what: str, steps: int) -> None:
    pass


def _sold(catalog: Catalog) -> None:
    write_metadata(catalog, ORDERS, {"owner": "ops", "note": "ß ü 😀"}, ["faa"])
    write_metadata(catalog, REPORT, {"owner": "ops"})
    record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)


def _rows(catalog: Catalog) -> Any:
    """Return all rows except seals, whose number depends on timing."""
    names = [name for name in catalog.provider.table_admin.list() if name != "log_seals"]

    def work(tx: Any) -> Any:
        kept = {name: list(tx.get_table(name).scan(Range())) for name in names}
        return kept, tx.log.read_changes(0, 10_000, {})

    return catalog.provider.tx_runner.run(work, read_only=True), read_derived_rows(catalog)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(STORES, STORES)))
def test_backup_restores_into_any_store(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "target").mkdir()
    with ExitStack() as stack:
        first = open_catalog_of_store(stack.enter_context(STORES[source](tmp_path / "source")))
        stack.callback(first.close)
        _sold(first)
        written = create_maintenance(first).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
        choice = stack.enter_context(STORES[target](tmp_path / "target"))
        healer = open_store_for_maintenance(choice, _silent, new=True)
        assert healer.create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup") == sum(
            written.values()
        )
        assert list_integrity_issues(healer) == []
        healer.close()
        second = open_catalog_of_store(choice)
        stack.callback(second.close)
        assert _rows(second) == _rows(first)
        head = first.feed.read_newest_change_number()
        assert write_metadata(second, REPORT, {"owner": "after"}).seq == head + 1
        assert list_integrity_issues(create_maintenance(second)) == []


@settings(max_examples=15, deadline=None)
@given(HISTORIES)
def test_restored_rows_equal_the_original(tmp_path_factory: Any, steps: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("moved")
    catalog = open_catalog_file(folder / "catalog.db")
    apply_steps(catalog, steps)
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(folder / "backup")
    healer = open_store_for_maintenance(choose_sqlite_store(folder / "restored.db"), _silent, new=True)
    healer.create_backup_service("1.0").restore_into_empty_store(folder / "backup")
    healer.close()
    restored = open_catalog_file(folder / "restored.db")
    assert _rows(restored) == _rows(catalog)
    catalog.close()
    restored.close()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = open_catalog_file(tmp_path / "catalog.db")
    _sold(made)
    yield made
    made.close()


def test_backup_includes_application_tables(catalog: Catalog, tmp_path: Path) -> None:
    spec = TableSpec("app_things", {"id": "long", "raw": "bytes", "at": "double", "on": "bool"}, ("id",), ("on",))
    catalog.provider.table_admin.create_or_update(spec)
    row = {"id": 1, "raw": b"\x00\xff", "at": 0.1, "on": True}
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_things").upsert(row))
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
    healer = open_store_for_maintenance(choose_sqlite_store(tmp_path / "restored.db"), _silent, new=True)
    healer.create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup")
    assert healer.provider.table_admin.get_spec("app_things") == spec
    assert healer.provider.tx_runner.run(lambda tx: tx.get_table("app_things").read((1,)), read_only=True) == row
    healer.close()


def test_backup_during_writes_is_a_consistent_snapshot(catalog: Catalog, tmp_path: Path) -> None:
    """Another client writes between any two slices of the backup."""
    numbers = itertools.count()
    with ThreadPoolExecutor(1) as other:

        def meanwhile(what: str, _: int) -> None:
            other.submit(write_metadata, catalog, ORDERS, {"number": str(next(numbers))}).result()

        Maintenance(catalog.provider, catalog.registry, meanwhile).create_backup_service("1.0").write_backup_file(
            tmp_path / "backup"
        )
    assert next(numbers) > 5
    healer = open_store_for_maintenance(choose_sqlite_store(tmp_path / "restored.db"), _silent, new=True)
    healer.create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup")
    assert list_integrity_issues(healer) == []
    healer.close()
    restored = open_catalog_file(tmp_path / "restored.db")
    changes = catalog.feed.read_visible_changes(0, 500, {}, ADA)
    assert (
        restored.feed.read_visible_changes(0, 500, {}, ADA)
        == changes[: len(restored.feed.read_visible_changes(0, 500, {}, ADA))]
    )
    restored.close()


def test_backup_is_private_and_replaces_the_old_file_atomically(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "backup"
    path.write_bytes(b"the last one")
    path.chmod(0o644)
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def _refused(path: Path, folder: Path) -> str:
    healer = open_store_for_maintenance(choose_sqlite_store(folder / "new.db"), _silent, new=True)
    try:
        with pytest.raises(BackupRejected) as refused:
            healer.create_backup_service("1.0").restore_into_empty_store(path)
        assert healer.provider.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True) == 0
        assert healer.read_store_status().entities == 0
    finally:
        healer.close()
    return refused.value.detail


def test_restore_refuses_nonempty_store(catalog: Catalog, tmp_path: Path) -> None:
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
    before = _rows(catalog)
    with pytest.raises(BackupRejected):
        create_maintenance(catalog).create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup")
    assert _rows(catalog) == before


def test_damaged_backup_is_refused_before_any_change(catalog: Catalog, tmp_path: Path) -> None:
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
    packed = (tmp_path / "backup").read_bytes()
    plain = gzip.decompress(packed)
    dice, bad = random.Random(4), tmp_path / "bad"
    for _ in range(15):
        cut = dice.randrange(len(packed))
        bad.write_bytes(packed[:cut])
        assert _refused(bad, tmp_path)
        place = dice.randrange(len(plain))
        flipped = bytearray(plain)
        flipped[place] ^= 1 << dice.randrange(8)
        bad.write_bytes(gzip.compress(bytes(flipped)))
        assert _refused(bad, tmp_path)
    lines = plain.splitlines(keepends=True)
    for wrong in (lines[:-1], lines[1:], [*lines, lines[-1]], [lines[0], *lines[2:]], [], [b"{}\n"]):
        bad.write_bytes(gzip.compress(b"".join(wrong)))
        assert _refused(bad, tmp_path)
    assert "no such file" in _refused(tmp_path / "nothing", tmp_path)


def _answers(catalog: Catalog, time: int) -> list[Any]:
    """Return the responses to history queries: lineage in every direction and time, runs, snapshots, the log, keys."""
    reader, ever = catalog.runs, RunListing()
    found: list[Any] = [
        catalog.lineage.read_lineage(
            LineageRequest(Urn.parse(urn), direction, levels=5, columns=True, as_of=as_of), ADA
        )
        for urn in (ORDERS, REPORT)
        for direction in ("both", "undirected")
        for as_of in (None, time)
    ]
    runs, _ = reader.list_visible_runs(ever, ADA)
    found += [
        runs,
        *(reader.list_accessed_entities(run, ADA) for run in runs),
        *(reader.build_run_metadata(run) for run in runs),
    ]
    found += [catalog.metadata.read_scoped_metadata(Urn.parse(urn), "", ADA) for urn in (ORDERS, REPORT, CELL)]
    found += [
        catalog.feed.read_visible_changes(0, 10_000, {}, ADA),
        catalog.keys.list_keys_with_counts(KeysRequest(), ADA),
    ]
    return found


@pytest.mark.parametrize(("source", "target"), itertools.permutations(("sqlite", "postgresql")))
def test_restored_catalog_answers_history_queries_equally(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "target").mkdir()
    with ExitStack() as stack:
        first = open_catalog_of_store(stack.enter_context(STORES[source](tmp_path / "source")))
        stack.callback(first.close)
        _sold(first)
        # A run's snapshot keeps the metadata of its time; a stream has one source per day.
        write_metadata(first, ORDERS, {"owner": "later"}, ["late"])
        clicks = make_stream_urn("sales", "clicks")
        first.deployer.create_or_update_entity(clicks, RegistrationRequest(), ADA)
        first.streams.append_events_and_record_run(clicks, lambda: [{}], "web", ADA)
        upstream = {"upstreams": [{"dataset": ORDERS}]}
        first.write_path.apply_proposals_atomically(
            [Proposal(Urn.parse(REPORT), "upstreamLineage", "upsert", upstream)], ADA
        )
        time = first.write_path.now()
        before = _answers(first, time)
        create_maintenance(first).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
        choice = stack.enter_context(STORES[target](tmp_path / "target"))
        healer = open_store_for_maintenance(choice, _silent, new=True)
        healer.create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup")
        healer.close()
        second = open_catalog_of_store(choice)
        stack.callback(second.close)
        assert _answers(second, time) == before
