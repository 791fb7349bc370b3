"""The inbox applies each batch once, in order, authorised again; what it cannot apply is a dead letter (spec WRITE-11)."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.changes.idempotency import KEPT_MS, IdempotencyKey
from jupyter_colophon.core.changes.inbox import InboxEntry
from jupyter_colophon.core.errors import AccessDenied, ConditionFailed, InvalidInstance, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, WriteCondition
from jupyter_colophon.service.changes.inbox import ProposalInbox
from jupyter_colophon.storage import transaction_lifetime
from jupyter_colophon.storage.changes import dead_letters
from support.catalog import ADA, build_metadata_value, delete_entity_or_aspect, open_catalog_file, write_metadata
from support.disk import fill_disk
from support.process import start_script_process
from support.urns import ORDERS, REPORT, build_table_urn

ORDERS_URN = Urn.parse(ORDERS)
BOB = Principal("bob", "kernel-1", frozenset({"read", "annotate", "emit"}))
KILLS = 5
#: Accepts one batch after the other, each for a new table, and prints it.
EMITTER = """
from pathlib import Path
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, build_metadata_value, open_catalog_file
from support.urns import build_table_urn
catalog = open_catalog_file(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**9):
    proposal = Proposal(Urn.parse(build_table_urn(f"t{number}")), "technicalMetadata", "create", build_metadata_value({"n": str(number)}))
    print(number, catalog.inbox.check_and_store_batch([proposal], ADA).id, flush=True)
"""
#: Applies pending batches, and ends when there are none.
APPLIER = """
import time
from pathlib import Path
from support.catalog import open_catalog_file
catalog = open_catalog_file(Path(sys.argv[1]))
while catalog.inbox.count_pending_and_dead()[0]:
    time.sleep(0.01)
catalog.close()
"""


@dataclass
class Privileges:
    """An authorizer whose permissions can be changed."""

    refused: set[tuple[str, Action]] = field(default_factory=set)

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        return action in principal.scopes and (principal.user, action) not in self.refused


def create_proposal(
    value: str = "b", version: int | None = None, urn: str = ORDERS, aspect: str = "technicalMetadata"
) -> Proposal:
    return Proposal(
        Urn.parse(urn), aspect, "upsert", build_metadata_value({"a": value}), WriteCondition(version=version)
    )


@contextmanager
def applying(catalog: Catalog, privileges: Privileges | None = None) -> Iterator[ProposalInbox]:
    """Yield an inbox that continues with the pending batches, until it is closed."""
    path = catalog.write_path if privileges is None else replace(catalog.write_path, authorizer=privileges)
    inbox = ProposalInbox(catalog.provider, path, catalog.write_path.now)
    inbox.start_applying_in_background()
    try:
        yield inbox
    finally:
        inbox.stop_thread()


def settled(inbox: ProposalInbox, entry: InboxEntry, principal: Principal = ADA) -> InboxEntry:
    """Wait for the outcome of a batch and return it."""
    pause = threading.Event()
    while (found := inbox.require_visible_entry(entry.id, principal)).state == "pending":
        pause.wait(0.01)
    return found


def test_accepted_batch_is_pending_until_applied(catalog: Catalog) -> None:
    catalog.inbox.stop_thread()
    entry = catalog.inbox.check_and_store_batch([create_proposal("1"), create_proposal("2")], ADA)
    assert catalog.inbox.require_visible_entry(entry.id, ADA) == entry
    assert (entry.state, catalog.inbox.count_pending_and_dead()) == ("pending", (1, 0))
    with pytest.raises(NotFound):
        catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA)
    with applying(catalog) as inbox:
        done = settled(inbox, entry)
        assert (done.state, [one.version for one in done.results]) == ("applied", [1, 2])
    found = catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA)
    assert (found.value, found.actor) == (build_metadata_value({"a": "2"}), "ada")
    assert catalog.inbox.count_pending_and_dead() == (0, 0)


def test_open_catalog_applies_accepted_batches(catalog: Catalog) -> None:
    entries = [catalog.inbox.check_and_store_batch([create_proposal(str(number))], ADA) for number in range(20)]
    assert {settled(catalog.inbox, one).state for one in entries} == {"applied"}


def test_detectable_errors_are_raised_on_accept(catalog: Catalog) -> None:
    bad = Proposal(ORDERS_URN, "technicalMetadata", "upsert", {"properties": {"no good": "1"}, "tags": []})
    with pytest.raises(InvalidInstance) as invalid:
        catalog.inbox.check_and_store_batch([create_proposal(), bad], ADA)
    assert invalid.value.problems[0].pointer.startswith("/proposals/1/value/properties")
    with pytest.raises(AccessDenied):
        catalog.inbox.check_and_store_batch([Proposal(ORDERS_URN, None, "delete")], BOB)
    assert catalog.inbox.count_pending_and_dead() == (0, 0)


def test_batches_of_a_sender_are_applied_in_order(catalog: Catalog) -> None:
    catalog.inbox.stop_thread()
    sent: dict[str, list[InboxEntry]] = {"ada": [], "bob": []}

    def send(principal: Principal, urn: str) -> None:
        for number in range(40):
            batch = [create_proposal(f"{principal.user} {number}", number or -1, urn)]
            sent[principal.user].append(catalog.inbox.check_and_store_batch(batch, principal))

    threads = [threading.Thread(target=send, args=one) for one in ((ADA, ORDERS), (BOB, REPORT))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with applying(catalog) as inbox:
        for principal in (ADA, BOB):
            done = [settled(inbox, one, principal) for one in sent[principal.user]]
            assert [one.results[0].version for one in done] == list(range(1, 41))


def test_revoked_permission_makes_a_dead_letter_without_values(
    catalog: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    catalog.inbox.stop_thread()
    first = catalog.inbox.check_and_store_batch([create_proposal("CANARY-1")], BOB)
    second = catalog.inbox.check_and_store_batch([create_proposal("fine", urn=REPORT)], ADA)
    third = catalog.inbox.check_and_store_batch([create_proposal("CANARY-3", version=7)], ADA)
    with caplog.at_level(logging.DEBUG), applying(catalog, Privileges({("bob", "emit")})) as inbox:
        refused = settled(inbox, first, BOB)
        assert refused.state == "rejected"
        assert refused.refusal is not None
        assert (refused.refusal.cause, refused.refusal.detail) == ("AccessDenied", f"you may not emit {ORDERS}")
        assert settled(inbox, second).state == "applied"
        failed = settled(inbox, third).refusal
        assert failed is not None
        assert failed.cause == "ConditionFailed"
    assert "CANARY" not in caplog.text + refused.refusal.detail + failed.detail
    assert catalog.inbox.count_pending_and_dead() == (0, 2)
    with pytest.raises(NotFound):
        catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA)


def test_accepted_batches_of_killed_emitter_are_applied_once(tmp_path: Path) -> None:
    path, number, accepted = tmp_path / "colophon.db", -1, {}
    for kill in range(KILLS):
        with start_script_process(EMITTER, str(path), str(number + 1)) as emitter:
            assert emitter.stdout is not None
            for line in emitter.stdout:
                number, entry = (int(word) for word in line.split())
                accepted[number] = entry
                if len(accepted) % 20 == kill:
                    break
            os.kill(emitter.pid, signal.SIGKILL)
            for line in emitter.stdout:
                number, entry = (int(word) for word in line.split())
                accepted[number] = entry
        # A batch that was accepted but not printed is applied as well, and uses a name.
        number += 1
    catalog = open_catalog_file(path)
    for number, entry in accepted.items():
        done = settled(catalog.inbox, InboxEntry(entry, "ada", 0))
        assert (done.state, done.results[0].version) == ("applied", 1)
        found = catalog.reader.read_current_aspect(Urn.parse(build_table_urn(f"t{number}")), "technicalMetadata", ADA)
        assert found.value == build_metadata_value({"n": str(number)})
    # A batch that was accepted but not printed is pending after them.
    pause = threading.Event()
    while catalog.inbox.count_pending_and_dead()[0]:
        pause.wait(0.01)
    assert catalog.inbox.count_pending_and_dead() == (0, 0)
    catalog.close()


def test_running_process_applies_batches_of_killed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_colophon.service.changes.inbox.IDLE_S", 0.1)
    path, pause = tmp_path / "colophon.db", threading.Event()
    catalog, other = open_catalog_file(path), open_catalog_file(path)
    other.inbox.stop_thread()
    entry = other.inbox.check_and_store_batch([create_proposal("left")], ADA)
    for _ in range(6_000):
        if catalog.inbox.require_visible_entry(entry.id, ADA).state == "applied":
            break
        pause.wait(0.05)
    assert catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA).version == 1
    catalog.close()
    other.close()


def test_concurrent_processes_apply_each_batch_once_in_order(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    catalog = open_catalog_file(path)
    catalog.inbox.stop_thread()
    # Applying a batch twice, at any time, would create two additional versions.
    entries = [
        catalog.inbox.check_and_store_batch([create_proposal("none"), create_proposal(str(number))], ADA)
        for number in range(60)
    ]
    with (
        start_script_process(APPLIER, str(path)) as a,
        start_script_process(APPLIER, str(path)) as b,
        start_script_process(APPLIER, str(path)) as c,
    ):
        for process in (a, b, c):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    done = [catalog.inbox.require_visible_entry(one.id, ADA) for one in entries]
    versions = [[written.version for written in one.results] for one in done]
    assert versions == [[2 * at + 1, 2 * at + 2] for at in range(60)]
    changes = catalog.feed.read_visible_changes(0, 500, {"urn": ORDERS}, ADA)
    assert [one.aspect for one in changes].count("technicalMetadata") == 120
    assert catalog.inbox.count_pending_and_dead() == (0, 0)
    catalog.close()


def test_store_failure_delays_batches_without_refusing_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, pause = tmp_path / "colophon.db", threading.Event()
    catalog = open_catalog_file(path)
    catalog.inbox.stop_thread()
    entry = catalog.inbox.check_and_store_batch([create_proposal("x" * 9_000)], ADA)
    with applying_on_a_full_disk(catalog, path) as inbox:
        while "the inbox: unavailable" not in caplog.text:
            pause.wait(0.01)
        assert inbox.require_visible_entry(entry.id, ADA).state == "pending"
    with applying(catalog) as inbox:
        assert settled(inbox, entry).state == "applied"
    catalog.close()


@pytest.mark.parametrize(("stalls", "state"), [(2, "applied"), (3, "rejected")])
def test_batch_is_refused_only_if_its_transaction_is_too_long_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stalls: int, state: str
) -> None:
    catalog, left, stalled_s = open_catalog_file(tmp_path / "colophon.db"), [stalls], [0.0]
    clock, monotonic = catalog.write_path.now, time.monotonic

    def stall() -> int:
        """Return the time; the first calls take longer than a transaction may, as on a stalled machine."""
        if left[0]:
            left[0] -= 1
            stalled_s[0] += 2 * transaction_lifetime.WRITE_S
        return clock()

    catalog.inbox.stop_thread()
    entry = catalog.inbox.check_and_store_batch([create_proposal()], ADA)
    monkeypatch.setattr(transaction_lifetime, "time", SimpleNamespace(monotonic=lambda: monotonic() + stalled_s[0]))
    inbox = ProposalInbox(catalog.provider, replace(catalog.write_path, now=stall), clock)
    inbox.start_applying_in_background()
    assert settled(inbox, entry).state == state
    inbox.stop_thread()
    catalog.close()


@contextmanager
def applying_on_a_full_disk(catalog: Catalog, path: Path) -> Iterator[ProposalInbox]:
    with fill_disk(path), applying(catalog) as inbox:
        yield inbox


def test_batch_with_repeated_key_is_accepted_once(catalog: Catalog) -> None:
    catalog.inbox.stop_thread()
    key = IdempotencyKey("ada", "k", "f")
    first = catalog.inbox.check_and_store_batch([create_proposal()], ADA, key)
    assert catalog.inbox.check_and_store_batch([create_proposal()], ADA, key) == first
    assert catalog.inbox.count_pending_and_dead() == (1, 0)


def test_outcome_is_visible_to_sender_and_admin_for_a_day(catalog: Catalog) -> None:
    times = {"later": 0}
    inbox = ProposalInbox(catalog.provider, catalog.write_path, lambda: catalog.write_path.now() + times["later"])
    entry = inbox.check_and_store_batch([create_proposal()], BOB)
    for principal in (BOB, ADA):
        assert settled(inbox, entry, principal).actor == "bob"
    eve = Principal("eve", None, BOB.scopes)
    for number, principal in ((entry.id, eve), (entry.id + 1, ADA)):
        with pytest.raises(NotFound):
            inbox.require_visible_entry(number, principal)
    times["later"] = KEPT_MS + 1_000
    with pytest.raises(NotFound):
        inbox.require_visible_entry(entry.id, BOB)
    again = inbox.check_and_store_batch([create_proposal()], BOB)
    assert settled(inbox, again, BOB).state == "applied"
    inbox.stop_thread()
    kept = catalog.provider.tx_runner.run(lambda tx: tx.get_table("inbox").count(), read_only=True)
    assert kept == 1


class TestDeadLetters:
    @pytest.fixture
    def letter(self, catalog: Catalog) -> int:
        """Store a refused batch of Bob's, whose condition names a version that never existed."""
        write_metadata(catalog)
        entry = catalog.inbox.check_and_store_batch(
            [create_proposal("b", 2), create_proposal("c", 3, aspect="technicalMetadata")], BOB
        )
        assert settled(catalog.inbox, entry, BOB).state == "rejected"
        return entry.id

    def test_letter_is_visible_to_sender_and_admin_only(self, catalog: Catalog, letter: int) -> None:
        for principal in (BOB, ADA):
            (found,), more = catalog.dead_letters.list_visible_page("", 10, "", principal)
            assert (found.id, found.kind, found.sender, found.attempts, more) == (letter, "proposals", BOB, 1, None)
        assert catalog.dead_letters.list_visible_page("webhook", 10, "", ADA) == ([], None)
        eve = Principal("eve", None, BOB.scopes)
        assert catalog.dead_letters.list_visible_page("", 10, "", eve) == ([], None)
        for change in (catalog.dead_letters.retry_and_delete_letter, catalog.dead_letters.delete_letter):
            with pytest.raises(NotFound):
                change(letter, eve)

    def test_letters_are_paged_newest_first(self, catalog: Catalog, letter: int) -> None:
        entries = [catalog.inbox.check_and_store_batch([create_proposal("b", 9)], BOB).id for _ in range(4)]
        settled(catalog.inbox, InboxEntry(entries[-1], "bob", 0), BOB)
        pages, cursor = [], ""
        while cursor is not None:
            found, cursor = catalog.dead_letters.list_visible_page("proposals", 2, cursor, BOB)
            pages.append([one.id for one in found])
        assert pages == [entries[:1:-1], entries[1::-1], [letter]]

    def test_failed_replay_keeps_letter_with_new_error(self, catalog: Catalog, letter: int) -> None:
        with pytest.raises(ConditionFailed):
            catalog.dead_letters.retry_and_delete_letter(letter, BOB, IdempotencyKey("bob", "k", "f"))
        delete_entity_or_aspect(catalog, ORDERS)
        delete_entity_or_aspect(catalog, "urn:li:namespace:sales")
        with pytest.raises(ConditionFailed):
            catalog.dead_letters.retry_and_delete_letter(letter, ADA)
        (found,), _ = catalog.dead_letters.list_visible_page("", 10, "", BOB)
        assert found.attempts == 3
        assert found.refusal.detail.endswith("is at version -1, expected version 2")

    def test_replay_runs_once_as_the_sender(self, catalog: Catalog, letter: int) -> None:
        write_metadata(catalog, properties={"version": "2"})
        done = catalog.dead_letters.retry_and_delete_letter(letter, ADA, IdempotencyKey("ada", "k", "f"))
        assert [one.version for one in done] == [3, 4]
        found = catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA)
        assert (found.actor, found.via) == ("bob", "kernel-1")
        assert catalog.inbox.count_pending_and_dead() == (0, 0)
        assert catalog.inbox.require_visible_entry(letter, BOB).results == tuple(done)
        assert catalog.dead_letters.retry_and_delete_letter(letter, ADA, IdempotencyKey("ada", "k", "f")) == done
        with pytest.raises(NotFound):
            catalog.dead_letters.retry_and_delete_letter(letter, ADA)

    def test_replay_authorises_the_sender_again(self, catalog: Catalog, letter: int) -> None:
        write_metadata(catalog, properties={"version": "2"})
        path = replace(catalog.write_path, authorizer=Privileges({("bob", "emit")}))
        with pytest.raises(AccessDenied):
            replace(catalog.dead_letters, write_path=path).retry_and_delete_letter(letter, ADA)
        assert catalog.inbox.count_pending_and_dead() == (0, 1)

    def test_kernel_cannot_replay_beyond_its_scopes(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        gone = Proposal(ORDERS_URN, None, "delete")
        entry = catalog.inbox.check_and_store_batch([gone, create_proposal(version=9)], ADA)
        assert settled(catalog.inbox, entry).state == "rejected"
        kernel = Principal("ada", "kernel-2", BOB.scopes)
        assert len(catalog.dead_letters.list_visible_page("", 10, "", kernel)[0]) == 1
        with pytest.raises(AccessDenied):
            catalog.dead_letters.retry_and_delete_letter(entry.id, kernel)

    def test_discarded_letter_is_deleted(self, catalog: Catalog, letter: int) -> None:
        key, bob = IdempotencyKey("bob", "k", "f"), Principal("bob")
        with pytest.raises(AccessDenied):
            catalog.dead_letters.delete_letter(letter, BOB)
        assert [catalog.dead_letters.delete_letter(letter, bob, key) for _ in range(2)] == [letter, letter]
        assert catalog.inbox.count_pending_and_dead() == (0, 0)
        with pytest.raises(NotFound):
            catalog.dead_letters.delete_letter(letter, BOB)

    def test_letter_is_deleted_after_configured_days(self, catalog: Catalog, letter: int) -> None:
        for days, left in ((92, 1), (90, 0)):
            later = catalog.write_path.now() + 91 * 86_400_000
            inbox = ProposalInbox(catalog.provider, catalog.write_path, lambda later=later: later, letters_days=days)
            inbox.start_applying_in_background()
            # A batch that is accepted now is applied after the existing ones.
            settled(inbox, inbox.check_and_store_batch([create_proposal("z")], BOB), BOB)
            inbox.stop_thread()
            assert inbox.count_pending_and_dead()[1] == left

    def test_oldest_refused_event_is_replaced_within_a_millisecond(
        self, catalog: Catalog, letter: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dead_letters, "_KEPT", 4)
        now = catalog.write_path.now()
        collector = replace(catalog.collector, now=lambda: now)
        for number in range(5):
            with pytest.raises(InvalidInstance):
                collector.parse_and_store_event(b'{"eventTime": "%d"}' % number, BOB)
        assert '"4"' in (catalog.dead_letters.list_visible_page("openlineage", 10, "", BOB)[0][0].document or "")
        for number in range(5):
            catalog.dead_letters.store_refused_proposals([create_proposal(str(number))], BOB, InvalidInstance("it", ()))
        for kind, ids in (("openlineage", 0), ("rejected", 3), ("proposals", 1)):
            assert len(catalog.dead_letters.list_visible_page(kind, 10, "", BOB)[0]) == ids
