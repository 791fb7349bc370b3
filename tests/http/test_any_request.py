"""Any request gets an answer or a refusal, never an internal error."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.catalog import build_metadata_value
from support.urns import CELL, ORDERS

pytestmark = pytest.mark.each_store

SCHEMAS = Path(__file__).parents[2] / "schemas" / "api"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORDS = st.sampled_from(
    [
        "",
        "*",
        "0",
        "1",
        "-1",
        "9" * 30,
        "now",
        "now-1d",
        "now+" + "9" * 20 + "d",
        "2026-11-20T12:00:00Z",
        "both",
        "true",
        "urn:li:dataset:",
        "urn:li:dataset:(a,b,c)",
        "urn:li:namespace:sales",
        "urn:li:a:((((",
        ORDERS,
        CELL,
        "²",
        "%",
        "a\x00b",
    ]
)
ANY = st.one_of(WORDS, TEXT)
NAMES = ["q", "namespace", "type", "tag", "scope", "platform", "owner", "limit", "cursor", "prefix", "urn", "levels"]
NAMES += ["direction", "start", "end", "columns", "program", "data", "status", "after", "aspects"]
LISTS = [("search",), ("keys",), ("entities",), ("runs",), ("changes",), ("lineage",), ("entities", "-"), ("health",)]
#: A part that a client sends is never empty, and dots alone are taken out of a path before it is sent.
PART = ANY.filter(lambda text: text.strip("./") != "")
MAKERS = [
    lambda part: ("entities", part),
    lambda part: ("entities", ORDERS, "aspects", part),
    lambda part: ("entities", part, "aspects", "businessMetadata", "versions"),
    lambda part: ("runs", part),
    lambda part: ("registry", part),
    lambda part: ("keys", part, "values"),
]
PATHS = st.one_of(st.sampled_from(LISTS), st.tuples(st.sampled_from(MAKERS), PART).map(lambda pair: pair[0](pair[1])))
BODIES = [
    ("POST", ("proposals",), "proposals"),
    ("POST", ("runs",), "run-start"),
    ("PATCH", ("runs", "{run}"), "run-change"),
]
BODIES += [("POST", ("runs", "{run}", "accesses"), "accesses")]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY, inner, max_size=3),
    max_leaves=6,
)
SETTINGS = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_any_question_is_answered_or_refused(api: Any, sales: None, jp_asyncio_loop: Any) -> None:
    @SETTINGS
    @given(PATHS, st.dictionaries(st.sampled_from(NAMES), ANY, max_size=4))
    def ask(path: tuple[str, ...], params: dict[str, str]) -> None:
        found = jp_asyncio_loop.run_until_complete(api("GET", *path, params=params))
        assert found.status in (200, 400, 404), (path, params, found.body)

    ask()


def test_any_body_is_taken_or_refused(api: Any, sales: None, jp_asyncio_loop: Any) -> None:
    start = {"program": CELL, "runId": "r", "start": "2026-11-20T12:00:00Z"}
    run = jp_asyncio_loop.run_until_complete(api("POST", "runs", body=start, answers="run")).body["urn"]
    examples = {name: json.loads((SCHEMAS / f"{name}.json").read_text())["examples"][0] for _, _, name in BODIES}

    @SETTINGS
    @given(st.sampled_from(BODIES), st.data())
    def send(route: tuple[str, tuple[str, ...], str], data: st.DataObject) -> None:
        method, path, name = route
        body = json.loads(json.dumps(examples[name]))
        places = list(_places(body))
        holder, key = data.draw(st.sampled_from(places))
        holder[key] = data.draw(VALUES)
        parts = tuple(run if part == "{run}" else part for part in path)
        found = jp_asyncio_loop.run_until_complete(api(method, *parts, body=body))
        assert found.status in (200, 400, 404, 409, 412), (name, body, found.body)

    send()


def test_any_patch_is_applied_or_refused(api: Any, sales: None, jp_asyncio_loop: Any) -> None:
    path = ("entities", ORDERS, "aspects", "businessMetadata")
    operation = st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "x"])},
        optional={
            "path": st.sampled_from(["", "/", "/tags", "/tags/-", "/tags/0", "/tags/00", "/properties/a", "/a~2", "x"]),
            "from": st.sampled_from(["", "/tags", "/properties"]),
            "value": VALUES,
        },
    )

    @SETTINGS
    @given(st.one_of(st.lists(operation, max_size=4), st.dictionaries(ANY, VALUES, max_size=3)))
    def patch(body: Any) -> None:
        kind = "json-patch" if isinstance(body, list) else "merge-patch"
        headers = {"Content-Type": f"application/{kind}+json"}
        found = jp_asyncio_loop.run_until_complete(api("PATCH", *path, body=body, headers=headers))
        assert found.status in (200, 400, 413), (body, found.body)

    patch()
    value = jp_asyncio_loop.run_until_complete(api("PUT", *path, body=build_metadata_value(), answers="write-result"))
    assert value.status == 200


async def test_requests_at_once_are_all_answered(api: Any, sales: None) -> None:
    path = ("entities", ORDERS, "aspects", "businessMetadata")
    writes = [
        api("PUT", *path, body=build_metadata_value({"n": str(number)}), answers="write-result") for number in range(40)
    ]
    reads = [api("GET", "search", params={"q": "orders"}, answers="search-results") for _ in range(40)]
    done = await asyncio.gather(*writes, *reads)
    assert {one.status for one in done} == {200}
    assert sorted(one.body["version"] for one in done[:40]) == list(range(1, 41))


def _places(value: Any) -> Any:
    """Every (holder, key) in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)
