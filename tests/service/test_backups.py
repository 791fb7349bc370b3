"""A backup is a moment of the catalog, whatever is written meanwhile, and any store can be filled from it."""

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
from jupyter_colophon.core.entities.registration_request import Deployed
from jupyter_colophon.core.errors import BackupRejected
from jupyter_colophon.core.identity.names import Urn, stream
from jupyter_colophon.core.lineage.graph import LineageQuestion, RunListing
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.search.search import KeysQuestion
from jupyter_colophon.core.store import sqlite_file
from jupyter_colophon.maintenance import Keeper, open_keeper
from jupyter_colophon.storage.spi import Range, TableSpec
from support.catalog import ADA, opened, say, touch
from support.histories import HISTORIES, derived, live
from support.keeping import findings, keeper, opened_in
from support.stores import STORES
from support.urns import CELL, ORDERS, REPORT


def _silent(what: str, steps: int) -> None:
    pass


def _sold(catalog: Catalog) -> None:
    say(catalog, ORDERS, {"owner": "ops", "note": "ß ü 😀"}, ["faa"])
    say(catalog, REPORT, {"owner": "ops"})
    touch(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)


def _rows(catalog: Catalog) -> Any:
    """Everything but the seals, whose number depends on when they were made."""
    names = [name for name in catalog.provider.table_admin.list() if name != "log_seals"]

    def work(tx: Any) -> Any:
        kept = {name: list(tx.table(name).scan(Range())) for name in names}
        return kept, tx.log.read(0, 10_000, {})

    return catalog.provider.tx_runner.run(work, read_only=True), derived(catalog)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(STORES, STORES)))
def test_a_catalog_moves_from_any_store_to_any_other(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "target").mkdir()
    with ExitStack() as stack:
        first = opened_in(stack.enter_context(STORES[source](tmp_path / "source")))
        stack.callback(first.close)
        _sold(first)
        written = keeper(first).backups("1.0").write(tmp_path / "backup")
        choice = stack.enter_context(STORES[target](tmp_path / "target"))
        healer = open_keeper(choice, _silent, new=True)
        assert healer.backups("1.0").restore(tmp_path / "backup") == sum(written.values())
        assert findings(healer) == []
        healer.close()
        second = opened_in(choice)
        stack.callback(second.close)
        assert _rows(second) == _rows(first)
        head = first.feed.head()
        assert say(second, REPORT, {"owner": "after"}).seq == head + 1
        assert findings(keeper(second)) == []


@settings(max_examples=15, deadline=None)
@given(HISTORIES)
def test_what_is_restored_is_what_was_there(tmp_path_factory: Any, steps: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("moved")
    catalog = opened(folder / "catalog.db")
    live(catalog, steps)
    keeper(catalog).backups("1.0").write(folder / "backup")
    healer = open_keeper(sqlite_file(folder / "restored.db"), _silent, new=True)
    healer.backups("1.0").restore(folder / "backup")
    healer.close()
    restored = opened(folder / "restored.db")
    assert _rows(restored) == _rows(catalog)
    catalog.close()
    restored.close()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = opened(tmp_path / "catalog.db")
    _sold(made)
    yield made
    made.close()


def test_tables_of_applications_come_along(catalog: Catalog, tmp_path: Path) -> None:
    spec = TableSpec("app_things", {"id": "long", "raw": "bytes", "at": "double", "on": "bool"}, ("id",), ("on",))
    catalog.provider.table_admin.create_or_update(spec)
    row = {"id": 1, "raw": b"\x00\xff", "at": 0.1, "on": True}
    catalog.provider.tx_runner.run(lambda tx: tx.table("app_things").upsert(row))
    keeper(catalog).backups("1.0").write(tmp_path / "backup")
    healer = open_keeper(sqlite_file(tmp_path / "restored.db"), _silent, new=True)
    healer.backups("1.0").restore(tmp_path / "backup")
    assert healer.provider.table_admin.schema("app_things") == spec
    assert healer.provider.tx_runner.run(lambda tx: tx.table("app_things").read((1,)), read_only=True) == row
    healer.close()


def test_a_backup_under_writes_is_one_moment(catalog: Catalog, tmp_path: Path) -> None:
    """Somebody writes between any two slices of it."""
    numbers = itertools.count()
    with ThreadPoolExecutor(1) as other:

        def meanwhile(what: str, _: int) -> None:
            other.submit(say, catalog, ORDERS, {"number": str(next(numbers))}).result()

        Keeper(catalog.provider, catalog.registry, meanwhile).backups("1.0").write(tmp_path / "backup")
    assert next(numbers) > 5
    healer = open_keeper(sqlite_file(tmp_path / "restored.db"), _silent, new=True)
    healer.backups("1.0").restore(tmp_path / "backup")
    assert findings(healer) == []
    healer.close()
    restored = opened(tmp_path / "restored.db")
    changes = catalog.feed.changes(0, 500, {}, ADA)
    assert restored.feed.changes(0, 500, {}, ADA) == changes[: len(restored.feed.changes(0, 500, {}, ADA))]
    restored.close()


def test_a_backup_is_private_and_replaces_the_last_one_at_once(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "backup"
    path.write_bytes(b"the last one")
    path.chmod(0o644)
    keeper(catalog).backups("1.0").write(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def _refused(path: Path, folder: Path) -> str:
    healer = open_keeper(sqlite_file(folder / "new.db"), _silent, new=True)
    try:
        with pytest.raises(BackupRejected) as refused:
            healer.backups("1.0").restore(path)
        assert healer.provider.tx_runner.run(lambda tx: tx.log.head(), read_only=True) == 0
        assert healer.condition().entities == 0
    finally:
        healer.close()
    return refused.value.detail


def test_a_store_that_holds_anything_is_left_alone(catalog: Catalog, tmp_path: Path) -> None:
    keeper(catalog).backups("1.0").write(tmp_path / "backup")
    before = _rows(catalog)
    with pytest.raises(BackupRejected):
        keeper(catalog).backups("1.0").restore(tmp_path / "backup")
    assert _rows(catalog) == before


def test_a_damaged_or_shortened_backup_is_refused_before_anything_is_changed(catalog: Catalog, tmp_path: Path) -> None:
    keeper(catalog).backups("1.0").write(tmp_path / "backup")
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
    """What readers are told of what happened: lineage in every direction and time, runs, snapshots, the log, keys."""
    reader, ever = catalog.runs, RunListing()
    found: list[Any] = [
        catalog.lineage.lineage(LineageQuestion(Urn.parse(urn), direction, levels=5, columns=True, as_of=as_of), ADA)
        for urn in (ORDERS, REPORT)
        for direction in ("both", "undirected")
        for as_of in (None, time)
    ]
    runs, _ = reader.runs(ever, ADA)
    found += [runs, *(reader.touched(run, ADA) for run in runs), *(reader.metadata(run) for run in runs)]
    found += [catalog.metadata.read_scoped(Urn.parse(urn), "", ADA) for urn in (ORDERS, REPORT, CELL)]
    found += [catalog.feed.changes(0, 10_000, {}, ADA), catalog.keys.keys(KeysQuestion(), ADA)]
    return found


@pytest.mark.parametrize(("source", "target"), itertools.permutations(("sqlite", "postgresql")))
def test_a_restored_catalog_tells_the_same_of_what_happened(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "target").mkdir()
    with ExitStack() as stack:
        first = opened_in(stack.enter_context(STORES[source](tmp_path / "source")))
        stack.callback(first.close)
        _sold(first)
        # What was said when the run met it is kept, whatever is said later; a stream has a source for the day.
        say(first, ORDERS, {"owner": "later"}, ["late"])
        clicks = stream("sales", "clicks")
        first.deployer.entity(clicks, Deployed(), ADA)
        first.streams.write(clicks, lambda: [{}], "web", ADA)
        upstream = {"upstreams": [{"dataset": ORDERS}]}
        first.write_path.propose([Proposal(Urn.parse(REPORT), "upstreamLineage", "upsert", upstream)], ADA)
        time = first.write_path.now()
        before = _answers(first, time)
        keeper(first).backups("1.0").write(tmp_path / "backup")
        choice = stack.enter_context(STORES[target](tmp_path / "target"))
        healer = open_keeper(choice, _silent, new=True)
        healer.backups("1.0").restore(tmp_path / "backup")
        healer.close()
        second = opened_in(choice)
        stack.callback(second.close)
        assert _answers(second, time) == before
