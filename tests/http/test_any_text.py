"""Any text that people can type as a name, a value, a tag, a key or a query, through the native API and `/v3`.

It is returned unchanged and found, or it is refused with a clear error: never an internal error.
"""

import json
import os
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jupyter_colophon.core.identity.names import make_dataset_urn

pytestmark = pytest.mark.each_store

_FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"
SETTINGS = settings(
    max_examples=1_000 if _FULL else 12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
#: Characters that users and attackers type: any character, and those with a meaning in our grammars.
_SIGNS = st.sampled_from([*"\"'*?:=%/\\.,;()[]{}<>#&+-_$@|^~ \t\n", "urn:li:", "..", "%2F", "\u0130", "ß", "\ufeff"])
TEXT = st.lists(st.one_of(st.characters(exclude_categories=["Cs"]), _SIGNS), max_size=25).map("".join)
REFUSED = (400, 404, 413)


@pytest.fixture
def ask(http_server_client: Any, jp_auth_header: Any, jp_base_url: str, jp_asyncio_loop: Any, sales: None) -> Any:
    """`ask("PUT", ("v3", "namespaces", name), {…})`: status and document; an internal error fails the test."""

    def fetch(method: str, path: tuple[str, ...], body: Any = None, **params: str) -> tuple[int, Any]:
        url = f"{jp_base_url}colophon/" + "/".join(quote(part, safe="") for part in path)
        found = jp_asyncio_loop.run_until_complete(
            http_server_client.fetch(
                url + (f"?{urlencode(params)}" if params else ""),
                method=method,
                body=None if body is None else json.dumps(body).encode(),
                headers=jp_auth_header,
                allow_nonstandard_methods=True,
                raise_error=False,
            )
        )
        assert found.code == 200 or found.code in REFUSED, (method, path, body, params, found.body)
        return found.code, json.loads(found.body) if found.body and "json" in found.headers["Content-Type"] else None

    return fetch


def _is_plain(text: str) -> bool:
    """Return whether the text can be a quoted phrase of a query: the server reads control characters as blanks."""
    return bool(text.strip()) and not any(sign in '"*?' or sign < " " for sign in text)


def test_any_name_of_a_dataset(ask: Any) -> None:
    @SETTINGS
    @given(TEXT.filter(lambda text: text.strip("./") != ""))
    @example("orders?x=1#y")
    @example("a%2Fb/c")
    @example("urn:li:dataset:(x,y,z)")
    def name(text: str) -> None:
        status, _ = ask("PUT", ("v3", "namespaces", "sales", "datasets", text), {"metadata": {"tags": ["any"]}})
        if status == 200:
            path = ("v3", "namespaces", "sales", "datasets", text, "metadata", "tags")
            assert ask("GET", path) == (200, ["any"])
            found = ask("GET", ("v3", "namespaces", "sales", "metadata", "search"), query="tags:any", target="dataset")
            hidden = text.startswith("_")
            assert hidden or text in found[1]
        try:
            urn = str(make_dataset_urn("file", text))
        except Exception:  # noqa: BLE001  a name without a URN has no path
            return
        aspect = ("api", "entities", urn, "aspects", "technicalMetadata")
        if ask("PUT", aspect, {"properties": {}, "tags": ["any"]})[0] == 200:
            assert ask("GET", ("api", "entities", urn))[1]["name"] == text
            if _is_plain(text):
                query = f'dataset:"{text}"'
                assert urn in {hit["urn"] for hit in ask("GET", ("api", "search"), q=query)[1]["hits"]}

    name()


def test_any_value_tag_and_key(ask: Any) -> None:
    v3 = ("v3", "namespaces", "sales", "datasets", "orders", "metadata")
    native = ("api", "entities", "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)", "aspects")

    @SETTINGS
    @given(TEXT, TEXT, TEXT)
    @example(" padded ", "raw-data", "a-b_C9")
    @example("x" * 10_241, "x" * 51, "tags")
    def write(value: str, tag: str, key: str) -> None:
        ask("DELETE", v3)
        if ask("POST", (*v3, "properties"), {"note": value})[0] == 200:
            assert ask("GET", (*v3, "properties")) == (200, {"note": value})
            if _is_plain(value) and len(value) < 3_000:
                for found in (
                    ask("GET", (*v3[:3], "metadata", "search"), query=f'note:"{value}"', target="dataset")[1],
                    ask("GET", (*v3[:3], "metadata", "search"), query=f'note:"{value}"', target="dataset", asOf="now")[
                        1
                    ],
                ):
                    assert found == ["orders"]
                (hit,) = ask("GET", ("api", "search"), q=f'note:"{value}"')[1]["hits"]
                assert any(one["key"] == "note" and one["value"] == value for one in hit["matches"])
        if ask("POST", (*v3, "tags"), [tag])[0] == 200:
            assert ask("GET", (*v3, "tags")) == (200, [tag])
            assert ask("DELETE", (*v3, "tags", tag))[0] == 200
        if ask("POST", (*v3, "properties"), {key: "x"})[0] == 200:
            assert ask("GET", (*v3, "properties"))[1][key] == "x"
            keys = ask("GET", (*v3[:3], "metadata", "keys"), prefix=key)[1]
            assert key in {one["key"] for one in keys}
            assert ask("DELETE", (*v3, "properties", key))[0] == 200
        reported = {"properties": {"note": value, key: "x"}, "tags": [tag]}
        if ask("PUT", (*native, "businessMetadata"), reported)[0] == 200:
            assert ask("GET", (*native, "businessMetadata"))[1]["value"] == reported

    write()


def test_any_query(ask: Any) -> None:
    @SETTINGS
    @given(TEXT, st.sampled_from(["", "now", "now-1d", "1", "x"]), st.sampled_from(["names", "v5", "v6"]))
    @example("a:" * 60, "", "names")
    @example("\x00", "now", "v5")
    @example('"', "now", "v6")
    def query(text: str, time: str, form: str) -> None:
        for words in (text, f"owner:{text}", f"{text}*", f'"{text}"', f"properties:{text}"):
            ask("GET", ("api", "search"), q=words, asOf=time)
            ask("GET", ("v3", "metadata", "search"), query=words, asOf=time, responseFormat=form)
        for name in ("sort", "target", "cursor", "scope", "entityScope", "numCursors", "namespaces"):
            ask("GET", ("v3", "metadata", "search"), **({"query": "x"} | {name: text}))
        ask("GET", ("v3", "namespaces", "sales", "metadata", "keys"), prefix=text, asOf=time)
        ask("GET", ("api", "search"), q="*", facets=text)

    query()
