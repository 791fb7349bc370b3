"""Nobody takes a change out of the log, or alters one, without its being found; and compaction carries the chain on."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, now_ms
from jupyter_colophon.core.errors import LogCompacted
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.service.admin.log_truncation import compact
from jupyter_colophon.service.changes import sealing
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.secret import store_key
from support.catalog import ADA, say
from support.keeping import findings, keeper, opened_in
from support.stores import STORES
from support.urns import table

_DAY_MS = 86_400_000


@pytest.fixture(params=list(STORES))
def choice(request: Any, tmp_path: Path) -> Iterator[StoreChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def catalog(choice: StoreChoice) -> Iterator[Catalog]:
    opened = opened_in(choice)
    yield opened
    opened.close()


def _seal(catalog: Catalog) -> None:
    sealing.seal(catalog.provider, store_key(catalog.provider), now_ms)


def _seals(catalog: Catalog) -> list[signed_chain.Seal]:
    return catalog.provider.tx_runner.run(lambda tx: signed_chain.following(tx, -1, 10_000), read_only=True)


def _compact(catalog: Catalog, days: int, *, days_later: int = 0) -> int:
    def now() -> int:
        return now_ms() + days_later * _DAY_MS

    return compact(catalog.provider, store_key(catalog.provider), now, days, lambda what, steps: None)


def _head(catalog: Catalog) -> int:
    return catalog.feed.head()


def test_whoever_lets_go_of_a_catalog_has_sealed_what_he_wrote(choice: StoreChoice) -> None:
    writer = opened_in(choice)
    say(writer)
    head = _head(writer)
    writer.close()
    reader = opened_in(choice)
    assert _seals(reader)[-1].seq == head
    reader.close()


def test_changes_are_sealed_by_those_who_write_without_being_asked(
    choice: StoreChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "PAUSE_S", 0.0)
    catalog = opened_in(choice)
    say(catalog)
    head = _head(catalog)
    while not _seals(catalog) or _seals(catalog)[-1].seq < head:
        pass
    assert findings(keeper(catalog)) == []
    catalog.close()


def test_many_who_seal_at_once_make_one_chain(choice: StoreChoice) -> None:
    catalogs = [opened_in(choice) for _ in range(3)]

    def write(at: int) -> None:
        for number in range(12):
            say(catalogs[at], table(f"t{at}"), {"number": str(number)})
            _seal(catalogs[at])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    seals = _seals(catalogs[0])
    assert sum(seal.rows for seal in seals) == len(catalogs[0].feed.changes(0, 500, {}, ADA))
    assert findings(keeper(catalogs[0])) == []
    for one in catalogs:
        one.close()


def test_a_log_that_was_never_sealed_is_sealed_in_parts(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 5)
    for number in range(20):
        say(catalog, properties={"number": str(number)})
    _seal(catalog)
    assert len(_seals(catalog)) > 3
    assert findings(keeper(catalog)) == []


def _forged(tx: Any) -> None:
    one = signed_chain.following(tx, -1, 1)[0]
    tx.table("log_seals").upsert({"seq": one.seq, "hash": b"x" * 32})


def _forgotten(tx: Any) -> None:
    one = signed_chain.following(tx, -1, 1)[0]
    tx.table("log_seals").delete((one.seq,))


def _taken_out(tx: Any) -> None:
    tx.log.compact(tx.log.head() - 2)


def _begun_anew(tx: Any) -> None:
    """As whoever has no key would: a checkpoint that he did not sign."""
    tx.log.compact(signed_chain.following(tx, -1, 1)[0].seq)
    tx.table("log_seals").upsert({"seq": signed_chain.following(tx, -1, 1)[0].seq, "checkpoint": True})


@pytest.mark.parametrize("deed", [_forged, _forgotten, _taken_out, _begun_anew], ids=lambda deed: deed.__name__)
def test_who_tampers_with_the_log_is_found_out(catalog: Catalog, monkeypatch: pytest.MonkeyPatch, deed: Any) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 3)
    for number in range(4):
        say(catalog, properties={"number": str(number)})
    assert findings(keeper(catalog)) == []
    catalog.provider.tx_runner.run(deed)
    assert "the change log" in {subject for subject, _ in findings(keeper(catalog))}


def test_old_changes_go_and_the_chain_goes_on(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 5)
    for number in range(30):
        say(catalog, properties={"number": str(number)})
    head = _head(catalog)
    assert _compact(catalog, 10, days_later=9) == 0
    assert _compact(catalog, 0, days_later=1_000) == 0
    assert _compact(catalog, 10, days_later=11) > 20
    assert _head(catalog) == head
    assert findings(keeper(catalog)) == []
    say(catalog, properties={"number": "more"})
    assert _head(catalog) > head
    assert findings(keeper(catalog)) == []
    with pytest.raises(LogCompacted) as refused:
        catalog.feed.changes(0, 10, {}, ADA)
    kept = catalog.feed.changes(refused.value.floor, 500, {}, ADA)
    assert kept[0].seq == refused.value.floor + 1
    assert kept[-1].seq == _head(catalog)
