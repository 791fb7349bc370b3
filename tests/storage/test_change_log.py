"""The change log: numbers in commit order, filters, truncation (spi.ChangeLog)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.storage.tables import CHANGE
from support.changes import add_changes

EMPTY: Row = {name: None for name in CHANGE if name != "seq"}


@pytest.fixture
def log(store: StorageProvider) -> StorageProvider:
    """Open a store with its own or portable change log."""
    store.table_admin.create_or_update()
    return store


def change(number: int, **more: Any) -> Row:
    return EMPTY | {"time": number, "urn": f"urn:{number % 3}", "type": "dataset", "namespace": f"n{number % 2}"} | more


def append(store: StorageProvider, *numbers: int) -> list[int]:
    return store.tx_runner.run(lambda tx: add_changes(tx, *map(change, numbers)))


def read(store: StorageProvider, after: int = 0, limit: int = 100, **where: str) -> list[int]:
    rows = store.tx_runner.run(lambda tx: tx.log.read_changes(after, limit, where), read_only=True)
    return [row["seq"] for row in rows]


def head(store: StorageProvider) -> int:
    return store.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True)


def compact(store: StorageProvider, through: int) -> int:
    return store.tx_runner.run(lambda tx: tx.log.delete_changes_through(through))


def test_empty_log_has_head_zero(log: StorageProvider) -> None:
    assert (head(log), read(log), compact(log, 10)) == (0, [], 0)


def test_slice_ends_after_the_change_that_is_too_large(log: StorageProvider) -> None:
    values = [change(number, value="y" * 100, previous="x" * 100) for number in range(5)]
    log.tx_runner.run(lambda tx: add_changes(tx, *values))

    def count(after: int, bytes_max: int, where: dict[str, str]) -> int:
        rows = log.tx_runner.run(lambda tx: tx.log.read_changes(after, 100, where, bytes_max), read_only=True)
        return len(rows)

    for where in ({}, {"type": "dataset"}):
        assert [count(0, bytes_max, where) for bytes_max in (0, 150, 450, 10_000)] == [1, 1, 3, 5]
        assert count(4, 0, where) == 1


def test_numbers_are_consecutive_from_one(log: StorageProvider) -> None:
    assert append(log, 1, 2) == [1, 2]
    assert append(log, 3) == [3]
    assert (read(log), head(log)) == ([1, 2, 3], 3)


def test_replaced_row_keeps_its_number_and_is_found_by_its_new_fields(log: StorageProvider) -> None:
    append(log, 1, 2, 3)
    before = log.tx_runner.run(lambda tx: tx.log.read_changes(0, 10, {}), read_only=True)
    changed = before[1] | {"urn": "urn:li:corpuser:erased\x00", "namespace": "other", "actor": None, "value": "{}"}
    log.tx_runner.run(lambda tx: tx.log.replace_changes([changed]))
    assert log.tx_runner.run(lambda tx: tx.log.read_changes(0, 10, {}), read_only=True) == [
        before[0],
        changed,
        before[2],
    ]
    assert (head(log), read(log, namespace="other"), read(log, urn=changed["urn"])) == (3, [2], [2])
    assert 2 not in read(log, urn=before[1]["urn"])
    assert append(log, 4) == [4]


def test_row_is_read_unchanged(log: StorageProvider) -> None:
    full = {
        "time": 2**41,
        "urn": "urn:li:dataset:(urn:li:dataPlatform:spark,a.b,PROD)",
        "type": "dataset",
        "namespace": "a\x00b\U0001f600",
        "name": "",
        "aspect": "businessMetadata",
        "operation": "update",
        "version": -1,
        "scope": "USER",
        "actor": "ada",
        "via": None,
        "run": None,
        "previous": '{"a": "\\u0000"}',
        "value": "x" * 100_000,
        "previous_system": None,
        "system": '{"runId":"r"}',
        "token": "0123456789ab",
    }
    log.tx_runner.run(lambda tx: add_changes(tx, full, EMPTY))
    assert log.tx_runner.run(lambda tx: tx.log.read_changes(0, 9, {})) == [full | {"seq": 1}, EMPTY | {"seq": 2}]


def test_reading_continues_after_a_number(log: StorageProvider) -> None:
    append(log, *range(10))
    assert read(log, 7) == [8, 9, 10]
    assert read(log, 2, 3) == [3, 4, 5]
    assert (read(log, 10), read(log, 99), read(log, 0, 0)) == ([], [], [])


def test_filters_are_combined_with_and(log: StorageProvider) -> None:
    append(log, *range(12))
    assert read(log, urn="urn:1") == [2, 5, 8, 11]
    assert read(log, namespace="n1") == [2, 4, 6, 8, 10, 12]
    assert read(log, urn="urn:1", namespace="n1") == [2, 8]
    assert read(log, 2, 1, urn="urn:1", namespace="n1") == [8]
    assert read(log, type="dataset", urn="urn:0") == [1, 4, 7, 10]
    assert read(log, type="namespace") == []
    assert read(log, urn="urn:none") == []


def test_rolled_back_number_is_used_again(log: StorageProvider) -> None:
    def fail(tx: TableContext) -> None:
        add_changes(tx, change(1))
        raise KeyError

    append(log, 0)
    with pytest.raises(KeyError):
        log.tx_runner.run(fail)
    assert append(log, 2) == [head(log)]
    assert read(log) == [1, head(log)]


def test_truncation_never_removes_the_newest(log: StorageProvider) -> None:
    append(log, *range(8))
    assert compact(log, 3) == 3
    assert (read(log), read(log, urn="urn:1"), head(log)) == ([4, 5, 6, 7, 8], [5, 8], 8)
    assert compact(log, 3) == 0
    assert compact(log, 99) == 4
    assert (read(log), head(log), compact(log, 8)) == ([8], 8, 0)
    assert append(log, 9) == [9]


def test_long_log_is_truncated(log: StorageProvider) -> None:
    append(log, *range(1_300))
    assert compact(log, 1_250) == 1_250
    assert read(log)[:2] == [1_251, 1_252]
    assert read(log, namespace="n0")[:1] == [1_251]


def test_backup_is_restored_with_its_numbers(log: StorageProvider) -> None:
    rows = [change(number) | {"seq": number} for number in (5, 6, 9)]
    log.tx_runner.run(lambda tx: tx.log.append_changes(rows))
    assert (read(log), head(log), read(log, urn="urn:0")) == ([5, 6, 9], 9, [6, 9])
    assert append(log, 0) == [10]
    log.tx_runner.run(lambda tx: tx.log.append_changes([]))
    assert head(log) == 10


def test_changes_become_visible_in_order(log: StorageProvider, another: StorageProvider) -> None:
    another.table_admin.create_or_update()

    def follow() -> list[int]:
        seen: list[int] = []
        while len(seen) < 80:
            seen += read(another, seen[-1] if seen else 0, 7)
        return seen

    with ThreadPoolExecutor(5) as threads:
        following = threads.submit(follow)
        writing = [
            threads.submit(lambda store: [append(store, number)[0] for number in range(20)], store)
            for store in (log, another) * 2
        ]
        expected = sorted(number for future in writing for number in future.result(timeout=300))
        assert following.result(timeout=300) == expected
    assert len(set(expected)) == 80
