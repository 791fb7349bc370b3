"""Search with more matches than those whose URNs a store reads at once: names with a word of the query come first."""

from collections.abc import Iterator

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.search.search import SearchRequest
from support.catalog import ADA, build_metadata_value, list_hit_names, search_catalog
from support.stores import READY, open_new_catalog
from support.urns import build_table_urn

NAMED = ("airport-delay", "delay_ä", "delay.b")
LONGER = "delayed"
OTHERS = tuple(f"t{number:03}" for number in range(260))


@pytest.fixture(scope="module", params=list(READY))
def catalog(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """Open a catalog in which many entities have the same word, and few of them have it in their name."""
    with open_new_catalog(request.param, tmp_path_factory.mktemp("many")) as opened:
        value = build_metadata_value({"note": "delay"}, ["late"])
        names = (*OTHERS[:130], *NAMED, LONGER, *OTHERS[130:])
        opened.write_path.apply_proposals_atomically(
            [
                Proposal(Urn.parse(build_table_urn(name, "default")), "businessMetadata", "upsert", value)
                for name in names
            ],
            ADA,
        )
        yield opened


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("delay", {*NAMED}),
        ("delay*", {*NAMED, LONGER}),
        ("d*", {*NAMED, LONGER}),
        ("note:delay delay", {*NAMED}),
        ("late delay*", {*NAMED, LONGER}),
        ("airport late", {"airport-delay"}),
        ("airport-delay late", {"airport-delay"}),
        ("delay_Ä late", {"delay_ä"}),
        ("late", set()),
    ],
)
def test_names_with_a_word_of_the_query_come_first(catalog: Catalog, query: str, named: set[str]) -> None:
    found = search_catalog(catalog, query, type="dataset")
    names = list_hit_names(found)
    assert set(names[: len(named)]) == named
    # The others match equally, and are in the order of their URNs.
    others = [name for name in names[len(named) :] if name in OTHERS]
    assert others == [*OTHERS[: len(others)]]
    assert found.total == dict(found.facets["namespace"])["default"] == len(OTHERS) + len(NAMED) + 1


def test_pages_have_each_match_once_in_any_order(catalog: Catalog) -> None:
    for sort in ("relevance", "name", "updated"):
        names: list[str] = []
        cursor, ended = "", False
        while not ended:
            request = SearchRequest("delay*", limit=100, cursor=cursor, sort=sort)
            page = catalog.searcher.search_page_of_hits(request, ADA)
            names += list_hit_names(page)
            cursor, ended = page.cursor or "", page.cursor is None
        assert sorted(names) == sorted((*OTHERS, *NAMED, LONGER))
        if sort == "name":
            assert names == sorted(names)
