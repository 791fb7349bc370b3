"""Timeseries aspects: appended, read newest first, deleted by interval."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AccessDenied, InvalidInstance, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Operation, Proposal, ProposalResult, WriteCondition
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.service.datahub.timeseries import TimeseriesValue
from jupyter_colophon.storage.changes import log
from support.catalog import ADA, delete_entity_or_aspect, list_hit_names, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import ORDERS

URN, ASPECT = Urn.parse(ORDERS), "datasetProfile"


def profile(time: int, **more: Any) -> dict[str, Any]:
    return {"timestampMillis": time, "partitionSpec": {"partition": "FULL_TABLE_SNAPSHOT", "type": "FULL_TABLE"}} | more


def append_values(catalog: Catalog, *values: Any, system: SystemMetadata | None = None) -> list[ProposalResult]:
    return catalog.write_path.apply_proposals_atomically(
        [Proposal(URN, ASPECT, "upsert", one, system=system) for one in values], ADA
    )


def values(catalog: Catalog, **question: Any) -> list[TimeseriesValue]:
    return catalog.datahub.timeseries.read_newest_values(URN, ASPECT, ADA, **{"limit": 100} | question).values


def times(catalog: Catalog, **question: Any) -> list[int]:
    return [one.time for one in values(catalog, **question)]


def changes(catalog: Catalog) -> list[tuple[str, int, Any]]:
    def work(tx: Any) -> Any:
        found = log.list_changes_after(tx, 0, 1_000, {"urn": ORDERS})
        return [(one.operation, one.version, one.previous) for one in found if one.aspect == ASPECT]

    return catalog.provider.tx_runner.run(work, read_only=True)


def test_values_are_read_newest_first(catalog: Catalog) -> None:
    append_values(catalog, *(profile(time, rowCount=time) for time in (20, 40, 10, 30)))
    assert times(catalog) == [40, 30, 20, 10]
    assert times(catalog, limit=1) == [40]
    assert times(catalog, start=20, end=30) == [30, 20]
    assert times(catalog, start=31) == [40]
    assert times(catalog, end=10) == [10]
    assert times(catalog, limit=1, matches=lambda value: value["rowCount"] < 30) == [20]


def test_value_creates_entity_without_version_or_search_row(catalog: Catalog) -> None:
    done = append_values(catalog, profile(1))[0]
    assert (done.version, done.has_changed) == (0, True)
    assert set(catalog.reader.read_entity(URN, None, ADA).aspects) == {"datasetKey", "status"}
    assert list_hit_names(search_catalog(catalog, "SNAPSHOT")) == []
    assert list_integrity_issues(create_maintenance(catalog)) == []


def test_same_time_is_replaced_and_equal_value_is_no_change(catalog: Catalog) -> None:
    system = SystemMetadata(run_id="r", last_observed=5)
    assert append_values(catalog, profile(1, rowCount=1), system=system)[0].has_changed
    assert not append_values(catalog, profile(1, rowCount=1))[0].has_changed
    assert append_values(catalog, profile(1, rowCount=2), system=system)[0].has_changed
    assert [(one.value["rowCount"], one.system) for one in values(catalog)] == [(2, system)]
    assert changes(catalog) == [("create", 0, None), ("update", 0, profile(1, rowCount=1))]


def test_values_of_same_time_differ_by_partition_and_message(catalog: Catalog) -> None:
    part = {"partition": "p", "type": "PARTITION"}
    append_values(catalog, profile(1), profile(1, partitionSpec=part), profile(1, messageId="m"))
    assert times(catalog) == [1, 1, 1]


def test_deleting_an_interval_is_a_change(catalog: Catalog) -> None:
    append_values(catalog, *(profile(time) for time in (1, 2, 3, 4)))
    assert catalog.write_path.delete_timeseries_range(URN, ASPECT, 2, 3, ADA) == 2
    assert times(catalog) == [4, 1]
    assert changes(catalog)[-1] == ("delete", ABSENT, None)
    assert catalog.write_path.delete_timeseries_range(URN, ASPECT, 2, 3, ADA) == 0
    assert catalog.write_path.delete_timeseries_range(URN, ASPECT, None, None, ADA) == 2
    assert times(catalog) == []
    with pytest.raises(InvalidInstance):
        catalog.write_path.delete_timeseries_range(URN, "technicalMetadata", None, None, ADA)


def test_values_are_deleted_with_their_entity(catalog: Catalog) -> None:
    append_values(catalog, profile(1))
    delete_entity_or_aspect(catalog)
    assert times(catalog) == []
    write_metadata(catalog)
    assert times(catalog) == []
    assert list_integrity_issues(create_maintenance(catalog)) == []


@pytest.mark.parametrize(
    ("operation", "value", "more"),
    [
        ("create", profile(1), {}),
        ("create-entity", profile(1), {}),
        ("update", profile(1), {}),
        ("patch", [], {}),
        ("delete", None, {}),
        ("upsert", profile(1), {"condition": WriteCondition(version="-1")}),
        ("upsert", profile(1), {"condition": WriteCondition(unmodified_since=1)}),
        ("upsert", profile(1), {"if_absent": True}),
        ("upsert", {}, {}),
        ("upsert", profile("now"), {}),  # type: ignore[arg-type]
        ("upsert", profile(True), {}),
        ("upsert", profile(2**63), {}),
    ],
)
def test_operations_other_than_append_are_refused(
    catalog: Catalog, operation: Operation, value: Any, more: Any
) -> None:
    with pytest.raises(InvalidInstance):
        catalog.write_path.apply_proposals_atomically([Proposal(URN, ASPECT, operation, value, **more)], ADA)


def test_unreadable_values_are_not_found_and_deleting_needs_permission(catalog: Catalog) -> None:
    append_values(catalog, profile(1))
    with pytest.raises(NotFound):
        catalog.datahub.timeseries.read_newest_values(URN, ASPECT, Principal("sam", scopes=frozenset()), limit=1)
    with pytest.raises(AccessDenied):
        catalog.write_path.delete_timeseries_range(
            URN, ASPECT, None, None, Principal("rita", scopes=frozenset({"read"}))
        )
