"""Tells the server what the ledger holds, from a thread of its own: no cell ever waits for the network."""

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.core.display_text import count_of
from jupyter_colophon.kernel.renames import carry_over, split_at_rename
from jupyter_colophon.spark.capture.report_documents import accesses, proposals
from jupyter_colophon.spark.plans.observation import Unseen, united
from jupyter_colophon.system.worker import Backoff, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jupyter_colophon.client.caller import Document
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.messages import Notices
    from jupyter_colophon.kernel.outgoing_reports import Account, Ledger, Parcel
    from jupyter_colophon.spark.plans.observation import Observation

#: Seconds between two attempts while the server is away: doubled from the first to the last.
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0

PROPOSALS_A_CALL = 1_000
#: So much data that failed statements would have written is reported of a run.
INTENDED_MOST = 500

_AWAY = "away"
_logger = logging.getLogger("jupyter_colophon.kernel")


class Sender:
    """Takes parcels from the ledger one after the other; while the server is away they wait there."""

    def __init__(self, catalog: "Operations", ledger: "Ledger", notices: "Notices") -> None:
        self._catalog, self._ledger, self._notices = catalog, ledger, notices
        self._known: dict[tuple[str, str], str] = {}
        self._failures = self._refused = 0
        self._outage = _ServerOutage(ledger, notices)
        self._worker = Worker(
            "colophon-sender",
            self._send_all,
            _logger,
            "reports of the notebook",
            backoff=Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S),
            unavailable=(ServerUnavailable, RequestFailed),
            outage=self._outage,
        )

    @property
    def failures(self) -> int:
        """How many attempts found no server, or one that could not write."""
        return self._failures

    @property
    def refused(self) -> int:
        """How many reports the server would not take, or could not be made: their data are in no run."""
        return self._refused

    def start(self) -> None:
        """Sends what is in the ledger now, or after the pause where the server is away."""
        self._worker.wake(ends_backoff=False)
        self._worker.start()

    def retry(self) -> None:
        """Tries now, whether or not the server was away a moment ago."""
        self._worker.wake()

    def stop(self, timeout_s: float) -> None:
        """Lets the thread end, and waits for it at most that long."""
        self._worker.close(timeout_s)

    def _send_all(self) -> None:
        while (parcel := self._ledger.take()) is not None:
            self._deliver(parcel)

    def _deliver(self, parcel: "Parcel") -> None:
        """Tells one parcel. Raises ServerUnavailable, RequestFailed where it is back in the ledger."""
        try:
            self._tell(parcel)
        except ServerUnavailable as away:
            self._postpone(parcel, str(away))
            raise
        except RequestFailed as refusal:
            if refusal.is_temporary:
                self._postpone(parcel, str(refusal))
                raise
            self._give_up(parcel, refusal)
        except Exception as fault:  # noqa: BLE001  a fault of ours must not end the thread: later cells count
            self._give_up(parcel, fault)
        self._ledger.told(parcel)
        self._outage.end()

    def _tell(self, parcel: "Parcel") -> None:
        try:
            self._tell_once(parcel)
        except RequestFailed as refusal:
            if refusal.status != 404 or not self._is_known(parcel.account):
                raise
            # The store behind the server is another one now: it gets the runs, and what is known of data, anew.
            self._forget(parcel.account)
            self._tell_once(parcel)

    def _is_known(self, account: "Account") -> bool:
        """Whether we take the server to have this run, or its parent."""
        return account.urn is not None or (account.parent is not None and account.parent.urn is not None)

    def _forget(self, account: "Account") -> None:
        self._known.clear()
        account.urn = None
        account.not_seen, account.intended, account.renamed = [], [], []
        if account.parent is not None:
            account.parent.urn = None

    def _tell_once(self, parcel: "Parcel") -> None:
        account = parcel.account
        run = self._announce(account)
        self._write(_names(account, run), parcel)
        while parcel.observations:
            group = split_at_rename(parcel.observations)
            self._record(group, parcel, run)
            # Sent once more, what was recorded under an old name would create that again.
            parcel.observations = parcel.observations[len(group) :]
        if parcel.ending is not None:
            self._catalog.update_run(run, parcel.ending)

    def _record(self, group: "Sequence[Observation]", parcel: "Parcel", run: str) -> None:
        """Record observations of which only the first may be a rename."""
        first, *others = group
        linked = None if first.renamed is None or self._rename(*first.renamed, run) else first.renamed
        if first.renamed is not None and linked is None:
            # One entity: nothing flows from its old name into the new one.
            first = replace(first, reads=(), columns=())
        self._write(_facts([first, *others], run), parcel)
        for document in accesses([first, *others]):
            self._catalog.record_accesses(run, document)
        for proposal in () if linked is None else carry_over(self._catalog, *linked, run):
            # Each by itself: an aspect that is refused leaves the others.
            self._write([proposal], parcel)
        self._admit(group, parcel.account, run)

    def _rename(self, old: str, new: str, run: str) -> bool:
        """Rename what the catalog has; return whether the new name has it now. It has, too, where there was nothing."""
        try:
            self._catalog.rename_entity(old, {"to": new, "run": run})
        except RequestFailed as refusal:
            if refusal.is_temporary:
                raise
            return refusal.is_absence
        self._known = {place: content for place, content in self._known.items() if place[0] not in (old, new)}
        return True

    def _announce(self, account: "Account") -> str:
        """The URN of the run, and of its parent's before it: the server has both then."""
        if account.parent is not None:
            self._announce(account.parent)
        if account.urn is None:
            account.urn = str(self._catalog.start_run(account.beginning)["urn"])
        return account.urn

    def _admit(self, group: "Sequence[Observation]", account: "Account", run: str) -> None:
        """Add to the run what was not seen, what it renamed, why a statement of it failed, and what that would have written."""
        told = account.not_seen
        failed = [seen for seen in group if seen.failed]
        intended = list(dict.fromkeys([*account.intended, *(ref.urn for seen in failed for ref in seen.intended)]))
        missed = [Unseen.INTENDED] if len(intended) > INTENDED_MOST else []
        unseen = (str(word) for seen in group for word in seen.unseen)
        words = list(dict.fromkeys([*told, *unseen, *missed]))
        change: Document = {"facts": {"missingLineage": "; ".join(words)} if words != told else {}}
        pairs = [" → ".join(seen.renamed) for seen in group if seen.renamed is not None]
        renamed = list(dict.fromkeys([*account.renamed, *pairs]))
        if renamed != account.renamed:
            change["facts"]["renamed"] = "; ".join(renamed)
        if failed and not account.error:
            change["facts"]["error"] = f"a {failed[-1].function} failed: {failed[-1].error}"
        if fresh := intended[:INTENDED_MOST][len(account.intended) :]:
            change["intendedOutputs"] = fresh
        if change["facts"] or fresh:
            self._catalog.update_run(run, change)
            account.not_seen, account.intended, account.renamed = words, intended[:INTENDED_MOST], renamed

    def _write(self, proposals: "list[Document]", parcel: "Parcel") -> None:
        """Writes those SYSTEM aspects that are new in this session or have changed in it."""
        news = [proposal for proposal in proposals if self._known.get(_place(proposal)) != _content(proposal)]
        for start in range(0, len(news), PROPOSALS_A_CALL):
            batch = news[start : start + PROPOSALS_A_CALL]
            try:
                self._catalog.submit_proposals({"proposals": batch})
            except RequestFailed as refusal:
                if refusal.is_temporary or refusal.status == 404:
                    raise
                # The accesses are worth telling without the schema.
                self._complain(parcel, refusal)
                continue
            self._known.update((_place(proposal), _content(proposal)) for proposal in batch)

    def _postpone(self, parcel: "Parcel", reason: str) -> None:
        # Before the ledger wakes whoever waits for it: the cell then shows the notice.
        self._outage.begin(reason)
        self._failures += 1
        self._ledger.put_back(parcel)

    def _give_up(self, parcel: "Parcel", reason: Exception) -> None:
        self._refused += 1
        self._complain(parcel, reason)

    def _complain(self, parcel: "Parcel", reason: Exception) -> None:
        what = parcel.account.facts.get("cellId", "the notebook")
        said = str(reason) if isinstance(reason, ClientError) else type(reason).__name__
        # One line a kind of fault: a loop over cells must not print a line each.
        kind = f"refused {reason.status}" if isinstance(reason, RequestFailed) else type(reason).__name__
        self._notices.say_once(kind, f"Colophon could not record what cell {what} did: {said}")


class _ServerOutage:
    """Tells the person at the notebook that the server is away, and that it is back if something was lost."""

    def __init__(self, ledger: "Ledger", notices: "Notices") -> None:
        self._ledger, self._notices = ledger, notices

    def begin(self, reason: str) -> None:
        """Shows why the server is unavailable, unless that was shown."""
        self._notices.say_once(
            _AWAY,
            f"Colophon: {reason}. The notebook runs on; what its cells read and write waits in this kernel until the"
            " server is back, and is lost if the kernel ends before.",
        )

    def end(self) -> None:
        """Shows how much was lost meanwhile."""
        if not self._notices.forget(_AWAY):
            return
        lost = self._ledger.given_up()
        if lost:
            words = f"{count_of(lost, 'observation')} {'was' if lost == 1 else 'were'} lost"
            self._notices.say_once(f"lost {lost}", f"Colophon: the server is back; {words}.")


def _facts(observations: "Sequence[Observation]", run: str) -> "list[Document]":
    """What is known of the data that was written."""
    written = united(ref for seen in observations for ref in seen.writes)
    return [proposal for ref in written for proposal in proposals(ref, run)]


def _names(account: "Account", run: str) -> "list[Document]":
    """What the cell calls its step: the name of its program, in lineage and for DataHub's clients."""
    step = account.facts.get("step")
    if not step:
        return []
    value = {"name": step, "type": {"string": "COMMAND"}}
    return [{"urn": account.program, "aspect": "dataJobInfo", "operation": "patch", "value": value, "run": run}]


def _place(proposal: "Document") -> tuple[str, str]:
    return (proposal["urn"], proposal["aspect"])


def _content(proposal: "Document") -> str:
    return json.dumps(proposal["value"], sort_keys=True)
