"""Format changes: our own format, CDAP's metadata change record, and its audit message (spec CDAP-13)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.cdap.entities import build_metadata_entity, build_target_id
from jupyter_colophon.core.changes.change_summary import summarize_change
from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.entities.metadata_scopes import Metadata, convert_aspect_to_metadata
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import has_contributions, list_descriptors_of_value

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
    """Formats the changes of one catalog. A format that does not include a change returns None."""

    identity: IdentityRules
    registry: Registry

    def format_change_as(self, change: Change, form: str) -> Document | None:
        """Return a change in one of FORMS."""
        if form == "record":
            return self.build_metadata_change_record(change)
        if form == "audit":
            return self.build_audit_message(change)
        document: Document = to_api_document(change)
        return {**document, "summary": summarize_change(change)}

    def build_metadata_change_record(self, change: Change) -> Document | None:
        """Return the metadata change record, None if no property and no tag changed."""
        difference = self._build_metadata_difference(change)
        if difference is None:
            return None
        return {
            "previous": _build_metadata_document(difference.previous),
            "updated": _build_metadata_document(difference.updated),
            "changes": {
                "additions": _build_metadata_document(difference.additions),
                "deletions": _build_metadata_document(difference.deletions),
            },
            "targetId": build_target_id(Urn.parse(change.urn), change.namespace, self.identity),
            "updateTime": change.time,
            "updater": change.actor,
            "scope": change.scope,
            "version": change.version,
            "seq": change.seq,
            "runId": None if change.run is None else change.run.removeprefix(_RUN),
        }

    def build_audit_message(self, change: Change) -> Document | None:
        """Return the audit message with the number of its change, None if CDAP has no such message."""
        audit = self._build_audit_type_and_payload(change)
        if audit is None:
            return None
        kind, payload = audit
        return {
            "version": _AUDIT_VERSION,
            "time": change.time,
            "metadataEntity": build_metadata_entity(Urn.parse(change.urn), change.namespace, self.identity),
            "user": change.actor,
            "type": kind,
            "payload": payload,
            "seq": change.seq,
        }

    def _build_audit_type_and_payload(self, change: Change) -> tuple[str, Document] | None:
        if change.aspect is None:
            return self._build_entity_change_payload(change)
        if change.aspect == self.registry.get_type_or_unregistered(change.type).key_aspect:
            return ("CREATE", {}) if change.operation in ("create", "rename") else None
        spec = self.registry.get_type(change.type).find_aspect(change.aspect)
        if spec is not None and has_contributions(spec.name, spec.contributes):
            difference = self._build_metadata_difference(change)
            return None if difference is None else ("METADATA_CHANGE", difference.to_document_of_scope(change.scope))
        is_part = change.aspect == _WITH_ENTITY and change.operation != "update"
        return None if is_part else ("UPDATE", {})

    def _build_metadata_difference(self, change: Change) -> "_MetadataDifference | None":
        """Return the difference that a change made to properties and tags, None if there is none."""
        spec = self.registry.get_type(change.type).find_aspect(change.aspect or "")
        if spec is None or not has_contributions(spec.name, spec.contributes) or spec.name == "instance":
            return None
        previous, updated = (
            convert_aspect_to_metadata(
                spec.name, value, list_descriptors_of_value(spec.name, spec.scope, value, spec.contributes)
            )
            for value in (change.previous, change.value)
        )
        return None if previous == updated else _MetadataDifference(previous, updated)

    def _build_entity_change_payload(self, change: Change) -> tuple[str, Document] | None:
        if change.operation == "delete":
            return "DELETE", {}
        if change.operation != "access" or change.value is None:
            return None
        program = Urn.parse(change.value["program"])
        accessor = build_metadata_entity(program, self.identity.get_namespace(program), self.identity)
        return "ACCESS", {"accessType": _ACCESSES.get(change.value["mode"], "UNKNOWN"), "accessor": accessor}


@dataclass(frozen=True, slots=True)
class _MetadataDifference:
    """The metadata of one aspect before and after a change. An overwritten value is both an addition and a deletion."""

    previous: Metadata
    updated: Metadata

    @property
    def additions(self) -> Metadata:
        """Return the metadata added."""
        return _subtract_metadata(self.updated, self.previous)

    @property
    def deletions(self) -> Metadata:
        """Return the metadata removed."""
        return _subtract_metadata(self.previous, self.updated)

    def to_document_of_scope(self, scope: str) -> Document:
        """Return the payload of an audit message."""
        parts = {"previous": self.previous, "additions": self.additions, "deletions": self.deletions}
        return {name: {scope: _build_metadata_document(part)} for name, part in parts.items()}


def _subtract_metadata(minuend: Metadata, subtrahend: Metadata) -> Metadata:
    properties = {key: value for key, value in minuend.properties.items() if subtrahend.properties.get(key) != value}
    return Metadata(properties, tuple(tag for tag in minuend.tags if tag not in subtrahend.tags))


def _build_metadata_document(metadata: Metadata) -> Mapping[str, Any]:
    return {"properties": dict(metadata.properties), "tags": list(metadata.tags)}
