"""Old versions of aspects are let go as the setting says, a few with each new one; before that the past is no longer told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, now_ms, open_catalog
from jupyter_colophon.core.errors import HistoryExpired, InvalidConfiguration
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.lineage.graph import LineageQuestion
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.retention import parse_retention
from jupyter_colophon.core.search.search import KeysQuestion, SearchQuestion
from support.catalog import ADA, forget, metadata
from support.keeping import findings, keeper
from support.stores import STORES
from support.urns import ORDERS

URN = Urn.parse(ORDERS)
Opened = Callable[..., Any]


def rule(entity: str = "*", aspect: str = "*", **config: int) -> dict[str, Any]:
    members = {"versions": ("version", "maxVersions"), "seconds": ("time", "maxAgeInSeconds")}
    told = {members[name][0]: {members[name][1]: value} for name, value in config.items()}
    return {"entity": entity, "aspect": aspect, "config": {"retention": told}}


@pytest.fixture
def kept(store_name: str, tmp_path: Path) -> Iterator[Opened]:
    """Opens the same catalog with these rules."""
    with STORES[store_name](tmp_path) as choice:

        @contextmanager
        def opened(*rules: dict[str, Any]) -> Iterator[Catalog]:
            catalog = open_catalog(choice, Identity(), retained=parse_retention(rules))
            yield catalog
            catalog.close()

        yield opened


def write(catalog: Catalog, *values: int, aspect: str = "technicalMetadata") -> None:
    for value in values:
        said = metadata({"n": str(value), f"k{value}": "x"})
        catalog.write_path.propose([Proposal(URN, aspect, "upsert", said)], ADA)


def versions(catalog: Catalog, aspect: str = "technicalMetadata") -> list[int]:
    return [one.version for one in catalog.reader.versions(URN, aspect, 100, "", ADA)[0]]


def test_the_newest_versions_are_kept_and_nothing_is_found_wrong(kept: Opened) -> None:
    with kept(rule(versions=3)) as catalog:
        write(catalog, *range(10))
        assert versions(catalog) == [10, 9, 8]
        assert findings(keeper(catalog)) == []
        assert keeper(catalog).checker().reindex() == 0


def test_the_present_version_is_never_let_go(kept: Opened) -> None:
    with kept(rule(versions=1)) as catalog:
        write(catalog, 1, 2, 3)
        assert versions(catalog) == [3]
        assert catalog.reader.aspect(URN, "technicalMetadata", ADA).value["properties"]["n"] == "3"
        forget(catalog)
        write(catalog, 4)
        assert findings(keeper(catalog)) == []


def test_what_was_last_in_force_long_ago_is_let_go(kept: Opened) -> None:
    with kept(rule(seconds=3_600)) as catalog:
        clock = [now_ms() - 10 * 3_600_000]
        object.__setattr__(catalog.write_path, "now", lambda: clock[0])
        for value in range(6):
            write(catalog, value)
            clock[0] += 1_800_000
        # Written every half hour: three that ended within the last hour, and the present one.
        assert versions(catalog) == [6, 5, 4, 3]
        assert findings(keeper(catalog)) == []


@pytest.mark.parametrize(
    ("rules", "aspect", "left"),
    [
        ([rule(versions=1), rule("dataset", "technicalMetadata", versions=2)], "technicalMetadata", 2),
        ([rule("dataset", "*", versions=1), rule("*", "technicalMetadata", versions=2)], "technicalMetadata", 2),
        ([rule(versions=1), rule("dataset", "*", versions=2)], "technicalMetadata", 2),
        ([rule("dataJob", "*", versions=1)], "technicalMetadata", 4),
        ([rule(versions=1), rule("dataset", "*")], "technicalMetadata", 4),
        ([rule(versions=1)], "businessMetadata", 4),
        ([rule("dataset", "*", versions=1)], "businessMetadata", 4),
        ([rule("*", "businessMetadata", versions=1)], "businessMetadata", 1),
    ],
)
def test_the_nearest_rule_counts_and_what_people_wrote_is_let_go_only_by_name(
    kept: Opened, rules: list[Any], aspect: str, left: int
) -> None:
    with kept(*rules) as catalog:
        catalog.write_path.propose([Proposal(URN, "status", "upsert", {"removed": False})], ADA)
        write(catalog, 1, 2, 3, 4, aspect=aspect)
        assert len(versions(catalog, aspect)) == left


def test_a_rule_that_became_stricter_lets_go_of_two_with_each_new_one(kept: Opened) -> None:
    with kept() as catalog:
        write(catalog, *range(10))
        assert len(versions(catalog)) == 10
    with kept(rule(versions=2)) as catalog:
        write(catalog, 11)
        assert len(versions(catalog)) == 9
        write(catalog, *range(12, 22))
        assert versions(catalog) == [21, 20]
        assert findings(keeper(catalog)) == []


def test_the_past_is_told_as_far_as_it_is_whole(kept: Opened) -> None:
    with kept(rule(versions=2)) as catalog:
        before = now_ms() - 60_000
        write(catalog, 1, 2)
        assert catalog.searcher.search(SearchQuestion("n:1", as_of=before), ADA).total == 0
        write(catalog, 3)
        questions: list[Callable[[], Any]] = [
            lambda: catalog.searcher.search(SearchQuestion("n:1", as_of=before), ADA),
            lambda: catalog.keys.keys(KeysQuestion("", "", (), as_of=before), ADA),
            lambda: catalog.lineage.lineage(LineageQuestion(URN, as_of=before), ADA),
        ]
        for ask in questions:
            with pytest.raises(HistoryExpired):
                ask()
        assert catalog.searcher.search(SearchQuestion("n:3", as_of=now_ms() + 1_000), ADA).total == 1


@pytest.mark.parametrize(
    "told",
    [
        [1],
        [{}],
        [{"config": {}}],
        [rule(versions=0)],
        [rule(versions="20")],  # type: ignore[arg-type]
        [rule(versions=True)],
        [{"config": {"retention": {"versions": {"maxVersions": 1}}}}],
    ],
)
def test_a_rule_that_is_none_is_told_when_the_catalog_is_opened(told: list[Any]) -> None:
    with pytest.raises(InvalidConfiguration):
        parse_retention(told)
