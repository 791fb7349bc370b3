"""What somebody says that data is made of: its history is the truth, and lineage is made of it (spec LINEAGE-7)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import LineageEdge, LineageQuestion, Window
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StoreChoice, sqlite_file
from jupyter_colophon.maintenance import open_keeper
from jupyter_colophon.storage.spi import TableContext
from support.catalog import ADA, forget, say
from support.keeping import findings, keeper, opened_in
from support.stores import STORES
from support.urns import table

A, B, C, D = (table(name) for name in "abcd")


@pytest.fixture(params=list(STORES))
def choice(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def catalog(choice: StoreChoice) -> Iterator[Catalog]:
    """c was said to be made of a, then of a and b, then of nothing, then of b; d is said to be made of a by another."""
    opened = opened_in(choice)
    for urn in (A, B, C, D):
        say(opened, urn)
    for upstreams in ((A,), (A, B), (), (B,)):
        state(opened, C, *upstreams)
    state(opened, D, A, who="bob")
    yield opened
    opened.close()


def state(catalog: Catalog, made: str, *of: str, who: str = "ada") -> None:
    value = {"upstreams": [{"dataset": one} for one in of]}
    catalog.write_path.propose([Proposal(Urn.parse(made), declared_lineage.ASPECT, "upsert", value)], Principal(who))


def edges(catalog: Catalog, urn: str, direction: str = "upstream") -> dict[str, LineageEdge]:
    """By the data that they begin at, or end at."""
    question = LineageQuestion(Urn.parse(urn), direction, 1, Window(0, 2**50))  # type: ignore[arg-type]
    found = catalog.lineage.lineage(question, ADA).edges
    return {end: edge for edge in found for end in (edge.source, edge.target) if "dataset" in end and end != urn}


def all_links(tx: TableContext) -> set[object]:
    return {link for run in tx.edges.runs_after("", 100) for link in tx.edges.of_run(run)}


def test_each_source_has_edges_of_its_own_with_the_time_in_which_they_were_in_force(catalog: Catalog) -> None:
    above = edges(catalog, C)
    assert {urn: edge.end is None for urn, edge in above.items()} == {A: False, B: True}
    assert {edge.reported_by for edge in above.values()} == {"ada"}
    assert {edge.reported_by for edge in edges(catalog, D).values()} == {"bob"}
    # What ada says of c makes nothing of what bob says of d.
    assert set(edges(catalog, B, "downstream")) == {C}
    assert set(edges(catalog, A, "downstream")) == {C, D}


def test_data_that_is_deleted_is_no_longer_said_to_be_made_of_anything(catalog: Catalog) -> None:
    forget(catalog, D)
    assert edges(catalog, D)[A].end is not None
    forget(catalog, C, declared_lineage.ASPECT)
    assert edges(catalog, C)[B].end is not None


def test_lineage_is_made_anew_of_the_history_and_what_is_too_many_goes(catalog: Catalog) -> None:
    runner = catalog.provider.tx_runner
    before = runner.run(all_links, read_only=True)
    assert findings(keeper(catalog)) == []

    def damage(tx: TableContext) -> None:
        tx.edges.forget(tx.edges.runs_after("", 100)[0])
        tx.edges.add(A, "urn:li:dataJob:x", "read", declared_lineage.version_mark(A, 7), "", 1, None)

    runner.run(damage)
    assert len(findings(keeper(catalog))) == 2
    assert keeper(catalog).checker().reindex() == 2
    assert runner.run(all_links, read_only=True) == before
    assert findings(keeper(catalog)) == []


def test_a_backup_brings_it_back(catalog: Catalog, tmp_path: Path) -> None:
    before = catalog.provider.tx_runner.run(all_links, read_only=True)
    keeper(catalog).backups("1.0").write(tmp_path / "backup")
    choice = sqlite_file(tmp_path / "restored.db")
    healer = open_keeper(choice, lambda what, steps: None, new=True)
    healer.backups("1.0").restore(tmp_path / "backup")
    assert findings(healer) == []
    healer.close()
    restored = opened_in(choice)
    assert restored.provider.tx_runner.run(all_links, read_only=True) == before
    restored.close()
