"""Write timeseries aspects: values are appended and have no versions (spec MODEL-2).

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.entities.change import ChangeOperation
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, ProposalResult
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.entities.timeseries import KEY, build_range, get_key
from jupyter_colophon.storage.spi import Range


def append(commit: Commit, proposal: Proposal, spec: AspectSpec) -> ProposalResult:
    """Store a value at its time, replacing one of the same moment; equal content is not a change."""
    urn, value, system = proposal.urn, proposal.value, proposal.system
    may_create = spec.scope == "SYSTEM" and proposal.needs == "nothing"
    commit.ensure_exists(urn, create_namespace=may_create, system=system)
    table, key = commit.tx.get_table("timeseries"), get_key(str(urn), spec.name, value)
    existing = table.read(key)
    row = dict(zip(KEY, key, strict=True)) | {
        "value": compact(value),
        "actor": commit.principal.user,
        "via": commit.principal.via,
        "recorded": commit.now,
        "system": _encode_system(system),
    }
    table.upsert(row)
    commit.ingestion.record_timeseries(str(urn), spec.name, None if system is None else system.run, exists=True)
    if existing is not None and existing["value"] == row["value"]:
        return ProposalResult(urn, spec.name, 0, None)
    before = existing or {}
    values = before.get("value"), row["value"], before.get("system"), row["system"]
    operation: ChangeOperation = "update" if existing else "create"
    seq = commit.log(commit.get_entity_row(urn), spec.name, operation, 0, spec.scope, proposal.run, *values)
    return ProposalResult(urn, spec.name, 0, seq)


def forget(commit: Commit, urn: Urn, spec: AspectSpec, start: int | None, end: int | None) -> int:
    """Delete the values from one time to another, both inclusive; return their number."""
    deleted = commit.tx.get_table("timeseries").delete_range(build_range(str(urn), spec.name, start, end))
    if deleted:
        log_deletion(commit, urn, spec)
    return deleted


def log_deletion(commit: Commit, urn: Urn, spec: AspectSpec) -> None:
    """Log that values of an aspect were deleted, and update the index of ingestion runs if none is left."""
    if not any(commit.tx.get_table("timeseries").scan(Range.prefix(str(urn), spec.name), 1)):
        commit.ingestion.forget_timeseries(commit.tx, str(urn), spec.name)
    commit.log(commit.get_entity_row(urn), spec.name, "delete", ABSENT, spec.scope, None, None, None)


def _encode_system(system: SystemMetadata | None) -> str | None:
    return None if system is None else compact(system.document)
