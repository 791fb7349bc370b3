"""Rolling back an ingestion run restores each aspect to its value without the run (spec WRITE-17)."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AccessDenied, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.model.system_metadata import NO_RUN, SystemMetadata
from jupyter_colophon.service.datahub.ingestions import RollbackResult
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, build_metadata_value
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import ORDERS, REPORT, build_table_urn

ASPECT = "technicalMetadata"
READER = Principal("rita", scopes=frozenset({"read"}))


def system(run: str | None) -> SystemMetadata | None:
    return None if run is None else SystemMetadata(run_id=run, last_observed=1)


def write(
    catalog: Catalog, value: str | None, run: str | None = None, urn: str = ORDERS, aspect: str = ASPECT
) -> ProposalResult:
    operation = "delete" if value is None else "upsert"
    document = None if value is None else build_metadata_value({"a": value})
    proposal = Proposal(Urn.parse(urn), aspect, operation, document, system=system(run))  # type: ignore[arg-type]
    return catalog.write_path.apply_proposals_atomically([proposal], ADA)[0]


def back(catalog: Catalog, run: str, *, dry_run: bool = False, safe: bool = True) -> RollbackResult:
    return catalog.datahub.ingestions.roll_back_run(run, ADA, dry_run=dry_run, safe=safe)


def value(catalog: Catalog, urn: str = ORDERS, aspect: str = ASPECT) -> str | None:
    try:
        found: str = catalog.reader.read_current_aspect(Urn.parse(urn), aspect, ADA).value["properties"]["a"]
        return found
    except NotFound:
        return None


def run_of(catalog: Catalog) -> str | None:
    system_metadata = catalog.reader.read_current_aspect(Urn.parse(ORDERS), ASPECT, ADA).system
    return None if system_metadata is None else system_metadata.run


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
def test_aspect_returns_to_its_value_without_the_run(
    catalog: Catalog, writes: list[tuple[str | None, str | None]], runs: list[str], left: str | None, owner: str | None
) -> None:
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(ORDERS), None, "create")], ADA)
    for one, run in writes:
        write(catalog, one, run)
    for run in runs:
        back(catalog, run)
    assert value(catalog) == left
    if left is not None:
        assert run_of(catalog) == owner
    assert list_integrity_issues(create_maintenance(catalog)) == []


def test_rolled_back_value_is_never_restored(catalog: Catalog) -> None:
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(ORDERS), None, "create")], ADA)
    for one, run in (("1", "a"), ("2", "b")):
        write(catalog, one, run)
    back(catalog, "b")
    back(catalog, "a")
    assert value(catalog) is None


def test_rollback_creates_one_version_and_repeating_changes_nothing(catalog: Catalog) -> None:
    write(catalog, "1")
    write(catalog, "2", "a")
    back(catalog, "a")
    head = catalog.feed.read_newest_change_number()
    history, _ = catalog.reader.list_aspect_versions(Urn.parse(ORDERS), ASPECT, 9, "", ADA)
    assert [one.value["properties"]["a"] for one in history if one.value] == ["1", "2", "1"]
    assert back(catalog, "a") == RollbackResult()
    assert catalog.feed.read_newest_change_number() == head


class TestEntities:
    def test_created_entity_is_hidden_and_loses_run_aspects(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        write(catalog, "2", "b", aspect="businessMetadata")
        result = back(catalog, "a")
        assert (result.entities_affected, result.entities_deleted, result.unsafe, result.unsafe_count) == (
            1,
            0,
            (ORDERS,),
            1,
        )
        assert (result.aspects_reverted, result.aspects_affected) == (2, 1)
        found = catalog.reader.read_entity(Urn.parse(ORDERS), None, ADA)
        assert set(found.aspects) == {"datasetKey", "status", "businessMetadata"}
        assert found.aspects["status"].value == {"removed": True}
        assert back(catalog, "a") == RollbackResult()
        assert list_integrity_issues(create_maintenance(catalog)) == []

    def test_unsafe_rollback_deletes_created_entity(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        write(catalog, "2", "b", aspect="businessMetadata")
        assert back(catalog, "a", safe=False).entities_deleted == 1
        with pytest.raises(NotFound):
            catalog.reader.read_entity(Urn.parse(ORDERS), None, ADA)
        assert list_integrity_issues(create_maintenance(catalog)) == []

    def test_entity_of_others_stays(self, catalog: Catalog) -> None:
        write(catalog, "1", None)
        write(catalog, "2", "a")
        assert back(catalog, "a", safe=False).entities_deleted == 0
        assert value(catalog) == "1"
        assert catalog.reader.read_current_aspect(Urn.parse(ORDERS), "status", ADA).value == {"removed": False}

    def test_timeseries_values_of_the_run_are_deleted(self, catalog: Catalog) -> None:
        write(catalog, "1")
        for run, time in (("a", 1), ("b", 2)):
            profile = Proposal(
                Urn.parse(ORDERS), "datasetProfile", "upsert", {"timestampMillis": time}, system=system(run)
            )
            catalog.write_path.apply_proposals_atomically([profile], ADA)
        back(catalog, "a")
        found = catalog.datahub.timeseries.read_newest_values(Urn.parse(ORDERS), "datasetProfile", ADA, limit=9)
        assert [one.time for one in found.values] == [2]
        assert list_integrity_issues(create_maintenance(catalog)) == []


class TestIndex:
    """The index of runs with current aspects: differences are reported and repaired."""

    @pytest.fixture
    def written(self, catalog: Catalog) -> Catalog:
        write(catalog, "1", "a")
        write(catalog, "1", "b", REPORT)
        moments = [({"timestampMillis": time}, run) for time, run in ((1, "a"), (2, "b"), (2, "c"))]
        catalog.write_path.apply_proposals_atomically(
            [Proposal(Urn.parse(ORDERS), "datasetProfile", "upsert", one, system=system(run)) for one, run in moments],
            ADA,
        )
        return catalog

    def rows(self, catalog: Catalog) -> list[tuple[str, str, str]]:
        def work(tx: Any) -> Any:
            return [(row["run"], row["urn"], row["aspect"]) for row in tx.get_table("ingested").scan(Range())]

        return catalog.provider.tx_runner.run(work, read_only=True)

    @pytest.mark.parametrize("run", ["a", "c"])
    def test_missing_rows_are_rebuilt(self, written: Catalog, run: str) -> None:
        before = self.rows(written)
        written.provider.tx_runner.run(lambda tx: tx.get_table("ingested").delete_range(Range.prefix(run)))
        assert {fault for _, fault in list_integrity_issues(create_maintenance(written))} == {
            "a row of ingested is missing"
        }
        assert create_maintenance(written).create_integrity_checker().rebuild_derived_rows() > 0
        assert self.rows(written) == before
        assert list_integrity_issues(create_maintenance(written)) == []

    def test_superfluous_rows_are_removed(self, written: Catalog) -> None:
        before = self.rows(written)
        many = [("b", ORDERS, ASPECT), ("a", REPORT, "datasetProfile"), ("a", build_table_urn("ghost"), ASPECT)]
        rows = [dict(zip(("run", "urn", "aspect"), one, strict=True)) | {"time": 1} for one in many]
        written.provider.tx_runner.run(lambda tx: tx.get_table("ingested").upsert_many(rows))
        assert sorted(list_integrity_issues(create_maintenance(written))) == sorted(
            (one[1], "a row of ingested is superfluous") for one in many
        )
        assert create_maintenance(written).create_integrity_checker().rebuild_derived_rows() == 3
        assert self.rows(written) == before

    @pytest.mark.parametrize("way", ["entity", "moments"])
    def test_deleted_entity_has_no_run_rows(self, written: Catalog, way: str) -> None:
        urn = Urn.parse(ORDERS)
        if way == "entity":
            written.write_path.apply_proposals_atomically([Proposal(urn, None, "delete")], ADA)
            assert {one for _, one, _ in self.rows(written)} == {REPORT}
        else:
            written.write_path.delete_timeseries_range(Urn.parse(ORDERS), "datasetProfile", None, None, ADA)
            assert "datasetProfile" not in {one for _, _, one in self.rows(written)}
        assert "c" not in {one.run for one in written.datahub.ingestions.list_visible_runs(0, 9, ADA)}
        assert list_integrity_issues(create_maintenance(written)) == []


class TestQueries:
    def test_runs_are_listed_while_they_have_current_aspects(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        write(catalog, "1", "b", REPORT)
        write(catalog, "2", "b", REPORT)
        runs = catalog.datahub.ingestions
        assert [(one.run, one.aspects) for one in runs.list_visible_runs(0, 9, ADA)] in (
            [("b", 3), ("a", 3)],
            [("a", 3), ("b", 3)],
        )
        assert len(runs.list_visible_runs(1, 9, ADA)) == 1
        rows = runs.list_visible_aspects_of_run("b", 0, 9, ADA)
        assert {(one.urn, one.aspect) for one in rows} == {(REPORT, name) for name in ("datasetKey", "status", ASPECT)}
        assert len(runs.list_visible_aspects_of_run("b", 1, 1, ADA)) == 1
        back(catalog, "b", safe=False)
        assert [one.run for one in runs.list_visible_runs(0, 9, ADA)] == ["a"]
        assert runs.list_visible_runs(0, 9, Principal("sam", scopes=frozenset())) == []

    def test_dry_run_returns_same_result_and_changes_nothing(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        head = catalog.feed.read_newest_change_number()
        result = back(catalog, "a", dry_run=True)
        assert catalog.feed.read_newest_change_number() == head
        assert back(catalog, "a") == result
        assert {one.aspect for one in result.rows} == {"datasetKey", "status", ASPECT}

    def test_unknown_run_rolls_back_nothing(self, catalog: Catalog) -> None:
        assert back(catalog, "none") == RollbackResult()

    def test_missing_permission_for_one_aspect_rolls_back_nothing(self, catalog: Catalog) -> None:
        write(catalog, "1", "a")
        head = catalog.feed.read_newest_change_number()
        for principal in (READER, Principal("kim", "kernel", frozenset({"read", "emit"}))):
            with pytest.raises(AccessDenied):
                catalog.datahub.ingestions.roll_back_run("a", principal, dry_run=False, safe=False)
        assert catalog.feed.read_newest_change_number() == head
        assert value(catalog) == "1"

    def test_large_run_is_rolled_back_completely(self, catalog: Catalog) -> None:
        urns = [Urn.parse(f"urn:li:dataset:(urn:li:dataPlatform:hive,t{at},PROD)") for at in range(400)]
        proposals: list[Any] = [
            Proposal(urn, ASPECT, "upsert", build_metadata_value({"a": "1"}), system=system("big")) for urn in urns
        ]
        catalog.write_path.apply_proposals_atomically(proposals, ADA)
        result = back(catalog, "big", safe=False)
        assert (result.entities_deleted, len(result.rows)) == (400, 100)
        assert catalog.datahub.ingestions.list_visible_runs(0, 9, ADA) == []
