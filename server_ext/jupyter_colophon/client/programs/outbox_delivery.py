"""Deliver the entries of an outbox file to a server, one by one."""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.outbox import Kind, OutboxEntry, OutboxFile
from jupyter_colophon.core.changes.inbox import format_key_names
from jupyter_colophon.core.errors import quote_and_truncate_text

if TYPE_CHECKING:
    from jupyter_colophon.client.caller import Document
    from jupyter_colophon.client.operations import Operations

_logger = logging.getLogger("jupyter_colophon.programs")
_OURS = "urn:jupyter-colophon:problem:"
_FORBIDDEN = f"{_OURS}forbidden"
#: What entries without a run are about.
_SUBJECTS: "Mapping[Kind, str]" = {
    "report": "a report of a notebook",
    "rename-notebooks": "the rename of a notebook",
    "kernel-end": "the end of a kernel",
}


class OutboxDelivery:
    """Delivers to one server; counts sent and dropped entries. Used by one thread at a time."""

    def __init__(self, catalog: "Operations") -> None:
        self._catalog = catalog
        self._user = ""
        self.sent = self.dropped = 0
        #: Why the last file was not delivered completely.
        self.error = ""
        #: The newest inbox entry that was created; once it is processed, so are all before it.
        self.entry = ""

    def send_pending_entries(self, file: OutboxFile, may_continue: Callable[[], bool] = lambda: True) -> bool:
        """Deliver all pending entries; return False if the server is unavailable or does not accept the token."""
        if file.unreadable:
            self.dropped += file.unreadable
            _logger.warning(
                "dropped %s of %s: unreadable",
                _format_line_count(file.unreadable),
                quote_and_truncate_text(file.path.name),
            )
            file.unreadable = 0
        while (entry := file.get_next_entry()) is not None:
            if not may_continue() or not self._deliver_entry(entry):
                return False
            file.remove_entry(entry.key)
        return True

    def _deliver_entry(self, entry: OutboxEntry) -> bool:
        try:
            answer = _CALLS[entry.kind](self._catalog, entry)
            self.sent += 1
            if entry.kind == "emit":
                self.entry = str(answer.get("id", ""))
        except ServerUnavailable as error:
            self.error = str(error)
            return False
        except RequestFailed as refusal:
            if refusal.is_temporary or not is_final_refusal(refusal):
                self.error = str(refusal)
                return False
            self._count_and_log_dropped(entry, refusal)
        except Exception as error:  # noqa: BLE001  an invalid body must not block the others
            self._count_and_log_dropped(entry, error)
        return True

    def _count_and_log_dropped(self, entry: OutboxEntry, reason: Exception) -> None:
        """Count and log a dropped entry: entity, keys, user and run, never a value."""
        self.dropped += 1
        details = (
            describe_entry_without_values(entry),
            self._read_user_name(),
            quote_and_truncate_text(entry.run),
            _format_cause(reason),
        )
        _logger.warning("dropped %s, emitted by %s in the run %s: %s", *details)

    def _read_user_name(self) -> str:
        if not self._user:
            try:
                self._user = str(self._catalog.read_me()["user"]["username"])
            except (ClientError, KeyError, TypeError):
                return "an unknown user"
        return self._user


def describe_entry_without_values(entry: OutboxEntry) -> str:
    """Describe an entry for the log: entities and keys of properties, never a value or a tag."""
    if entry.kind in _SUBJECTS:
        return _SUBJECTS[entry.kind]
    if entry.kind != "emit":
        return f"the {entry.kind} of a run"
    proposals = entry.body.get("proposals")
    if not isinstance(proposals, list):
        return "nothing"
    return "; ".join(
        _describe_proposal_without_values(proposal) for proposal in proposals if isinstance(proposal, dict)
    )


def _describe_proposal_without_values(proposal: Mapping[str, Any]) -> str:
    value = proposal.get("value")
    change: Mapping[str, Any] = value if isinstance(value, dict) else {}
    properties, gone = change.get("properties"), change.get("withoutProperties")
    keys = [*(properties if isinstance(properties, dict) else ()), *(gone if isinstance(gone, list) else ())]
    tags = any(change.get(name) for name in ("tags", "withoutTags", "clearTags"))
    named = format_key_names(sorted(map(str, keys)), tags=tags)
    return f"the aspect {quote_and_truncate_text(str(proposal.get('aspect')))} of {quote_and_truncate_text(str(proposal.get('urn')))} ({named})"


def is_final_refusal(refusal: RequestFailed) -> bool:
    """Return whether the catalog refused the entry for good, and not because of an invalid token."""
    kind = str(refusal.problem.get("type", ""))
    return kind.startswith(_OURS) and kind != _FORBIDDEN and refusal.status != 401


def _format_cause(reason: Exception) -> str:
    # The errors of a problem contain validator messages that may show values; its detail does not.
    if isinstance(reason, RequestFailed):
        return str(reason.problem.get("detail") or f"the server answered {reason.status}")
    return type(reason).__name__


def _format_line_count(count: int) -> str:
    return "a line" if count == 1 else f"{count} lines"


_CALLS: "dict[Kind, Callable[[Operations, OutboxEntry], Document]]" = {
    "emit": lambda catalog, entry: catalog.submit_proposals(
        {"proposals": entry.body["proposals"]}, async_=True, idempotency_key=entry.key or None
    ),
    "start": lambda catalog, entry: catalog.start_run(entry.body, idempotency_key=entry.key or None),
    "accesses": lambda catalog, entry: catalog.record_accesses(
        entry.run, entry.body, idempotency_key=entry.key or None
    ),
    "facts": lambda catalog, entry: catalog.update_run(entry.run, entry.body, idempotency_key=entry.key or None),
    "end": lambda catalog, entry: catalog.update_run(entry.run, entry.body, idempotency_key=entry.key or None),
    "rename-notebooks": lambda catalog, entry: catalog.rename_notebooks(entry.body, idempotency_key=entry.key or None),
    "kernel-end": lambda catalog, entry: catalog.end_kernel_runs(
        entry.run, entry.body, idempotency_key=entry.key or None
    ),
}
