"""Taking back what a run of an ingestion wrote: each aspect is again what it was without it (spec WRITE-17)."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AccessDenied, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.core.model.system_metadata import NO_RUN, SystemMetadata
from jupyter_colophon.service.datahub.ingestions import RolledBack
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, metadata
from support.keeping import findings, keeper
from support.urns import ORDERS, REPORT, table

ASPECT = "technicalMetadata"
READER = Principal("rita", scopes=frozenset({"read"}))


def system(run: str | None) -> SystemMetadata | None:
    return None if run is None else SystemMetadata(run_id=run, last_observed=1)


def write(
    catalog: Catalog, value: str | None, run: str | None = None, urn: str = ORDERS, aspect: str = ASPECT
) -> Written:
    operation = "delete" if value is None else "upsert"
    said = None if value is None else metadata({"a": value})
    proposal = Proposal(Urn.parse(urn), aspect, operation, said, system=system(run))  # type: ignore[arg-type]
    return catalog.write_path.propose([proposal], ADA)[0]


def back(catalog: Catalog, run: str, *, dry_run: bool = False, safe: bool = True) -> RolledBack:
    return catalog.datahub.ingestions.roll_back(run, ADA, dry_run=dry_run, safe=safe)


def value(catalog: Catalog, urn: str = ORDERS, aspect: str = ASPECT) -> str | None:
    try:
        found: str = catalog.reader.aspect(Urn.parse(urn), aspect, ADA).value["properties"]["a"]
        return found
    except NotFound:
        return None


def run_of(catalog: Catalog) -> str | None:
    said = catalog.reader.aspect(Urn.parse(ORDERS), ASPECT, ADA).system
    return None if said is None else said.run


STEPS = [
    ([("1", None), ("2", "a")], ["a"], "1", None),
    ([("1", "a"), ("2", "b"), ("3", "b")], ["b"], "1", "a"),
    ([("1", "a"), ("2", "b"), ("3", "c")], ["c", "b"], "1", "a"),
    ([("1", "a"), ("2", "b"), ("3", None)], ["b"], "3", None),
    ([("1", "a"), ("1", "b")], ["b"], "1", "a"),
    ([("1", None), ("1", "b")], ["b"], "1", None),
    ([("1", "a"), ("1", "b"), ("2", "b")], ["b"], "1", "a"),
    ([("1", "a"), ("2", "b"), ("1", "b")], ["b"], "1", "a"),
    ([("1", "a"), (None, None), ("2", "b")], ["b"], None, None),
    ([("1", "a"), (None, "b"), ("2", "b")], ["b"], "1", "a"),
    ([("1", "a"), ("2", NO_RUN)], [NO_RUN], "2", None),
    ([("1", "a"), ("2", "b"), ("3", "a")], ["a"], "2", "b"),
]


@pytest.mark.parametrize(("writes", "runs", "left", "owner"), STEPS)
def test_an_aspect_goes_back_to_what_was_said_without_the_run(
    catalog: Catalog, writes: list[tuple[str | None, str | None]], runs: list[str], left: str | None, owner: str | None
) -> None:
    catalog.write_path.propose([Proposal(Urn.parse(ORDERS), None, "create")], ADA)
    for one, run in writes:
        write(catalog, one, run)
    for run in runs:
        back(catalog, run)
    assert value(catalog) == left
    if left is not None:
        assert run_of(catalog) == owner
    assert findings(keeper(catalog)) == []


def test_what_was_rolled_back_is_never_gone_back_to(catalog: Catalog) -> None:
    catalog.write_path.propose([Proposal(Urn.parse(ORDERS), None, "create")], ADA)
    for one, run in (("1", "a"), ("2", "b")):
        write(catalog, one, run)
    back(catalog, "b")
    back(catalog, "a")
    assert value(catalog) is None


def test_going_back_is_a_version_of_its_own_and_a_second_time_changes_nothing(catalog: Catalog) -> None:
    write(catalog, "1")
    write(catalog, "2", "a")
    back(catalog, "a")
    head = catalog.feed.head()
    history, _ = catalog.reader.versions(Urn.parse(ORDERS), ASPECT, 9, "", ADA)
    assert [one.value["properties"]["a"] for one in history if one.value] == ["1", "2", "1"]
    assert back(catalog, "a") == RolledBack()
    assert catalog.feed.head() == head


class TestEntities:
    def test_what_a_run_made_is_hidden_and_loses_what_the_run_said(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        write(catalog, "2", "b", aspect="businessMetadata")
        told = back(catalog, "a")
        assert (told.entities_affected, told.entities_deleted, told.unsafe, told.unsafe_count) == (1, 0, (ORDERS,), 1)
        assert (told.aspects_reverted, told.aspects_affected) == (2, 1)
        found = catalog.reader.entity(Urn.parse(ORDERS), None, ADA)
        assert set(found.aspects) == {"datasetKey", "status", "businessMetadata"}
        assert found.aspects["status"].value == {"removed": True}
        assert back(catalog, "a") == RolledBack()
        assert findings(keeper(catalog)) == []

    def test_it_is_deleted_where_that_need_not_be_safe(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        write(catalog, "2", "b", aspect="businessMetadata")
        assert back(catalog, "a", safe=False).entities_deleted == 1
        with pytest.raises(NotFound):
            catalog.reader.entity(Urn.parse(ORDERS), None, ADA)
        assert findings(keeper(catalog)) == []

    def test_what_others_made_stays(self, catalog: Catalog) -> None:
        write(catalog, "1", None)
        write(catalog, "2", "a")
        assert back(catalog, "a", safe=False).entities_deleted == 0
        assert value(catalog) == "1"
        assert catalog.reader.aspect(Urn.parse(ORDERS), "status", ADA).value == {"removed": False}

    def test_what_a_run_told_by_time_goes_too(self, catalog: Catalog) -> None:
        write(catalog, "1")
        for run, time in (("a", 1), ("b", 2)):
            profile = Proposal(
                Urn.parse(ORDERS), "datasetProfile", "upsert", {"timestampMillis": time}, system=system(run)
            )
            catalog.write_path.propose([profile], ADA)
        back(catalog, "a")
        found = catalog.datahub.timeseries.values(Urn.parse(ORDERS), "datasetProfile", ADA, limit=9)
        assert [one.time for one in found.values] == [2]
        assert findings(keeper(catalog)) == []


class TestIndex:
    """Which runs have something there, beside truth: what differs is told and mended."""

    @pytest.fixture
    def told(self, catalog: Catalog) -> Catalog:
        write(catalog, "1", "a")
        write(catalog, "1", "b", REPORT)
        moments = [({"timestampMillis": time}, run) for time, run in ((1, "a"), (2, "b"), (2, "c"))]
        catalog.write_path.propose(
            [Proposal(Urn.parse(ORDERS), "datasetProfile", "upsert", one, system=system(run)) for one, run in moments],
            ADA,
        )
        return catalog

    def rows(self, catalog: Catalog) -> list[tuple[str, str, str]]:
        def work(tx: Any) -> Any:
            return [(row["run"], row["urn"], row["aspect"]) for row in tx.table("ingested").scan(Range())]

        return catalog.provider.tx_runner.run(work, read_only=True)

    @pytest.mark.parametrize("run", ["a", "c"])
    def test_rows_that_are_missing_come_back(self, told: Catalog, run: str) -> None:
        before = self.rows(told)
        told.provider.tx_runner.run(lambda tx: tx.table("ingested").delete_all(Range.prefix(run)))
        assert {fault for _, fault in findings(keeper(told))} == {"a row of ingested is missing"}
        assert keeper(told).checker().reindex() > 0
        assert self.rows(told) == before
        assert findings(keeper(told)) == []

    def test_rows_that_are_too_many_go(self, told: Catalog) -> None:
        before = self.rows(told)
        many = [("b", ORDERS, ASPECT), ("a", REPORT, "datasetProfile"), ("a", table("ghost"), ASPECT)]
        rows = [dict(zip(("run", "urn", "aspect"), one, strict=True)) | {"time": 1} for one in many]
        told.provider.tx_runner.run(lambda tx: tx.table("ingested").upsert_all(rows))
        assert sorted(findings(keeper(told))) == sorted((one[1], "a row of ingested is superfluous") for one in many)
        assert keeper(told).checker().reindex() == 3
        assert self.rows(told) == before

    @pytest.mark.parametrize("way", ["entity", "moments"])
    def test_of_what_is_deleted_no_run_has_anything(self, told: Catalog, way: str) -> None:
        urn = Urn.parse(ORDERS)
        if way == "entity":
            told.write_path.propose([Proposal(urn, None, "delete")], ADA)
            assert {one for _, one, _ in self.rows(told)} == {REPORT}
        else:
            told.write_path.delete_timeseries_range(Urn.parse(ORDERS), "datasetProfile", None, None, ADA)
            assert "datasetProfile" not in {one for _, _, one in self.rows(told)}
        assert "c" not in {one.run for one in told.datahub.ingestions.list(0, 9, ADA)}
        assert findings(keeper(told)) == []


class TestAsking:
    def test_runs_are_listed_as_long_as_something_of_them_is_there(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        write(catalog, "1", "b", REPORT)
        write(catalog, "2", "b", REPORT)
        runs = catalog.datahub.ingestions
        assert [(one.run, one.aspects) for one in runs.list(0, 9, ADA)] in (
            [("b", 3), ("a", 3)],
            [("a", 3), ("b", 3)],
        )
        assert len(runs.list(1, 9, ADA)) == 1
        rows = runs.aspects("b", 0, 9, ADA)
        assert {(one.urn, one.aspect) for one in rows} == {(REPORT, name) for name in ("datasetKey", "status", ASPECT)}
        assert len(runs.aspects("b", 1, 1, ADA)) == 1
        back(catalog, "b", safe=False)
        assert [one.run for one in runs.list(0, 9, ADA)] == ["a"]
        assert runs.list(0, 9, Principal("sam", scopes=frozenset())) == []

    def test_a_dry_run_tells_the_same_and_changes_nothing(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        head = catalog.feed.head()
        told = back(catalog, "a", dry_run=True)
        assert catalog.feed.head() == head
        assert back(catalog, "a") == told
        assert {one.aspect for one in told.rows} == {"datasetKey", "status", ASPECT}

    def test_a_run_that_nobody_knows_has_nothing_to_take_back(self, catalog: Catalog) -> None:
        assert back(catalog, "none") == RolledBack()

    def test_who_may_not_write_one_of_the_aspects_takes_nothing_back(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        head = catalog.feed.head()
        for principal in (READER, Principal("kim", "kernel", frozenset({"read", "emit"}))):
            with pytest.raises(AccessDenied):
                catalog.datahub.ingestions.roll_back("a", principal, dry_run=False, safe=False)
        assert catalog.feed.head() == head
        assert value(catalog) == "1"

    def test_a_large_run_is_taken_back_whole(self, catalog: Catalog) -> None:
        urns = [Urn.parse(f"urn:li:dataset:(urn:li:dataPlatform:hive,t{at},PROD)") for at in range(400)]
        said: list[Any] = [Proposal(urn, ASPECT, "upsert", metadata({"a": "1"}), system=system("big")) for urn in urns]
        catalog.write_path.propose(said, ADA)
        told = back(catalog, "big", safe=False)
        assert (told.entities_deleted, len(told.rows)) == (400, 100)
        assert catalog.datahub.ingestions.list(0, 9, ADA) == []
