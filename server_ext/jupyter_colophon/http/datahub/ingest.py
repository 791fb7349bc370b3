"""Proposals made from what was sent, in one transaction or later (the inbox), and what is wrong told at its place there."""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidInstance,
    MetadataError,
    NotFound,
    PatchFailed,
    Problem,
    TooLarge,
    shown,
)
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.http.datahub.request import Asking
from jupyter_colophon.service.changes.inbox import WITHIN
from jupyter_colophon.service.datahub.drop_unknown_fields import known
from jupyter_colophon.service.datahub.trace import trace_of

#: Where the operations are in DataHub's form of a patch.
_FORM = f"/{patch_forms.PATCH}"
_PLACE = re.compile(rf"{WITHIN}/([0-9]+)/(value|urn)")
#: What proposals are refused for themselves, or for what is there. Who may not write is only told so.
_REFUSED = (InvalidInstance, PatchFailed, TooLarge, ConditionFailed, AlreadyExists, NotFound)
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(frozen=True, slots=True)
class Wish:
    """A proposal, and the pointers to its value and its URN in what was sent; `listed`: a patch that was sent as a list."""

    proposal: Proposal
    place: str
    listed: bool = False
    named: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of proposals: what was written; or, where that is done later, under which number that can be asked."""

    written: tuple[Written, ...]
    number: int
    warnings: tuple[Problem, ...]

    @property
    def later(self) -> bool:
        """Whether they wait in the inbox."""
        return self.number > 0

    @property
    def headers(self) -> dict[str, str]:
        """The trace of the write: when it came in microseconds, and its number in the inbox."""
        trace = trace_of(time.time_ns() // 1_000, self.number)
        return {"traceparent": f"00-{trace}-{trace[16:]}-01"}


def propose(asking: Asking, wishes: Sequence[Wish], *, later: bool = False) -> Outcome:
    """Make proposals, wholly or not at all. Raises what `WritePath.propose` does."""
    for one in wishes:
        # Who may not read an entity learns nothing of its model.
        asking.catalog.write_path.require(asking.principal, "read", one.proposal.urn)
    # What these clients write is what they read: the union of both scopes.
    wishes = [replace(wish, proposal=replace(wish.proposal, united=True)) for wish in wishes]
    with _kept(asking, [wish.proposal for wish in wishes]):
        known = [_known(asking, one) for one in wishes]
    proposals, warnings = [one for one, _ in known], tuple(warning for _, some in known for warning in some)
    for problem in warnings:
        _logger.warning("dropped a field that the model does not know: %s", shown(problem.pointer))
    once = asking.once([wish.proposal for wish in wishes])
    with _at_places(wishes), _kept(asking, proposals):
        if later:
            entry = asking.catalog.inbox.accept(proposals, asking.principal, once)
            return Outcome((), entry.id, warnings)
        done = asking.catalog.write_path.propose(proposals, asking.principal, WITHIN, once=once)
        return Outcome(tuple(done), 0, warnings)


def _known(asking: Asking, wish: Wish) -> tuple[Proposal, list[Problem]]:
    """The proposal without the fields that its model does not know, and what was dropped."""
    if asking.strict:
        return wish.proposal, []
    one, dropped = known(asking.catalog.registry, wish.proposal)
    return one, [Problem(wish.place + pointer, "was dropped: the model does not know it") for pointer in dropped]


@contextmanager
def _kept(asking: Asking, proposals: Sequence[Proposal]) -> Iterator[None]:
    """Keep what is refused: many a client only logs what it is told (spec DH-9)."""
    try:
        yield
    except _REFUSED as error:
        asking.catalog.dead_letters.keep(proposals, asking.principal, error)
        raise


@contextmanager
def _at_places(wishes: Sequence[Wish]) -> Iterator[None]:
    """Make pointers lead into what was sent."""
    try:
        yield
    except MetadataError as error:
        error.problems = tuple(Problem(_placed(one.pointer, wishes), one.message) for one in error.problems)
        raise


def _placed(pointer: str, wishes: Sequence[Wish]) -> str:
    found = _PLACE.match(pointer)
    if found is None:
        return pointer
    wish, rest = wishes[int(found[1])], pointer[found.end() :]
    if found[2] == "urn":
        return wish.named
    return wish.place + (rest.removeprefix(_FORM) if wish.listed else rest)
