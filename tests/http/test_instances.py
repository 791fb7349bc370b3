"""Instances of schemaspaces as JupyterLab asks for them, kept in files and kept in the catalog."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.http.door import SETTING
from jupyter_server.auth.identity import User
from support.snippets import SPACE, SPACE_ID, put_file, snippet

BASE = ("schemaspaces", SPACE)
INSTANCES = (*BASE, "instances")
HELLO = (*INSTANCES, "hello")
URN = "urn:li:instance:(code-snippets,hello)"
MERGE = {"Content-Type": "application/merge-patch+json"}
SECRET = "Hunter2-CANARY"
PLACEHOLDER = {"$secret": True}


@pytest.fixture(params=["file", "catalog"])
def kept(request: pytest.FixtureRequest) -> str:
    """Where instances are."""
    name: str = request.param
    return name


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], request: pytest.FixtureRequest) -> dict[str, Any]:
    if "kept" in request.fixturenames:
        jp_server_config["Colophon"] |= {"metadata_store": request.getfixturevalue("kept")}
    return jp_server_config


async def made(api: Any, *documents: dict[str, Any]) -> list[Any]:
    """The answers to their creation."""
    return [(await api("POST", *INSTANCES, body=one, answers="instance")).body for one in documents]


async def test_an_instance_is_made_read_replaced_and_removed(api: Any, kept: str, jp_base_url: str) -> None:
    done = await api("POST", *INSTANCES, body=snippet(), answers="instance")
    path = f"{jp_base_url}colophon/api/schemaspaces/{SPACE}/instances/hello"
    assert (done.status, done.headers["Location"], done.headers["Etag"]) == (201, path, '"1"')
    told = {key: done.body[key] for key in ("name", "urn", "version", "valid", "reason", "problems", "own", "extra")}
    assert told == {
        "name": "hello",
        "urn": URN,
        "version": 1,
        "valid": True,
        "reason": "",
        "problems": [],
        "own": True,
        "extra": {},
    }
    assert (done.body["resource"] == URN) == (kept == "catalog")
    assert (await api("GET", *HELLO, answers="instance")).body == done.body
    again = await api("PUT", *HELLO, body=snippet("Two"), answers="instance", headers={"If-Match": '"1"'})
    assert (again.body["display_name"], again.body["version"], again.headers["Etag"]) == ("Two", 2, '"2"')
    gone = await api("DELETE", *HELLO, answers="instance-removed", headers={"If-Match": '"2"'})
    assert gone.body == {"name": "hello", "urn": URN, "version": 2, "uncovered": False}
    assert (await api("GET", *HELLO)).status == 404


async def test_a_schemaspace_is_found_by_its_id_as_well(api: Any, kept: str) -> None:
    await made(api, snippet())
    for spelled in (SPACE_ID, SPACE.upper()):
        found = await api("GET", "schemaspaces", spelled, "instances", answers="instances")
        assert [one["urn"] for one in found.body["instances"]] == [URN]
        assert (await api("GET", "schemaspaces", spelled, "instances", "hello", answers="instance")).body["urn"] == URN


async def test_what_cannot_be_done_is_a_problem_with_its_places(api: Any, kept: str) -> None:
    await made(api, snippet())
    refusals: list[tuple[str, tuple[str, ...], Any, int, list[str] | None]] = [
        ("POST", INSTANCES, snippet(), 409, []),
        ("POST", INSTANCES, snippet("Other", language="", code=None), 400, ["/metadata", "/metadata/language"]),
        ("POST", INSTANCES, snippet() | {"name": "No,name"}, 400, []),
        ("POST", INSTANCES, snippet() | {"schema_name": "nope", "name": "other"}, 404, []),
        ("POST", INSTANCES, snippet() | {"more": 1}, 400, [""]),
        ("POST", INSTANCES, {"schema_name": "code-snippet"}, 400, [""]),
        ("PUT", HELLO, snippet() | {"name": "other"}, 400, []),
        ("PUT", HELLO, snippet(tags=["a", "a"]), 400, ["/metadata/tags"]),
        ("PUT", (*INSTANCES, "none"), snippet(), 404, []),
        ("PATCH", HELLO, {"metadata": {"language": 1}}, 400, ["/metadata/language"]),
        ("PATCH", HELLO, {"version": 1}, 400, []),
        ("PATCH", HELLO, [], 400, [""]),
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


async def test_a_stale_condition_changes_nothing(api: Any, kept: str) -> None:
    await made(api, snippet())
    stale = {"If-Match": '"7"'}
    for method, path, body in (
        ("PUT", HELLO, snippet("Two")),
        ("PATCH", HELLO, {"display_name": "Two"}),
        ("DELETE", HELLO, None),
        ("POST", (*HELLO, "restore"), {"version": 1}),
    ):
        assert (await api(method, *path, body=body, headers=stale)).status == 412
    assert (await api("PUT", *HELLO, body=snippet("Two"), headers={"If-None-Match": "*"})).status == 412
    assert (await api("GET", *HELLO)).body["display_name"] == "Hello"
    same = await api("GET", *HELLO, headers={"If-None-Match": '"1"'})
    assert same.status == 304


async def test_of_many_who_change_the_same_version_one_does(api: Any, kept: str) -> None:
    await made(api, snippet())
    tries = [api("PUT", *HELLO, body=snippet(f"N{at}"), headers={"If-Match": '"1"'}) for at in range(8)]
    statuses = sorted(one.status for one in await asyncio.gather(*tries))
    assert statuses == [200] + [412] * 7
    assert (await api("GET", *HELLO)).body["version"] == 2


async def test_a_merge_patch_changes_what_it_names(api: Any, kept: str) -> None:
    await made(api, snippet(tags=["a"], description="x"))
    patch = {"display_name": "New", "metadata": {"tags": ["b"], "description": None}}
    done = await api("PATCH", *HELLO, body=patch, headers=MERGE, answers="instance")
    assert (done.body["display_name"], done.body["metadata"]) == ("New", snippet(tags=["b"])["metadata"])


async def test_a_removal_is_undone_and_an_old_version_brought_back(api: Any, kept: str) -> None:
    await made(api, snippet())
    await api("PUT", *HELLO, body=snippet("Two"))
    gone = await api("DELETE", *HELLO)
    back = await api("POST", *HELLO, "restore", body={"version": gone.body["version"]}, answers="instance")
    assert (back.body["display_name"], back.body["valid"]) == ("Two", True)
    first = await api("POST", *HELLO, "restore", body={"version": 1}, answers="instance")
    assert first.body["display_name"] == "Hello"
    assert first.body["version"] > back.body["version"] > gone.body["version"]


async def test_the_history_is_that_of_its_entity(api: Any, kept: str) -> None:
    await made(api, snippet())
    await api("PUT", *HELLO, body=snippet("Two"))
    found = await api("GET", "entities", URN, "aspects", "instance", "versions", answers="versions")
    assert [one["version"] for one in found.body["versions"]] == [2, 1]
    assert found.body["versions"][0]["diff"] == [{"op": "replace", "path": "/display_name", "value": "Two"}]
    hits = await api("GET", "search", params={"q": "two", "type": "instance"}, answers="search-answer")
    assert [one["urn"] for one in hits.body["hits"]] == [URN]


async def test_other_doors_do_not_change_an_instance(api: Any, kept: str) -> None:
    await made(api, snippet())
    aspect = ("entities", URN, "aspects", "instance")
    for method, path, body in (("PUT", aspect, snippet("X")), ("DELETE", aspect, None), ("DELETE", aspect[:2], None)):
        assert (await api(method, *path, body=body)).status in (400, 403)
    assert (await api("GET", *HELLO)).body["display_name"] == "Hello"


async def test_a_list_is_filtered_counted_sorted_and_paged(api: Any, kept: str) -> None:
    await made(
        api,
        snippet("Banana", tags=["fruit", "long"], description="Yellow"),
        snippet("apple", tags=["fruit"]),
        snippet("Carrot", tags=["root"], language="R"),
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


async def test_broken_ones_are_shown_with_their_reason_repaired_and_removed(api: Any) -> None:
    put_file("torn", '{"display_name": "T')
    put_file("odd", snippet("Odd", code=None, tags=[" x"]))
    put_file("lost", snippet("Lost") | {"schema_name": "nope"})
    listed = (await api("GET", *INSTANCES, params={"valid": "false"}, answers="instances")).body["instances"]
    assert {one["name"]: one["reason"] for one in listed} == {
        "lost": "SchemaNotFoundError",
        "odd": "ValidationError",
        "torn": "ValueError",
    }
    odd = await api("GET", *INSTANCES, "odd", answers="instance")
    assert (odd.status, odd.body["valid"]) == (200, False)
    assert {one["pointer"] for one in odd.body["problems"]} == {"/metadata", "/metadata/tags/0"}
    torn = (await api("GET", *INSTANCES, "torn", answers="instance")).body
    assert (torn["metadata"], torn["schema_name"], bool(torn["problems"])) == ({}, "{unknown}", True)
    mended = await api("PUT", *INSTANCES, "torn", body=snippet("Mended"), answers="instance")
    assert (mended.status, mended.body["valid"]) == (200, True)
    assert (await api("DELETE", *INSTANCES, "lost", answers="instance-removed")).status == 200


async def test_an_edit_of_the_file_is_seen_at_once_and_has_a_version_of_its_own(api: Any) -> None:
    await made(api, snippet())
    path = put_file("hello", snippet("By hand"))
    found = await api("GET", *HELLO, answers="instance")
    assert (found.body["display_name"], found.body["version"]) == ("By hand", 2)
    assert (await api("PUT", *HELLO, body=snippet("Lost"), headers={"If-Match": '"1"'})).status == 412
    versions = (await api("GET", "entities", URN, "aspects", "instance", "versions", answers="versions")).body
    assert versions["versions"][0]["actor"].startswith("outside:")
    path.unlink()
    assert (await api("GET", *HELLO)).status == 404


async def test_values_in_use_are_told_with_their_number(api: Any, kept: str) -> None:
    await made(api, snippet("A", tags=["x", "y"]), snippet("B", language="R", tags=["x"]), snippet("C"))
    where = (*BASE, "values")
    found = await api("GET", *where, params={"pointer": "/language"}, answers="instance-values")
    assert found.body["values"] == [{"value": "Python", "count": 2}, {"value": "R", "count": 1}]
    tags = await api("GET", *where, params={"pointer": "/tags", "schema": "code-snippet"}, answers="instance-values")
    assert tags.body["values"] == [{"value": "x", "count": 2}, {"value": "y", "count": 1}]
    assert (await api("GET", *where, params={"pointer": "/none"}, answers="instance-values")).body["values"] == []
    assert (await api("GET", *where, params={"pointer": "no"})).status == 400


async def test_what_is_exported_is_imported_again(api: Any, kept: str) -> None:
    await made(api, snippet("A"), snippet("B"))
    bundle = (await api("POST", *BASE, "export", body={}, answers="instance-bundle")).body
    assert bundle["schemaspace"] == SPACE
    assert [one["name"] for one in bundle["instances"]] == ["a", "b"]
    some = (await api("POST", *BASE, "export", body={"names": ["b"]}, answers="instance-bundle")).body
    assert [one["name"] for one in some["instances"]] == ["b"]
    await api("DELETE", *INSTANCES, "a")
    await api("PUT", *INSTANCES, "b", body=snippet("Changed"))
    extra = [{"name": "odd", **snippet(code=None)}, {"name": "No name", **snippet()}]
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


RUNTIME = {
    "display_name": "Work",
    "schema_name": "kfp",
    "metadata": {
        "api_endpoint": "https://kfp.example/pipeline",
        "cos_endpoint": "https://cos.example",
        "cos_bucket": "bucket",
        "cos_username": "ada",
        "cos_password": SECRET,
        "cos_auth_type": "USER_CREDENTIALS",
        "engine": "Argo",
        "auth_type": "NO_AUTHENTICATION",
        "runtime_type": "KUBEFLOW_PIPELINES",
    },
}


async def test_a_secret_is_never_told_and_stays_when_its_place_is_sent_back(
    api: Any, elyra: Any, kept: str, tmp_path: Path
) -> None:
    where = ("schemaspaces", "runtimes", "instances")
    done = await api("POST", *where, body=RUNTIME)
    assert done.status == 201, done.body
    assert done.body["metadata"]["cos_password"] == PLACEHOLDER
    body = {key: done.body[key] for key in ("display_name", "schema_name", "metadata")} | {"display_name": "Again"}
    assert (await api("PUT", *where, "work", body=body)).status == 200
    told = [
        await api("GET", *where, "work"),
        await api("GET", *where),
        await api("POST", "schemaspaces", "runtimes", "export", body={}),
        await api("GET", "schemaspaces", "runtimes", "values", params={"pointer": "/cos_password"}),
        await api("GET", "entities", "urn:li:instance:(runtimes,work)"),
        await api("GET", "entities", "urn:li:instance:(runtimes,work)", "aspects", "instance", "versions"),
        await api("GET", "changes"),
        await api("GET", "search", params={"q": f'work "{SECRET}" ada'}),
        await elyra("GET", "metadata", "runtimes"),
        await elyra("GET", "metadata", "runtimes", "work"),
    ]
    assert {one.status for one in told} == {200}
    shown = [json.dumps(one.body) for one in told]
    shown[7] = json.dumps(told[7].body["hits"])
    assert [one for one in shown if SECRET in one] == []
    assert all("Again" in shown[at] for at in (0, 1, 2, 8, 9))
    open_ = await api(
        "POST", "schemaspaces", "runtimes", "export", body={"includeSecrets": True}, answers="instance-bundle"
    )
    assert open_.body["instances"][0]["metadata"]["cos_password"] == SECRET


async def test_code_in_a_kernel_reads_instances_and_changes_none(api: Any, jp_serverapp: Any) -> None:
    await made(api, snippet())
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    kernel = {"Authorization": f"token {tokens.issue('kernel-1', User('ada'), 'ada')}"}

    async def asked(method: str, *path: str, body: Any = None, params: Any = None) -> int:
        return (await api(method, *path, body=body, params=params, anonymous=True, headers=kernel)).status

    assert await asked("GET", *HELLO) == 200
    assert await asked("GET", *INSTANCES) == 200
    assert await asked("POST", *BASE, "export", body={}) == 200
    for method, path, body in (
        ("POST", INSTANCES, snippet("New")),
        ("PUT", HELLO, snippet("New")),
        ("PATCH", HELLO, {"display_name": "New"}),
        ("DELETE", HELLO, None),
        ("POST", (*HELLO, "restore"), {"version": 1}),
        ("POST", (*BASE, "import"), {"instances": [{"name": "new", **snippet("New")}]}),
        ("POST", (*BASE, "export"), {"includeSecrets": True}),
        ("POST", (*BASE, "migrate"), None),
        ("POST", ("schemaspaces", "refresh"), None),
    ):
        assert await asked(method, *path, body=body) == 403, (method, path)
    listed = (await api("GET", *INSTANCES, answers="instances")).body["instances"]
    assert [one["display_name"] for one in listed] == ["Hello"]


async def test_a_change_is_announced(api: Any, kept: str) -> None:
    await made(api, snippet())
    await api("DELETE", *HELLO)
    found = await api("GET", "changes", params={"type": "instance"}, answers="changes")
    assert {one["urn"] for one in found.body["changes"]} == {URN}


ODD_NAMES = [
    "%2e%2e",
    "..%2f..%2fx",
    "a%00b",
    "%2fetc%2fpasswd",
    "a%5cb",
    "CON",
    ".hidden",
    "%20",
    "a%0db",
    "%e2%80%aetxt.exe",
    "%ff%fe",
    "%252e%252e%252f",
    "a" * 300,
    "hello.json",
    "hello%0a",
]


async def test_no_name_leads_out_of_the_folder(
    api: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str, jp_data_dir: Path
) -> None:
    await made(api, snippet())
    before = files(jp_data_dir)
    assert list(before) == [str(jp_data_dir / "metadata" / SPACE / "hello.json")]
    for name in ODD_NAMES:
        for path in (f"elyra/metadata/{SPACE}/{name}", f"colophon/api/schemaspaces/{SPACE}/instances/{name}"):
            for method, body in (("GET", None), ("PUT", json.dumps(snippet())), ("PATCH", "{}"), ("DELETE", None)):
                found = await http_server_client.fetch(
                    jp_base_url + path, method=method, body=body, headers=jp_auth_header, raise_error=False
                )
                assert found.code in (400, 404), (method, path, found.code, found.body)
                assert str(jp_data_dir).encode() not in found.body
    for name in (
        "..",
        "../x",
        "a\x00b",
        "/etc/passwd",
        "a\\b",
        "CON",
        ".hidden",
        " ",
        "a" * 300,
        "hello.json",
        "hello\n",
    ):
        assert (await api("POST", *INSTANCES, body=snippet() | {"name": name})).status == 400, name
    assert files(jp_data_dir) == before


def files(folder: Path) -> dict[str, bytes]:
    """All that is kept of instances."""
    found = [path for path in (folder / "metadata").rglob("*") if path.is_file() and ".locks" not in path.parts]
    return {str(path): path.read_bytes() for path in found}
