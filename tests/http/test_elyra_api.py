"""The Elyra API to the letter (spec INST-1, INST-2), with Elyra's defects fixed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from support.snippets import SPACE, SPACE_ID, build_snippet, get_snippet_folder, write_instance_file

#: Where instances are kept is not the database's.
STORE_NAMES = ["sqlite"]
HELLO = ("metadata", SPACE, "hello")
SNIPPETS = ("metadata", SPACE)
KIND = "application/json; charset=UTF-8"
UNKNOWN = r"The schemaspace name or id 'nope' is not in the list of valid schemaspaces: '\[.*'code-snippets'.*\]'!"
NO_INSTANCE = "No such instance named 'hello' was found in the code-snippets schemaspace."
TAKEN = "An instance named 'hello' already exists in the code-snippets schemaspace."
NO_SCHEMA = "No such schema named 'nope' was found in the code-snippets schemaspace."
RENAMED = "The attempt to rename instance 'hello' to 'other' is not supported."
NO_CODE = (
    "Validation failed for instance 'hello' using the code-snippet schema with error: 'code' is a required property."
)


def missing(member: str) -> str:
    return f"Insufficient information - '{member}' is missing from request body."


async def test_schemaspaces_are_read_by_name_or_id(elyra: Any) -> None:
    listed = await elyra("GET", "schemaspace")
    assert listed.headers["Content-Type"] == KIND
    assert {"code-snippets", "runtimes", "runtime-images", "component-catalogs"} <= set(listed.body["schemaspaces"])
    assert "component-registries" not in listed.body["schemaspaces"]
    reported = await elyra("GET", "schemaspace", SPACE)
    assert set(reported.body) == {"name", "id", "display_name", "description"}
    assert (reported.body["name"], reported.body["id"]) == (SPACE, SPACE_ID)
    for spelled in (SPACE_ID, SPACE_ID.upper(), SPACE.upper()):
        assert (await elyra("GET", "schemaspace", spelled)).body == reported.body


async def test_schemas_are_listed_under_the_requested_name(elyra: Any) -> None:
    for spelled in (SPACE, SPACE_ID, "Code-Snippets"):
        listed = await elyra("GET", "schema", spelled)
        assert [one["name"] for one in listed.body[spelled]] == ["code-snippet"]
    one = await elyra("GET", "schema", SPACE, "code-snippet")
    assert one.body == listed.body["Code-Snippets"][0]
    assert one.body["schemaspace_id"] == SPACE_ID


async def test_instance_is_created_read_replaced_and_deleted(elyra: Any, jp_base_url: str) -> None:
    made = await elyra("POST", *SNIPPETS, body=build_snippet("Hello"))
    assert (made.status, made.headers["Location"]) == (201, f"{jp_base_url}elyra/metadata/{SPACE}/hello")
    assert made.body == {"name": "hello", **build_snippet("Hello")}
    assert list(made.body) == ["name", "display_name", "metadata", "schema_name"]
    assert (await elyra("GET", *HELLO)).body == made.body
    assert (get_snippet_folder() / "hello.json").stat().st_mode & 0o777 == 0o600
    replaced = await elyra("PUT", *HELLO, body=build_snippet("Hello again", language="R"))
    assert (replaced.status, replaced.body) == (200, {"name": "hello", **build_snippet("Hello again", language="R")})
    gone = await elyra("DELETE", *HELLO)
    assert (gone.status, gone.body) == (204, None)
    absent = await elyra("GET", *HELLO)
    assert (absent.status, absent.body["message"]) == (404, NO_INSTANCE)


async def test_answer_repeats_the_requested_schemaspace_name(elyra: Any, jp_base_url: str) -> None:
    made = await elyra("POST", "metadata", SPACE_ID, body=build_snippet())
    assert made.headers["Location"] == f"{jp_base_url}elyra/metadata/{SPACE_ID}/hello"
    for spelled in (SPACE_ID, SPACE.upper(), SPACE):
        assert [one["name"] for one in (await elyra("GET", "metadata", spelled)).body[spelled]] == ["hello"]


NAMES = [
    ("Hello", "hello"),
    ('1 teste "rápido"', "a_1_teste_rpido"),
    ("ho-x-", "ho-x-_0"),
    ("A  B", "a_b"),
    ("   ", "a___0"),
]


async def test_name_is_derived_from_display_name(elyra: Any) -> None:
    for display_name, name in NAMES:
        assert (await elyra("POST", *SNIPPETS, body=build_snippet(display_name))).body["name"] == name
    for untold in ("日本語", "!!!", "\U0001f600"):
        made = await elyra("POST", *SNIPPETS, body=build_snippet(untold))
        assert made.status == 201
        assert re.fullmatch("[a-z]([a-z0-9_-]*[a-z0-9])?", made.body["name"])
        assert (await elyra("GET", *SNIPPETS, made.body["name"])).body["display_name"] == untold


REFUSED_BODIES = [
    (b"", 400, "the body is not valid JSON"),
    (b"null", 400, ""),
    (b"[1]", 400, ""),
    (b'"x"', 400, ""),
    (b"{", 400, "the body is not valid JSON"),
    (b'{"a": 1, "a": 2}', 400, "duplicate member"),
    (b'{"a": NaN}', 400, "NaN is not a JSON number"),
]


@pytest.mark.parametrize(("body", "status", "reported"), REFUSED_BODIES, ids=[str(one[0]) for one in REFUSED_BODIES])
async def test_a_body_that_is_no_object_is_refused(elyra: Any, body: bytes, status: int, reported: str) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet())
    for method, path in (("POST", SNIPPETS), ("PUT", HELLO), ("PATCH", HELLO)):
        refused = await elyra(method, *path, body=body)
        assert refused.status == status
        assert reported in refused.body["message"]


def without(member: str) -> dict[str, Any]:
    return {key: value for key, value in build_snippet().items() if key != member}


REFUSED: list[tuple[str, tuple[str, ...], Any, int, str]] = [
    ("POST", SNIPPETS, {}, 400, missing("schema_name")),
    ("POST", SNIPPETS, without("metadata"), 400, missing("metadata")),
    (
        "POST",
        SNIPPETS,
        without("display_name"),
        400,
        "Insufficient information - request body requires one of the following: ['name', 'display_name'].",
    ),
    ("POST", SNIPPETS, build_snippet(), 409, TAKEN),
    ("POST", SNIPPETS, build_snippet() | {"schema_name": "nope", "name": "other"}, 404, NO_SCHEMA),
    ("POST", SNIPPETS, build_snippet(code=None) | {"name": "other"}, 400, NO_CODE.replace("hello", "other")),
    ("POST", SNIPPETS, build_snippet() | {"name": "ab,"}, 400, "Name of metadata must be lowercase"),
    ("POST", SNIPPETS, build_snippet() | {"name": "ab\n"}, 400, "Name of metadata must be lowercase"),
    ("POST", SNIPPETS, build_snippet() | {"name": "a" * 300}, 400, "Name of metadata must be lowercase"),
    ("POST", SNIPPETS, build_snippet() | {"name": "../x"}, 400, "Name of metadata must be lowercase"),
    ("POST", SNIPPETS, build_snippet() | {"name": 7}, 400, "'name' is a string."),
    ("POST", ("metadata", "nope"), build_snippet(), 400, UNKNOWN),
    ("PUT", HELLO, without("schema_name"), 400, missing("schema_name")),
    ("PUT", HELLO, without("metadata"), 400, NO_CODE.replace("'code'", "'language'")),
    ("PUT", HELLO, build_snippet() | {"schema_name": "nope"}, 404, NO_SCHEMA),
    ("PUT", HELLO, build_snippet(code=None), 400, NO_CODE),
    ("PUT", HELLO, without("display_name"), 400, "None is not of type 'string'"),
    ("PUT", HELLO, build_snippet() | {"name": "other"}, 400, RENAMED),
    ("PUT", (*SNIPPETS, "none"), build_snippet(), 404, NO_INSTANCE.replace("hello", "none")),
    ("PUT", ("metadata", "nope", "hello"), build_snippet(), 400, UNKNOWN),
    ("PATCH", HELLO, {"metadata": {"code": None}}, 400, NO_CODE),
    ("PATCH", HELLO, {"name": "other"}, 400, RENAMED),
    ("PATCH", (*SNIPPETS, "none"), {}, 404, NO_INSTANCE.replace("hello", "none")),
    ("DELETE", (*SNIPPETS, "none"), None, 404, NO_INSTANCE.replace("hello", "none")),
    ("DELETE", ("metadata", "nope", "hello"), None, 400, UNKNOWN),
    ("GET", (*SNIPPETS, "none"), None, 404, NO_INSTANCE.replace("hello", "none")),
    ("GET", (*SNIPPETS, "Not.A.Name"), None, 404, NO_INSTANCE.replace("hello", "Not.A.Name")),
    ("GET", ("metadata", "nope"), None, 400, UNKNOWN),
    ("GET", ("metadata", "nope", "hello"), None, 400, UNKNOWN),
    ("GET", ("schema", "nope"), None, 404, UNKNOWN),
    ("GET", ("schema", "nope", "x"), None, 404, UNKNOWN),
    ("GET", ("schema", SPACE, "nope"), None, 404, NO_SCHEMA),
    ("GET", ("schemaspace", "nope"), None, 404, UNKNOWN),
    ("GET", ("metadata", SPACE, "a/b"), None, 404, "a/b"),
    ("GET", ("metadata", SPACE, "a b"), None, 404, "a b"),
    ("GET", ("metadata", SPACE, "hello", "x"), None, 404, "path .* not found"),
]
REASONS = {400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict"}


async def test_errors_have_elyras_form_and_messages(elyra: Any) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet())
    for method, path, body, status, reported in REFUSED:
        refused = await elyra(method, *path, body=body)
        assert refused.status == status, (method, path, refused.body)
        assert refused.headers["Content-Type"] == "application/json"
        assert refused.body["reason"] == REASONS[status]
        assert reported in refused.body["message"] or re.fullmatch(reported, refused.body["message"]), (method, path)
        assert "traceback" not in refused.body
    assert (await elyra("GET", *SNIPPETS)).body[SPACE] == [{"name": "hello", **build_snippet()}]


async def test_invalid_instance_lists_every_problem_with_pointer(elyra: Any) -> None:
    refused = await elyra("POST", *SNIPPETS, body=build_snippet(language="", tags=["a", " b"], code=None))
    assert refused.status == 400
    assert {one["pointer"] for one in refused.body["errors"]} == {
        "/metadata",
        "/metadata/language",
        "/metadata/tags/1",
    }


async def test_strangers_are_refused_without_a_word(elyra: Any) -> None:
    for path in (("schemaspace",), ("schema", SPACE), SNIPPETS, HELLO, ("elyra.yaml",)):
        refused = await elyra("GET", *path, anonymous=True)
        assert (refused.status, refused.body["message"]) == (403, "")
    for headers in ({}, {"Authorization": "token wrong"}):
        refused = await elyra("POST", *SNIPPETS, body=build_snippet(), anonymous=True, headers=headers)
        reported = "the token is wrong or missing ('_xsrf' argument missing from POST)"
        assert (refused.status, refused.body["message"]) == (403, reported)


async def test_unsupported_method_returns_405_with_allow(elyra: Any) -> None:
    for method, path, allowed in (
        ("PUT", SNIPPETS, "GET, POST"),
        ("POST", HELLO, "GET, PUT, PATCH, DELETE"),
        ("PATCH", ("schemaspace",), "GET"),
        ("DELETE", ("schema", SPACE), "GET"),
    ):
        refused = await elyra(method, *path, body=None if method == "DELETE" else build_snippet())
        assert (refused.status, refused.headers["Allow"], refused.body["reason"]) == (405, allowed, REASONS[405])


async def test_unknown_path_below_a_collection_returns_404(elyra: Any) -> None:
    unknown = await elyra("GET", "metadata", SPACE, "hello", "x")
    assert (unknown.status, unknown.body["reason"]) == (404, REASONS[404])
    assert (await elyra("POST", "metadata", SPACE, "hello", "x", body=build_snippet())).status == 405
    other = await elyra("GET", "pipeline", "x", documented=False)
    assert (other.status, "timestamp" in str(other.body)) == (404, False)


async def test_read_only_members_are_ignored_in_bodies(elyra: Any) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet())
    reported = {"resource": "/x", "reason": "y", "name": "hello", "other": 1}
    assert (await elyra("PUT", *HELLO, body=build_snippet() | reported)).body == {"name": "hello", **build_snippet()}
    kept = await elyra("PUT", *HELLO, body=build_snippet(more={"a": [1]}))
    assert kept.body["metadata"]["more"] == {"a": [1]}


async def test_a_broken_file_is_left_out_replaced_and_removed(elyra: Any) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet())
    write_instance_file("torn", '{"display_name": "T')
    write_instance_file("odd", build_snippet("Odd", code=None))
    write_instance_file("lost", build_snippet("Lost") | {"schema_name": "nope"})
    assert [one["name"] for one in (await elyra("GET", *SNIPPETS)).body[SPACE]] == ["hello"]
    every = (await elyra("GET", *SNIPPETS, params={"include_invalid": "true"})).body[SPACE]
    assert {one["name"]: one.get("reason") for one in every} == {
        "hello": None,
        "lost": "SchemaNotFoundError",
        "odd": "ValidationError",
        "torn": "ValueError",
    }
    for name, reported in (
        ("torn", "JSON failed to load for instance 'torn'"),
        ("odd", NO_CODE.replace("hello", "odd")),
    ):
        refused = await elyra("GET", *SNIPPETS, name)
        assert refused.status == 400
        assert reported in refused.body["message"]
        assert (await elyra("PUT", *SNIPPETS, name, body=build_snippet("Repaired"))).status == 200
        assert (await elyra("GET", *SNIPPETS, name)).body["display_name"] == "Repaired"
    assert (await elyra("GET", *SNIPPETS, "lost")).status == 400
    write_instance_file("torn", "")
    for name in ("torn", "lost"):
        assert (await elyra("DELETE", *SNIPPETS, name)).status == 204


async def test_a_list_can_be_of_one_schema_and_of_pages(elyra: Any, jp_base_url: str) -> None:
    names = [f"s{number}" for number in range(5)]
    for name in names:
        await elyra("POST", *SNIPPETS, body=build_snippet(name))
    assert [one["name"] for one in (await elyra("GET", *SNIPPETS)).body[SPACE]] == names
    assert (await elyra("GET", *SNIPPETS, params={"of_schema": "nope"})).body == {SPACE: []}
    assert len((await elyra("GET", *SNIPPETS, params={"of_schema": "code-snippet"})).body[SPACE]) == 5
    found, params = [], {"limit": "2"}
    while params:
        page = await elyra("GET", *SNIPPETS, params=params)
        found.append([one["name"] for one in page.body[SPACE]])
        link = re.fullmatch(rf'<{jp_base_url}elyra/metadata/{SPACE}\?(.*)>; rel="next"', page.headers.get("Link", ""))
        params = dict(pair.split("=", 1) for pair in link[1].split("&")) if link else {}
    assert found == [names[:2], names[2:4], names[4:]]
    for params in ({"limit": "501"}, {"limit": "x"}, {"limit": "2", "cursor": "made up"}, {"include_invalid": "x"}):
        assert (await elyra("GET", *SNIPPETS, params=params)).status == 400
    assert (await elyra("GET", *SNIPPETS, params={"unknown": "x"})).status == 200


async def test_conditional_writes_use_version_etags(elyra: Any) -> None:
    first = (await elyra("POST", *SNIPPETS, body=build_snippet())).headers["Etag"]
    assert (await elyra("GET", *HELLO)).headers["Etag"] == first
    assert (await elyra("GET", *HELLO, headers={"If-None-Match": first})).status == 304
    second = (await elyra("PUT", *HELLO, body=build_snippet("Two"), headers={"If-Match": first})).headers["Etag"]
    assert second != first
    for method, body in (("PUT", build_snippet("Three")), ("PATCH", {"display_name": "Three"}), ("DELETE", None)):
        stale = await elyra(method, *HELLO, body=body, headers={"If-Match": first})
        assert (stale.status, stale.body["reason"]) == (412, "Precondition Failed")
        assert (await elyra(method, *HELLO, body=body, headers={"If-Match": "W/x"})).status == 400
    assert (await elyra("GET", *HELLO)).body["display_name"] == "Two"
    assert (await elyra("DELETE", *HELLO, headers={"If-Match": second})).status == 204


async def test_unchanged_instance_returns_304(elyra: Any) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet())
    for path in (
        ("schemaspace",),
        ("schemaspace", SPACE),
        ("schema", SPACE),
        ("schema", SPACE, "code-snippet"),
        SNIPPETS,
    ):
        etag = (await elyra("GET", *path)).headers["Etag"]
        assert (await elyra("GET", *path, headers={"If-None-Match": etag})).status == 304
    await elyra("POST", *SNIPPETS, body=build_snippet("More"))
    assert (await elyra("GET", *SNIPPETS, headers={"If-None-Match": etag})).status == 200


async def test_patch_changes_only_named_members(elyra: Any) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet(tags=["a"]))
    patch = {"display_name": "New", "metadata": {"language": "R", "tags": None}}
    done = await elyra("PATCH", *HELLO, body=patch, headers={"Content-Type": "application/merge-patch+json"})
    assert done.body == {"name": "hello", **build_snippet("New", language="R")}


async def test_a_shared_instance_is_copied_on_change_and_shows_again(elyra: Any, jp_system_jupyter_path: Path) -> None:
    lower, given, text = (
        jp_system_jupyter_path / "metadata" / SPACE / "given.json",
        (*SNIPPETS, "given"),
        json.dumps(build_snippet("Given")),
    )
    lower.parent.mkdir(parents=True)
    lower.write_text(text)
    assert (await elyra("GET", *given)).body["display_name"] == "Given"
    assert (await elyra("POST", *SNIPPETS, body=build_snippet() | {"name": "given"})).status == 409
    refused = await elyra("DELETE", *given)
    reported = "Removal of instance 'given' from the code-snippets schemaspace is not permitted!"
    assert (refused.status, refused.body["message"], refused.body["reason"]) == (403, reported, "Forbidden")
    assert (await elyra("PUT", *given, body=build_snippet("Mine"))).body["display_name"] == "Mine"
    assert (get_snippet_folder() / "given.json").exists()
    lower.write_text("{")
    assert (await elyra("GET", *given)).body["display_name"] == "Mine"
    lower.write_text(text)
    assert (await elyra("DELETE", *given)).status == 204
    assert (await elyra("GET", *given)).body["display_name"] == "Given"


async def test_elyra_api_document_is_served(elyra: Any, jp_base_url: str) -> None:
    reported = await elyra("GET", "elyra.yaml", documented=False)
    assert reported.headers["Content-Type"] == "text/x-yaml"
    validate(reported.body, cls=OpenAPIV31SpecValidator)
    assert reported.body["servers"] == [{"url": f"{jp_base_url}elyra"}]
    assert {"/metadata/{space}", "/metadata/{space}/{instance}", "/schema/{space}", "/schemaspace"} <= set(
        reported.body["paths"]
    )


async def test_trailing_slash_is_accepted(http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> None:
    for path in (f"schemaspace/{SPACE}", "schemaspace", f"schema/{SPACE}/code-snippet", f"metadata/{SPACE}"):
        at = f"{jp_base_url}elyra/{path}"
        found = await http_server_client.fetch(
            f"{at}/", headers=jp_auth_header, follow_redirects=False, raise_error=False
        )
        assert (found.code, found.headers["Location"]) == (302, at)
        assert (await http_server_client.fetch(at, headers=jp_auth_header)).code == 200
