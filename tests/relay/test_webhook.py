"""Webhooks against a real server that takes, fails, hangs and comes back: nothing is missed, and all is in order."""

import hmac
import json
import threading
from hashlib import sha256
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.relay.relay import Relay
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, Handled
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.changes.sinks import follower
from relay.conftest import SECRET, Deliver, hook, state, until
from support.catalog import ADA, say
from support.receiver import HANG, REDIRECT, Receiver, receiving
from support.urns import ORDERS, table


def begun(deliver: Deliver, catalog: Catalog, receiver: Receiver, **options: Any) -> tuple[Relay, int]:
    """A sink that is delivered to, and the number of the change before its first."""
    relay = deliver(hook=hook(receiver, **options))
    until(lambda: catalog.provider.tx_runner.run(lambda tx: cursors.read(tx, follower("hook")), read_only=True))
    return relay, catalog.feed.head()


def write(catalog: Catalog, count: int, urn: str = ORDERS) -> int:
    """Write so many versions; returns the number of the newest change."""
    for number in range(count):
        say(catalog, urn, {"number": f"{urn}-{number}-{catalog.feed.head()}"})
    return catalog.feed.head()


def test_every_change_is_posted_once_in_order_and_signed(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    _, before = begun(deliver, catalog, receiver)
    head = write(catalog, 20)
    receiver.wait(lambda one: head in one.seqs)
    assert receiver.seqs == list(range(before + 1, head + 1))
    for headers, body in receiver.seen:
        stamp, _, signature = headers["X-Colophon-Signature"].removeprefix("t=").partition(",v1=")
        assert signature == hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, sha256).hexdigest()
        changes = json.loads(body)["changes"]
        assert headers["X-Colophon-Delivery"] == f"{changes[0]['seq']}-{changes[-1]['seq']}"
    whole = [one.seq for one in catalog.feed.changes(before, 500, {}, ADA)]
    assert receiver.seqs == whole
    until(lambda: state(catalog).behind == 0)


def test_what_fails_hangs_and_comes_back_is_told_everything_in_order(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    _, before = begun(deliver, catalog, receiver, timeout_s=2)
    receiver.plan.extend([500, 503, HANG, REDIRECT, 404, 429])
    head = write(catalog, 10)
    receiver.wait(lambda one: head in one.seqs)
    assert receiver.seqs == list(range(before + 1, head + 1))
    assert len(receiver.seen) > 6
    assert state(catalog).dead_letters == 0


def test_a_receiver_that_is_away_is_waited_for(catalog: Catalog, deliver: Deliver) -> None:
    with receiving() as first:
        _, before = begun(deliver, catalog, first, attempts=1_000)
        write(catalog, 2)
        first.wait(lambda one: len(one.seqs) >= 2)
    head = write(catalog, 5)
    away = until(lambda: (found := state(catalog)).attempts > 2 and found)
    assert away.behind > 0
    assert "127.0.0.1 cannot be reached" in away.problem
    assert "unseen" not in away.problem
    assert SECRET not in away.problem
    with receiving(first.port, first):
        first.wait(lambda one: head in one.seqs)
    assert first.seqs == list(range(before + 1, head + 1))


def test_what_is_refused_again_and_again_is_a_dead_letter_and_the_others_go_on(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    _, before = begun(deliver, catalog, receiver, attempts=3)
    poison = table("poison")
    receiver.judge = lambda document: 400 if any(one["urn"] == poison for one in document["changes"]) else 200
    write(catalog, 3)
    write(catalog, 1, poison)
    head = write(catalog, 3)
    receiver.wait(lambda one: head in one.seqs)
    until(lambda: state(catalog).behind == 0)
    bad = [one.seq for one in catalog.feed.changes(before, 500, {"urn": poison}, ADA)]
    assert receiver.seqs == [seq for seq in range(before + 1, head + 1) if seq not in bad]
    letters, _ = catalog.dead_letters.page("delivery", 50, "", ADA)
    assert sorted(one.seq for one in letters if one.seq is not None) == bad
    assert {one.attempts for one in letters} == {3}
    assert {one.refusal.detail for one in letters} == {"127.0.0.1 answered 400"}
    assert state(catalog).dead_letters == len(bad)
    receiver.judge = lambda document: 200
    for letter in letters:
        assert catalog.dead_letters.replay(letter.id, ADA) == []
    receiver.wait(lambda one: set(bad) <= set(one.seqs))
    assert catalog.dead_letters.page("", 50, "", ADA)[0] == []


def test_only_the_namespaces_that_were_asked_for_are_told(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    begun(deliver, catalog, receiver, namespaces=["zoo"], format="record")
    write(catalog, 3)
    write(catalog, 2, table("t", "zoo"))
    receiver.wait(lambda one: len(one.seqs) >= 2)
    until(lambda: state(catalog).behind == 0)
    targets = [one["targetId"] for document in receiver.got for one in document["changes"]]
    assert {one["namespace"] for one in targets} == {"zoo"}
    assert targets[-1] == {"type": "dataset", "namespace": "zoo", "id": "t"}


def test_two_servers_deliver_each_change_once_and_one_goes_on_for_the_other(
    store: StoreChoice, catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    # Nobody is taken over from because the machine is busy.
    first, before = begun(deliver, catalog, receiver, lease_s=60)
    other = open_catalog(store, Identity())
    second = deliver(other, hook=hook(receiver, lease_s=60))
    writers = [threading.Thread(target=write, args=(one, 15, table(f"t{n}"))) for n, one in enumerate((catalog, other))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    head = catalog.feed.head()
    receiver.wait(lambda one: head in one.seqs)
    assert receiver.seqs == list(range(before + 1, head + 1))
    first.close()
    later = write(catalog, 5)
    receiver.wait(lambda one: later in one.seqs)
    assert receiver.seqs == list(range(before + 1, later + 1))
    second.close()
    other.close()


def test_who_falls_silent_is_taken_over_and_notes_nothing_any_more(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    before = catalog.feed.head()
    silent = ChangeLogFollower(Lease(follower("hook"), catalog.provider, 60), lambda changes: Handled(0))
    assert silent.acquire()
    head = write(catalog, 3)
    deliver(hook=hook(receiver))
    receiver.wait(lambda one: head in one.seqs)
    assert receiver.seqs == list(range(before + 1, head + 1))
    with pytest.raises(LeaseLost):
        silent.record(head)
    until(lambda: state(catalog).behind == 0)


def test_a_process_that_starts_again_goes_on_where_it_was(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    first, before = begun(deliver, catalog, receiver)
    write(catalog, 3)
    first.close()
    head = write(catalog, 4)
    deliver(hook=hook(receiver))
    receiver.wait(lambda one: head in one.seqs)
    assert receiver.seqs == list(range(before + 1, head + 1))


def test_an_audit_message_that_comes_twice_is_known_by_its_number(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    _, before = begun(deliver, catalog, receiver, format="audit")
    receiver.plan.extend([500])
    head = write(catalog, 3)
    receiver.wait(lambda one: head in one.seqs)
    assert len(receiver.seen) > 1
    assert set(receiver.seqs) <= set(range(before + 1, head + 1))
    assert {one["version"] for document in receiver.got for one in document["changes"]} == {2}


@pytest.mark.parametrize("wrong", [{"secret": "short"}, {"kind": "nope"}], ids=["secret", "kind"])
def test_a_sink_that_is_first_set_wrongly_is_told_what_came_until_it_is_set_right(
    wrong: dict[str, Any], catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    _, before = begun(deliver, catalog, receiver, **wrong)
    missed = write(catalog, 3)
    assert state(catalog).behind == missed - before
    begun(deliver, catalog, receiver)
    head = write(catalog, 1)
    receiver.wait(lambda one: head in one.seqs)
    assert receiver.seqs == list(range(before + 1, head + 1))


def test_a_sink_of_this_process_alone_is_never_behind(catalog: Catalog, deliver: Deliver, receiver: Receiver) -> None:
    begun(deliver, catalog, receiver, kind="jupyter-events")
    write(catalog, 2)
    assert state(catalog).behind > 0
    deliver(hook={"kind": "jupyter-events"})
    until(lambda: state(catalog).behind == 0)


def test_what_was_wrong_with_earlier_settings_is_not_told_of_those_of_now(
    catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    relay, _ = begun(deliver, catalog, receiver, attempts=1)
    receiver.judge = lambda document: 400
    write(catalog, 1)
    until(lambda: (found := state(catalog)).behind == 0 and found.problem)
    relay.close()
    deliver(hook=hook(receiver))
    until(lambda: not state(catalog).problem)


WRONG = [
    ({"kind": "nope"}, "unknown kind of sink 'nope'"),
    ({}, "the option kind is missing"),
    ({"kind": "webhook", "url": "https://x/token"}, "its secret"),
    ({"kind": "webhook", "url": "https://ada:pw@x/", "secret": SECRET}, "the option url"),
    ({"kind": "webhook", "url": "file:///etc/passwd", "secret": SECRET}, "the option url"),
    ({"kind": "webhook", "url": "https://x:99999/", "secret": SECRET}, "the option url"),
    ({"kind": "webhook", "url": "https://x/", "secret": "short"}, "its secret"),
    ({"kind": "webhook", "url": "https://x/", "secret_file": "/nowhere"}, "its secret_file cannot be read"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "retries": 3}, "unknown option 'retries'"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "format": "xml"}, "the option format"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "attempts": 0}, "the option attempts"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "timeout_s": True}, "the option timeout_s"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "namespaces": "zoo"}, "the option namespaces"),
    ({"kind": "jupyter-events", "url": "x"}, "unknown option 'url'"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_a_sink_that_is_set_wrongly_is_told_and_harms_no_other(
    options: dict[str, Any], told: str, catalog: Catalog, deliver: Deliver, receiver: Receiver
) -> None:
    relay = deliver(bad=options, hook=hook(receiver))
    until(lambda: catalog.provider.tx_runner.run(lambda tx: cursors.read(tx, follower("hook")), read_only=True))
    assert told in relay.problems["bad"]
    assert SECRET not in relay.problems["bad"]
    head = write(catalog, 1)
    receiver.wait(lambda one: head in one.seqs)
