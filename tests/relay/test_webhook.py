"""Webhooks with a receiver that fails, hangs and restarts: all changes arrive in order."""

import hmac
import json
import threading
from hashlib import sha256
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.relay.relay import SinkRelay
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, HandledBatch
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.changes.sinks import get_follower_name_of_sink
from relay.conftest import SECRET, Deliver, build_webhook_settings, read_sink_state, wait_until_true
from support.catalog import ADA, write_metadata
from support.urns import ORDERS, build_table_urn
from support.webhook_receiver import HANG, REDIRECT, WebhookReceiver, start_webhook_receiver


def start_sink(deliver: Deliver, catalog: Catalog, receiver: WebhookReceiver, **options: Any) -> tuple[SinkRelay, int]:
    """Start delivery to a sink; return the relay and the number of the last earlier change."""
    relay = deliver(hook=build_webhook_settings(receiver, **options))
    wait_until_true(
        lambda: catalog.provider.tx_runner.run(
            lambda tx: cursors.find_follower_row(tx, get_follower_name_of_sink("hook")), read_only=True
        )
    )
    return relay, catalog.feed.read_newest_change_number()


def write(catalog: Catalog, count: int, urn: str = ORDERS) -> int:
    """Write `count` versions, and return the number of the newest change."""
    for number in range(count):
        write_metadata(catalog, urn, {"number": f"{urn}-{number}-{catalog.feed.read_newest_change_number()}"})
    return catalog.feed.read_newest_change_number()


def test_every_change_is_posted_once_in_order_and_signed(
    catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    _, before = start_sink(deliver, catalog, receiver)
    head = write(catalog, 20)
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, head + 1))
    for headers, body in receiver.seen:
        stamp, _, signature = headers["X-Colophon-Signature"].removeprefix("t=").partition(",v1=")
        assert signature == hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, sha256).hexdigest()
        changes = json.loads(body)["changes"]
        assert headers["X-Colophon-Delivery"] == f"{changes[0]['seq']}-{changes[-1]['seq']}"
    whole = [one.seq for one in catalog.feed.read_visible_changes(before, 500, {}, ADA)]
    assert receiver.accepted_sequence_numbers == whole
    wait_until_true(lambda: read_sink_state(catalog).undelivered == 0)


def test_failing_and_hanging_receiver_gets_all_changes_in_order(
    catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    _, before = start_sink(deliver, catalog, receiver, timeout_seconds=2)
    receiver.plan.extend([500, 503, HANG, REDIRECT, 404, 429])
    head = write(catalog, 10)
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, head + 1))
    assert len(receiver.seen) > 6
    assert read_sink_state(catalog).dead_letters == 0


def test_unreachable_receiver_gets_changes_later(catalog: Catalog, deliver: Deliver) -> None:
    with start_webhook_receiver() as first:
        _, before = start_sink(deliver, catalog, first, attempts=1_000)
        write(catalog, 2)
        first.wait_until(lambda one: len(one.accepted_sequence_numbers) >= 2)
    head = write(catalog, 5)
    away = wait_until_true(lambda: (found := read_sink_state(catalog)).attempts > 2 and found)
    assert away.undelivered > 0
    assert "127.0.0.1 cannot be reached" in away.problem
    assert "unseen" not in away.problem
    assert SECRET not in away.problem
    with start_webhook_receiver(first.port, first):
        first.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert first.accepted_sequence_numbers == list(range(before + 1, head + 1))


def test_repeatedly_rejected_change_becomes_dead_letter(
    catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    _, before = start_sink(deliver, catalog, receiver, attempts=3)
    poison = build_table_urn("poison")
    receiver.judge = lambda document: 400 if any(one["urn"] == poison for one in document["changes"]) else 200
    write(catalog, 3)
    write(catalog, 1, poison)
    head = write(catalog, 3)
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    wait_until_true(lambda: read_sink_state(catalog).undelivered == 0)
    bad = [one.seq for one in catalog.feed.read_visible_changes(before, 500, {"urn": poison}, ADA)]
    assert receiver.accepted_sequence_numbers == [seq for seq in range(before + 1, head + 1) if seq not in bad]
    letters, _ = catalog.dead_letters.list_visible_page("delivery", 50, "", ADA)
    assert sorted(one.seq for one in letters if one.seq is not None) == bad
    assert {one.attempts for one in letters} == {3}
    assert {one.refusal.detail for one in letters} == {"127.0.0.1 answered 400"}
    assert read_sink_state(catalog).dead_letters == len(bad)
    receiver.judge = lambda document: 200
    for letter in letters:
        assert catalog.dead_letters.retry_and_delete_letter(letter.id, ADA) == []
    receiver.wait_until(lambda one: set(bad) <= set(one.accepted_sequence_numbers))
    assert catalog.dead_letters.list_visible_page("", 50, "", ADA)[0] == []


def test_only_selected_namespaces_are_delivered(catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver) -> None:
    start_sink(deliver, catalog, receiver, namespaces=["zoo"], format="record")
    write(catalog, 3)
    write(catalog, 2, build_table_urn("t", "zoo"))
    receiver.wait_until(lambda one: len(one.accepted_sequence_numbers) >= 2)
    wait_until_true(lambda: read_sink_state(catalog).undelivered == 0)
    targets = [one["targetId"] for document in receiver.got for one in document["changes"]]
    assert {one["namespace"] for one in targets} == {"zoo"}
    assert targets[-1] == {"type": "dataset", "namespace": "zoo", "id": "t"}


def test_two_servers_deliver_each_change_once(
    store: StorageChoice, catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    # A long lease, so that a busy machine causes no takeover.
    first, before = start_sink(deliver, catalog, receiver, lease_seconds=60)
    other = open_or_create_catalog(store, IdentityRules())
    second = deliver(other, hook=build_webhook_settings(receiver, lease_seconds=60))
    writers = [
        threading.Thread(target=write, args=(one, 15, build_table_urn(f"t{n}")))
        for n, one in enumerate((catalog, other))
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    head = catalog.feed.read_newest_change_number()
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, head + 1))
    first.close()
    later = write(catalog, 5)
    receiver.wait_until(lambda one: later in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, later + 1))
    second.close()
    other.close()


def test_silent_follower_loses_its_lease(catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver) -> None:
    before = catalog.feed.read_newest_change_number()
    silent = ChangeLogFollower(
        Lease(get_follower_name_of_sink("hook"), catalog.provider, 60), lambda changes: HandledBatch(0)
    )
    assert silent.acquire_lease_and_load_cursor()
    head = write(catalog, 3)
    deliver(hook=build_webhook_settings(receiver))
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, head + 1))
    with pytest.raises(LeaseLost):
        silent.advance_cursor_and_run(head)
    wait_until_true(lambda: read_sink_state(catalog).undelivered == 0)


def test_restarted_process_resumes_at_its_position(
    catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    first, before = start_sink(deliver, catalog, receiver)
    write(catalog, 3)
    first.close()
    head = write(catalog, 4)
    deliver(hook=build_webhook_settings(receiver))
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, head + 1))


def test_repeated_audit_message_has_same_number(catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver) -> None:
    _, before = start_sink(deliver, catalog, receiver, format="audit")
    receiver.plan.extend([500])
    head = write(catalog, 3)
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert len(receiver.seen) > 1
    assert set(receiver.accepted_sequence_numbers) <= set(range(before + 1, head + 1))
    assert {one["version"] for document in receiver.got for one in document["changes"]} == {2}


@pytest.mark.parametrize("wrong", [{"secret": "short"}, {"kind": "nope"}], ids=["secret", "kind"])
def test_corrected_sink_receives_earlier_changes(
    wrong: dict[str, Any], catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    _, before = start_sink(deliver, catalog, receiver, **wrong)
    missed = write(catalog, 3)
    assert read_sink_state(catalog).undelivered == missed - before
    start_sink(deliver, catalog, receiver)
    head = write(catalog, 1)
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
    assert receiver.accepted_sequence_numbers == list(range(before + 1, head + 1))


def test_local_sink_is_never_behind(catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver) -> None:
    start_sink(deliver, catalog, receiver, kind="jupyter-events")
    write(catalog, 2)
    assert read_sink_state(catalog).undelivered > 0
    deliver(hook={"kind": "jupyter-events"})
    wait_until_true(lambda: read_sink_state(catalog).undelivered == 0)


def test_problem_of_earlier_settings_is_cleared(catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver) -> None:
    relay, _ = start_sink(deliver, catalog, receiver, attempts=1)
    receiver.judge = lambda document: 400
    write(catalog, 1)
    wait_until_true(lambda: (found := read_sink_state(catalog)).undelivered == 0 and found.problem)
    relay.close()
    deliver(hook=build_webhook_settings(receiver))
    wait_until_true(lambda: not read_sink_state(catalog).problem)


WRONG = [
    ({"kind": "nope"}, "unknown kind of sink 'nope'"),
    ({}, "the option kind is missing"),
    ({"kind": "webhook", "url": "https://x/token"}, "the secret"),
    ({"kind": "webhook", "url": "https://ada:pw@x/", "secret": SECRET}, "the option url"),
    ({"kind": "webhook", "url": "file:///etc/passwd", "secret": SECRET}, "the option url"),
    ({"kind": "webhook", "url": "https://x:99999/", "secret": SECRET}, "the option url"),
    ({"kind": "webhook", "url": "https://x/", "secret": "short"}, "the secret"),
    ({"kind": "webhook", "url": "https://x/", "secret_file": "/nowhere"}, "the secret_file cannot be read"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "retries": 3}, "unknown option 'retries'"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "format": "xml"}, "the option format"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "attempts": 0}, "the option attempts"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "timeout_seconds": True}, "the option timeout_seconds"),
    ({"kind": "webhook", "url": "https://x/", "secret": SECRET, "namespaces": "zoo"}, "the option namespaces"),
    ({"kind": "jupyter-events", "url": "x"}, "unknown option 'url'"),
]


@pytest.mark.parametrize(("options", "expected"), WRONG)
def test_invalid_sink_is_reported_and_others_deliver(
    options: dict[str, Any], expected: str, catalog: Catalog, deliver: Deliver, receiver: WebhookReceiver
) -> None:
    relay = deliver(bad=options, hook=build_webhook_settings(receiver))
    wait_until_true(
        lambda: catalog.provider.tx_runner.run(
            lambda tx: cursors.find_follower_row(tx, get_follower_name_of_sink("hook")), read_only=True
        )
    )
    assert expected in relay.problems["bad"]
    assert SECRET not in relay.problems["bad"]
    head = write(catalog, 1)
    receiver.wait_until(lambda one: head in one.accepted_sequence_numbers)
