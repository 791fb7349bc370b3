"""Telling a server what waits in a file of the outbox, one entry after the other."""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.outbox import Entry, Kind, SpoolFile
from jupyter_colophon.core.changes.inbox import named_keys
from jupyter_colophon.core.errors import shown

if TYPE_CHECKING:
    from jupyter_colophon.client.caller import Document
    from jupyter_colophon.client.operations import Operations

_logger = logging.getLogger("jupyter_colophon.programs")
_OURS = "urn:jupyter-colophon:problem:"
_FORBIDDEN = f"{_OURS}forbidden"


class Delivery:
    """Tells one server; counts what it took and what it will never take. Used by one thread at a time."""

    def __init__(self, catalog: "Operations") -> None:
        self._catalog = catalog
        self._user = ""
        self.told = self.dropped = 0
        #: Why the last file was not told to its end.
        self.trouble = ""
        #: The newest entry of the inbox that was made: when it is done, so are all before it.
        self.entry = ""

    def empty(self, file: SpoolFile, may_go_on: Callable[[], bool] = lambda: True) -> bool:
        """Tells all that waits; False where the server is away, or does not know us, and the rest waits on."""
        if file.torn:
            self.dropped += file.torn
            _logger.warning("dropped %s that cannot be read, of %s", _lines(file.torn), shown(file.path.name))
            file.torn = 0
        while (entry := file.first()) is not None:
            if not may_go_on() or not self._deliver(entry):
                return False
            file.done(entry)
        return True

    def _deliver(self, entry: Entry) -> bool:
        try:
            answer = _CALLS[entry.kind](self._catalog, entry)
            self.told += 1
            if entry.kind == "emit":
                self.entry = str(answer.get("id", ""))
        except ServerUnavailable as away:
            self.trouble = str(away)
            return False
        except RequestFailed as refusal:
            if refusal.is_temporary or not _is_judged(refusal):
                self.trouble = str(refusal)
                return False
            self._drop(entry, refusal)
        except Exception as fault:  # noqa: BLE001  a body that is not as it should be must not hold up the others
            self._drop(entry, fault)
        return True

    def _drop(self, entry: Entry, reason: Exception) -> None:
        """Says what is lost: entity, keys, user and run, never a value."""
        self.dropped += 1
        said = (about(entry), self._asked_user(), shown(entry.run), _cause(reason))
        _logger.warning("dropped %s, said by %s in the run %s: %s", *said)

    def _asked_user(self) -> str:
        if not self._user:
            try:
                self._user = str(self._catalog.read_me()["user"]["username"])
            except (ClientError, KeyError, TypeError):
                return "an unknown user"
        return self._user


def about(entry: Entry) -> str:
    """What an entry is about, for the log: entities and keys of properties, never a value, and no tag either."""
    if entry.kind != "emit":
        return f"the {entry.kind} of a run"
    found = entry.body.get("proposals")
    return "; ".join(_said_of(one) for one in found if isinstance(one, dict)) if isinstance(found, list) else "nothing"


def _said_of(proposal: Mapping[str, Any]) -> str:
    value = proposal.get("value")
    change: Mapping[str, Any] = value if isinstance(value, dict) else {}
    properties, gone = change.get("properties"), change.get("withoutProperties")
    keys = [*(properties if isinstance(properties, dict) else ()), *(gone if isinstance(gone, list) else ())]
    tags = any(change.get(name) for name in ("tags", "withoutTags", "clearTags"))
    named = named_keys(sorted(map(str, keys)), tags=tags)
    return f"{shown(str(proposal.get('aspect')))} of {shown(str(proposal.get('urn')))} ({named})"


def _is_judged(refusal: RequestFailed) -> bool:
    """Whether the catalog itself has said no to this; a token that is not good any more says nothing of it."""
    kind = str(refusal.problem.get("type", ""))
    return kind.startswith(_OURS) and kind != _FORBIDDEN and refusal.status != 401


def _cause(reason: Exception) -> str:
    # The places of a problem have words of a validator, which may show the value: the sentence alone has none.
    if isinstance(reason, RequestFailed):
        return str(reason.problem.get("detail") or f"the server answered {reason.status}")
    return type(reason).__name__


def _lines(count: int) -> str:
    return "a line" if count == 1 else f"{count} lines"


_CALLS: "dict[Kind, Callable[[Operations, Entry], Document]]" = {
    "emit": lambda catalog, entry: catalog.submit_proposals(
        {"proposals": entry.body["proposals"]}, async_=True, idempotency_key=entry.key or None
    ),
    "start": lambda catalog, entry: catalog.start_run(entry.body, idempotency_key=entry.key or None),
    "accesses": lambda catalog, entry: catalog.record_accesses(
        entry.run, entry.body, idempotency_key=entry.key or None
    ),
    "facts": lambda catalog, entry: catalog.update_run(entry.run, entry.body, idempotency_key=entry.key or None),
    "end": lambda catalog, entry: catalog.update_run(entry.run, entry.body, idempotency_key=entry.key or None),
}
