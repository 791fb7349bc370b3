"""Removed and altered changes of the log are detected; truncation continues the chain of seals."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.core.errors import LogCompacted
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.service.admin.log_truncation import delete_changes_older_than_days
from jupyter_colophon.service.changes import sealing
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.secret import read_or_create_store_key
from support.catalog import ADA, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.stores import STORES
from support.urns import build_table_urn

_DAY_MS = 86_400_000


@pytest.fixture(params=list(STORES))
def choice(request: Any, tmp_path: Path) -> Iterator[StorageChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def catalog(choice: StorageChoice) -> Iterator[Catalog]:
    opened = open_catalog_of_store(choice)
    yield opened
    opened.close()


def _seal(catalog: Catalog) -> None:
    sealing.seal_unsealed_rows(catalog.provider, read_or_create_store_key(catalog.provider), read_time_ms)


def _seals(catalog: Catalog) -> list[signed_chain.Seal]:
    return catalog.provider.tx_runner.run(lambda tx: signed_chain.list_seals_after(tx, -1, 10_000), read_only=True)


def _compact(catalog: Catalog, days: int, *, days_later: int = 0) -> int:
    def now() -> int:
        return read_time_ms() + days_later * _DAY_MS

    return delete_changes_older_than_days(
        catalog.provider, read_or_create_store_key(catalog.provider), now, days, lambda what, steps: None
    )


def _head(catalog: Catalog) -> int:
    return catalog.feed.read_newest_change_number()


def test_closing_a_catalog_seals_its_changes(choice: StorageChoice) -> None:
    writer = open_catalog_of_store(choice)
    write_metadata(writer)
    head = _head(writer)
    writer.close()
    reader = open_catalog_of_store(choice)
    assert _seals(reader)[-1].seq == head
    reader.close()


def test_changes_of_a_busy_store_share_a_seal(catalog: Catalog) -> None:
    """A writer that never pauses must neither keep the sealer busy nor get a seal for each change."""
    for number in range(5):
        write_metadata(catalog, build_table_urn(f"t{number}"))
    head, numbers = _head(catalog), iter(range(100))
    with ThreadPoolExecutor(1) as writer:

        def write_and_read_time() -> int:
            writer.submit(write_metadata, catalog, build_table_urn("busy"), {"n": str(next(numbers))}).result()
            return read_time_ms()

        sealing.seal_unsealed_rows(catalog.provider, read_or_create_store_key(catalog.provider), write_and_read_time)
    (seal,) = _seals(catalog)
    assert seal.seq >= head


def test_changes_are_sealed_in_the_background(choice: StorageChoice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "PAUSE_S", 0.0)
    catalog = open_catalog_of_store(choice)
    write_metadata(catalog)
    head = _head(catalog)
    while not _seals(catalog) or _seals(catalog)[-1].seq < head:
        pass
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()


def test_concurrent_sealing_makes_one_chain(choice: StorageChoice) -> None:
    catalogs = [open_catalog_of_store(choice) for _ in range(3)]

    def write(at: int) -> None:
        for number in range(12):
            write_metadata(catalogs[at], build_table_urn(f"t{at}"), {"number": str(number)})
            _seal(catalogs[at])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    seals = _seals(catalogs[0])
    assert sum(seal.rows for seal in seals) == len(catalogs[0].feed.read_visible_changes(0, 500, {}, ADA))
    assert list_integrity_issues(create_maintenance(catalogs[0])) == []
    for one in catalogs:
        one.close()


def test_unsealed_log_is_sealed_in_parts(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 5)
    for number in range(20):
        write_metadata(catalog, properties={"number": str(number)})
    _seal(catalog)
    assert len(_seals(catalog)) > 3
    assert list_integrity_issues(create_maintenance(catalog)) == []


def _forge(tx: Any) -> None:
    one = signed_chain.list_seals_after(tx, -1, 1)[0]
    tx.get_table("log_seals").upsert({"seq": one.seq, "hash": b"x" * 32})


def _remove(tx: Any) -> None:
    one = signed_chain.list_seals_after(tx, -1, 1)[0]
    tx.get_table("log_seals").delete((one.seq,))


def _remove_from_middle(tx: Any) -> None:
    tx.log.delete_changes_through(tx.log.get_newest_number() - 2)


def _restart(tx: Any) -> None:
    """Write a checkpoint without a valid signature, like an attacker without the key."""
    tx.log.delete_changes_through(signed_chain.list_seals_after(tx, -1, 1)[0].seq)
    tx.get_table("log_seals").upsert({"seq": signed_chain.list_seals_after(tx, -1, 1)[0].seq, "checkpoint": True})


@pytest.mark.parametrize("tamper", [_forge, _remove, _remove_from_middle, _restart], ids=lambda tamper: tamper.__name__)
def test_tampering_with_the_log_is_detected(catalog: Catalog, monkeypatch: pytest.MonkeyPatch, tamper: Any) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 3)
    for number in range(4):
        write_metadata(catalog, properties={"number": str(number)})
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.provider.tx_runner.run(tamper)
    assert "the change log" in {subject for subject, _ in list_integrity_issues(create_maintenance(catalog))}


def test_truncation_removes_old_changes_and_continues_the_chain(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 5)
    for number in range(30):
        write_metadata(catalog, properties={"number": str(number)})
    head = _head(catalog)
    assert _compact(catalog, 10, days_later=9) == 0
    assert _compact(catalog, 0, days_later=1_000) == 0
    assert _compact(catalog, 10, days_later=11) > 20
    assert _head(catalog) == head
    assert list_integrity_issues(create_maintenance(catalog)) == []
    write_metadata(catalog, properties={"number": "more"})
    assert _head(catalog) > head
    assert list_integrity_issues(create_maintenance(catalog)) == []
    with pytest.raises(LogCompacted) as refused:
        catalog.feed.read_visible_changes(0, 10, {}, ADA)
    kept = catalog.feed.read_visible_changes(refused.value.floor, 500, {}, ADA)
    assert kept[0].seq == refused.value.floor + 1
    assert kept[-1].seq == _head(catalog)
