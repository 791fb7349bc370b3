"""Access policies over HTTP: a server whose kernel belongs to a user with few rights, or none."""

import asyncio
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import openapi_contract
from support.urns import ORDERS, build_table_urn

REPORT = build_table_urn("report")
SNIPPET = {
    "name": "hello",
    "display_name": "Hello",
    "schema_name": "code-snippet",
    "metadata": {"language": "Python", "code": ["x"]},
}
SNIPPETS = ("schemaspaces", "code-snippets", "instances")
MARKED = {"properties": {"note": "quxlefrob"}, "tags": []}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "policies"
    path.mkdir()
    return path


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], folder: Path) -> dict[str, Any]:
    colophon = jp_server_config["Colophon"] | {
        "policy_folder": str(folder),
        "groups": {"etl": ["ada"]},
        "stewards": ["ivy"],
    }
    return {**jp_server_config, "Colophon": colophon}


def write_policy(folder: Path, *rules: dict[str, Any], name: str = "team.json") -> None:
    """Replace a policy, as editors do."""
    (folder / ".new").write_text(json.dumps({"rules": rules}))
    os.replace(folder / ".new", folder / name)


async def wait_until(answer: Any, is_expected: Callable[[Any], bool]) -> Any:
    """Repeat a request until its answer is as expected: a changed policy takes effect within a second."""
    for _ in range(2_400):
        answered = await answer()
        if is_expected(answered):
            return answered
        await asyncio.sleep(0.05)
    raise AssertionError(f"the answer is {answered}")


async def wait_for(answer: Any, status: int) -> Any:
    """Repeat a request until it has this status."""
    return await wait_until(answer, lambda answered: answered.status == status)


@pytest.fixture
def ada(api: Any, kernel: dict[str, str]) -> Any:
    """Call the API as the kernel's user."""

    async def call(*arguments: Any, **options: Any) -> Any:
        return await api(*arguments, anonymous=True, headers=kernel, **options)

    return call


async def test_a_file_takes_effect_and_a_bad_one_counts_as_it_was(
    api: Any, ada: Any, sales: None, folder: Path
) -> None:
    assert (await ada("GET", "entities", ORDERS)).status == 404
    write_policy(folder, {"role": "viewer", "to": ["group:etl"], "on": {"namespace": ["sales"]}})
    await wait_for(lambda: ada("GET", "entities", ORDERS), 200)
    (folder / "team.json").write_text("{no json")
    (problem,) = (await wait_for_problem(api))["problems"]
    assert problem["policy"] == str(folder / "team.json")
    assert (await ada("GET", "entities", ORDERS)).status == 200
    assert (await ada("GET", "health")).body["access"] == {"inForce": True, "problems": []}
    (folder / "team.json").unlink()
    await wait_for(lambda: ada("GET", "entities", ORDERS), 404)


async def wait_for_problem(api: Any) -> Any:
    for _ in range(2_400):
        access = (await api("GET", "health")).body["access"]
        if access["problems"]:
            return access
        await asyncio.sleep(0.05)
    raise AssertionError("no problem was reported")


async def test_a_file_that_was_never_readable_denies_everything(ada: Any, sales: None, folder: Path) -> None:
    write_policy(folder, {"role": "viewer", "to": ["*"]})
    await wait_for(lambda: ada("GET", "entities", ORDERS), 200)
    (folder / "other.yaml").write_text("rules: [{role: viewer}]")
    await wait_for(lambda: ada("GET", "entities", ORDERS), 404)


async def test_users_learn_how_much_they_may_read_and_whom_to_ask(ada: Any, sales: None, folder: Path) -> None:
    """`part` states nothing about what there is: a namespace without entities counts, too."""
    everything = {"role": "viewer", "to": ["user:ada"]}
    part = {**everything, "on": {"namespace": ["empty"]}}
    read_me = partial(ada, "GET", "me", answers="me")
    assert (await read_me()).body["stewards"] == ["ivy"]
    for rules, readable in (
        ([part], "part"),
        ([everything], "everything"),
        ([everything, {"deny": ["read"], "to": ["group:etl"]}], "nothing"),
        ([{"role": "viewer", "to": ["user:bob"]}], "nothing"),
    ):
        write_policy(folder, *rules)
        await wait_until(read_me, lambda answer, expected=readable: answer.body["readable"] == expected)


async def test_a_role_permits_what_it_names(ada: Any, sales: None, folder: Path) -> None:
    write_policy(folder, {"role": "contributor", "to": ["user:ada"], "on": {"namespace": ["sales"]}})
    value = {"properties": {"a": "b"}, "tags": []}
    await wait_for(lambda: ada("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=value), 200)
    tags = {"tags": [{"tag": "urn:li:tag:gold"}]}
    assert (await ada("PUT", "entities", ORDERS, "aspects", "globalTags", body=tags)).status == 403
    assert (
        await ada("PUT", "entities", "urn:li:tag:gold", "aspects", "tagProperties", body={"name": "x"})
    ).status == 404
    policy = {"rules": [{"role": "admin", "to": ["*"]}]}
    urn = "urn:li:accessPolicy:own"
    assert (await ada("PUT", "entities", urn, "aspects", "accessRules", body=policy)).status == 404
    write_policy(folder, {"role": "contributor", "to": ["user:ada"]})
    await wait_for(lambda: ada("PUT", "entities", urn, "aspects", "accessRules", body=policy), 403)
    write_policy(folder, {"role": "steward", "to": ["user:ada"]})
    await wait_for(lambda: ada("PUT", "entities", ORDERS, "aspects", "globalTags", body=tags), 200)
    assert (await ada("PUT", "entities", urn, "aspects", "accessRules", body=policy)).status == 403


async def test_kernel_of_an_admin_does_not_change_policies(ada: Any, sales: None, folder: Path) -> None:
    write_policy(folder, {"role": "viewer", "to": ["user:bob"]})
    await wait_for(lambda: ada("GET", "entities", ORDERS), 404)
    write_policy(folder, {"role": "admin", "to": ["user:ada"]})
    await wait_for(lambda: ada("GET", "entities", ORDERS), 200)
    urn, policy = "urn:li:accessPolicy:own", {"rules": [{"role": "admin", "to": ["*"]}]}
    assert (await ada("PUT", "entities", urn, "aspects", "accessRules", body=policy)).status == 403
    answer = (await ada("GET", "access", params={"urn": urn, "permission": "annotate"}, answers="access")).body
    assert (answer["allowed"], answer["reason"]) == (False, "the token lacks the scope admin")


async def test_instances_are_decided_one_by_one(api: Any, ada: Any, folder: Path) -> None:
    for name in ("hello", "world"):
        assert (await api("POST", *SNIPPETS, body=SNIPPET | {"name": name}, answers="instance")).status == 201
    listed = await ada("GET", *SNIPPETS)
    assert (listed.status, listed.body["instances"]) == (200, [])
    assert (await ada("GET", *SNIPPETS, "hello")).status == 404
    prefix = "urn:li:instance:(code-snippets,hello"
    write_policy(
        folder,
        {"role": "viewer", "to": ["user:ada"], "on": {"schemaspace": ["code-snippets"], "urnPrefix": [prefix]}},
        {"deny": ["read"], "to": ["*"], "on": {"tag": ["unused"]}},
    )
    await wait_for(lambda: ada("GET", *SNIPPETS, "hello"), 200)
    assert [one["name"] for one in (await ada("GET", *SNIPPETS)).body["instances"]] == ["hello"]
    found = await ada("GET", "search", params={"q": "*", "type": "instance"})
    assert [hit["name"] for hit in found.body["hits"]] == ["hello"]


async def test_the_deciding_rule_is_answered(api: Any, ada: Any, sales: None, folder: Path) -> None:
    (folder / "team.yaml").write_text(
        "rules:\n"
        "  - role: viewer\n"
        "    to: [group:etl]\n"
        "  - deny: [read]\n"
        "    to: [user:bob]\n"
        "    on: {namespace: [sales]}\n"
    )
    await wait_for(lambda: ada("GET", "entities", ORDERS), 200)
    own = (await ada("GET", "access", params={"urn": ORDERS})).body
    assert (own["allowed"], own["groups"]) == (True, ["etl"])
    assert own["rule"] == {"policy": str(folder / "team.yaml"), "index": 0, "line": 2, "denies": False}
    bob = (await api("GET", "access", params={"urn": ORDERS, "user": "bob", "groups": "etl"})).body
    assert (bob["allowed"], bob["rule"]["line"], bob["reason"]) == (False, 4, f"denied by {folder / 'team.yaml'}:4")
    eve = (await api("GET", "access", params={"urn": ORDERS, "user": "eve", "permission": "annotate"})).body
    assert (eve["allowed"], eve["rule"], eve["reason"]) == (False, None, "no rule grants it")
    assert (await ada("GET", "access", params={"urn": ORDERS, "user": "bob"})).status == 403


async def test_no_operation_changes_or_shows_anything_for_a_user_without_rights(
    api: Any, sales: None, kernel: Any, http_server_client: Any, jp_base_url: str
) -> None:
    """Call every writing operation of every API with the example of its body."""
    assert (await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=MARKED)).status == 200
    before = (await api("GET", "health")).body["changeLog"]["head"]
    apis = {
        "colophon/api": openapi_contract.NATIVE,
        "colophon/openlineage": openapi_contract.OPENLINEAGE,
        "colophon/datahub": openapi_contract.DATAHUB,
        "colophon/v3": openapi_contract.V3,
        "elyra": openapi_contract.ELYRA,
    }
    values = {
        "urn": ORDERS,
        "aspect": "businessMetadata",
        "namespace": "sales",
        "namespaces": "namespaces",
        "name": "x",
    }
    values |= {"entity": "namespaces/sales/datasets/orders", "data": "namespaces/sales/datasets/orders"}
    values |= {"space": "code-snippets", "dataset": "orders", "type": "dataset"}
    called, leaks = 0, []
    for prefix, contract in apis.items():
        for template, item in contract.document["paths"].items():
            path = template
            for name in (part.split("}")[0] for part in template.split("{")[1:]):
                value = values.get(name, "x")
                path = path.replace(f"{{{name}}}", value if "/" in value else value.replace(":", "%3A"))
            for method in ("post", "put", "patch", "delete"):
                if method not in item:
                    continue
                body = _find_example(contract.document, item[method])
                answer = await http_server_client.fetch(
                    f"{jp_base_url}{prefix}{path}",
                    method=method.upper(),
                    headers=kernel | {"Content-Type": "application/json"},
                    body=None if method == "delete" else json.dumps(body),
                    allow_nonstandard_methods=True,
                    raise_error=False,
                )
                called += 1
                if b"quxlefrob" in (answer.body or b""):
                    leaks.append((method, path))
    assert leaks == []
    assert called > 60
    changes = (await api("GET", "changes", params={"after": before, "limit": 500})).body["changes"]
    assert [(change["urn"], change["operation"]) for change in changes] == []


def _find_example(document: Any, operation: Any) -> Any:
    """Return an example of the body, a proposal for any other."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if "example" in content:
            return content["example"]
        schema = content.get("schema", {})
        while "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        if schema.get("examples"):
            return schema["examples"][0]
    return {"urn": ORDERS, "aspect": "businessMetadata", "operation": "upsert", "value": MARKED}
