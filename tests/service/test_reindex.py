"""What is derived can be made anew of what the catalog was told, and is then what it was (spec MODEL-13)."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.maintenance import Keeper
from jupyter_colophon.storage.spi import Document, Range
from support.catalog import ADA, forget, opened, say, touch
from support.histories import HISTORIES, derived, live
from support.keeping import findings, keeper, opened_in
from support.stores import STORES
from support.urns import CELL, ORDERS, REPORT, table


@pytest.fixture(params=list(STORES))
def choice(request: Any, tmp_path: Path) -> Iterator[StoreChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def sales(choice: StoreChoice) -> Iterator[Catalog]:
    catalog = opened_in(choice)
    say(catalog, ORDERS, {"owner": "ops", "Note": "x y"}, ["faa", "fresh"])
    say(catalog, REPORT, {"owner": "ops"}, ["faa"])
    # A text that the model marks for search.
    marked = Proposal(Urn.parse(REPORT), "subTypes", "upsert", {"typeNames": ["Okapi View"]})
    catalog.write_path.propose([marked], ADA)
    touch(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)
    touch(catalog, CELL, "r2", ("read", ORDERS))
    yield catalog
    catalog.close()


@settings(max_examples=25, deadline=None)
@given(HISTORIES)
def test_after_any_history_nothing_differs(steps: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        catalog = opened(Path(folder) / "catalog.db")
        live(catalog, steps)
        before = derived(catalog)
        assert findings(keeper(catalog)) == []
        assert keeper(catalog).checker().reindex() == 0
        assert derived(catalog) == before
        catalog.close()


def _everything_lost(tx: Any) -> None:
    for name in ("entity_names", "metadata_values", "value_history", "key_counts", "value_counts", "run_times"):
        tx.table(name).delete_all(Range())
    for document in tx.search.after("", 100):
        tx.search.remove(document.urn)
    for run in tx.edges.runs_after("", 100):
        tx.edges.forget(run)


def _too_much(tx: Any) -> None:
    value = {"namespace": "sales", "key": "owner", "value": "nobody", "urn": ORDERS, "scope": "SYSTEM"}
    tx.table("metadata_values").upsert(value | {"kind": "property", "shown": "nobody"})
    tx.table("metadata_values").upsert(value | {"urn": table("ghost"), "kind": "property", "shown": "nobody"})
    tx.table("entity_names").upsert({"namespace": "sales", "type": "dataset", "name": "ghost", "urn": table("ghost")})
    count = {"namespace": "sales", "folded": "ghost", "key": "ghost", "kind": "tag", "scope": "SYSTEM"}
    tx.table("key_counts").upsert(count | {"entity_kind": "dataset", "entities": 3})
    tx.table("run_times").upsert({"program": "", "start": 1, "urn": "urn:li:dataProcessInstance:ghost"})
    tx.search.put(Document(table("ghost"), "sales", "dataset", frozenset(), frozenset({"ghost"}), frozenset({"x"})))
    tx.edges.add(ORDERS, CELL, "write", "urn:li:dataProcessInstance:ghost", "", 1, None)


def _wrong(tx: Any) -> None:
    for row in list(tx.table("metadata_values").scan(Range())):
        tx.table("metadata_values").upsert(row | {"shown": "other"})
    for row in list(tx.table("value_counts").scan(Range())):
        tx.table("value_counts").upsert(row | {"entities": row["entities"] + 1})
    for row in list(tx.table("key_counts").scan(Range(), 1)):
        tx.table("key_counts").upsert(row | {"entities": 0})
    one = tx.search.after("", 1)[0]
    tx.search.put(
        Document(one.urn, one.namespace, one.type, frozenset({("tag", "odd")}), one.words | {"odd"}, one.terms)
    )
    run = tx.edges.runs_after("", 1)[0]
    tx.edges.stop(run, 77)
    tx.edges.add(REPORT, CELL, "read", run, "odd", 1_000, None)


@pytest.mark.parametrize("damage", [_everything_lost, _too_much, _wrong], ids=["lost", "too much", "wrong"])
def test_damage_is_told_and_mended(sales: Catalog, damage: Any) -> None:
    before, healer = derived(sales), keeper(sales)
    assert findings(healer) == []
    sales.provider.tx_runner.run(damage)
    assert derived(sales) != before
    assert findings(healer)
    assert healer.checker().reindex() > 0
    assert derived(sales) == before
    assert findings(healer) == []


def test_who_writes_meanwhile_is_not_undone(sales: Catalog) -> None:
    """Between two steps of the work, and while counts are reckoned, things are said, forgotten and run."""
    sales.provider.tx_runner.run(_everything_lost)
    seen: Counter[str] = Counter()

    def write(name: str) -> None:
        say(sales, table(name), {"owner": "ops"}, ["faa"])
        say(sales, ORDERS, {"owner": name}, ["faa"])
        touch(sales, CELL, name, ("read", ORDERS), end=6_000)
        forget(sales, table(name), "technicalMetadata")

    with ThreadPoolExecutor(1) as other:

        def meanwhile(what: str, _: int) -> None:
            seen[what] += 1
            if seen[what] <= 2:
                other.submit(write, f"{what}{seen[what]}".replace(" ", "")).result()

        Keeper(sales.provider, sales.registry, meanwhile).checker().reindex()
    assert len(seen) > 5
    assert findings(keeper(sales)) == []
    assert keeper(sales).checker().reindex() == 0
