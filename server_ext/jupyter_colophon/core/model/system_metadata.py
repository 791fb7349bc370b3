"""System metadata of a proposal: which run of which pipeline observed the value, and when.

They are stored with each version of an aspect and with its change, and shown only to readers of the aspect.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.documents.json_values import copy_json_deeply
from jupyter_colophon.core.errors import InvalidInstance, Problem

#: The run id that DataHub's clients send if none was set.
NO_RUN: Final = "no-run-id-provided"
#: The largest size as JSON, in bytes: it is repeated with every version.
SIZE_MAX: Final = 16 * 1024
_SUBJECT = "the system metadata"


# Without slots, for the text, which a proposal stores with several aspects.
@dataclass(frozen=True)
class SystemMetadata:
    """DataHub's SystemMetadata; `more` has members that we do not know, unchanged. Times are in ms.

    `version` is the writer's; the version of an aspect is only in its row.
    """

    run_id: str | None = None
    last_run_id: str | None = None
    last_observed: int | None = None
    pipeline_name: str | None = None
    registry_name: str | None = None
    registry_version: str | None = None
    version: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: object, pointer: str = "") -> "SystemMetadata":
        """Parse a document; null members count as absent. Raises InvalidInstance."""
        if not isinstance(document, Mapping):
            raise InvalidInstance(_SUBJECT, (Problem(pointer, "must be an object"),))
        members = {name: value for name, value in document.items() if value is not None}
        known = {name: _MEMBERS[name] for name in members if name in _MEMBERS}
        wrong = [
            Problem(f"{pointer}/{name}", must) for name, (_, fits, must) in known.items() if not fits(members[name])
        ]
        text = encode_canonical_json(members)
        if len(text.encode("utf-8", "surrogatepass")) > SIZE_MAX:
            wrong.append(Problem(pointer, f"must have at most {SIZE_MAX} bytes"))
        if wrong:
            raise InvalidInstance(_SUBJECT, tuple(wrong))
        is_stored_as_sent = "lastRunId" not in members and members.get("properties") != {}
        members = {name: copy_json_deeply(value) for name, value in members.items()}
        fields: dict[str, Any] = {ours: members.pop(name) for name, (ours, _, _) in known.items()}
        metadata = cls(**fields, more=members)
        if is_stored_as_sent:
            # Most proposals have metadata of their own, so encoding them once more would take as long as reading them.
            vars(metadata)["stored_text"] = text
        return metadata

    @property
    def document(self) -> dict[str, Any]:
        """Return DataHub's document without absent members; `from_document` parses it."""
        members = ((name, getattr(self, ours)) for name, (ours, _, _) in _MEMBERS.items())
        return {name: value for name, value in members if value not in (None, {})} | dict(self.more)

    @cached_property
    def stored_text(self) -> str:
        """Return the text stored with a new version, to which no other run has contributed."""
        members = self.document
        members.pop("lastRunId", None)
        return encode_canonical_json(members)

    @property
    def run(self) -> str | None:
        """Return the run that wrote the value, None if no run was set."""
        return None if self.run_id in (None, "", NO_RUN) else self.run_id

    def get_metadata_before_last_run(self) -> "SystemMetadata | None":
        """Return the metadata before the last run wrote the same value again; None if that run wrote the value first."""
        return None if self.last_run_id is None else replace(self, run_id=self.last_run_id, last_run_id=None)


def merge_repeated_write(value: SystemMetadata | None, by: SystemMetadata) -> SystemMetadata:
    """Return the metadata of a value after the same value was written again (spec DH-6)."""
    before = SystemMetadata() if value is None else value
    last = before.last_observed if by.last_observed is None else by.last_observed
    metadata = by if value is None else before
    return replace(metadata, last_run_id=before.run_id or NO_RUN, run_id=by.run_id, last_observed=last)


def build_datahub_document(system: SystemMetadata | None, version: int, time: int) -> dict[str, Any]:
    """Return the document that DataHub's clients read for a version written at a time (ms), with the members they rely
    on.
    """
    always = {"lastObserved": time, "runId": NO_RUN, "lastRunId": NO_RUN}
    return always | ({} if system is None else system.document) | {"version": str(version)}


def _is_text_or_absent(value: object) -> bool:
    return isinstance(value, str)


def _is_time(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def _are_texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values())


_TEXT: Final = (_is_text_or_absent, "must be a string")
#: DataHub's members: our name, the check, and the message if it fails.
_MEMBERS: Final[dict[str, tuple[str, Callable[[object], bool], str]]] = {
    "runId": ("run_id", *_TEXT),
    "lastRunId": ("last_run_id", *_TEXT),
    "lastObserved": ("last_observed", _is_time, "must be a time in milliseconds"),
    "pipelineName": ("pipeline_name", *_TEXT),
    "registryName": ("registry_name", *_TEXT),
    "registryVersion": ("registry_version", *_TEXT),
    "version": ("version", *_TEXT),
    "properties": ("properties", _are_texts, "must be an object of strings"),
}
