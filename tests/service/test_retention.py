"""Old versions of aspects are deleted by the retention setting, a few with each write; earlier times cannot be queried then."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog, read_time_ms
from jupyter_colophon.core.errors import HistoryExpired, InvalidConfiguration
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.retention import parse_retention_rules
from jupyter_colophon.core.search.search import KeysRequest, SearchRequest
from jupyter_colophon.service.privacy import retention
from support.catalog import ADA, build_metadata_value, delete_entity_or_aspect, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.stores import STORES
from support.urns import ORDERS, build_table_urn

URN = Urn.parse(ORDERS)
Opened = Callable[..., Any]


def rule(entity: str = "*", aspect: str = "*", namespace: str = "", **config: int) -> dict[str, Any]:
    members = {"versions": ("version", "maxVersions"), "seconds": ("time", "maxAgeInSeconds")}
    limits = {members[name][0]: {members[name][1]: value} for name, value in config.items()}
    place = {"namespace": namespace} if namespace else {}
    return {**place, "entity": entity, "aspect": aspect, "config": {"retention": limits}}


@pytest.fixture
def kept(store_name: str, tmp_path: Path) -> Iterator[Opened]:
    """Return a function that opens the same catalog with other rules."""
    with STORES[store_name](tmp_path) as choice:

        @contextmanager
        def opened(*rules: dict[str, Any]) -> Iterator[Catalog]:
            catalog = open_or_create_catalog(choice, IdentityRules(), retention=parse_retention_rules(rules))
            yield catalog
            catalog.close()

        yield opened


def write(catalog: Catalog, *values: int, aspect: str = "technicalMetadata") -> None:
    for value in values:
        value_document = build_metadata_value({"n": str(value), f"k{value}": "x"})
        catalog.write_path.apply_proposals_atomically([Proposal(URN, aspect, "upsert", value_document)], ADA)


def versions(catalog: Catalog, aspect: str = "technicalMetadata") -> list[int]:
    return [one.version for one in catalog.reader.list_aspect_versions(URN, aspect, 100, "", ADA)[0]]


def test_newest_versions_are_kept_and_catalog_stays_valid(kept: Opened) -> None:
    with kept(rule(versions=3)) as catalog:
        write(catalog, *range(10))
        assert versions(catalog) == [10, 9, 8]
        assert list_integrity_issues(create_maintenance(catalog)) == []
        assert create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows() == 0


def test_current_version_is_never_deleted(kept: Opened) -> None:
    with kept(rule(versions=1)) as catalog:
        write(catalog, 1, 2, 3)
        assert versions(catalog) == [3]
        assert catalog.reader.read_current_aspect(URN, "technicalMetadata", ADA).value["properties"]["n"] == "3"
        delete_entity_or_aspect(catalog)
        write(catalog, 4)
        assert list_integrity_issues(create_maintenance(catalog)) == []


def test_versions_older_than_the_limit_are_deleted(kept: Opened) -> None:
    with kept(rule(seconds=3_600)) as catalog:
        clock = [read_time_ms() - 10 * 3_600_000]
        object.__setattr__(catalog.write_path, "now", lambda: clock[0])
        for value in range(6):
            write(catalog, value)
            clock[0] += 1_800_000
        # Written every half hour: three that ended within the last hour, and the current one.
        assert versions(catalog) == [6, 5, 4, 3]
        assert list_integrity_issues(create_maintenance(catalog)) == []


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
        (
            [rule("dataset", "technicalMetadata", versions=1), rule(namespace="sales", versions=3)],
            "technicalMetadata",
            3,
        ),
        ([rule(versions=2), rule("dataset", "technicalMetadata", "hr", versions=1)], "technicalMetadata", 2),
    ],
)
def test_most_specific_rule_applies_and_user_aspects_need_their_name(
    kept: Opened, rules: list[Any], aspect: str, left: int
) -> None:
    with kept(*rules) as catalog:
        catalog.write_path.apply_proposals_atomically([Proposal(URN, "status", "upsert", {"removed": False})], ADA)
        write(catalog, 1, 2, 3, 4, aspect=aspect)
        assert len(versions(catalog, aspect)) == left


def test_stricter_rule_deletes_two_versions_per_write(kept: Opened) -> None:
    with kept() as catalog:
        write(catalog, *range(10))
        assert len(versions(catalog)) == 10
    with kept(rule(versions=2)) as catalog:
        write(catalog, 11)
        assert len(versions(catalog)) == 9
        write(catalog, *range(12, 22))
        assert versions(catalog) == [21, 20]
        assert list_integrity_issues(create_maintenance(catalog)) == []


def test_point_in_time_queries_are_limited_to_complete_history(kept: Opened) -> None:
    with kept(rule(versions=2)) as catalog:
        before = read_time_ms() - 60_000
        write(catalog, 1, 2)
        assert catalog.searcher.search_page_of_hits(SearchRequest("n:1", as_of=before), ADA).total == 0
        write(catalog, 3)
        questions: list[Callable[[], Any]] = [
            lambda: catalog.searcher.search_page_of_hits(SearchRequest("n:1", as_of=before), ADA),
            lambda: catalog.keys.list_keys_with_counts(KeysRequest("", "", (), as_of=before), ADA),
            lambda: catalog.lineage.read_lineage(LineageRequest(URN, as_of=before), ADA),
        ]
        for query in questions:
            with pytest.raises(HistoryExpired):
                query()
        assert catalog.searcher.search_page_of_hits(SearchRequest("n:3", as_of=read_time_ms() + 1_000), ADA).total == 1


def sweep(catalog: Catalog, *, dry_run: bool) -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    cursor: str | None = ""
    while cursor is not None:
        expired, cursor = catalog.retention.run_step(cursor, dry_run=dry_run)
        for one in expired:
            found[one.namespace, one.type, one.aspect] += one.versions
    return found


def test_versions_of_aspects_that_are_not_written_any_more_are_deleted(
    kept: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_ENTITIES_AT_ONCE", 2)
    monkeypatch.setattr(retention, "_VERSIONS_AT_ONCE", 3)
    with kept() as catalog:
        write(catalog, *range(10))
        write(catalog, *range(5), aspect="businessMetadata")
        for name in ("a", "b", "c"):
            write_metadata(catalog, build_table_urn(name, "hr"))
            write_metadata(catalog, build_table_urn(name, "hr"), {"n": "2"})
    with kept(rule(namespace="sales", versions=2), rule(namespace="hr", versions=1)) as catalog:
        planned = sweep(catalog, dry_run=True)
        assert planned == {("sales", "dataset", "technicalMetadata"): 8, ("hr", "dataset", "technicalMetadata"): 3}
        assert sweep(catalog, dry_run=True) == planned
        assert sweep(catalog, dry_run=False) == planned
        assert sweep(catalog, dry_run=False) == {}
        assert (versions(catalog), len(versions(catalog, "businessMetadata"))) == ([10, 9], 5)
        assert list_integrity_issues(create_maintenance(catalog)) == []
        assert create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows() == 0


def test_servers_delete_versions_and_changes(kept: Opened) -> None:
    with kept() as catalog:
        write(catalog, *range(10))
        catalog.sealer.seal_remaining_changes_and_stop_thread()
        write(catalog, 11)
    with kept(rule(versions=2)) as catalog:
        sweeper = replace(catalog.retention, now=lambda: read_time_ms() + 10 * 86_400_000)
        daily = retention.DailyRetention(sweeper, catalog.sealer.key, 1)
        head = catalog.feed.read_newest_change_number()
        assert daily.run_now() > 9
        assert versions(catalog) == [11, 10]
        assert 0 < create_maintenance(catalog).read_store_status().floor < head
        assert daily.run_now() == 0
        assert list_integrity_issues(create_maintenance(catalog)) == []


@pytest.mark.parametrize(
    "rules",
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
def test_invalid_rule_is_an_error_when_opening(rules: list[Any]) -> None:
    with pytest.raises(InvalidConfiguration):
        parse_retention_rules(rules)
