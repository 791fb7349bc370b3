"""The inbox and the dead letters over HTTP."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.catalog import build_metadata_value
from support.urns import ORDERS, REPORT

LATER = {"async": "true"}
Send = Callable[..., Awaitable[Any]]


def wish(value: str = "b", version: int | None = None, **other: str) -> dict[str, Any]:
    proposal = {
        "urn": ORDERS,
        "aspect": "technicalMetadata",
        "operation": "upsert",
        "value": build_metadata_value({"a": value}),
    }
    return {"proposals": [proposal | other | ({} if version is None else {"ifVersion": version})]}


@pytest.fixture
def bob(jp_serverapp: Any) -> dict[str, Any]:
    """Return the headers of a call by Bob's kernel."""
    token = jp_serverapp.web_app.settings[SETTING].tokens.issue_token_and_revoke_earlier("kernel-1", User("bob"), "bob")
    return {"anonymous": True, "headers": {"Authorization": f"token {token}"}}


@pytest.fixture
def send(api: Any) -> Send:
    """Sends a batch to be applied later; answers what became of it."""

    async def sent(body: Any, **who: Any) -> Any:
        entry = await api("POST", "proposals", body=body, params=LATER, answers="inbox-entry", **who)
        while entry.body["state"] == "pending":
            await asyncio.sleep(0.01)
            entry = await api("GET", "inbox", entry.body["id"], answers="inbox-entry", **who)
        return entry.body

    return sent


async def test_async_batch_returns_202_with_location(api: Any, sales: None, jp_base_url: str) -> None:
    entry = await api("POST", "proposals", body=wish("1"), params=LATER, answers="inbox-entry")
    assert (entry.status, entry.body["state"], entry.body["results"]) == (202, "pending", [])
    assert entry.headers["Location"] == f"{jp_base_url}colophon/api/inbox/{entry.body['id']}"
    place = entry.body["id"]
    while (entry := await api("GET", "inbox", place, answers="inbox-entry")).body["state"] == "pending":
        await asyncio.sleep(0.01)
    assert entry.body["state"] == "applied"
    assert [one["version"] for one in entry.body["results"]] == [2]
    found = await api("GET", "entities", ORDERS, "aspects", "technicalMetadata", answers="aspect")
    assert found.body["value"] == build_metadata_value({"a": "1"})


async def test_invalid_async_batch_is_refused_immediately(api: Any, sales: None, bob: Any) -> None:
    bad: list[tuple[Any, int]] = [
        (b"{", 400),
        ({"proposals": []}, 400),
        (wish(urn="urn:li:x"), 400),
        (wish(aspect="none"), 404),
        (wish() | {"proposals": [wish()["proposals"][0] | {"value": {"no": "metadata"}}]}, 400),
        ({"proposals": [{"urn": ORDERS, "operation": "delete"}]}, 403),
    ]
    for body, status in bad:
        assert (await api("POST", "proposals", body=body, params=LATER, **bob)).status == status
    assert (await api("POST", "proposals", body=wish(), params={"async": "yes"})).status == 400
    health = (await api("GET", "health", answers="health")).body
    assert (health["inbox"], health["deadLetters"]) == ({"pending": 0}, 0)


async def test_unapplicable_entry_becomes_a_dead_letter_without_values(
    api: Any, sales: None, send: Send, bob: Any
) -> None:
    entry = await send(wish("CANARY", 5), **bob)
    assert (entry["state"], entry["deadLetter"], entry["problem"]["status"]) == ("rejected", entry["id"], 412)
    assert (await api("GET", "health", answers="health")).body["deadLetters"] == 1
    found = await api("GET", "dead-letters", answers="dead-letters", **bob)
    (letter,) = found.body["deadLetters"]
    assert (letter["id"], letter["kind"], letter["actor"], letter["via"]) == (
        entry["id"],
        "proposals",
        "bob",
        "kernel-1",
    )
    assert (letter["attempts"], letter["problem"]) == (1, entry["problem"])
    assert letter["proposals"] == [{"urn": ORDERS, "aspect": "technicalMetadata", "operation": "upsert"}]
    assert "CANARY" not in str(found.body) + str(entry)
    for filters, count in (({"kind": "proposals"}, 1), ({"kind": "webhook"}, 0), ({"limit": "0"}, 0)):
        page = await api("GET", "dead-letters", params=filters, answers="dead-letters", **bob)
        assert len(page.body["deadLetters"]) == count


async def test_dead_letter_is_replayed_or_discarded(api: Any, sales: None, send: Send, bob: Any) -> None:
    entries = [await send(wish(str(number), 2), **bob) for number in range(2)]
    first, second = (("dead-letters", entry["deadLetter"]) for entry in entries)
    refused = await api("POST", *first, "replay", **bob)
    assert refused.status == 412
    letters = (await api("GET", "dead-letters", answers="dead-letters", **bob)).body["deadLetters"]
    assert [one["attempts"] for one in letters] == [1, 2]
    await api(
        "PUT",
        "entities",
        ORDERS,
        "aspects",
        "technicalMetadata",
        body=build_metadata_value({"a": "c"}),
        answers="write-result",
    )
    done = await api("POST", *first, "replay", answers="write-results", **bob)
    assert [one["version"] for one in done.body["results"]] == [3]
    assert (await api("GET", "inbox", entries[0]["id"], answers="inbox-entry")).body["state"] == "applied"
    assert (await api("DELETE", *second, **bob)).status == 403
    gone = await api("DELETE", *second, answers="dead-letter-delete-result")
    assert gone.body == {"id": entries[1]["id"]}
    for requested in (api("POST", *first, "replay", **bob), api("DELETE", *second, **bob)):
        assert (await requested).status == 404
    assert (await api("GET", "health", answers="health")).body["deadLetters"] == 0


async def test_inbox_entry_is_visible_to_sender_and_admin(
    api: Any, sales: None, send: Send, bob: Any, jp_serverapp: Any
) -> None:
    entry = await send(wish("b", 5, urn=REPORT), **bob)
    token = jp_serverapp.web_app.settings[SETTING].tokens.issue_token_and_revoke_earlier("kernel-2", User("eve"), "eve")
    eve = {"anonymous": True, "headers": {"Authorization": f"token {token}"}}
    assert (await api("GET", "dead-letters", answers="dead-letters", **eve)).body["deadLetters"] == []
    requested = [("GET", "inbox", entry["id"]), ("DELETE", "dead-letters", entry["id"])]
    for method, *path in [*requested, ("POST", "dead-letters", entry["id"], "replay")]:
        assert (await api(method, *path, **eve)).status == 404
    assert (await api("GET", "inbox", entry["id"], answers="inbox-entry")).body == entry
    assert len((await api("GET", "dead-letters", answers="dead-letters")).body["deadLetters"]) == 1
    for path in (("inbox", "1"), ("inbox", "x"), ("inbox", "9" * 30), ("inbox", "²")):
        assert (await api("GET", *path)).status == 404
