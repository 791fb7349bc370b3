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

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.changes.idempotency import KEPT_MS, Once
from jupyter_colophon.core.changes.inbox import InboxEntry
from jupyter_colophon.core.errors import AccessDenied, ConditionFailed, InvalidInstance, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Condition, Proposal
from jupyter_colophon.service.changes.inbox import Inbox
from jupyter_colophon.storage.changes import dead_letters
from support.catalog import ADA, forget, metadata, opened, say
from support.disk import full
from support.process import running
from support.urns import ORDERS, REPORT, table

ORDERS_URN = Urn.parse(ORDERS)
BOB = Principal("bob", "kernel-1", frozenset({"read", "annotate", "emit"}))
KILLS = 5
#: Accepts one batch after the other, each for a table of its own, and says so.
EMITTER = """
from pathlib import Path
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, metadata, opened
from support.urns import table
catalog = opened(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**9):
    wish = Proposal(Urn.parse(table(f"t{number}")), "technicalMetadata", "create", metadata({"n": str(number)}))
    print(number, catalog.inbox.accept([wish], ADA).id, flush=True)
"""
#: Applies what waits, and ends when nothing does.
APPLIER = """
import time
from pathlib import Path
from support.catalog import opened
catalog = opened(Path(sys.argv[1]))
while catalog.inbox.counts()[0]:
    time.sleep(0.01)
catalog.close()
"""


@dataclass
class Privileges:
    """An authorizer whose mind changes."""

    refused: set[tuple[str, Action]] = field(default_factory=set)

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        return action in principal.scopes and (principal.user, action) not in self.refused


def wish(
    value: str = "b", version: int | None = None, urn: str = ORDERS, aspect: str = "technicalMetadata"
) -> Proposal:
    return Proposal(Urn.parse(urn), aspect, "upsert", metadata({"a": value}), Condition(version=version))


@contextmanager
def applying(catalog: Catalog, privileges: Privileges | None = None) -> Iterator[Inbox]:
    """An inbox that goes on where the others left off, until it is closed."""
    path = catalog.write_path if privileges is None else replace(catalog.write_path, authorizer=privileges)
    inbox = Inbox(catalog.provider, path, catalog.write_path.now)
    inbox.resume()
    try:
        yield inbox
    finally:
        inbox.close()


def settled(inbox: Inbox, entry: InboxEntry, principal: Principal = ADA) -> InboxEntry:
    """What became of a batch, when something has."""
    pause = threading.Event()
    while (found := inbox.entry(entry.id, principal)).state == "pending":
        pause.wait(0.01)
    return found


def test_what_was_accepted_waits_and_is_then_applied(catalog: Catalog) -> None:
    catalog.inbox.close()
    entry = catalog.inbox.accept([wish("1"), wish("2")], ADA)
    assert catalog.inbox.entry(entry.id, ADA) == entry
    assert (entry.state, catalog.inbox.counts()) == ("pending", (1, 0))
    with pytest.raises(NotFound):
        catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA)
    with applying(catalog) as inbox:
        done = settled(inbox, entry)
        assert (done.state, [one.version for one in done.results]) == ("applied", [1, 2])
    found = catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA)
    assert (found.value, found.actor) == (metadata({"a": "2"}), "ada")
    assert catalog.inbox.counts() == (0, 0)


def test_an_open_catalog_applies_what_it_accepts_without_being_asked(catalog: Catalog) -> None:
    entries = [catalog.inbox.accept([wish(str(number))], ADA) for number in range(20)]
    assert {settled(catalog.inbox, one).state for one in entries} == {"applied"}


def test_what_is_wrong_with_a_batch_is_said_at_once_where_it_can_be_known(catalog: Catalog) -> None:
    bad = Proposal(ORDERS_URN, "technicalMetadata", "upsert", {"properties": {"no good": "1"}, "tags": []})
    with pytest.raises(InvalidInstance) as invalid:
        catalog.inbox.accept([wish(), bad], ADA)
    assert invalid.value.problems[0].pointer.startswith("/proposals/1/value/properties")
    with pytest.raises(AccessDenied):
        catalog.inbox.accept([Proposal(ORDERS_URN, None, "delete")], BOB)
    assert catalog.inbox.counts() == (0, 0)


def test_the_order_of_arrival_is_kept_for_each_who_sends(catalog: Catalog) -> None:
    catalog.inbox.close()
    sent: dict[str, list[InboxEntry]] = {"ada": [], "bob": []}

    def send(principal: Principal, urn: str) -> None:
        for number in range(40):
            batch = [wish(f"{principal.user} {number}", number or -1, urn)]
            sent[principal.user].append(catalog.inbox.accept(batch, principal))

    threads = [threading.Thread(target=send, args=one) for one in ((ADA, ORDERS), (BOB, REPORT))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with applying(catalog) as inbox:
        for principal in (ADA, BOB):
            done = [settled(inbox, one, principal) for one in sent[principal.user]]
            assert [one.results[0].version for one in done] == list(range(1, 41))


def test_a_privilege_that_was_taken_away_meanwhile_makes_a_dead_letter_without_values(
    catalog: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    catalog.inbox.close()
    first = catalog.inbox.accept([wish("CANARY-1")], BOB)
    second = catalog.inbox.accept([wish("fine", urn=REPORT)], ADA)
    third = catalog.inbox.accept([wish("CANARY-3", version=7)], ADA)
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
    assert catalog.inbox.counts() == (0, 2)
    with pytest.raises(NotFound):
        catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA)


def test_of_an_emitter_that_is_killed_everything_accepted_is_applied_once(tmp_path: Path) -> None:
    path, number, accepted = tmp_path / "colophon.db", -1, {}
    for kill in range(KILLS):
        with running(EMITTER, str(path), str(number + 1)) as emitter:
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
        # What was accepted and not told is applied as well, and takes a name.
        number += 1
    catalog = opened(path)
    for number, entry in accepted.items():
        done = settled(catalog.inbox, InboxEntry(entry, "ada", 0))
        assert (done.state, done.results[0].version) == ("applied", 1)
        found = catalog.reader.aspect(Urn.parse(table(f"t{number}")), "technicalMetadata", ADA)
        assert found.value == metadata({"n": str(number)})
    # What was accepted and not told waits behind them.
    pause = threading.Event()
    while catalog.inbox.counts()[0]:
        pause.wait(0.01)
    assert catalog.inbox.counts() == (0, 0)
    catalog.close()


def test_what_a_killed_process_left_is_applied_by_one_that_was_there_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyter_colophon.service.changes.inbox.IDLE_S", 0.1)
    path, pause = tmp_path / "colophon.db", threading.Event()
    catalog, other = opened(path), opened(path)
    other.inbox.close()
    entry = other.inbox.accept([wish("left")], ADA)
    for _ in range(6_000):
        if catalog.inbox.entry(entry.id, ADA).state == "applied":
            break
        pause.wait(0.05)
    assert catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA).version == 1
    catalog.close()
    other.close()


def test_processes_that_apply_the_same_rows_apply_each_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "colophon.db"
    catalog = opened(path)
    catalog.inbox.close()
    # Whoever applies one a second time, at whatever time, makes two versions more.
    entries = [catalog.inbox.accept([wish("none"), wish(str(number))], ADA) for number in range(60)]
    with running(APPLIER, str(path)) as a, running(APPLIER, str(path)) as b, running(APPLIER, str(path)) as c:
        for process in (a, b, c):
            output, _ = process.communicate(timeout=300)
            assert process.returncode == 0, output
    done = [catalog.inbox.entry(one.id, ADA) for one in entries]
    versions = [[written.version for written in one.results] for one in done]
    assert versions == [[2 * at + 1, 2 * at + 2] for at in range(60)]
    changes = catalog.feed.changes(0, 500, {"urn": ORDERS}, ADA)
    assert [one.aspect for one in changes].count("technicalMetadata") == 120
    assert catalog.inbox.counts() == (0, 0)
    catalog.close()


def test_trouble_with_the_store_refuses_nothing_and_is_waited_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, pause = tmp_path / "colophon.db", threading.Event()
    catalog = opened(path)
    catalog.inbox.close()
    entry = catalog.inbox.accept([wish("x" * 9_000)], ADA)
    with applying_on_a_full_disk(catalog, path) as inbox:
        while "the inbox: unavailable" not in caplog.text:
            pause.wait(0.01)
        assert inbox.entry(entry.id, ADA).state == "pending"
    with applying(catalog) as inbox:
        assert settled(inbox, entry).state == "applied"
    catalog.close()


@pytest.mark.parametrize(("stalls", "state"), [(2, "applied"), (3, "rejected")])
def test_batch_is_refused_only_if_its_transaction_is_too_long_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stalls: int, state: str
) -> None:
    catalog, left = opened(tmp_path / "colophon.db"), [stalls]
    clock = catalog.write_path.now

    def stall() -> int:
        """Return the time, late while the machine stalls."""
        if left[0]:
            left[0] -= 1
            time.sleep(0.4)
        return clock()

    catalog.inbox.close()
    entry = catalog.inbox.accept([wish()], ADA)
    monkeypatch.setattr("jupyter_colophon.storage.transaction_lifetime.WRITE_S", 0.2)
    inbox = Inbox(catalog.provider, replace(catalog.write_path, now=stall), clock)
    inbox.resume()
    assert settled(inbox, entry).state == state
    inbox.close()
    catalog.close()


@contextmanager
def applying_on_a_full_disk(catalog: Catalog, path: Path) -> Iterator[Inbox]:
    with full(path), applying(catalog) as inbox:
        yield inbox


def test_a_batch_that_is_sent_again_with_its_key_is_accepted_once(catalog: Catalog) -> None:
    catalog.inbox.close()
    key = Once("ada", "k", "f")
    first = catalog.inbox.accept([wish()], ADA, key)
    assert catalog.inbox.accept([wish()], ADA, key) == first
    assert catalog.inbox.counts() == (1, 0)


def test_what_became_of_a_batch_is_its_senders_and_an_admins_to_know_for_a_day(catalog: Catalog) -> None:
    times = {"later": 0}
    inbox = Inbox(catalog.provider, catalog.write_path, lambda: catalog.write_path.now() + times["later"])
    entry = inbox.accept([wish()], BOB)
    for principal in (BOB, ADA):
        assert settled(inbox, entry, principal).actor == "bob"
    eve = Principal("eve", None, BOB.scopes)
    for number, principal in ((entry.id, eve), (entry.id + 1, ADA)):
        with pytest.raises(NotFound):
            inbox.entry(number, principal)
    times["later"] = KEPT_MS + 1_000
    with pytest.raises(NotFound):
        inbox.entry(entry.id, BOB)
    again = inbox.accept([wish()], BOB)
    assert settled(inbox, again, BOB).state == "applied"
    inbox.close()
    kept = catalog.provider.tx_runner.run(lambda tx: tx.table("inbox").count(), read_only=True)
    assert kept == 1


class TestDeadLetters:
    @pytest.fixture
    def letter(self, catalog: Catalog) -> int:
        """A batch of Bob's that asked for a version that there never was."""
        say(catalog)
        entry = catalog.inbox.accept([wish("b", 2), wish("c", 3, aspect="technicalMetadata")], BOB)
        assert settled(catalog.inbox, entry, BOB).state == "rejected"
        return entry.id

    def test_one_is_its_senders_and_an_admins(self, catalog: Catalog, letter: int) -> None:
        for principal in (BOB, ADA):
            (found,), more = catalog.dead_letters.page("", 10, "", principal)
            assert (found.id, found.kind, found.sender, found.attempts, more) == (letter, "proposals", BOB, 1, None)
        assert catalog.dead_letters.page("webhook", 10, "", ADA) == ([], None)
        eve = Principal("eve", None, BOB.scopes)
        assert catalog.dead_letters.page("", 10, "", eve) == ([], None)
        for ask in (catalog.dead_letters.replay, catalog.dead_letters.discard):
            with pytest.raises(NotFound):
                ask(letter, eve)

    def test_many_are_read_page_by_page_newest_first(self, catalog: Catalog, letter: int) -> None:
        entries = [catalog.inbox.accept([wish("b", 9)], BOB).id for _ in range(4)]
        settled(catalog.inbox, InboxEntry(entries[-1], "bob", 0), BOB)
        pages, cursor = [], ""
        while cursor is not None:
            found, cursor = catalog.dead_letters.page("proposals", 2, cursor, BOB)
            pages.append([one.id for one in found])
        assert pages == [entries[:1:-1], entries[1::-1], [letter]]

    def test_a_replay_that_fails_keeps_it_and_says_what_is_wrong_now(self, catalog: Catalog, letter: int) -> None:
        with pytest.raises(ConditionFailed):
            catalog.dead_letters.replay(letter, BOB, Once("bob", "k", "f"))
        forget(catalog, ORDERS)
        forget(catalog, "urn:li:namespace:sales")
        with pytest.raises(ConditionFailed):
            catalog.dead_letters.replay(letter, ADA)
        (found,), _ = catalog.dead_letters.page("", 10, "", BOB)
        assert found.attempts == 3
        assert found.refusal.detail.endswith("is at version -1, expected version 2")

    def test_a_replay_is_done_as_who_sent_it_and_once(self, catalog: Catalog, letter: int) -> None:
        say(catalog, properties={"version": "2"})
        done = catalog.dead_letters.replay(letter, ADA, Once("ada", "k", "f"))
        assert [one.version for one in done] == [3, 4]
        found = catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA)
        assert (found.actor, found.via) == ("bob", "kernel-1")
        assert catalog.inbox.counts() == (0, 0)
        assert catalog.inbox.entry(letter, BOB).results == tuple(done)
        assert catalog.dead_letters.replay(letter, ADA, Once("ada", "k", "f")) == done
        with pytest.raises(NotFound):
            catalog.dead_letters.replay(letter, ADA)

    def test_who_sent_it_is_authorised_again(self, catalog: Catalog, letter: int) -> None:
        say(catalog, properties={"version": "2"})
        path = replace(catalog.write_path, authorizer=Privileges({("bob", "emit")}))
        with pytest.raises(AccessDenied):
            replace(catalog.dead_letters, write_path=path).replay(letter, ADA)
        assert catalog.inbox.counts() == (0, 1)

    def test_a_kernel_does_not_get_through_it_what_its_token_cannot_do(self, catalog: Catalog) -> None:
        say(catalog)
        gone = Proposal(ORDERS_URN, None, "delete")
        entry = catalog.inbox.accept([gone, wish(version=9)], ADA)
        assert settled(catalog.inbox, entry).state == "rejected"
        kernel = Principal("ada", "kernel-2", BOB.scopes)
        assert len(catalog.dead_letters.page("", 10, "", kernel)[0]) == 1
        with pytest.raises(AccessDenied):
            catalog.dead_letters.replay(entry.id, kernel)

    def test_one_that_is_thrown_away_is_gone(self, catalog: Catalog, letter: int) -> None:
        key, bob = Once("bob", "k", "f"), Principal("bob")
        with pytest.raises(AccessDenied):
            catalog.dead_letters.discard(letter, BOB)
        assert [catalog.dead_letters.discard(letter, bob, key) for _ in range(2)] == [letter, letter]
        assert catalog.inbox.counts() == (0, 0)
        with pytest.raises(NotFound):
            catalog.dead_letters.discard(letter, BOB)

    def test_one_is_kept_for_so_many_days(self, catalog: Catalog, letter: int) -> None:
        for days, left in ((92, 1), (90, 0)):
            later = catalog.write_path.now() + 91 * 86_400_000
            inbox = Inbox(catalog.provider, catalog.write_path, lambda later=later: later, letters_days=days)
            inbox.resume()
            # What is accepted now is applied after what was there to be done.
            settled(inbox, inbox.accept([wish("z")], BOB), BOB)
            inbox.close()
            assert inbox.counts()[1] == left

    def test_oldest_refused_event_is_replaced_within_a_millisecond(
        self, catalog: Catalog, letter: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dead_letters, "_KEPT", 4)
        now = catalog.write_path.now()
        collector = replace(catalog.collector, now=lambda: now)
        for number in range(5):
            with pytest.raises(InvalidInstance):
                collector.take(b'{"eventTime": "%d"}' % number, BOB)
        assert '"4"' in (catalog.dead_letters.page("openlineage", 10, "", BOB)[0][0].document or "")
        for number in range(5):
            catalog.dead_letters.store_refused([wish(str(number))], BOB, InvalidInstance("it", ()))
        for kind, ids in (("openlineage", 0), ("rejected", 3), ("proposals", 1)):
            assert len(catalog.dead_letters.page(kind, 10, "", BOB)[0]) == ids
