"""Instances of schemaspaces as JupyterLab uses them, stored in files and in the catalog."""

import asyncio
from typing import Any

import pytest
from support.instances import BASE, HELLO, INSTANCES, URN, create_instances
from support.snippets import SPACE, SPACE_ID, build_snippet

MERGE = {"Content-Type": "application/merge-patch+json"}
JSON_PATCH = {"Content-Type": "application/json-patch+json"}


async def test_instance_is_created_read_replaced_and_deleted(api: Any, kept: str, jp_base_url: str) -> None:
    done = await api("POST", *INSTANCES, body=build_snippet(), answers="instance")
    path = f"{jp_base_url}colophon/api/schemaspaces/{SPACE}/instances/hello"
    assert (done.status, done.headers["Location"], done.headers["Etag"]) == (201, path, '"1"')
    reported = {
        key: done.body[key] for key in ("name", "urn", "version", "valid", "reason", "problems", "deletable", "extra")
    }
    assert reported == {
        "name": "hello",
        "urn": URN,
        "version": 1,
        "valid": True,
        "reason": "",
        "problems": [],
        "deletable": True,
        "extra": {},
    }
    assert (done.body["resource"] == URN) == (kept == "catalog")
    assert (await api("GET", *HELLO, answers="instance")).body == done.body
    again = await api("PUT", *HELLO, body=build_snippet("Two"), answers="instance", headers={"If-Match": '"1"'})
    assert (again.body["display_name"], again.body["version"], again.headers["Etag"]) == ("Two", 2, '"2"')
    gone = await api("DELETE", *HELLO, answers="instance-delete-result", headers={"If-Match": '"2"'})
    assert gone.body == {"name": "hello", "urn": URN, "version": 2, "sharedInstanceVisible": False}
    assert (await api("GET", *HELLO)).status == 404


async def test_a_schemaspace_is_found_by_its_id_as_well(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    for spelled in (SPACE_ID, SPACE.upper()):
        found = await api("GET", "schemaspaces", spelled, "instances", answers="instances")
        assert [one["urn"] for one in found.body["instances"]] == [URN]
        assert (await api("GET", "schemaspaces", spelled, "instances", "hello", answers="instance")).body["urn"] == URN


async def test_invalid_requests_return_problems_with_pointers(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    refusals: list[tuple[str, tuple[str, ...], Any, int, list[str] | None]] = [
        ("POST", INSTANCES, build_snippet(), 409, []),
        ("POST", INSTANCES, build_snippet("Other", language="", code=None), 400, ["/metadata", "/metadata/language"]),
        ("POST", INSTANCES, build_snippet() | {"name": "No,name"}, 400, []),
        ("POST", INSTANCES, build_snippet() | {"schema_name": "nope", "name": "other"}, 404, []),
        ("POST", INSTANCES, build_snippet() | {"more": 1}, 400, [""]),
        ("POST", INSTANCES, {"schema_name": "code-snippet"}, 400, [""]),
        ("PUT", HELLO, build_snippet() | {"name": "other"}, 400, []),
        ("PUT", HELLO, build_snippet(tags=["a", "a"]), 400, ["/metadata/tags"]),
        ("PUT", (*INSTANCES, "none"), build_snippet(), 404, []),
        ("PATCH", HELLO, {"metadata": {"language": 1}}, 400, ["/metadata/language"]),
        ("PATCH", HELLO, {"version": 1}, 400, []),
        ("PATCH", HELLO, 7, 400, [""]),
        ("DELETE", (*INSTANCES, "none"), None, 404, []),
        ("POST", (*HELLO, "restore"), {"version": 9}, 404, []),
        ("POST", (*HELLO, "restore"), {"version": 0}, 400, ["/version"]),
        ("GET", (*BASE, "values"), None, 400, []),
        ("GET", ("schemaspaces", "nope", "instances"), None, 404, []),
        ("GET", (*BASE, "schemas", "nope"), None, 404, []),
        ("POST", ("schemaspaces", "nope", "import"), {"instances": []}, 404, []),
        ("POST", (*BASE, "import"), {"instances": [{}]}, 400, None),
    ]
    for method, path, body, status, places in refusals:
        refused = await api(method, *path, body=body)
        assert refused.status == status, (method, path, body, refused.body)
        if places is not None:
            assert sorted({one["pointer"] for one in refused.body["errors"]}) == places, (body, refused.body)


async def test_stale_if_match_returns_412(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    stale = {"If-Match": '"7"'}
    for method, path, body in (
        ("PUT", HELLO, build_snippet("Two")),
        ("PATCH", HELLO, {"display_name": "Two"}),
        ("DELETE", HELLO, None),
        ("POST", (*HELLO, "restore"), {"version": 1}),
    ):
        assert (await api(method, *path, body=body, headers=stale)).status == 412
    assert (await api("PUT", *HELLO, body=build_snippet("Two"), headers={"If-None-Match": "*"})).status == 412
    assert (await api("GET", *HELLO)).body["display_name"] == "Hello"
    same = await api("GET", *HELLO, headers={"If-None-Match": '"1"'})
    assert same.status == 304


async def test_concurrent_updates_of_a_version_succeed_once(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    tries = [api("PUT", *HELLO, body=build_snippet(f"N{at}"), headers={"If-Match": '"1"'}) for at in range(8)]
    statuses = sorted(one.status for one in await asyncio.gather(*tries))
    assert statuses == [200] + [412] * 7
    assert (await api("GET", *HELLO)).body["version"] == 2


async def test_merge_patch_changes_only_named_members(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet(tags=["a"], description="x"))
    patch = {"display_name": "New", "metadata": {"tags": ["b"], "description": None}}
    done = await api("PATCH", *HELLO, body=patch, headers=MERGE, answers="instance")
    assert (done.body["display_name"], done.body["metadata"]) == ("New", build_snippet(tags=["b"])["metadata"])


async def test_json_patch_changes_one_place_each(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet(tags=["a"], description="x"))
    operations = [
        {"op": "test", "path": "/metadata/tags/0", "value": "a"},
        {"op": "add", "path": "/metadata/tags/-", "value": "b"},
        {"op": "remove", "path": "/metadata/description"},
        {"op": "replace", "path": "/display_name", "value": "New"},
    ]
    done = await api("PATCH", *HELLO, body=operations, headers=JSON_PATCH, answers="instance")
    assert (done.body["display_name"], done.body["metadata"]) == ("New", build_snippet(tags=["a", "b"])["metadata"])


@pytest.mark.parametrize(
    "operations",
    [
        [{"op": "test", "path": "/metadata/language", "value": "R"}],
        [{"op": "remove", "path": "/metadata/tags"}],
        [{"op": "add", "path": "/name", "value": "other"}],
        [{"op": "add", "path": "/version", "value": 7}],
        [{"op": "add", "path": "/extra", "value": 7}],
        [{"op": "add", "path": "", "value": 7}],
        [{"op": "add", "path": "/metadata", "value": 7}],
        [{"op": "shuffle", "path": "/metadata"}],
        {"metadata": {}},
    ],
)
async def test_failed_json_patch_changes_nothing(api: Any, kept: str, operations: Any) -> None:
    (before,) = await create_instances(api, build_snippet())
    done = await api("PATCH", *HELLO, body=operations, headers=JSON_PATCH, answers="problem")
    assert done.status == 400
    assert (await api("GET", *HELLO)).body == before


async def test_json_patches_at_once_are_all_applied(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet(tags=[]))
    tags = [f"t{number}" for number in range(8)]
    patches = [[{"op": "add", "path": "/metadata/tags/-", "value": tag}] for tag in tags]
    tries = [api("PATCH", *HELLO, body=patch, headers=JSON_PATCH) for patch in patches]
    assert {one.status for one in await asyncio.gather(*tries)} == {200}
    assert sorted((await api("GET", *HELLO)).body["metadata"]["tags"]) == tags


async def test_complete_instances_are_listed_by_name_in_pages(api: Any, kept: str) -> None:
    one, two = await create_instances(api, build_snippet("Two"), build_snippet("One", tags=["a"]))
    path = (*BASE, "complete-instances")
    first = (await api("GET", *path, params={"limit": 1}, answers="complete-instances")).body
    rest = (await api("GET", *path, params={"limit": 1, "cursor": first["cursor"]}, answers="complete-instances")).body
    assert [*first["instances"], *rest["instances"]] == [{**two, "version": None}, {**one, "version": None}]
    assert rest["cursor"] is None
    none = (await api("GET", *path, params={"schema": "other"}, answers="complete-instances")).body
    assert none == {"instances": [], "cursor": None}


async def test_a_removal_is_undone_and_an_old_version_brought_back(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    await api("PUT", *HELLO, body=build_snippet("Two"))
    gone = await api("DELETE", *HELLO)
    back = await api("POST", *HELLO, "restore", body={"version": gone.body["version"]}, answers="instance")
    assert (back.body["display_name"], back.body["valid"]) == ("Two", True)
    first = await api("POST", *HELLO, "restore", body={"version": 1}, answers="instance")
    assert first.body["display_name"] == "Hello"
    assert first.body["version"] > back.body["version"] > gone.body["version"]


async def test_the_history_is_that_of_its_entity(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    await api("PUT", *HELLO, body=build_snippet("Two"))
    found = await api("GET", "entities", URN, "aspects", "instance", "versions", answers="versions")
    assert [one["version"] for one in found.body["versions"]] == [2, 1]
    assert found.body["versions"][0]["diff"] == [{"op": "replace", "path": "/display_name", "value": "Two"}]
    hits = await api("GET", "search", params={"q": "two", "type": "instance"}, answers="search-results")
    assert [one["urn"] for one in hits.body["hits"]] == [URN]


async def test_other_apis_do_not_change_an_instance(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    aspect = ("entities", URN, "aspects", "instance")
    for method, path, body in (
        ("PUT", aspect, build_snippet("X")),
        ("DELETE", aspect, None),
        ("DELETE", aspect[:2], None),
    ):
        assert (await api(method, *path, body=body)).status in (400, 403)
    assert (await api("GET", *HELLO)).body["display_name"] == "Hello"


async def test_a_change_is_announced(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet())
    await api("DELETE", *HELLO)
    found = await api("GET", "changes", params={"type": "instance"}, answers="changes")
    assert {one["urn"] for one in found.body["changes"]} == {URN}
