"""What a proposal says about itself, beside the value: which run of which pipeline observed it, and when.

It is kept with each version of an aspect and with its change, and told to nobody who may not read the aspect.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.documents.json_values import copied
from jupyter_colophon.core.errors import InvalidInstance, Problem

#: What DataHub's clients send where nobody chose a run.
NO_RUN: Final = "no-run-id-provided"
#: How large it may be, as JSON: it is repeated with every version.
SIZE_MAX: Final = 16 * 1024
_SUBJECT = "the system metadata"


@dataclass(frozen=True, slots=True)
class SystemMetadata:
    """DataHub's SystemMetadata; `more` holds the members that we do not know, as they came. Times are ms.

    `version` is what the writer said; the version of an aspect is told by its row alone.
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
    def of(cls, document: object, pointer: str = "") -> "SystemMetadata":
        """What a document says; members that are null are as good as absent. Raises InvalidInstance."""
        if not isinstance(document, Mapping):
            raise InvalidInstance(_SUBJECT, (Problem(pointer, "is an object"),))
        told = {name: value for name, value in document.items() if value is not None}
        wrong = [
            Problem(f"{pointer}/{name}", must)
            for name, (_, fits, must) in _MEMBERS.items()
            if name in told and not fits(told[name])
        ]
        if len(compact(told).encode("utf-8", "surrogatepass")) > SIZE_MAX:
            wrong.append(Problem(pointer, f"takes at most {SIZE_MAX} bytes"))
        if wrong:
            raise InvalidInstance(_SUBJECT, tuple(wrong))
        told = {name: copied(value) for name, value in told.items()}
        known: dict[str, Any] = {ours: told.pop(name) for name, (ours, _, _) in _MEMBERS.items() if name in told}
        return cls(**known, more=told)

    @property
    def document(self) -> dict[str, Any]:
        """As DataHub writes it, without what is absent; `of` reads it again."""
        told = ((name, getattr(self, ours)) for name, (ours, _, _) in _MEMBERS.items())
        return {name: value for name, value in told if value not in (None, {})} | dict(self.more)

    @property
    def kept(self) -> str:
        """As it is kept with a new version, of which no other run can have said anything."""
        told = self.document
        told.pop("lastRunId", None)
        return compact(told)

    @property
    def run(self) -> str | None:
        """The run that wrote it; None where nobody chose one."""
        return None if self.run_id in (None, "", NO_RUN) else self.run_id

    def taken_back(self) -> "SystemMetadata | None":
        """What was known of a value before its run said it once more; None where its run brought it."""
        return None if self.last_run_id is None else replace(self, run_id=self.last_run_id, last_run_id=None)


def observed(value: SystemMetadata | None, by: SystemMetadata) -> SystemMetadata:
    """What is known of a value when somebody says it once more (spec DH-6)."""
    before = SystemMetadata() if value is None else value
    last = before.last_observed if by.last_observed is None else by.last_observed
    kept = by if value is None else before
    return replace(kept, last_run_id=before.run_id or NO_RUN, run_id=by.run_id, last_observed=last)


def told(system: SystemMetadata | None, version: int, time: int) -> dict[str, Any]:
    """As DataHub's clients read it of a version that was written at a time (ms): what they rely on is always there."""
    always = {"lastObserved": time, "runId": NO_RUN, "lastRunId": NO_RUN}
    return always | ({} if system is None else system.document) | {"version": str(version)}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_time(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def _are_texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(one, str) for one in value.values())


_TEXT: Final = (_is_text, "is text")
#: DataHub's members: what we call them, what fits, and what is said where something else comes.
_MEMBERS: Final[dict[str, tuple[str, Callable[[object], bool], str]]] = {
    "runId": ("run_id", *_TEXT),
    "lastRunId": ("last_run_id", *_TEXT),
    "lastObserved": ("last_observed", _is_time, "is a time in milliseconds"),
    "pipelineName": ("pipeline_name", *_TEXT),
    "registryName": ("registry_name", *_TEXT),
    "registryVersion": ("registry_version", *_TEXT),
    "version": ("version", *_TEXT),
    "properties": ("properties", _are_texts, "is an object of texts"),
}
