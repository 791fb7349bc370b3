"""Values as JSON, as the store keeps them, and back."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import InboxEntry, Refusal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RecordedAccess, Run
from jupyter_colophon.core.model.proposal import Condition, Proposal, Written
from jupyter_colophon.core.model.system_metadata import SystemMetadata

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How a value is written as JSON, and read again."""

    write: Callable[[T], Any]
    read: Callable[[Any], T]


def _proposal(told: dict[str, Any]) -> Proposal:
    read = {"urn": Urn.parse(told["urn"]), "condition": Condition(**told["condition"])}
    if told["operation"] == "annotate":
        read["value"] = Annotation.of(told["value"])
    if told.get("system") is not None:
        read["system"] = SystemMetadata.of(told["system"])
    return Proposal(**(told | read))


def _proposal_document(one: Proposal) -> dict[str, Any]:
    return {
        "urn": str(one.urn),
        "aspect": one.aspect,
        "operation": one.operation,
        "value": one.value.document if isinstance(one.value, Annotation) else one.value,
        "condition": asdict(one.condition),
        "run": one.run,
        "if_absent": one.if_absent,
        "system": None if one.system is None else one.system.document,
        **({"united": True} if one.united else {}),
        **({"spelling": one.spelling} if one.spelling else {}),
    }


def _run(told: dict[str, Any]) -> Run:
    accesses = tuple(_recorded_access(one) for one in told["accesses"])
    return Run(**(told | {"accesses": accesses, "intended": tuple(told.get("intended", ()))}))


def _recorded_access(document: dict[str, Any]) -> RecordedAccess:
    # An answer that an earlier release kept has no statements.
    return RecordedAccess(**(document | {"statements": tuple(document.get("statements", ()))}))


def _refusal(told: dict[str, Any]) -> Refusal:
    return Refusal(**(told | {"problems": tuple(Problem(**one) for one in told["problems"])}))


def system(text: str | None) -> SystemMetadata | None:
    """What a writer said of itself, as a row has it."""
    return None if text is None else SystemMetadata.of(stored(text))


#: What nobody asks for again.
NOTHING: Form[Any] = Form(lambda one: one, lambda told: told)
NUMBER: Form[int] = Form(lambda number: number, int)
WRITTEN: Form[list[Written]] = Form(
    lambda all_: [[str(one.urn), one.aspect, one.version, one.seq, one.filtered] for one in all_],
    # An answer of an earlier release tells nothing of what was left out.
    lambda told: [Written(Urn.parse(urn), *rest) for urn, *rest in told],
)
PROPOSALS: Form[tuple[Proposal, ...]] = Form(
    lambda all_: [_proposal_document(one) for one in all_], lambda told: tuple(_proposal(one) for one in told)
)
RUN: Form[Run] = Form(asdict, _run)
REFUSAL: Form[Refusal] = Form(asdict, _refusal)
#: An entry of the inbox as it came.
ENTRY: Form[InboxEntry] = Form(lambda one: [one.id, one.actor, one.time], lambda told: InboxEntry(*told))
PRINCIPAL: Form[Principal] = Form(
    lambda one: [one.user, one.via, sorted(one.scopes)],
    lambda told: Principal(told[0], told[1], frozenset(told[2])),
)
