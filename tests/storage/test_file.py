"""The SQLite file: its permissions, and failures to open, write or finish it."""

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread

import pytest
from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.spi import Range
from jupyter_colophon.storage.sql.statements import TableStatements
from jupyter_colophon.storage.sqlite import provider
from jupyter_colophon.storage.sqlite.dialect import DIALECT
from jupyter_colophon.storage.sqlite.provider import SqliteProvider
from jupyter_colophon.storage.tables import ASPECTS, IDEMPOTENCY_RESULTS
from support.catalog import ADA, open_catalog_file, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.disk import fill_disk
from support.process import start_script_process
from support.urns import ORDERS, REPORT

OPEN = """
from pathlib import Path
from support.catalog import open_catalog_file
catalog = open_catalog_file(Path(sys.argv[1]))
catalog.close()
"""
#: Writes the same aspect many times, each time only if no other process has written since.
RACER = """
from pathlib import Path
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from support.catalog import ADA, open_catalog_file, write_metadata
from support.urns import ORDERS
catalog = open_catalog_file(Path(sys.argv[1]))
won = 0
while won < 40:
    version = catalog.reader.read_current_aspect(Urn.parse(ORDERS), "technicalMetadata", ADA).version
    try:
        write_metadata(catalog, properties={"by": f"{sys.argv[2]}-{won}"}, version=version)
        won += 1
    except ConditionFailed:
        pass
"""


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_file_is_private_regardless_of_umask(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "colophon"
    with umask(0):
        catalog = open_catalog_file(folder / "colophon.db")
        write_metadata(catalog)
    assert [mode(folder.parent), mode(folder)] == [0o700, 0o700]
    assert {path.name: mode(path) for path in folder.iterdir()} == {
        "colophon.db": 0o600,
        "colophon.db-wal": 0o600,
        "colophon.db-shm": 0o600,
    }
    catalog.close()


def test_synchronous_full_is_set(tmp_path: Path) -> None:
    catalog = open_catalog_file(tmp_path / "colophon.db")
    writer = catalog.provider._writer  # type: ignore[attr-defined]
    assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert writer.execute("PRAGMA synchronous").fetchone() == (2,)
    catalog.close()


def test_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreUnavailable):
        SqliteProvider().initialize({"path": tmp_path / "link.db"})
    assert not (tmp_path / "elsewhere.db").exists()


@pytest.mark.parametrize("content", [b"this is no database" * 1_000, b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_file_that_is_not_a_database_is_an_error_and_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "colophon.db"
    path.write_bytes(content)
    for _ in range(3):
        with pytest.raises(StorageError):
            open_catalog_file(path)
    assert path.read_bytes() == content
    path.unlink()
    open_catalog_file(path).close()


def test_processes_can_start_together_in_an_empty_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "colophon.db"
    with (
        start_script_process(OPEN, str(path)) as a,
        start_script_process(OPEN, str(path)) as b,
        start_script_process(OPEN, str(path)) as c,
    ):
        for process in (a, b, c):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output


def test_concurrent_opens_of_a_new_file_all_succeed(tmp_path: Path) -> None:
    def use(path: Path) -> None:
        provider = SqliteProvider()
        provider.initialize({"path": path})
        provider.table_admin.create_or_update(IDEMPOTENCY_RESULTS)
        provider.close()

    with ThreadPoolExecutor(8) as threads:
        for number in range(25):
            list(threads.map(use, [tmp_path / f"{number}.db"] * 8, timeout=300))


def test_store_can_be_closed_while_threads_read(tmp_path: Path) -> None:
    def read(provider: SqliteProvider) -> int:
        count = 0
        try:
            while True:
                provider.run(lambda tx: list(tx.get_table("idempotency_results").scan(Range())), read_only=True)
                provider.get_data_version()
                count += 1
        except StorageError:
            return count

    rows = [
        {"actor": "ada", "key": str(number), "fingerprint": "f", "result": b"a", "time": 1} for number in range(500)
    ]
    with ThreadPoolExecutor(4) as threads:
        for number in range(40):
            provider = SqliteProvider()
            provider.initialize({"path": tmp_path / f"{number}.db"})
            provider.table_admin.create_or_update(IDEMPOTENCY_RESULTS)
            provider.run(lambda tx: tx.get_table("idempotency_results").upsert_many(rows))
            reading = [threads.submit(read, provider) for _ in range(4)]
            time.sleep(0.01)
            provider.close()
            assert [future.result(timeout=300) >= 0 for future in reading] == [True] * 4
            # Nothing is left beside the file, so it can be copied alone.
            assert [path.name for path in tmp_path.glob(f"{number}.db*")] == [f"{number}.db"]


def test_concurrent_processes_lose_no_write(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    catalog = open_catalog_file(path)
    write_metadata(catalog)
    with start_script_process(RACER, str(path), "a") as a, start_script_process(RACER, str(path), "b") as b:
        for process in (a, b):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    history, _ = catalog.reader.list_aspect_versions(Urn.parse(ORDERS), "technicalMetadata", 500, "", ADA)
    assert [version.version for version in history] == list(range(81, 0, -1))
    written = {version.value["properties"]["by"] for version in history[:-1]}
    assert written == {f"{name}-{number}" for name in "ab" for number in range(40)}
    catalog.close()


def test_blocked_writer_raises_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "BUSY_TIMEOUT_S", 0.1)
    catalog = open_catalog_file(tmp_path / "colophon.db")
    write_metadata(catalog)
    with closing(sqlite3.connect(tmp_path / "colophon.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            write_metadata(catalog, properties={"a": "b"})
        assert catalog.provider.check_health()["status"] == "down"
        assert search_catalog(catalog, "orders").total == 1
        other.execute("ROLLBACK")
    assert write_metadata(catalog, properties={"a": "b"}).version == 2
    catalog.close()


def test_full_disk_is_reported_and_writes_resume_with_space(tmp_path: Path) -> None:
    catalog = open_catalog_file(tmp_path / "colophon.db")
    write_metadata(catalog)
    with fill_disk(tmp_path / "colophon.db"):
        with pytest.raises(StorageError):
            write_metadata(catalog, properties={"a": "x" * 9_000})
        assert catalog.provider.check_health()["status"] == "down"
        assert search_catalog(catalog, "orders").total == 1
    assert catalog.provider.check_health()["status"] == "ok"
    assert write_metadata(catalog, properties={"a": "x" * 9_000}).version == 2
    catalog.close()


def test_reading_many_keys_reads_only_their_rows(tmp_path: Path) -> None:
    statements = TableStatements(DIALECT, ASPECTS.id, tuple(ASPECTS.fields.items()), ASPECTS.primary_key)
    open_catalog_file(tmp_path / "colophon.db").close()
    read_many = statements.read_many(3, tuple(ASPECTS.fields))
    with closing(sqlite3.connect(tmp_path / "colophon.db")) as file:
        plan = [step for *_, step in file.execute(f"EXPLAIN QUERY PLAN {read_many}", ["x"] * 6)]
    assert any(step.startswith(f"SEARCH {ASPECTS.id} USING PRIMARY KEY") for step in plan)
    assert not any(step.startswith(f"SCAN {ASPECTS.id}") for step in plan)


#: Stores facet values as the versions before did: a row for each value of a document.
_FORMER_FACETS = """
CREATE TABLE search_facets (
    entry INTEGER NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (entry, value)) WITHOUT ROWID;
INSERT INTO search_facets
    SELECT e.id, number.value FROM search_entries AS e, json_each('[' || e.facet_values || ']') AS number;
INSERT INTO search_facets VALUES (1000000, 1);
DROP INDEX search_entries_for_matches;
ALTER TABLE search_entries DROP COLUMN facet_values;
"""


def test_facet_values_of_earlier_versions_are_moved(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    catalog = open_catalog_file(path)
    write_metadata(catalog, ORDERS, tags=["gold", "raw"])
    write_metadata(catalog, REPORT, tags=["gold"])
    before = search_catalog(catalog, "*").facets
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_FORMER_FACETS)
    catalog = open_catalog_file(path)
    assert search_catalog(catalog, "*").facets == before
    assert before["tag"] == (("gold", 2), ("raw", 1))
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search_facets'").fetchone() is None


@pytest.mark.parametrize("damaged", ["1000", "1,,x", "-"])
def test_damaged_facet_values_are_reported_and_repaired(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "colophon.db"
    catalog = open_catalog_file(path)
    write_metadata(catalog, ORDERS, tags=["gold"])
    before = search_catalog(catalog, "orders").facets
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE search_entries SET facet_values = ?", (damaged,))
    assert catalog.provider.find_store_problems() == [
        "facet values of search_entries: 1 rows without the row that they belong to"
    ]
    assert search_catalog(catalog, "orders").total == 1
    create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows()
    assert search_catalog(catalog, "orders").facets == before
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()


def test_damaged_groups_and_names_are_repaired(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    catalog = open_catalog_file(path)
    write_metadata(catalog, ORDERS, tags=["gold"])
    before = search_catalog(catalog, "orders")
    with closing(sqlite3.connect(path)) as connection, connection:
        (rows,) = connection.execute("SELECT json_group_array(name_bits || group_number) FROM search_entries")
        connection.execute("UPDATE search_entries SET name_bits = 0, group_number = 12345")
    assert catalog.provider.find_store_problems() == [
        "groups of search_entries: 4 rows without the row that they belong to"
    ]
    create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows()
    assert search_catalog(catalog, "orders") == before
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        assert (
            connection.execute("SELECT json_group_array(name_bits || group_number) FROM search_entries").fetchone()
            == rows
        )


def test_connections_of_ended_threads_are_closed(tmp_path: Path) -> None:
    file = (tmp_path / "catalog.db").resolve()
    with closing(open_catalog_file(file)) as catalog:

        def read() -> None:
            catalog.provider.tx_runner.run(lambda tx: tx.get_table(ASPECTS.id).count(), read_only=True)

        for _ in range(50):
            thread = Thread(target=read)
            thread.start()
            thread.join()
        opened = [Path(os.path.realpath(link)) for link in Path("/proc/self/fd").iterdir()]
        assert 0 < opened.count(file) < 50
        read()
