"""Proposals made from what was sent, in one transaction or later (the inbox), and what is wrong told at its place there."""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from jupyter_colophon.core.errors import MetadataError, Problem
from jupyter_colophon.core.proposal import Proposal, Written
from jupyter_colophon.http.datahub.asking import Asking
from jupyter_colophon.service.datahub.tracing import trace_of
from jupyter_colophon.service.inbox import WITHIN

_PLACE = re.compile(rf"{WITHIN}/([0-9]+)/value")
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(frozen=True, slots=True)
class Wish:
    """A proposal, and the pointer to its value in what was sent."""

    proposal: Proposal
    place: str


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
    proposals, warnings = [one.proposal for one in wishes], ()
    once = asking.once([wish.proposal for wish in wishes])
    with _at_places(wishes):
        if later:
            entry = asking.catalog.inbox.accept(proposals, asking.principal, once)
            return Outcome((), entry.id, warnings)
        done = asking.catalog.write_path.propose(proposals, asking.principal, WITHIN, once=once)
        return Outcome(tuple(done), 0, warnings)


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
    return pointer if found is None else wishes[int(found[1])].place + pointer[found.end() :]
