"""Certifications, teams, what their members own, and requests to owners."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support.urns import ORDERS

pytestmark = [pytest.mark.each_store, pytest.mark.usefixtures("sales")]

_COLUMN = f"urn:li:schemaField:({ORDERS},amount)"
_TEAM = "urn:li:corpGroup:data"
_ADA = "urn:li:corpuser:ada"
_BEN = "urn:li:corpuser:ben"
_ABSENT = ORDERS.replace("orders", "absent")


@pytest.fixture
def ada(api: Any, kernel: dict[str, str]) -> Any:
    """The API as the user `ada`: other requests of these tests have a new user each."""

    async def call(*path: str, headers: Any = None, **more: Any) -> Any:
        return await api(*path, headers=kernel | (headers or {}), **more)

    return call


def _day(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%d")


async def _put(api: Any, urn: str, aspect: str, value: Any) -> None:
    done = await api("PUT", "entities", urn, "aspects", aspect, body=value)
    assert done.status == 200, done.body


async def _own(api: Any, owner: str, urn: str = ORDERS) -> None:
    await _put(api, urn, "businessMetadata", {"properties": {"owner": owner}, "tags": []})


async def _search(api: Any, **filters: str) -> list[str]:
    answer = await api("GET", "search", params={"q": "*", "type": "dataset", **filters}, answers="search-results")
    assert answer.status == 200, answer.body
    return [hit["urn"] for hit in answer.body["hits"]]


async def _join(api: Any, user: str, team: str = _TEAM) -> None:
    info = {"displayName": "Data team", "admins": [], "members": [], "groups": []}
    await _put(api, team, "corpGroupInfo", info)
    await _put(api, user, "groupMembership", {"groups": [team]})


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (None, {"yes": True, "expiring": False, "expired": False}),
        (0, {"yes": True, "expiring": True, "expired": False}),
        (14, {"yes": True, "expiring": True, "expired": False}),
        (15, {"yes": True, "expiring": False, "expired": False}),
        (800, {"yes": True, "expiring": False, "expired": False}),
        (-1, {"yes": False, "expiring": False, "expired": True}),
        (-500, {"yes": False, "expiring": False, "expired": True}),
    ],
)
async def test_certification_is_found_by_its_last_day(api: Any, days: int | None, expected: dict[str, bool]) -> None:
    await _own(api, "ops")
    assert await _search(api, certified="yes") == []
    until = {} if days is None else {"until": _day(days)}
    await _put(api, _ADA, "corpUserInfo", {"active": True, "displayName": "Ada L."})
    await _put(api, ORDERS, "certification", {"certifiedBy": _ADA, "note": "Checked.", **until})
    assert {name: await _search(api, certified=name) == [ORDERS] for name in expected} == expected
    hits = (await api("GET", "search", params={"q": "*", "type": "dataset"}, answers="search-results")).body["hits"]
    certification = {"by": "Ada L.", "until": until.get("until"), "note": "Checked.", "expired": expected["expired"]}
    assert [hit["certification"] for hit in hits] == [certification]
    entity = (await api("GET", "entities", ORDERS, answers="entity")).body
    shown = [each for each in entity["descriptors"] if each["kind"] == "certification"]
    assert [(each["name"], each["urn"], each["text"], each["detail"]) for each in shown] == [
        ("Ada L.", _ADA, until.get("until", "never"), "Checked.")
    ]


async def test_withdrawn_certification_stays_in_the_history(api: Any) -> None:
    await _put(api, ORDERS, "certification", {"certifiedBy": _ADA, "until": _day(30)})
    assert (await api("DELETE", "entities", ORDERS, "aspects", "certification")).status == 200
    assert await _search(api, certified="yes") == []
    path = ("entities", ORDERS, "aspects", "certification", "versions")
    versions = (await api("GET", *path, answers="versions")).body["versions"]
    assert [version["deleted"] for version in versions] == [True, False]


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"until": "2027-01-01"}, ""),
        ({"certifiedBy": "ada"}, "/certifiedBy"),
        ({"certifiedBy": _ADA, "until": "1999-01-01"}, "/until"),
        ({"certifiedBy": _ADA, "until": "2027-02-30"}, "/until"),
    ],
)
async def test_invalid_certification_is_refused_with_a_pointer(api: Any, value: Any, pointer: str) -> None:
    answer = await api("PUT", "entities", ORDERS, "aspects", "certification", body=value, answers="problem")
    assert answer.status == 400
    assert [error["pointer"] for error in answer.body["errors"]] == [pointer]


async def test_search_finds_what_the_caller_and_the_teams_of_the_caller_own(ada: Any) -> None:
    await _own(ada, "ada")
    other = ORDERS.replace("orders", "returns")
    await _own(ada, _TEAM, other)
    assert await _search(ada, owned="me") == [ORDERS]
    assert await _search(ada, owned="teams") == [ORDERS]
    await _join(ada, _ADA)
    assert await _search(ada, owned="me") == [ORDERS]
    assert sorted(await _search(ada, owned="teams")) == sorted([ORDERS, other])
    body = {"urns": [ORDERS, other, _COLUMN, _ABSENT]}
    owned = await ada("POST", "me", "owned", body=body, answers="owned-entities")
    assert owned.body["urns"] == [ORDERS, other, _COLUMN]


async def test_members_of_a_team_are_those_of_both_aspects(ada: Any) -> None:
    await _join(ada, _ADA)
    info = {"displayName": "Data team", "admins": [], "members": [_BEN], "groups": []}
    await _put(ada, _TEAM, "corpGroupInfo", info)
    memberships = (await ada("GET", "entities", _TEAM, "memberships", answers="memberships")).body
    assert {member["owner"] for member in memberships["members"]} == {_BEN, _ADA}
    of_ben = (await ada("GET", "entities", _BEN, "memberships", answers="memberships")).body
    assert of_ben["teams"] == [{"owner": _TEAM, "name": "Data team"}]
    assert (await ada("GET", "me", "teams", answers="my-teams")).body["teams"] == [
        {"owner": _TEAM, "name": "Data team"}
    ]


async def _ask(ada: Any, about: str, **more: Any) -> dict[str, Any]:
    body = {"about": about, "text": "What is the unit?", **more}
    answer = await ada("POST", "requests", body=body, answers="owner-request")
    assert answer.status == 201, answer.body
    request: dict[str, Any] = answer.body
    return request


async def _list(ada: Any, **selection: Any) -> dict[str, Any]:
    page: dict[str, Any] = (await ada("GET", "requests", params=selection, answers="owner-requests")).body
    return page


async def test_request_about_a_column_is_assigned_to_the_owners_of_the_table(ada: Any) -> None:
    await _own(ada, _TEAM)
    await _join(ada, _ADA)
    request = await _ask(ada, _COLUMN, kind="describe")
    assert (request["assignees"], request["state"]) == ([{"owner": _TEAM, "name": "Data team"}], "open")
    assert request["author"]["owner"] == _ADA
    for selection in (
        {"list": "assigned"},
        {"list": "asked"},
        {"about": ORDERS},
        {"about": _COLUMN},
        {"state": "open"},
    ):
        page = await _list(ada, **selection)
        assert ([each["urn"] for each in page["requests"]], page["total"]) == ([request["urn"]], 1), selection
    assert (await _list(ada, list="assigned", state="answered"))["total"] == 0
    body = {"text": "Euro.", "state": "answered"}
    answered = (await ada("POST", "entities", request["urn"], "responses", body=body, answers="owner-request")).body
    assert answered["state"] == "answered"
    assert [(each["author"]["owner"], each["text"]) for each in answered["comments"]] == [(_ADA, "Euro.")]
    assert (await _list(ada, list="assigned", state="open"))["total"] == 0
    assert [each["urn"] for each in (await _list(ada, list="assigned", state="answered"))["requests"]] == [
        request["urn"]
    ]
    owned = await ada("GET", "search", params={"q": "*", "owned": "teams"}, answers="search-results")
    assert [hit["urn"] for hit in owned.body["hits"]] == [ORDERS]
    versions = await ada("GET", "entities", request["urn"], "aspects", "request", "versions", answers="versions")
    assert len(versions.body["versions"]) == 2


async def test_request_without_owner_is_assigned_to_the_owner_of_the_domain(ada: Any) -> None:
    await _put(ada, ORDERS, "domains", {"domains": ["urn:li:domain:sales"]})
    assert (await _ask(ada, ORDERS))["assignees"] == []
    await _own(ada, "head-of-sales", "urn:li:domain:sales")
    assert (await _ask(ada, ORDERS))["assignees"] == [{"owner": "head-of-sales", "name": "head-of-sales"}]
    assert (await _ask(ada, ORDERS, assignees=[_ADA]))["assignees"] == [{"owner": _ADA, "name": "ada"}]


async def test_repeated_request_with_a_key_is_created_once(ada: Any) -> None:
    await _own(ada, "ops")
    body, headers = {"about": ORDERS, "text": "Right?"}, {"Idempotency-Key": "k1"}
    first, second = [
        (await ada("POST", "requests", body=body, headers=headers, answers="owner-request")).body for _ in range(2)
    ]
    assert first["urn"] == second["urn"]
    assert (await _list(ada, about=ORDERS))["total"] == 1


async def test_request_about_an_unknown_entity_is_not_found(ada: Any) -> None:
    answer = await ada("POST", "requests", body={"about": _ABSENT, "text": "Right?"}, answers="problem")
    assert answer.status == 404
    assert (await ada("GET", "requests", params={"about": _ABSENT}, answers="problem")).status == 404
    await _own(ada, "ops")
    urn = (await _ask(ada, ORDERS))["urn"]
    again = await ada("POST", "requests", body={"about": urn, "text": "Right?"}, answers="problem")
    assert (again.status, again.body["errors"][0]["pointer"]) == (400, "/about")
    assert (await ada("POST", "entities", ORDERS, "responses", body={"text": "?"}, answers="problem")).status == 404


_SALES, _EUROPE = "urn:li:domain:sales", "urn:li:domain:europe"


async def test_domains_have_a_path_and_no_cycle(api: Any) -> None:
    await _put(api, _SALES, "domainProperties", {"name": "Sales"})
    await _put(api, _EUROPE, "domainProperties", {"name": "Europe", "parentDomain": _SALES})
    body = {"urns": [_EUROPE, _SALES, ORDERS]}
    answer = await api("POST", "hierarchy", body=body, answers="hierarchy")
    assert [(each["urn"], each["ancestors"]) for each in answer.body["entities"]] == [
        (_EUROPE, [{"urn": _SALES, "name": "Sales"}]),
        (_SALES, []),
        (ORDERS, []),
    ]
    for urn, parent in ((_SALES, _EUROPE), (_SALES, _SALES)):
        value = {"name": "Sales", "parentDomain": parent}
        refused = await api("PUT", "entities", urn, "aspects", "domainProperties", body=value, answers="problem")
        assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/parentDomain")
    patch = [{"op": "add", "path": "/parentDomain", "value": _EUROPE}]
    refused = await api("PATCH", "entities", _SALES, "aspects", "domainProperties", body=patch, answers="problem")
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/parentDomain")


async def test_glossary_terms_are_below_their_groups(api: Any) -> None:
    group, inner, term = "urn:li:glossaryNode:finance", "urn:li:glossaryNode:income", "urn:li:glossaryTerm:revenue"
    await _put(api, group, "glossaryNodeInfo", {"name": "Finance", "definition": ""})
    await _put(api, inner, "glossaryNodeInfo", {"name": "Income", "definition": "", "parentNode": group})
    info = {"name": "Revenue", "definition": "", "termSource": "INTERNAL", "parentNode": inner}
    await _put(api, term, "glossaryTermInfo", info)
    answer = await api("POST", "hierarchy", body={"urns": [term]}, answers="hierarchy")
    assert [each["name"] for each in answer.body["entities"][0]["ancestors"]] == ["Finance", "Income"]
    value = {"name": "Finance", "definition": "", "parentNode": inner}
    refused = await api("PUT", "entities", group, "aspects", "glossaryNodeInfo", body=value, answers="problem")
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/parentNode")
