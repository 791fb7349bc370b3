"""A backup and the archive of changes restore the catalog as it was at any later time."""

import gzip
import itertools
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import BackupRejected, InvalidConfiguration, InvalidField, NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.privacy.erasure import Erasure
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.maintenance import Maintenance, open_store_for_maintenance
from jupyter_colophon.service.admin.archive_replay import Replay, RestorePoint, measure_replay
from jupyter_colophon.service.admin.archiving import Archiver, start_archive, stop_archive_if_started
from jupyter_colophon.service.admin.backups import read_and_check_backup
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes import archived_rows
from jupyter_colophon.storage.privacy import erasures, person_rows
from jupyter_colophon.storage.spi import Range, TableContext, TableSpec
from support.catalog import ADA, open_catalog_file, record_run, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.process import run_script
from support.stores import STORES
from support.urns import CELL, ORDERS, REPORT, build_table_urn

#: Rows that are not compared: seals depend on time, leases on processes, and the archive is not restored itself.
OMITTED = {"log_seals", "leases", "system_app_workers", archived_rows.TABLE.id}
THINGS = TableSpec(
    "app_things", {"id": "long", "raw": "bytes", "at": "double", "on": "bool", "text": "string"}, ("id",)
)


def _silent(what: str, steps: int) -> None:
    pass


def read_rows(catalog: Catalog) -> Any:
    """Return all rows of a catalog, derived ones too."""
    names = [name for name in catalog.provider.table_admin.list() if name not in OMITTED]

    def read(tx: TableContext) -> Any:
        rows = {name: list(tx.get_table(name).scan(Range())) for name in names}
        rows["settings"] = [row for row in rows["settings"] if row["name"] not in (archived_rows.NAME, "sealing")]
        return rows, tx.log.read_changes(0, 100_000, {})

    return catalog.provider.tx_runner.run(read, read_only=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the archive."""
    return tmp_path / "archive"


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = open_catalog_file(tmp_path / "catalog.db")
    write_metadata(made, ORDERS, {"owner": "ops"})
    yield made
    made.close()


@pytest.fixture
def archiver(catalog: Catalog, folder: Path) -> Iterator[Archiver]:
    """The archive of the catalog, whose rows the test moves."""
    made = start_archive(catalog.provider, folder)
    made.close()
    yield made
    stop_archive_if_started(catalog.provider)


def write_backup(catalog: Catalog, path: Path) -> Path:
    create_maintenance(catalog).create_backup_service("1").write_backup_file(path)
    return path


def restore(backup: Path, folder: Path, choice: StorageChoice, point: RestorePoint) -> Replay:
    """Restore into an empty store, which must be sound then."""
    store = open_store_for_maintenance(choice, _silent, new=True)
    try:
        service = store.create_backup_service("1")
        header = read_and_check_backup(backup, store.registry, _silent)
        _, replay = service.restore_to_point(backup, header, folder, point)
        assert list_integrity_issues(store) == []
        return replay
    finally:
        store.close()


def refuse(backup: Path, folder: Path, catalog: Catalog, point: RestorePoint | None = None) -> str:
    """Return why an archive is refused."""
    header = read_and_check_backup(backup, catalog.registry, _silent)
    assert header.archive is not None
    with pytest.raises(BackupRejected) as refused:
        measure_replay(folder, header.archive, point or RestorePoint())
    return refused.value.detail


class Writers:
    """Threads that write every kind of thing until the end, except while they are held."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog, self._numbers, self._count = catalog, itertools.count(), 0
        self._stopped, self._turn = threading.Event(), [threading.Lock() for _ in range(3)]
        self._threads = [threading.Thread(target=self._write, args=(turn,)) for turn in self._turn]

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, more: int) -> None:
        """Wait for this many writes."""
        until = self._count + more
        while self._count < until:
            time.sleep(0.001)

    def hold_and_read(self) -> tuple[int, Any]:
        """Return a time and the rows at that time: nothing is written for a moment."""
        for turn in self._turn:
            turn.acquire()
        now = time.time_ns() // 1_000_000
        rows = read_rows(self._catalog)
        time.sleep(0.01)
        for turn in self._turn:
            turn.release()
        return now, rows

    def _write(self, turn: threading.Lock) -> None:
        while not self._stopped.is_set():
            number = next(self._numbers)
            self._count = max(self._count, number)
            with turn:
                write_metadata(self._catalog, build_table_urn(f"t{number % 7}"), {"number": str(number)}, ["ß", "a"])
                if number % 5 == 0:
                    record_run(self._catalog, CELL, f"r{number}", ("read", ORDERS), ("write", REPORT), end=5_000)
                if number % 11 == 0:
                    _delete_if_there(self._catalog, build_table_urn(f"t{number % 7}"))


def _delete_if_there(catalog: Catalog, urn: str) -> None:
    with suppress(NotFound):
        catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), None, "delete")], ADA)


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_any_moment_after_a_backup_under_load_is_restored(
    catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path, target: str
) -> None:
    with Writers(catalog) as writers:
        writers.wait_for(20)
        backup = write_backup(catalog, tmp_path / "backup")
        writers.wait_for(30)
        archiver.move_all_rows_to_files()
        writers.wait_for(20)
        moment, expected = writers.hold_and_read()
        writers.wait_for(30)
        archiver.move_all_rows_to_files()
    (tmp_path / "target").mkdir()
    with STORES[target](tmp_path / "target") as choice:
        replay = restore(backup, folder, choice, RestorePoint(until_ms=moment))
        assert replay.writes > 20
        restored = open_catalog_of_store(choice)
        assert read_rows(restored) == expected
        # It goes on from there, and can be archived again.
        assert write_metadata(restored, ORDERS, {"owner": "after"}).seq == expected[1][-1]["seq"] + 1
        restored.close()


def test_everything_archived_is_restored_and_found(
    catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
) -> None:
    backup = write_backup(catalog, tmp_path / "backup")
    write_metadata(catalog, REPORT, {"owner": "later"}, ["late"])
    # Another process archives what it writes, though it knows no archive.
    script = "from pathlib import Path\nfrom support.catalog import open_catalog_file, write_metadata\n"
    run_script(
        script + "write_metadata(open_catalog_file(Path(sys.argv[1])), tags=['other'])", str(tmp_path / "catalog.db")
    )
    archiver.move_all_rows_to_files()
    choice = choose_sqlite_store(tmp_path / "restored.db")
    restore(backup, folder, choice, RestorePoint())
    restored = open_catalog_of_store(choice)
    assert search_catalog(restored, "tags:late").total == search_catalog(restored, "tags:other").total == 1
    assert read_rows(restored) == read_rows(catalog)
    restored.close()


def test_changes_up_to_a_number_are_restored(
    catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
) -> None:
    backup = write_backup(catalog, tmp_path / "backup")
    results = [write_metadata(catalog, REPORT, {"number": str(number)}) for number in range(4)]
    archiver.move_all_rows_to_files()
    choice = choose_sqlite_store(tmp_path / "restored.db")
    replay = restore(backup, folder, choice, RestorePoint(until_change=results[1].seq))
    assert replay.change == results[1].seq
    restored = open_catalog_of_store(choice)
    assert restored.reader.read_current_aspect(Urn.parse(REPORT), "technicalMetadata", ADA).value["properties"] == {
        "number": "1"
    }
    restored.close()


def test_every_value_is_archived_exactly(catalog: Catalog, folder: Path, tmp_path: Path) -> None:
    catalog.provider.table_admin.create_or_update(THINGS)
    archiver = start_archive(catalog.provider, folder)
    archiver.close()
    backup = write_backup(catalog, tmp_path / "backup")
    rows = [
        {"id": 1, "raw": bytes(range(256)), "at": 0.1 + 0.2, "on": True, "text": 'a\x00"\\\n\u2028😀'},
        {"id": -(2**63), "raw": b"", "at": -5e-324, "on": False, "text": ""},
        {"id": 2**63 - 1, "raw": None, "at": None, "on": None, "text": None},
    ]
    catalog.provider.tx_runner.run(lambda tx: tx.get_table(THINGS.id).upsert_many(rows))
    catalog.provider.tx_runner.run(lambda tx: tx.get_table(THINGS.id).update({"id": 1, "at": 1e300}))
    archiver.move_all_rows_to_files()
    choice = choose_sqlite_store(tmp_path / "restored.db")
    restore(backup, folder, choice, RestorePoint())
    store = open_store_for_maintenance(choice, _silent)
    found = store.provider.tx_runner.run(lambda tx: list(tx.get_table(THINGS.id).scan(Range())), read_only=True)
    assert found == sorted([rows[0] | {"at": 1e300}, *rows[1:]], key=lambda row: int(str(row["id"])))
    store.close()


def test_processes_move_rows_at_the_same_time(
    catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
) -> None:
    backup = write_backup(catalog, tmp_path / "backup")
    others = [Archiver(catalog.provider, folder) for _ in range(3)]
    with Writers(catalog) as writers, ThreadPoolExecutor(3) as threads:
        for _ in range(10):
            writers.wait_for(4)
            list(threads.map(Archiver.move_all_rows_to_files, others))
    archiver.move_all_rows_to_files()
    choice = choose_sqlite_store(tmp_path / "restored.db")
    restore(backup, folder, choice, RestorePoint())
    restored = open_catalog_of_store(choice)
    assert read_rows(restored) == read_rows(catalog)
    restored.close()


class TestRefusals:
    def test_a_backup_without_an_archive(self, catalog: Catalog, folder: Path, tmp_path: Path) -> None:
        backup = write_backup(catalog, tmp_path / "backup")
        with pytest.raises(BackupRejected, match="changes were not archived"):
            restore(backup, folder, choose_sqlite_store(tmp_path / "new.db"), RestorePoint())

    def test_a_time_before_the_backup(self, catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path) -> None:
        before = time.time_ns() // 1_000_000 - 1
        backup = write_backup(catalog, tmp_path / "backup")
        with pytest.raises(BackupRejected, match="use an earlier one"):
            restore(backup, folder, choose_sqlite_store(tmp_path / "new.db"), RestorePoint(until_ms=before))

    def test_missing_and_damaged_files(
        self, catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
    ) -> None:
        backup = write_backup(catalog, tmp_path / "backup")
        assert "no such folder" in refuse(backup, tmp_path / "nothing", catalog)
        for number in range(3):
            write_metadata(catalog, REPORT, {"number": str(number)})
            archiver.move_all_rows_to_files()
        *_, second, third = sorted(folder.glob("*/*.gz"))
        content = second.read_bytes()
        second.unlink()
        assert "are missing" in refuse(backup, folder, catalog)
        plain = gzip.decompress(content)
        for damaged in (
            content[:-9],
            b"",
            gzip.compress(plain.replace(b"number", b"nombre")),
            b"text",
        ):
            second.write_bytes(damaged)
            assert str(second) in refuse(backup, folder, catalog)
        second.write_bytes(content)
        third.rename(folder / third.name)
        header = read_and_check_backup(backup, catalog.registry, _silent)
        assert header.archive is not None
        assert measure_replay(folder, header.archive, RestorePoint()).writes > 0

    def test_an_archive_that_was_begun_again(
        self, catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
    ) -> None:
        backup = write_backup(catalog, tmp_path / "backup")
        catalog.provider.table_admin.create_or_update(THINGS)
        start_archive(catalog.provider, folder).close()
        write_metadata(catalog, REPORT)
        Archiver(catalog.provider, folder).move_all_rows_to_files()
        header = read_and_check_backup(backup, catalog.registry, _silent)
        assert header.archive is not None
        # What was written before is still there, and nothing of the new generation is mixed with it.
        assert measure_replay(folder, header.archive, RestorePoint()).change == 0
        assert len(list(folder.iterdir())) == 2

    def test_a_store_that_archives_nothing(self, folder: Path, tmp_path: Path) -> None:
        with STORES["postgresql"](tmp_path) as choice:
            store = open_store_for_maintenance(choice, _silent, new=True)
            with pytest.raises(InvalidField, match="archive of the database"):
                start_archive(store.provider, folder)
            store.close()


class TestErasure:
    """An erased person is not in the store that archives its changes; the files have the name until they are deleted."""

    NAME = "grace.h0pper-canary"

    @pytest.fixture
    def catalog(self, tmp_path: Path, folder: Path) -> Iterator[Catalog]:
        choice = choose_sqlite_store(tmp_path / "store" / "catalog.db")
        made = open_or_create_catalog(choice, IdentityRules(), archive_folder=folder)
        yield made
        made.close()

    def test_the_name_is_only_in_files_that_precede_the_next_backup(
        self, catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
    ) -> None:
        earlier = write_backup(catalog, tmp_path / "earlier")
        write_metadata(catalog, ORDERS, {"owner": self.NAME}, principal=Principal(self.NAME))
        assert self.is_named_in(tmp_path / "store")
        erasure = self.erase(catalog)
        assert erasure.problem == ""
        assert erasure.changed
        assert not self.is_named_in(tmp_path / "store")
        assert self.is_named_in(folder)
        # With an earlier backup, the archive restores the erasure too.
        self.require_pseudonym_after_restore(earlier, folder, tmp_path / "earlier.db", erasure)
        later = write_backup(catalog, tmp_path / "later")
        for path in folder.glob("*/*.gz"):
            path.unlink()
        write_metadata(catalog, REPORT, {"note": "later"})
        archiver.move_all_rows_to_files()
        self.require_pseudonym_after_restore(later, folder, tmp_path / "restored" / "catalog.db", erasure)
        assert not self.is_named_in(tmp_path / "restored")
        assert not self.is_named_in(folder)

    def test_a_process_that_does_not_know_the_folder_erases_no_one(
        self, catalog: Catalog, archiver: Archiver, folder: Path, tmp_path: Path
    ) -> None:
        write_metadata(catalog, principal=Principal(self.NAME))
        # The state that a killed erasure leaves.
        erasure = Erasure("erased-0123456789ab", "ada", 0, person_rows.TABLES[0].id, self.NAME)
        catalog.provider.tx_runner.run(lambda tx: erasures.add_erasure(tx, erasure))
        other = open_catalog_file(tmp_path / "store" / "catalog.db")
        with pytest.raises(InvalidConfiguration, match=r"c\.Colophon\.archive_folder"):
            other.eraser.start(self.NAME, ADA)
        assert other.eraser.list_erasures() == [erasure]
        other.close()
        assert self.erase(catalog).pseudonym == erasure.pseudonym
        assert not self.is_named_in(tmp_path / "store")

    def erase(self, catalog: Catalog) -> Erasure:
        return self.wait_for_end(catalog, catalog.eraser.start(self.NAME, ADA).pseudonym)

    def wait_for_end(self, catalog: Catalog, pseudonym: str) -> Erasure:
        until = time.monotonic() + 60
        while not (erasure := catalog.eraser.read_erasure(pseudonym)).is_finished and not erasure.problem:
            assert time.monotonic() < until, erasure
            time.sleep(0.01)
        return erasure

    def is_named_in(self, folder: Path) -> bool:
        contents = (path.read_bytes() for path in folder.rglob("*") if path.is_file())
        return any(
            self.NAME.encode() in (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
            for content in contents
        )

    def require_pseudonym_after_restore(self, backup: Path, folder: Path, path: Path, erasure: Erasure) -> None:
        restore(backup, folder, choose_sqlite_store(path), RestorePoint())
        restored = open_catalog_file(path)
        value = restored.reader.read_current_aspect(Urn.parse(ORDERS), "technicalMetadata", ADA).value
        assert value["properties"] == {"owner": erasure.pseudonym}
        assert self.NAME not in str(read_rows(restored))
        # What the archive does not have of the erasure is done by the restored catalog.
        assert self.wait_for_end(restored, erasure.pseudonym).changed == erasure.changed
        restored.close()


def test_a_stopped_archive_costs_nothing(catalog: Catalog, archiver: Archiver, tmp_path: Path) -> None:
    stop_archive_if_started(catalog.provider)
    write_metadata(catalog, REPORT)
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'archive%'")]
    assert names == []
    assert archived_rows.TABLE.id not in catalog.provider.table_admin.list()
    assert create_maintenance(catalog).is_archiving() is False


def test_files_are_private(catalog: Catalog, archiver: Archiver, folder: Path) -> None:
    write_metadata(catalog, REPORT, {"note": "x"})
    archiver.move_all_rows_to_files()
    files = list(folder.glob("*/*.gz"))
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    header = json.loads(gzip.decompress(files[-1].read_bytes()).splitlines()[0])
    assert {table["id"] for table in header["tables"]}.isdisjoint(tables.DERIVED)
    assert isinstance(create_maintenance(catalog), Maintenance)
