"""The forms of a change: our own, CDAP's metadata change record, its audit message (spec CDAP-13)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.cdap.entities import metadata_entity, target_id
from jupyter_colophon.core.documents.codec import to_document
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.entities.metadata_scopes import Metadata, folded
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import describe, is_described

Document = dict[str, Any]
#: The names of the formats.
FORMS: Final = ("change", "record", "audit")
_AUDIT_VERSION: Final = 2
_ACCESSES: Final = {"read": "READ", "write": "WRITE"}
_RUN: Final = "urn:li:dataProcessInstance:"
#: The aspect written and deleted together with its entity.
_WITH_ENTITY: Final = "status"


@dataclass(frozen=True, slots=True)
class ChangeFormatter:
    """Formats the changes of one catalog. A form that does not include a change formats it as None."""

    identity: Identity
    registry: Registry

    def format(self, change: Change, form: str) -> Document | None:
        """Return a change in one of FORMS."""
        if form == "record":
            return self.record(change)
        if form == "audit":
            return self.audit(change)
        return to_document(change)

    def record(self, change: Change) -> Document | None:
        """Return the metadata change record, None if no property and no tag changed."""
        found = self._difference(change)
        if found is None:
            return None
        return {
            "previous": _metadata(found.previous),
            "updated": _metadata(found.updated),
            "changes": {"additions": _metadata(found.additions), "deletions": _metadata(found.deletions)},
            "targetId": target_id(Urn.parse(change.urn), change.namespace, self.identity),
            "updateTime": change.time,
            "updater": change.actor,
            "scope": change.scope,
            "version": change.version,
            "seq": change.seq,
            "runId": None if change.run is None else change.run.removeprefix(_RUN),
        }

    def audit(self, change: Change) -> Document | None:
        """Return the audit message with the number of its change, None if CDAP has no such message."""
        found = self._audited(change)
        if found is None:
            return None
        kind, payload = found
        return {
            "version": _AUDIT_VERSION,
            "time": change.time,
            "metadataEntity": metadata_entity(Urn.parse(change.urn), change.namespace, self.identity),
            "user": change.actor,
            "type": kind,
            "payload": payload,
            "seq": change.seq,
        }

    def _audited(self, change: Change) -> tuple[str, Document] | None:
        if change.aspect is None:
            return self._of_entity(change)
        if change.aspect == self.registry.stored_type(change.type).key_aspect:
            return ("CREATE", {}) if change.operation in ("create", "rename") else None
        spec = self.registry.type(change.type).aspect(change.aspect)
        if spec is not None and is_described(spec.name, spec.contributes):
            found = self._difference(change)
            return None if found is None else ("METADATA_CHANGE", found.by_scope(change.scope))
        is_part = change.aspect == _WITH_ENTITY and change.operation != "update"
        return None if is_part else ("UPDATE", {})

    def _difference(self, change: Change) -> "_Difference | None":
        """Return the difference that a change made to properties and tags, None if there is none."""
        spec = self.registry.type(change.type).aspect(change.aspect or "")
        if spec is None or not is_described(spec.name, spec.contributes) or spec.name == "instance":
            return None
        previous, updated = (
            folded(spec.name, value, describe(spec.name, spec.scope, value, spec.contributes))
            for value in (change.previous, change.value)
        )
        return None if previous == updated else _Difference(previous, updated)

    def _of_entity(self, change: Change) -> tuple[str, Document] | None:
        if change.operation == "delete":
            return "DELETE", {}
        if change.operation != "access" or change.value is None:
            return None
        program = Urn.parse(change.value["program"])
        accessor = metadata_entity(program, self.identity.namespace_of(program), self.identity)
        return "ACCESS", {"accessType": _ACCESSES.get(change.value["mode"], "UNKNOWN"), "accessor": accessor}


@dataclass(frozen=True, slots=True)
class _Difference:
    """The metadata of one aspect before and after. An overwritten value is both an addition and a deletion."""

    previous: Metadata
    updated: Metadata

    @property
    def additions(self) -> Metadata:
        """Return the metadata added."""
        return _without(self.updated, self.previous)

    @property
    def deletions(self) -> Metadata:
        """Return the metadata removed."""
        return _without(self.previous, self.updated)

    def by_scope(self, scope: str) -> Document:
        """Return the payload of an audit message."""
        parts = {"previous": self.previous, "additions": self.additions, "deletions": self.deletions}
        return {name: {scope: _metadata(one)} for name, one in parts.items()}


def _without(these: Metadata, those: Metadata) -> Metadata:
    properties = {key: value for key, value in these.properties.items() if those.properties.get(key) != value}
    return Metadata(properties, tuple(tag for tag in these.tags if tag not in those.tags))


def _metadata(one: Metadata) -> Mapping[str, Any]:
    return {"properties": dict(one.properties), "tags": list(one.tags)}
