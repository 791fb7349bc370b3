"""Erase and export people through the API; what only administrators may do."""

import asyncio
import getpass
import json
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.catalog import build_metadata_value
from support.urns import ORDERS

PERSON = getpass.getuser()


async def wait_for_end(api: Any, pseudonym: str) -> Any:
    while not (erasure := (await api("GET", "erasures", pseudonym, answers="erasure")).body)["finished"]:
        assert not erasure["problem"]
        await asyncio.sleep(0.05)
    return erasure


@pytest.mark.each_store
async def test_person_is_exported_and_erased(
    api: Any, sales: None, http_server_client: Any, jp_base_url: str, jp_auth_header: Any
) -> None:
    body = json.dumps({"person": PERSON})
    exported = await http_server_client.fetch(
        f"{jp_base_url}colophon/api/person-export", method="POST", body=body, headers=jp_auth_header
    )
    lines = [json.loads(line) for line in exported.body.splitlines()]
    assert {"aspects", "change log", "entities"} <= {line["kind"] for line in lines[1:]}
    started = await api("POST", "erasures", body={"person": PERSON}, answers="erasure")
    assert started.status == 202
    erasure = await wait_for_end(api, started.body["pseudonym"])
    # The user of the server has requested it, and is the person.
    assert (erasure["step"], erasure["requestedBy"]) == ("finished", erasure["pseudonym"])
    assert erasure["changed"]["change log"] > 0
    assert PERSON not in json.dumps((await api("GET", "changes", params={"limit": 500})).body)
    versions = (await api("GET", "entities", ORDERS, "aspects", "technicalMetadata", "versions")).body["versions"]
    assert [version["actor"] for version in versions] == [erasure["pseudonym"]]
    listed = (await api("GET", "erasures", answers="erasures")).body["erasures"]
    assert listed == [erasure]
    # The person may return.
    changed = build_metadata_value({"again": "x"})
    assert (await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=changed)).status == 200


async def test_kernels_may_do_nothing_of_it(api: Any, jp_serverapp: Any) -> None:
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    token = tokens.issue_token_and_revoke_earlier("kernel-1", User("ada"), "ada")
    kernel = {"anonymous": True, "headers": {"Authorization": f"token {token}"}}
    answers = [
        await api("POST", "erasures", body={"person": "ada"}, **kernel),
        await api("GET", "erasures", **kernel),
        await api("GET", "erasures", "erased-0123456789ab", **kernel),
        await api("POST", "person-export", body={"person": "ada"}, **kernel),
        await api("GET", "retention", **kernel),
        await api("POST", "retention", **kernel),
        await api("POST", "retention", "preview", body={"rules": []}, **kernel),
    ]
    assert [answer.status for answer in answers] == [403] * len(answers)
    assert (await api("GET", "erasures")).body == {"erasures": []}


@pytest.mark.parametrize(("person", "status"), [("colophon", 400), ("service:etl", 400), ("", 400), (1, 400)])
async def test_name_that_no_person_has_is_refused(api: Any, person: Any, status: int) -> None:
    for place in ("erasures", "person-export"):
        assert (await api("POST", place, body={"person": person})).status == status


async def test_retention_is_read_and_applied(api: Any, sales: None, jp_serverapp: Any) -> None:
    for number in range(4):
        value = build_metadata_value({"n": str(number)})
        await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=value)
    assert (await api("GET", "retention", answers="retention")).body == {"rules": [], "changeLogDays": 0}
    nothing = {"dryRun": False, "expired": [], "cursor": None}
    assert (await api("POST", "retention", answers="expired-versions")).body == nothing
    assert (await api("POST", "retention", params={"cursor": "x"})).status == 400
    rule = {
        "namespace": "sales",
        "entity": "*",
        "aspect": "businessMetadata",
        "maxVersions": 1,
        "maxAgeInSeconds": None,
    }
    others = {"rules": [rule | {"maxVersions": 9, "namespace": "*"}, rule]}
    counted = (await api("POST", "retention", "preview", body=others, answers="expired-versions")).body
    place = {"namespace": "sales", "type": "dataset", "aspect": "businessMetadata"}
    assert counted == {"dryRun": True, "expired": [place | {"versions": 3}], "cursor": None}
    # Nothing was deleted, and the rules are those of the setting.
    assert (await api("POST", "retention", "preview", body=others)).body == counted
    assert (await api("GET", "retention")).body["rules"] == []
    for wrong in ({"maxVersions": 0}, {"maxAgeInSeconds": 10**12}, {"aspect": 1}):
        refused = await api("POST", "retention", "preview", body={"rules": [rule | wrong]})
        assert refused.status == 400
        assert refused.body["errors"][0]["pointer"] == f"/rules/0/{next(iter(wrong))}"
