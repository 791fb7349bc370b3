"""The access policies themselves: those of the catalog and of files, their rules, and what is wrong in them."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.service_tokens import create_service_token
from support.urns import ORDERS

RULES = [{"role": "viewer", "to": ["group:etl"], "on": {"namespace": ["sales"]}}]
URN = "urn:li:accessPolicy:team"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "policies"
    path.mkdir()
    return path


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], folder: Path) -> dict[str, Any]:
    colophon = jp_server_config["Colophon"] | {"policy_folder": str(folder), "groups": {"etl": ["ada"]}}
    return {**jp_server_config, "Colophon": colophon}


async def _store(api: Any, document: Any) -> Any:
    return await api("PUT", "entities", URN, "aspects", "accessRules", body=document)


async def test_stored_policies_and_files_are_listed_with_their_problems(api: Any, sales: None, folder: Path) -> None:
    await _store(api, {"description": "x" * 300, "enabled": False, "rules": RULES})
    (folder / "etl.yaml").write_text("rules:\n  - {role: agent, to: ['*', owner]}\n")
    (folder / "bad.json").write_text(json.dumps({"rules": [{"role": "king", "to": ["*"]}]}))
    (folder / "broken.toml").write_text("rules = [")
    (folder / "notes.txt").write_text("not a policy")
    answer = (await api("GET", "policies", answers="policies")).body
    assert (answer["inForce"], answer["folder"], answer["groups"]) == (
        True,
        str(folder),
        [{"name": "etl", "users": ["ada"]}],
    )
    stored, bad, broken, etl = answer["policies"]
    assert (stored["policy"], stored["name"], stored["origin"], stored["enabled"]) == (URN, "team", "catalog", False)
    assert (len(stored["description"]), stored["rules"], stored["to"]) == (201, 1, ["group:etl"])
    assert (etl["policy"], etl["origin"], etl["to"]) == (str(folder / "etl.yaml"), "file", ["*", "owner"])
    assert [policy["problem"] for policy in (stored, etl)] == ["", ""]
    assert bad["problem"].startswith("/rules/0/role: ")
    assert (broken["rules"], broken["problem"] != "") == (0, True)


async def test_the_rules_of_a_policy_are_read_with_their_lines(api: Any, sales: None, folder: Path) -> None:
    await _store(api, {"rules": RULES})
    file = folder / "etl.yaml"
    file.write_text("# Programs\nrules:\n  - {role: agent, to: ['*']}\n")
    (folder.parent / "outside.yaml").write_text("rules: []")
    stored = (await api("GET", "policies", "content", params={"policy": URN}, answers="policy-content")).body
    assert (stored["document"], stored["lines"], stored["problem"]) == ({"rules": RULES}, [], "")
    filed = (await api("GET", "policies", "content", params={"policy": str(file)}, answers="policy-content")).body
    assert (filed["name"], filed["lines"], filed["document"]["rules"][0]["role"]) == ("etl.yaml", [3], "agent")
    for other in (str(folder.parent / "outside.yaml"), f"{folder}/../outside.yaml", "urn:li:accessPolicy:none", "etl"):
        assert (await api("GET", "policies", "content", params={"policy": other})).status == 404


async def test_a_policy_is_checked_without_storing_it(api: Any, sales: None) -> None:
    tagged = {"properties": {}, "tags": ["secret"]}
    assert (await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=tagged)).status == 200
    on = {"namespace": ["sales", "sale", "default"], "tag": ["SECRET", "secrets"], "type": ["dataset", "table"]}
    view = {"role": "viewer", "to": ["group:etl", "group:elt", "user:x"], "on": on}
    review = {"review": ["annotate"], "to": ["*"], "on": {"certified": True}}
    document = {"rules": [view, review]}
    head = (await api("GET", "changes", params={"limit": 0})).body["cursor"]
    checked = (await api("POST", "policies", "check", body={"document": document}, answers="policy-check-result")).body
    assert checked["problems"] == []
    assert [warning["pointer"] for warning in checked["warnings"]] == [
        "/rules/0/to/1",
        "/rules/0/on/namespace/1",
        "/rules/0/on/tag/1",
        "/rules/0/on/type/1",
    ]
    assert "'secrets'" in checked["warnings"][2]["message"]
    both = {"rules": [{"role": "viewer", "deny": ["read"], "to": ["*"]}, {"to": ["*"]}]}
    wrong = (await api("POST", "policies", "check", body={"document": both})).body
    assert [problem["pointer"] for problem in wrong["problems"]] == ["/rules/0", "/rules/1"]
    assert (await api("GET", "changes", params={"limit": 0})).body["cursor"] == head


async def test_it_is_answered_whether_the_caller_stays_an_admin(api: Any, sales: None) -> None:
    """The server's user is an admin by the settings; an account whom a rule makes one may take it from itself."""
    admin = [{"role": "admin", "to": ["user:service:ci"]}]
    assert (await _store(api, {"rules": admin})).status == 200
    account = {"anonymous": True, "headers": await create_service_token(api, "ci", "read", "admin")}

    async def check(policy: str, rules: Any, **options: Any) -> Any:
        body = {"policy": policy, "document": {"rules": rules}}
        return (await api("POST", "policies", "check", body=body, **options)).body["staysAdmin"]

    assert await check(URN, []) is True
    assert [await check(URN, [], **account), await check(URN, admin, **account)] == [False, True]
    # The stored policy stays beside another one.
    assert await check("urn:li:accessPolicy:other", [], **account) is True
    assert await check("urn:li:accessPolicy:other", [{"deny": ["admin"], "to": ["*"]}], **account) is False


async def test_a_rule_that_names_too_many_combinations_is_not_stored(api: Any, sales: None) -> None:
    names = [f"n{number}" for number in range(200)]
    rule = {"role": "viewer", "to": ["*"], "on": {"namespace": names, "type": names}}
    refused = await _store(api, {"rules": [rule]})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/rules/0/on")
    assert (await _store(api, {"rules": [{**rule, "on": {"namespace": names}}]})).status == 200


async def test_a_file_of_another_shape_is_reported(api: Any, sales: None, folder: Path) -> None:
    (folder / "list.yaml").write_text("- role: viewer\n")
    (folder / "empty.yaml").write_text("")
    policies = (await api("GET", "policies", answers="policies")).body["policies"]
    assert [(policy["name"], policy["problem"] != "") for policy in policies] == [
        ("empty.yaml", True),
        ("list.yaml", True),
    ]


async def test_only_admins_see_policies(api: Any, kernel: Any, sales: None) -> None:
    for request in (("GET", "policies"), ("GET", "policies", "content"), ("POST", "policies", "check")):
        answer = await api(
            *request,
            params={"policy": URN} if "content" in request else None,
            body=None,
            anonymous=True,
            headers=kernel,
        )
        assert answer.status == 403, request


async def test_access_of_any_member_of_groups_is_answered(api: Any, sales: None) -> None:
    await _store(api, {"rules": RULES})
    member = (await api("GET", "access", params={"urn": ORDERS, "groups": "etl"}, answers="access")).body
    assert (member["user"], member["groups"], member["allowed"]) == ("", ["etl"], True)
    other = (await api("GET", "access", params={"urn": ORDERS, "groups": "hr"}, answers="access")).body
    assert (other["allowed"], other["reason"]) == (False, "no rule grants it")
