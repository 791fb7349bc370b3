"""Report the outcome of a write by its trace, which contains its time and its number in the inbox (0: none)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import InboxEntry
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, ProposalResult
from jupyter_colophon.service.changes.inbox import ProposalInbox
from jupyter_colophon.service.datahub.aspects import AspectReader

State = Literal["ERROR", "PENDING", "ACTIVE_STATE", "HISTORIC_STATE", "NO_OP", "UNKNOWN"]
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class TracedWrite:
    """The outcome of writing one aspect; `reason` is given for errors only."""

    state: State
    reason: str = ""


def format_write_trace_id(time_us: int, number: int) -> str:
    """Return the trace of a write: 32 hexadecimal digits, from which DataHub's clients read the time."""
    return f"{time_us:0{_DIGITS}x}{number:0{_DIGITS}x}"


@dataclass(frozen=True, slots=True)
class WriteTracer:
    """Reports the state of writes, for entities that the principal may read."""

    inbox: ProposalInbox
    reader: AspectReader

    def read_write_states(
        self, trace: str, aspects: Mapping[Urn, Sequence[str]], principal: Principal
    ) -> dict[str, dict[str, TracedWrite]]:
        """Return the state of each of these aspects of a write."""
        number = int(trace[_DIGITS:], 16)
        entry = self._find_inbox_entry(number, principal) if number else None
        return {
            str(urn): {name: self._determine_aspect_state(urn, name, number, entry, principal) for name in names}
            for urn, names in aspects.items()
        }

    def _find_inbox_entry(self, number: int, principal: Principal) -> InboxEntry | None:
        try:
            return self.inbox.require_visible_entry(number, principal)
        except NotFound:
            return None

    def _determine_aspect_state(
        self, urn: Urn, name: str, number: int, entry: InboxEntry | None, principal: Principal
    ) -> TracedWrite:
        if entry is not None and entry.state in ("pending", "review"):
            return TracedWrite("PENDING")
        if entry is not None and entry.state == "rejected":
            return TracedWrite("ERROR", entry.refusal.detail if entry.refusal else "")
        version = self._read_current_version(urn, name, principal)
        written = None if entry is None else next(_iterate_results_of_aspect(entry.results, urn, name), None)
        if number and written is None:
            return TracedWrite("UNKNOWN")
        if written is None:
            # A synchronous write was complete before its response.
            return TracedWrite("UNKNOWN" if version == ABSENT else "ACTIVE_STATE")
        if not written.has_changed:
            return TracedWrite("NO_OP")
        return TracedWrite("ACTIVE_STATE" if written.version == version else "HISTORIC_STATE")

    def _read_current_version(self, urn: Urn, name: str, principal: Principal) -> int:
        present = self.reader.read_aspects_of_existing_entities([urn], {name}, principal).get(str(urn), {})
        return present[name].version if name in present else ABSENT


def _iterate_results_of_aspect(results: Sequence[ProposalResult], urn: Urn, name: str) -> Iterator[ProposalResult]:
    """Yield the results for this aspect, newest first."""
    yield from (result for result in reversed(results) if result.urn == urn and result.aspect == name)
