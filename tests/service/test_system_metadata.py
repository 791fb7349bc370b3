"""System metadata of writers is stored with each version and change; equal content changes nothing else."""

from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.model.system_metadata import NO_RUN, SystemMetadata, build_datahub_document
from jupyter_colophon.storage.changes import log, signed_chain
from support.catalog import ADA, build_metadata_value, delete_entity_or_aspect
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import ORDERS

URN, ASPECT = Urn.parse(ORDERS), "technicalMetadata"


def write(catalog: Catalog, value: str, system: SystemMetadata | None) -> ProposalResult:
    proposal = Proposal(URN, ASPECT, "upsert", build_metadata_value({"a": value}), system=system)
    return catalog.write_path.apply_proposals_atomically([proposal], ADA)[0]


def read_system_metadata(catalog: Catalog) -> SystemMetadata | None:
    return catalog.reader.read_current_aspect(URN, ASPECT, ADA).system


def changes(catalog: Catalog) -> list[Change]:
    def work(tx: Any) -> list[Change]:
        return [one for one in log.list_changes_after(tx, 0, 1_000, {"urn": ORDERS}) if one.aspect == ASPECT]

    return catalog.provider.tx_runner.run(work, read_only=True)


FIRST = SystemMetadata(
    run_id="first", last_observed=1, pipeline_name="p", properties={"k": "v"}, more={"schemaVersion": 2}
)
SECOND = SystemMetadata(run_id="second", last_observed=2)


def test_versions_and_changes_have_system_metadata_of_their_writer(catalog: Catalog) -> None:
    write(catalog, "1", FIRST)
    write(catalog, "2", SECOND)
    write(catalog, "3", None)
    history, _ = catalog.reader.list_aspect_versions(URN, ASPECT, 9, "", ADA)
    assert [one.system for one in history] == [None, SECOND, FIRST]
    assert [(one.previous_system, one.system) for one in changes(catalog)] == [
        (None, FIRST),
        (FIRST, SECOND),
        (SECOND, None),
    ]


def test_equal_content_updates_only_system_metadata(catalog: Catalog) -> None:
    write(catalog, "1", FIRST)
    done = write(catalog, "1", SECOND)
    assert (done.version, done.has_changed) == (1, False)
    assert len(changes(catalog)) == 1
    moved = SystemMetadata(
        run_id="second",
        last_run_id="first",
        last_observed=2,
        pipeline_name="p",
        properties={"k": "v"},
        more={"schemaVersion": 2},
    )
    assert read_system_metadata(catalog) == moved
    assert catalog.reader.list_aspect_versions(URN, ASPECT, 9, "", ADA)[0][0].system == moved
    assert list_integrity_issues(create_maintenance(catalog)) == []


def test_equal_write_adds_missing_system_metadata(catalog: Catalog) -> None:
    write(catalog, "1", None)
    write(catalog, "1", None)
    assert read_system_metadata(catalog) is None
    assert not write(catalog, "1", FIRST).has_changed
    assert read_system_metadata(catalog) == replace(FIRST, last_run_id=NO_RUN)


def test_deletion_has_system_metadata_and_recreation_starts_without(catalog: Catalog) -> None:
    write(catalog, "1", FIRST)
    catalog.write_path.apply_proposals_atomically([Proposal(URN, ASPECT, "delete", system=SECOND)], ADA)
    deleted = changes(catalog)[-1]
    assert (deleted.operation, deleted.previous_system, deleted.system) == ("delete", FIRST, SECOND)
    delete_entity_or_aspect(catalog)
    write(catalog, "1", None)
    assert read_system_metadata(catalog) is None


def test_seals_cover_system_metadata(catalog: Catalog) -> None:
    write(catalog, "1", FIRST)
    row = catalog.provider.tx_runner.run(lambda tx: tx.log.read_changes(0, 1_000, {"urn": ORDERS}), read_only=True)[-1]
    altered = [row | {"system": None}, row | {"previous_system": row["system"], "system": None}]
    hashes = {signed_chain.compute_chain_hash(signed_chain.BEGINNING, [one]) for one in (row, *altered)}
    assert len(hashes) == 3
    assert list_integrity_issues(create_maintenance(catalog)) == []


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({"runId": 1}, "/runId"),
        ({"lastObserved": "now"}, "/lastObserved"),
        ({"lastObserved": True}, "/lastObserved"),
        ({"lastObserved": 2**63}, "/lastObserved"),
        ({"properties": {"a": 1}}, "/properties"),
        ({"version": 3}, "/version"),
        ({"properties": {"a": "x" * 20_000}}, ""),
        ([], ""),
        ("text", ""),
    ],
)
def test_invalid_system_metadata_is_refused_with_pointer(document: Any, pointer: str) -> None:
    with pytest.raises(InvalidInstance) as refused:
        SystemMetadata.from_document(document, "/system")
    assert [one.pointer for one in refused.value.problems] == [f"/system{pointer}"]


def test_unknown_members_round_trip_and_nulls_are_dropped() -> None:
    document = {
        "runId": "r",
        "lastObserved": 0,
        "aspectCreated": {"time": 1, "actor": "urn:li:corpuser:a"},
        "clientId": "c",
    }
    assert SystemMetadata.from_document(document | {"pipelineName": None}).document == document
    assert build_datahub_document(SystemMetadata.from_document(document), 3, 9) == document | {
        "version": "3",
        "lastRunId": "no-run-id-provided",
    }
    assert build_datahub_document(None, 1, 9)["lastObserved"] == 9
