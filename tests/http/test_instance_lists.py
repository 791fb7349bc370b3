"""Lists of instances and bulk operations: filters, pages, values in use, export and import."""

from typing import Any

from support.instances import BASE, INSTANCES, create_instances
from support.snippets import SPACE, build_snippet


async def test_a_list_is_filtered_counted_sorted_and_paged(api: Any, kept: str) -> None:
    await create_instances(
        api,
        build_snippet("Banana", tags=["fruit", "long"], description="Yellow"),
        build_snippet("apple", tags=["fruit"]),
        build_snippet("Carrot", tags=["root"], language="R"),
    )

    async def listed(**params: str) -> list[str]:
        found = await api("GET", *INSTANCES, params=params, answers="instances")
        return [one["name"] for one in found.body["instances"]]

    assert await listed() == ["apple", "banana", "carrot"]
    assert await listed(sort="-name") == ["carrot", "banana", "apple"]
    assert (
        await listed(sort="time") == ["banana", "apple", "carrot"] if kept == "catalog" else await listed(sort="time")
    )
    assert await listed(q="YELLOW") == ["banana"]
    assert await listed(q="fruit") == ["apple", "banana"]
    assert await listed(tag="root") == ["carrot"]
    assert await listed(tag='["root", "long"]') == ["banana", "carrot"]
    assert await listed(schema="nope") == []
    assert await listed(valid="false") == []
    whole = (await api("GET", *INSTANCES, params={"tag": "root"}, answers="instances")).body
    assert whole["total"] == 1
    assert whole["tags"] == [{"name": "fruit", "count": 2}, {"name": "long", "count": 1}, {"name": "root", "count": 1}]
    assert whole["schemas"] == [{"name": "code-snippet", "count": 1}]
    assert whole["instances"][0]["language"] == "R"
    first = (await api("GET", *INSTANCES, params={"limit": "2"}, answers="instances")).body
    rest = (await api("GET", *INSTANCES, params={"limit": "2", "cursor": first["cursor"]}, answers="instances")).body
    assert [len(one["instances"]) for one in (first, rest)] == [2, 1]
    assert (first["total"], rest["total"], rest["cursor"]) == (3, 3, None)
    for wrong in ({"sort": "x"}, {"tag": "[1]"}, {"tag": "["}, {"valid": "x"}, {"limit": "0"}, {"cursor": "made-up"}):
        assert (await api("GET", *INSTANCES, params=wrong)).status == 400, wrong
    other = await api("GET", *INSTANCES, params={"q": "a", "limit": "2", "cursor": first["cursor"]})
    assert other.status == 400


async def test_values_in_use_are_counted(api: Any, kept: str) -> None:
    await create_instances(
        api, build_snippet("A", tags=["x", "y"]), build_snippet("B", language="R", tags=["x"]), build_snippet("C")
    )
    where = (*BASE, "values")
    found = await api("GET", *where, params={"pointer": "/language"}, answers="instance-values")
    assert found.body["values"] == [{"value": "Python", "count": 2}, {"value": "R", "count": 1}]
    tags = await api("GET", *where, params={"pointer": "/tags", "schema": "code-snippet"}, answers="instance-values")
    assert tags.body["values"] == [{"value": "x", "count": 2}, {"value": "y", "count": 1}]
    assert (await api("GET", *where, params={"pointer": "/none"}, answers="instance-values")).body["values"] == []
    assert (await api("GET", *where, params={"pointer": "no"})).status == 400


async def test_export_can_be_imported(api: Any, kept: str) -> None:
    await create_instances(api, build_snippet("A"), build_snippet("B"))
    bundle = (await api("POST", *BASE, "export", body={}, answers="instance-bundle")).body
    assert bundle["schemaspace"] == SPACE
    assert [one["name"] for one in bundle["instances"]] == ["a", "b"]
    some = (await api("POST", *BASE, "export", body={"names": ["b"]}, answers="instance-bundle")).body
    assert [one["name"] for one in some["instances"]] == ["b"]
    await api("DELETE", *INSTANCES, "a")
    await api("PUT", *INSTANCES, "b", body=build_snippet("Changed"))
    extra = [{"name": "odd", **build_snippet(code=None)}, {"name": "No name", **build_snippet()}]
    bundle["instances"] += extra

    async def taken(**params: str) -> dict[str, str]:
        done = await api("POST", *BASE, "import", body=bundle, params=params, answers="instance-import")
        assert done.body["dryRun"] == (params.get("dryRun") == "true")
        assert sum(done.body["counts"].values()) == len(bundle["instances"])
        return {one["name"]: one["outcome"] for one in done.body["results"]}

    assert await taken(dryRun="true") == {"a": "created", "b": "conflict", "odd": "invalid", "No name": "invalid"}
    assert (await api("GET", *INSTANCES, "a")).status == 404
    assert await taken() == {"a": "created", "b": "conflict", "odd": "invalid", "No name": "invalid"}
    assert (await api("GET", *INSTANCES, "b")).body["display_name"] == "Changed"
    assert await taken(overwrite="true") == {"a": "unchanged", "b": "updated", "odd": "invalid", "No name": "invalid"}
    assert (await api("GET", *INSTANCES, "b")).body["display_name"] == "B"
