"""The file: who may read it, what happens when it cannot be opened, written or finished."""

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.spi import Range
from jupyter_colophon.storage.sql.statements import Statements
from jupyter_colophon.storage.sqlite import provider
from jupyter_colophon.storage.sqlite.dialect import DIALECT
from jupyter_colophon.storage.sqlite.provider import SqliteProvider
from jupyter_colophon.storage.tables import ASPECTS, IDEMPOTENCY_RESULTS
from support.catalog import ADA, opened, say, search
from support.disk import full
from support.process import running
from support.urns import ORDERS

OPEN = """
from pathlib import Path
from support.catalog import opened
catalog = opened(Path(sys.argv[1]))
catalog.close()
"""
#: Writes the same aspect so many times, each time only if nobody else did in between.
RACER = """
from pathlib import Path
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from support.catalog import ADA, opened, say
from support.urns import ORDERS
catalog = opened(Path(sys.argv[1]))
won = 0
while won < 40:
    version = catalog.reader.aspect(Urn.parse(ORDERS), "technicalMetadata", ADA).version
    try:
        say(catalog, properties={"by": f"{sys.argv[2]}-{won}"}, version=version)
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


def test_nobody_else_may_read_the_file_whatever_the_umask(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "colophon"
    with umask(0):
        catalog = opened(folder / "colophon.db")
        say(catalog)
    assert [mode(folder.parent), mode(folder)] == [0o700, 0o700]
    assert {path.name: mode(path) for path in folder.iterdir()} == {
        "colophon.db": 0o600,
        "colophon.db-wal": 0o600,
        "colophon.db-shm": 0o600,
    }
    catalog.close()


def test_writes_survive_the_power_going(tmp_path: Path) -> None:
    catalog = opened(tmp_path / "colophon.db")
    writer = catalog.provider._writer  # type: ignore[attr-defined]
    assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert writer.execute("PRAGMA synchronous").fetchone() == (2,)
    catalog.close()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreUnavailable):
        SqliteProvider().initialize({"path": tmp_path / "link.db"})
    assert not (tmp_path / "elsewhere.db").exists()


@pytest.mark.parametrize("content", [b"this is no database" * 1_000, b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_a_file_that_is_no_database_is_an_error_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "colophon.db"
    path.write_bytes(content)
    for _ in range(3):
        with pytest.raises(StorageError):
            opened(path)
    assert path.read_bytes() == content
    path.unlink()
    opened(path).close()


def test_many_processes_may_start_at_once_in_an_empty_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "colophon.db"
    with running(OPEN, str(path)) as a, running(OPEN, str(path)) as b, running(OPEN, str(path)) as c:
        for process in (a, b, c):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output


def test_all_who_open_a_new_file_at_the_same_moment_get_in(tmp_path: Path) -> None:
    def use(path: Path) -> None:
        provider = SqliteProvider()
        provider.initialize({"path": path})
        provider.table_admin.create_or_update(IDEMPOTENCY_RESULTS)
        provider.close()

    with ThreadPoolExecutor(8) as threads:
        for number in range(25):
            list(threads.map(use, [tmp_path / f"{number}.db"] * 8, timeout=300))


def test_a_file_may_be_closed_under_those_who_read_it(tmp_path: Path) -> None:
    def read(provider: SqliteProvider) -> int:
        count = 0
        try:
            while True:
                provider.run(lambda tx: list(tx.table("idempotency_results").scan(Range())), read_only=True)
                provider.commits()
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
            provider.run(lambda tx: tx.table("idempotency_results").upsert_all(rows))
            reading = [threads.submit(read, provider) for _ in range(4)]
            time.sleep(0.01)
            provider.close()
            assert [one.result(timeout=300) >= 0 for one in reading] == [True] * 4
            # Nothing is left beside the file: it can be copied as it is.
            assert [path.name for path in tmp_path.glob(f"{number}.db*")] == [f"{number}.db"]


def test_processes_that_write_the_same_aspect_lose_no_write(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    catalog = opened(path)
    say(catalog)
    with running(RACER, str(path), "a") as a, running(RACER, str(path), "b") as b:
        for process in (a, b):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    history, _ = catalog.reader.versions(Urn.parse(ORDERS), "technicalMetadata", 500, "", ADA)
    assert [one.version for one in history] == list(range(81, 0, -1))
    written = {one.value["properties"]["by"] for one in history[:-1]}
    assert written == {f"{name}-{number}" for name in "ab" for number in range(40)}
    catalog.close()


def test_a_writer_that_waits_too_long_is_told_to_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "BUSY_TIMEOUT_S", 0.1)
    catalog = opened(tmp_path / "colophon.db")
    say(catalog)
    with closing(sqlite3.connect(tmp_path / "colophon.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            say(catalog, properties={"a": "b"})
        assert catalog.provider.health()["status"] == "down"
        assert search(catalog, "orders").total == 1
        other.execute("ROLLBACK")
    assert say(catalog, properties={"a": "b"}).version == 2
    catalog.close()


def test_a_full_disk_is_told_and_forgotten_when_there_is_space_again(tmp_path: Path) -> None:
    catalog = opened(tmp_path / "colophon.db")
    say(catalog)
    with full(tmp_path / "colophon.db"):
        with pytest.raises(StorageError):
            say(catalog, properties={"a": "x" * 9_000})
        assert catalog.provider.health()["status"] == "down"
        assert search(catalog, "orders").total == 1
    assert catalog.provider.health()["status"] == "ok"
    assert say(catalog, properties={"a": "x" * 9_000}).version == 2
    catalog.close()


def test_reading_many_keys_looks_at_their_rows_alone(tmp_path: Path) -> None:
    made = Statements(DIALECT, ASPECTS.id, tuple(ASPECTS.fields.items()), ASPECTS.primary_key)
    opened(tmp_path / "colophon.db").close()
    with closing(sqlite3.connect(tmp_path / "colophon.db")) as file:
        plan = [step for *_, step in file.execute(f"EXPLAIN QUERY PLAN {made.multi_read(3)}", ["x"] * 6)]
    assert any(step.startswith(f"SEARCH {ASPECTS.id} USING PRIMARY KEY") for step in plan)
    assert not any(step.startswith(f"SCAN {ASPECTS.id}") for step in plan)
