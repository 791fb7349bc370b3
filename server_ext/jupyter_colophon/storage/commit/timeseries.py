"""Write timeseries aspects: values are appended and have no versions (spec MODEL-2).

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.entities.change import ChangeOperation
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, ProposalResult
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.entities.timeseries import KEY, build_range_of_times, get_timeseries_key
from jupyter_colophon.storage.spi import Range


def write_timeseries_value(commit: CommitBuilder, proposal: Proposal, spec: AspectSpec) -> ProposalResult:
    """Store a value at its time, replacing one of the same moment; equal content is not a change."""
    urn, value, system = proposal.urn, proposal.value, proposal.system
    may_create = spec.scope == "SYSTEM" and proposal.needs == "nothing"
    commit.create_entity_if_missing(urn, create_namespace=may_create, system=system)
    table, key = commit.tx.get_table("timeseries"), get_timeseries_key(str(urn), spec.name, value)
    existing = table.read(key)
    row = dict(zip(KEY, key, strict=True)) | {
        "value": encode_canonical_json(value),
        "actor": commit.principal.user,
        "via": commit.principal.via,
        "recorded": commit.now,
        "system": _encode_system_metadata(system),
    }
    table.upsert(row)
    commit.ingestion.record_run_of_timeseries(str(urn), spec.name, None if system is None else system.run, exists=True)
    if existing is not None and existing["value"] == row["value"]:
        return ProposalResult(urn, spec.name, 0, None)
    before = existing or {}
    values = before.get("value"), row["value"], before.get("system"), row["system"]
    operation: ChangeOperation = "update" if existing else "create"
    seq = commit.append_to_change_log(
        commit.get_entity_row(urn), spec.name, operation, 0, spec.scope, proposal.run, *values
    )
    return ProposalResult(urn, spec.name, 0, seq)


def delete_timeseries_values(
    commit: CommitBuilder, urn: Urn, spec: AspectSpec, start: int | None, end: int | None
) -> int:
    """Delete the values from one time to another, both inclusive; return their number."""
    deleted = commit.tx.get_table("timeseries").delete_range(build_range_of_times(str(urn), spec.name, start, end))
    if deleted:
        log_timeseries_deletion(commit, urn, spec)
    return deleted


def log_timeseries_deletion(commit: CommitBuilder, urn: Urn, spec: AspectSpec) -> None:
    """Log that values of an aspect were deleted, and update the index of ingestion runs if none is left."""
    if not any(commit.tx.get_table("timeseries").scan(Range.prefix(str(urn), spec.name), 1)):
        commit.ingestion.record_timeseries_deletion(commit.tx, str(urn), spec.name)
    commit.append_to_change_log(commit.get_entity_row(urn), spec.name, "delete", ABSENT, spec.scope, None, None, None)


def _encode_system_metadata(system: SystemMetadata | None) -> str | None:
    return None if system is None else encode_canonical_json(system.document)
