"""Changes that wait for review: proposed in every API, shown with their differences, and decided by stewards."""

import asyncio
import getpass
import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import HeldForReview
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.http.state import SETTING
from support.datahub import build_proposal, emit_proposal
from support.service_tokens import create_service_token
from support.urns import CELL, ORDERS, build_table_urn

pytestmark = [pytest.mark.each_store, pytest.mark.usefixtures("sales")]

_SCOPES = ("read", "annotate", "emit", "admin")
_OTHER = build_table_urn("returns")
_ABOUT = ("entities", ORDERS, "aspects", "businessMetadata")
_RULES = [
    {"role": "contributor", "to": ["user:service:ann", "user:service:bob"]},
    {"role": "steward", "to": ["user:service:sue"]},
    {"review": ["annotate", "govern", "delete"], "to": ["*"], "on": {"certified": True}},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "policies"
    path.mkdir()
    (path / "team.json").write_text(json.dumps({"rules": _RULES}))
    return path


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], folder: Path) -> dict[str, Any]:
    colophon = jp_server_config["Colophon"] | {"policy_folder": str(folder), "stewards": ["service:sue"]}
    return {**jp_server_config, "Colophon": colophon}


async def _put_rules(folder: Path, *rules: dict[str, Any]) -> None:
    (folder / ".new").write_text(json.dumps({"rules": rules}))
    os.replace(folder / ".new", folder / "team.json")
    await asyncio.sleep(0.6)


class People:
    """Calls of the users by their names."""

    def __init__(self, api: Any, headers: dict[str, Any]) -> None:
        self._api, self.headers = api, headers

    async def __call__(self, user: str, *arguments: Any, **options: Any) -> Any:
        return await self._api(*arguments, anonymous=True, headers=self.headers[user], **options)


@pytest.fixture
def people(api: Any, jp_asyncio_loop: Any) -> People:
    async def create() -> People:
        certification = {"certifiedBy": "urn:li:corpuser:sue"}
        assert (await api("PUT", "entities", ORDERS, "aspects", "certification", body=certification)).status == 200
        value = {"properties": {"unit": "euro"}, "tags": []}
        assert (await api("PUT", *_ABOUT, body=value)).status == 200
        assert (await api("PUT", "entities", _OTHER, "aspects", "technicalMetadata", body=value)).status == 200
        return People(api, {user: await create_service_token(api, user, *_SCOPES) for user in ("ann", "bob", "sue")})

    return jp_asyncio_loop.run_until_complete(create())


def _add(**properties: str) -> dict[str, Any]:
    value = {"properties": properties}
    return {"urn": ORDERS, "aspect": "businessMetadata", "operation": "annotate", "value": value}


async def _propose(people: People, user: str = "ann", *proposals: Any) -> str:
    """Propose a change; return its id."""
    body = {"proposals": list(proposals) or [_add(description="All orders.")]}
    answer = await people(user, "POST", "proposals", body=body)
    assert (answer.status, answer.body["type"].rpartition(":")[2]) == (202, "held-for-review"), answer.body
    assert answer.headers["Location"].endswith(f"/colophon/api/proposals/{answer.body['proposal']}")
    return str(answer.body["proposal"])


async def _read(people: People, user: str, number: str, status: int = 200) -> Any:
    answer = await people(user, "GET", "proposals", number, answers="proposal-review")
    assert answer.status == status, answer.body
    return answer.body


async def _decide(people: People, user: str, number: str, decision: str, text: str | None = None) -> Any:
    body = {"decision": decision} | ({} if text is None else {"text": text})
    return await people(user, "POST", "proposals", number, "decision", body=body, answers="owner-request")


async def _properties(api: Any) -> dict[str, str]:
    properties: dict[str, str] = (await api("GET", *_ABOUT, answers="aspect")).body["value"]["properties"]
    return properties


async def test_contributors_change_waits_until_a_steward_applies_it(api: Any, people: People) -> None:
    number = await _propose(people)
    assert await _properties(api) == {"unit": "euro"}
    review = await _read(people, "ann", number)
    assert (review["state"], review["mayDecide"], review["mayWithdraw"], review["isOutdated"]) == (
        "waiting",
        False,
        True,
        False,
    )
    (change,) = review["changes"]
    assert (change["before"]["properties"], change["after"]["properties"], change["problem"]) == (
        {"unit": "euro"},
        {"unit": "euro", "description": "All orders."},
        None,
    )
    for user, selection in (("sue", {"list": "assigned"}), ("ann", {"list": "asked"}), ("bob", {"about": ORDERS})):
        params = {"kind": "change", "state": "open", **selection}
        listed = (await people(user, "GET", "requests", params=params, answers="owner-requests")).body["requests"]
        assert [(each["proposal"], each["text"]) for each in listed] == [(number, "User metadata (description)")]
    assert (await people("ann", "GET", "inbox", number, answers="inbox-entry")).body["state"] == "review"
    assert (await _decide(people, "ann", number, "apply")).status == 403
    assert (await _decide(people, "bob", number, "withdraw")).status == 403
    assert (await _read(people, "sue", number))["mayDecide"]
    applied = await _decide(people, "sue", number, "apply", "Thanks.")
    assert (applied.body["state"], applied.body["comments"][0]["text"]) == ("answered", "Thanks.")
    assert await _properties(api) == {"unit": "euro", "description": "All orders."}
    version = (await api("GET", *_ABOUT, "versions", answers="versions")).body["versions"][0]
    assert (version["actor"], version["via"]) == ("service:ann", "review:service:sue")
    outcome = await _read(people, "ann", number)
    assert (outcome["state"], outcome["changes"], outcome["request"]["state"]) == ("applied", [], "answered")
    assert (await _decide(people, "sue", number, "apply")).status == 404


async def test_outdated_proposal_is_brought_up_to_date(api: Any, people: People) -> None:
    number = await _propose(people)
    assert (await people("sue", "POST", "proposals", body={"proposals": [_add(unit="dollar")]})).status == 200
    review = await _read(people, "sue", number)
    assert (review["isOutdated"], review["changes"][0]["problem"]["status"]) == (True, 412)
    refused = await _decide(people, "sue", number, "apply")
    assert (refused.status, "rebase" in refused.body["detail"]) == (412, True)
    assert (await _decide(people, "bob", number, "rebase")).status == 403
    assert (await _decide(people, "ann", number, "rebase")).status == 200
    assert not (await _read(people, "ann", number))["isOutdated"]
    assert (await _decide(people, "sue", number, "apply")).status == 200
    assert await _properties(api) == {"unit": "dollar", "description": "All orders."}


async def test_replaced_value_is_merged_or_conflicts(api: Any, people: People) -> None:
    value = {"properties": {"unit": "euro", "source": "till"}, "tags": []}
    merged, conflicting = [
        (await people("ann", "PUT", *_ABOUT, body=value | {"properties": value["properties"] | more})).body["proposal"]
        for more in ({}, {"unit": "pound"})
    ]
    change = {"proposals": [_add(unit="dollar")]}
    assert (await people("sue", "POST", "proposals", body=change)).status == 200
    assert (await _decide(people, "sue", conflicting, "rebase")).status == 409
    assert (await _decide(people, "sue", merged, "rebase")).status == 200
    assert (await _decide(people, "sue", merged, "apply")).status == 200
    assert await _properties(api) == {"unit": "dollar", "source": "till"}
    rejected = (await _decide(people, "sue", conflicting, "reject", "It is in dollars.")).body
    assert (rejected["state"], rejected["comments"][0]["text"]) == ("declined", "It is in dollars.")
    assert (await _read(people, "ann", conflicting))["state"] == "rejected"


async def test_author_withdraws_a_proposal(people: People) -> None:
    number = await _propose(people)
    body = {"state": "answered"}
    request = (await _read(people, "ann", number))["request"]["urn"]
    by_hand = await people("ann", "POST", "entities", request, "responses", body=body, answers="problem")
    assert (by_hand.status, by_hand.body["errors"][0]["pointer"]) == (400, "/state")
    assert (await _decide(people, "ann", number, "withdraw")).body["state"] == "declined"
    assert (await people("ann", "GET", "inbox", number)).body["state"] == "rejected"


async def test_repeated_request_with_a_key_is_one_proposal(people: People) -> None:
    headers = people.headers["ann"] | {"Idempotency-Key": "k1"}
    people.headers["ann"] = headers
    body = {"proposals": [_add(description="All orders.")]}
    numbers = {(await people("ann", "POST", "proposals", body=body)).body["proposal"] for _ in range(2)}
    assert len(numbers) == 1
    (number,) = numbers
    assert (await _decide(people, "sue", number, "apply")).status == 200
    assert (await people("ann", "POST", "proposals", body=body)).body["proposal"] == number


async def test_what_changes_nothing_needs_no_review(people: People) -> None:
    answer = await people("ann", "POST", "proposals", body={"proposals": [_add(unit="euro")]}, answers="write-results")
    assert (answer.status, answer.body["results"][0]["changed"]) == (200, False)
    invalid = {"proposals": [_add(unit="euro") | {"aspect": "certification", "value": {"tags": ["x"]}}]}
    assert (await people("ann", "POST", "proposals", body=invalid, answers="problem")).status == 400


async def test_stewards_and_entities_that_are_not_certified_need_no_review(people: People) -> None:
    assert (await people("sue", "POST", "proposals", body={"proposals": [_add(unit="dollar")]})).status == 200
    other = {"proposals": [_add(unit="dollar") | {"urn": _OTHER}]}
    assert (await people("ann", "POST", "proposals", body=other)).status == 200
    tagged = {"tags": [{"tag": "urn:li:tag:gold"}]}
    assert (await people("ann", "PUT", "entities", _OTHER, "aspects", "globalTags", body=tagged)).status == 403
    yesterday = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%d")
    expired = {"certifiedBy": "urn:li:corpuser:sue", "until": yesterday}
    assert (await people("sue", "PUT", "entities", ORDERS, "aspects", "certification", body=expired)).status == 200
    assert (await people("ann", "POST", "proposals", body={"proposals": [_add(unit="pound")]})).status == 200


async def test_governed_changes_and_deletions_are_proposed_unless_denied(
    api: Any, people: People, folder: Path
) -> None:
    tagged = {"tags": [{"tag": "urn:li:tag:gold"}]}
    path = ("entities", ORDERS, "aspects", "globalTags")
    tags = (await people("ann", "PUT", *path, body=tagged)).body["proposal"]
    column = await people("ann", "PUT", "entities", f"urn:li:schemaField:({ORDERS},amount)", *path[2:], body=tagged)
    assert column.status == 202
    deletion = await people("ann", "DELETE", "entities", ORDERS)
    assert deletion.status == 202
    assert (await _decide(people, "sue", tags, "apply")).status == 200
    assert (await api("GET", *path)).body["value"] == tagged
    values = ("entities", ORDERS, "aspects", "operation", "values")
    assert (await people("ann", "DELETE", *values)).status in (403, 404, 405)
    renamed = {"to": build_table_urn("sold")}
    assert (await people("ann", "POST", "entities", ORDERS, "rename", body=renamed)).status == 403
    await _put_rules(folder, *_RULES, {"deny": ["govern"], "to": ["user:service:ann"]})
    assert (await people("ann", "DELETE", *path)).status == 403
    assert (await people("ann", "DELETE", "entities", ORDERS)).status == 202
    other = {"tags": [{"tag": "urn:li:tag:silver"}]}
    assert (await people("ann", "PUT", *path, body=other)).status == 403
    await _put_rules(folder, _RULES[1])
    assert (await people("ann", "GET", "proposals", deletion.body["proposal"])).status == 404
    assert (
        await people("sue", "POST", "proposals", deletion.body["proposal"], "decision", body={"decision": "apply"})
    ).status == 200
    assert (await api("GET", "entities", ORDERS)).status == 404


async def test_each_proposal_of_a_batch_waits_on_its_own(api: Any, people: People) -> None:
    proposals = [_add(unit="dollar") | {"urn": urn} for urn in (ORDERS, _OTHER)]
    preview = await people(
        "ann", "POST", "proposals", "independent", params={"dryRun": "true"}, body={"proposals": proposals}
    )
    assert [(each["changed"], each["problem"]) for each in preview.body["outcomes"]] == [(True, None)] * 2
    done = await people("ann", "POST", "proposals", "independent", body={"proposals": proposals})
    held, applied = done.body["outcomes"]
    assert (held["changed"], held["problem"]["status"]) == (False, 202)
    assert (applied["changed"], applied["problem"]) == (True, None)
    assert await _properties(api) == {"unit": "euro"}
    number = held["problem"]["detail"].split("proposal ")[1].split(":")[0]
    assert (await _decide(people, "sue", number, "apply")).status == 200
    assert await _properties(api) == {"unit": "dollar"}


async def test_queued_batch_waits_for_review_under_its_number(api: Any, people: People) -> None:
    body = {"proposals": [_add(unit="dollar")]}
    entry = (await people("ann", "POST", "proposals", params={"async": "true"}, body=body)).body["id"]
    for _ in range(2_400):
        state = (await people("ann", "GET", "inbox", entry)).body["state"]
        if state != "pending":
            break
        await asyncio.sleep(0.05)
    assert state == "review"
    assert (await _decide(people, "sue", entry, "apply")).status == 200
    assert (await people("ann", "GET", "inbox", entry)).body["state"] == "applied"
    assert await _properties(api) == {"unit": "dollar"}


async def test_other_apis_answer_that_the_change_is_accepted(
    api: Any, datahub: Any, people: People, http_server_client: Any, jp_base_url: str
) -> None:
    path = f"{jp_base_url}colophon/v3/namespaces/sales/datasets/orders/metadata/properties"
    sent = await http_server_client.fetch(path, method="POST", headers=people.headers["ann"], body='{"a": "b"}')
    assert (sent.code, json.loads(sent.body)["status"]) == (202, 202)
    assert "/colophon/api/proposals/" in sent.headers["Location"]

    async def as_ann(*arguments: Any, **options: Any) -> Any:
        return await datahub(*arguments, anonymous=True, headers=people.headers["ann"], **options)

    described = build_proposal("editableDatasetProperties", {"description": "All orders."}, urn=ORDERS)
    emitted = await emit_proposal(as_ann, described)
    assert (emitted.status, emitted.body) == (200, {"value": "success"})
    trace = emitted.headers["traceparent"].split("-")[1]
    number = str(int(trace[16:], 16))

    async def read_state() -> str:
        body = {ORDERS: ["editableDatasetProperties"]}
        found = await as_ann("POST", "openapi", "v1", "trace", "write", trace, body=body)
        state: str = found.body[ORDERS]["editableDatasetProperties"]["primaryStorage"]["writeStatus"]
        return state

    assert await read_state() == "PENDING"
    assert (await _decide(people, "sue", number, "apply")).status == 200
    assert await read_state() == "ACTIVE_STATE"
    entity = [{"urn": ORDERS, "editableDatasetProperties": {"value": {"description": "Some orders."}}}]
    written = await as_ann("POST", "openapi", "v3", "entity", "dataset", body=entity)
    assert (written.status, [each["urn"] for each in written.body]) == (202, [ORDERS])


async def test_import_proposes_changes_of_certified_entities(
    api: Any, people: People, http_server_client: Any, jp_base_url: str, jp_auth_header: Any
) -> None:
    url = f"{jp_base_url}colophon/api/export?namespace=sales"
    exported = (await http_server_client.fetch(url, headers=jp_auth_header)).body.decode()
    changed = exported.replace('"unit":"euro"', '"unit":"dollar"')
    assert changed != exported
    headers = people.headers["ann"] | {"Content-Type": "application/x-ndjson"}
    for params, waiting in (("?dryRun=true", 0), ("", 1)):
        url = f"{jp_base_url}colophon/api/import{params}"
        done = await http_server_client.fetch(url, method="POST", headers=headers, body=changed)
        assert json.loads(done.body)["counts"]["review"] == 1
        params = {"kind": "change", "state": "open"}
        assert (await people("sue", "GET", "requests", params=params)).body["total"] == waiting
    assert await _properties(api) == {"unit": "euro"}


async def test_proposal_that_no_one_decides_expires(people: People, jp_serverapp: Any) -> None:
    number = await _propose(people)
    reviews = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog().stewardship.reviews
    for days, state in ((29, "waiting"), (31, "rejected")):
        later = replace(reviews, now=lambda days=days: reviews.now() + days * 24 * 3_600_000)
        await asyncio.to_thread(later.reject_expired)
        assert (await _read(people, "ann", number))["state"] == state
    request = (await _read(people, "ann", number))["request"]
    assert (request["state"], request["comments"][0]["text"]) == ("declined", "Expired: no one decided within 30 days.")


async def test_who_may_see_answer_assign_and_certify(people: People, folder: Path) -> None:
    """Ann asks, Bob may only read, Sue is the steward; a user without a role finds nothing."""
    rules = [
        {"role": "contributor", "to": ["user:service:ann"]},
        {"role": "viewer", "to": ["user:service:bob"]},
        {"role": "steward", "to": ["user:service:sue"]},
    ]
    await _put_rules(folder, *rules)
    body = {"about": ORDERS, "kind": "check", "text": "Right?"}
    request = (await people("ann", "POST", "requests", body=body, answers="owner-request")).body
    assert [person["owner"] for person in request["assignees"]] == ["service:sue"]
    responses = ("entities", request["urn"], "responses")
    assert (await people("bob", "GET", "entities", request["urn"])).status == 200
    assert (await people("bob", "POST", *responses, body={"text": "I think so."})).status == 200
    for change in ({"state": "answered"}, {"state": "declined"}, {"assignees": ["service:bob"]}):
        assert (await people("bob", "POST", *responses, body=change)).status == 403, change
    assert (await people("ann", "POST", *responses, body={"assignees": ["service:bob"]})).status == 200
    assert (await people("bob", "POST", *responses, body={"state": "answered"})).status == 200
    assert (await people("sue", "POST", *responses, body={"state": "open"})).status == 200
    certification = ("entities", ORDERS, "aspects", "certification")
    value = {"certifiedBy": "urn:li:corpuser:bob"}
    statuses = [(await people(user, "PUT", *certification, body=value)).status for user in ("ann", "bob", "sue")]
    assert statuses == [403, 403, 200]
    assert (await people("ann", "DELETE", *certification)).status == 403
    await _put_rules(folder, rules[0], rules[2])
    assert (await people("bob", "GET", "entities", request["urn"])).status == 404
    assert (await people("bob", "GET", "requests", answers="owner-requests")).body["total"] == 0
    assert (await people("bob", "POST", *responses, body={"text": "?"})).status == 404
    assert (await people("bob", "POST", "requests", body=body)).status == 404


async def test_answers_about_access_name_the_rule_that_requires_review(people: People, folder: Path, api: Any) -> None:
    async def ask(user: str, permission: str, urn: str = ORDERS) -> tuple[Any, ...]:
        params = {"urn": urn, "permission": permission}
        answer = (await people(user, "GET", "access", params=params, answers="access")).body
        rules = [answer[name] and answer[name]["index"] for name in ("rule", "review")]
        return answer["allowed"], *rules, answer["reason"]

    policy = folder / "team.json"
    granted = f"contributor by {policy}:1"
    assert await ask("ann", "annotate") == (True, 0, 2, f"{granted}, but a steward must review it, by {policy}:1")
    proposed = f"no rule grants it, but it may be proposed: a steward must review it, by {policy}:1"
    assert await ask("ann", "govern") == (True, None, 2, proposed)
    for user, permission, urn, allowed in (
        ("ann", "annotate", _OTHER, True),
        ("ann", "govern", _OTHER, False),
        ("ann", "emit", ORDERS, True),
        ("sue", "annotate", ORDERS, True),
    ):
        answer = await ask(user, permission, urn)
        assert (answer[0], answer[2], "review" in answer[3]) == (allowed, None, False)
    headers = await create_service_token(api, "reader", "read", "annotate")
    people.headers["reader"] = headers
    await _put_rules(folder, *_RULES, {"role": "viewer", "to": ["*"]}, {"deny": ["govern"], "to": ["user:service:ann"]})
    assert (await ask("ann", "govern"))[:3] == (False, 4, None)
    assert (await ask("reader", "annotate"))[:3] == (True, None, 2)
    assert (await ask("reader", "delete"))[:3] == (False, None, None)


async def test_request_to_read_is_granted_by_those_who_may_change_policies(
    api: Any, people: People, folder: Path
) -> None:
    await _put_rules(folder, *_RULES[:2])

    async def ask(about: str, kind: str = "read") -> tuple[str, ...]:
        body = {"about": about, "kind": kind, "text": "May I?"}
        return "entities", (await people("ann", "POST", "requests", body=body)).body["urn"], "responses"

    request = await ask(f"urn:li:schemaField:({ORDERS},amount)")
    for may_grant, listed in ((False, await people("sue", "GET", "requests")), (True, await api("GET", "requests"))):
        assert listed.body["mayGrant"] is may_grant
    grant = {"grant": "read"}
    assert (await people("bob", "POST", *request, body=grant)).status == 403
    refused = await people("sue", "POST", *request, body=grant, answers="problem")
    assert (refused.status, f"({getpass.getuser()})" in refused.body["detail"]) == (403, True)
    granted = (await api("POST", *request, body=grant | {"text": "Sure."}, answers="owner-request")).body
    assert (granted["state"], granted["comments"][0]["text"]) == (
        "answered",
        "Sure.\n\nRead access was granted by the access policy granted-requests.",
    )
    assert (await api("POST", *request, body={"state": "open"})).status == 200
    assert (await api("POST", *request, body=grant)).body["state"] == "answered"
    other = await ask(_OTHER)
    assert (await api("POST", *other, body=grant)).status == 200
    params = {"policy": "urn:li:accessPolicy:granted-requests"}
    document = (await api("GET", "policies", "content", params=params, answers="policy-content")).body["document"]
    assert document["rules"] == [
        {"role": "viewer", "to": ["user:service:ann"], "on": {"urnPrefix": [urn]}} for urn in (ORDERS, _OTHER)
    ]
    await _put_rules(folder, _RULES[1])
    assert [(await people(user, "GET", "entities", ORDERS)).status for user in ("ann", "bob")] == [200, 404]
    assert (await people("ann", "GET", *request[:2], answers="entity")).status == 200
    assert (await people("ann", "PUT", *_ABOUT, body={"properties": {}, "tags": []})).status == 403


async def test_grant_that_would_not_do_what_it_states_is_refused(api: Any, people: People, folder: Path) -> None:
    tag = "urn:li:tag:gold"
    assert (await api("PUT", "entities", tag, "aspects", "tagProperties", body={"name": "gold"})).status == 200
    await _put_rules(folder, *_RULES[:2], {"deny": ["read"], "to": ["user:service:ann"], "on": {"tag": ["secret"]}})

    async def grant(about: str, kind: str = "read", **more: str) -> tuple[int, str]:
        body = {"about": about, "kind": kind, "text": "May I?"}
        urn = (await people("ann", "POST", "requests", body=body)).body["urn"]
        if about == ORDERS:
            assert (await api("PUT", *_ABOUT, body={"properties": {}, "tags": ["secret"]})).status == 200
        body = {"grant": "read"} | more
        answer = await api("POST", "entities", urn, "responses", body=body, answers="problem")
        assert (await api("GET", "entities", urn)).body["aspects"]["request"]["value"]["state"] == "open"
        return answer.status, answer.body["detail"]

    assert (await grant(_OTHER, "check"))[0] == 400
    assert (await grant(_OTHER, state="declined"))[0] == 400
    assert "begins with it" in (await grant(tag))[1]
    status, detail = await grant(ORDERS)
    assert (status, "denied read access by" in detail) == (409, True)
    policies = (await api("GET", "policies", answers="policies")).body["policies"]
    assert [policy["name"] for policy in policies] == ["team.json"]


async def test_system_metadata_of_people_wait_and_of_programs_do_not(
    people: People, folder: Path, jp_serverapp: Any
) -> None:
    """Ann reports as a program, by a service token; Ben is a person."""
    review = {"review": ["emit"], "to": ["*"], "on": {"certified": True}}
    await _put_rules(folder, {"role": "contributor", "to": ["user:ben"]}, *_RULES[:2], review)
    path = ("entities", ORDERS, "aspects", "technicalMetadata")
    value = {"properties": {"rows": "7"}, "tags": []}
    assert (await people("ann", "PUT", *path, body=value)).status == 200
    catalog, ben = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog(), Principal("ben")

    def write(**members: Any) -> int:
        urn = Urn.parse(members.pop("urn", ORDERS))
        change = Proposal(urn, "technicalMetadata", "upsert", value | members.pop("value", {}), **members)
        try:
            catalog.write_path.apply_proposals_atomically([change], ben)
        except HeldForReview as held:
            return held.number
        return 0

    changed = {"properties": {"rows": "8"}}
    number = await asyncio.to_thread(write, value=changed)
    (waiting,) = (await _read(people, "sue", str(number)))["changes"]
    assert (waiting["aspect"], waiting["after"]["properties"]) == ("technicalMetadata", {"rows": "8"})
    assert (await people("ann", "GET", *path)).body["value"] == value
    assert (await _decide(people, "sue", str(number), "apply")).status == 200
    version = (await people("ann", "GET", *path, "versions")).body["versions"][0]
    assert (version["actor"], version["via"]) == ("ben", "review:service:sue")
    run = {"program": CELL, "runId": "r", "start": "2026-11-20T12:00:00Z"}
    started = (await people("ann", "POST", "runs", body=run, answers="run")).body["urn"]
    assert await asyncio.to_thread(write, value={"properties": {"rows": "9"}}, run=started) == 0
    assert await asyncio.to_thread(write, urn=_OTHER) == 0
    await _put_rules(folder, {"role": "contributor", "to": ["user:ben"]}, _RULES[1], {"review": ["emit"], "to": ["*"]})
    assert await asyncio.to_thread(write, urn=_OTHER, value=changed) > 0
    assert await asyncio.to_thread(write, urn=CELL) == 0


async def test_reviewed_instances_are_changed_by_stewards_only(elyra: Any, people: People, folder: Path) -> None:
    path = ("schemaspaces", "code-snippets", "instances")
    document = {
        "display_name": "Hello",
        "schema_name": "code-snippet",
        "metadata": {"language": "Python", "code": ["x"]},
    }
    review = {"review": ["edit", "delete"], "to": ["*"], "on": {"schemaspace": ["code-snippets"]}}
    await _put_rules(folder, *_RULES[:2], review)
    refused = await people("ann", "POST", *path, body=document, answers="problem")
    assert (refused.status, refused.body["detail"]) == (
        403,
        "you may not change instances of code-snippets without a steward's review "
        f"({folder / 'team.json'}:1): ask a steward to make the change",
    )
    assert (await people("sue", "POST", *path, body=document, answers="instance")).status == 201
    for method, body in (("PUT", document), ("PATCH", {"display_name": "Hi"}), ("DELETE", None)):
        assert (await people("ann", method, *path, "hello", body=body)).status == 403, method
    headers = people.headers["ann"]
    refused = await elyra("PUT", "metadata", "code-snippets", "hello", body=document, anonymous=True, headers=headers)
    assert (refused.status, "ask a steward to make the change" in refused.body["message"]) == (403, True)
    imported = await people("ann", "POST", *path[:2], "import", body={"instances": [document | {"name": "new"}]})
    assert "ask a steward" in json.dumps(imported.body)
    params = {"urn": "urn:li:instance:(code-snippets,hello)", "permission": "edit"}
    answer = (await people("ann", "GET", "access", params=params, answers="access")).body
    assert (answer["allowed"], answer["reason"]) == (False, f"only a steward may, by {folder / 'team.json'}:1")
    assert (await people("sue", "GET", "access", params=params)).body["allowed"]
    await _put_rules(folder, *_RULES)
    assert (await people("ann", "PUT", *path, "hello", body=document)).status == 200
