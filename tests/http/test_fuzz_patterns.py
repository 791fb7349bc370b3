"""A real server under hostile patterns and hostile nesting, wherever a client's text becomes a pattern or is walked through.

Each request must be answered without an internal error. One that blocks the interpreter stops the whole server: then nothing
answers any more, and the request ends by the client's patience.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from live import LiveServer, run_live_server
from support.catalog import build_metadata_value
from support.urns import ORDERS, REPORT

FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"
SETTINGS = settings(
    max_examples=1_000 if FULL else 25,
    deadline=None,
    derandomize=not FULL,
    phases=[Phase.explicit, Phase.generate],
    database=None,
    suppress_health_check=list(HealthCheck),
)
#: Without an answer for this many seconds, the server is considered stopped.
PATIENCE_S = 30
#: What some grammar repeats, groups or escapes by: LIKE, globs, expressions, macros, full text, paths, cron.
SIGNS = ["%", "_", "*", "?", "[", "(", "(a+)+", ".*", "\\", '"', "${a}", "/", "~0", ":", ",", "<", "-", "a b ", "é"]
PATTERNS = st.builds(
    lambda sign, times, end, rest: sign * times + end + rest,
    st.sampled_from(SIGNS),
    st.integers(1, 400),
    st.sampled_from(["", "!", "x", "]", ")", "\\", '"']),
    st.text(st.sampled_from("%_*?[](){}\\.+a!${"), max_size=12),
)
NESTED = st.builds(
    lambda pair, depth: pair[0] * depth + "1" + pair[1] * depth,
    st.sampled_from([("[", "]"), ('{"a":', "}"), ('{"type":', "}"), ('{"or":[{"and":', "}]}"), ('{"items":', "}")]),
    st.sampled_from([1, 16, 63, 64, 65, 200, 450, 900, 5_000]),
)
#: A nested document as the type of a field of Avro, and its opposite: many levels of unions and records.
AVRO = NESTED.map(lambda text: f'{{"type":"record","name":"r","fields":[{{"name":"f","type":{text}}}]}}')
Request = tuple[str, str, Any, Mapping[str, str]]


def action(resource: str, name: str, body: Mapping[str, Any]) -> Request:
    """A Rest.li action of DataHub's API."""
    return "POST", f"colophon/datahub/{resource}?action={name}", body, {}


def search(text: str) -> Request:
    criteria = [
        {"field": "name", "condition": condition, "values": [text] * 3}
        for condition in ("CONTAIN", "START_WITH", "END_WITH", "EQUAL")
    ]
    expected = {"entity": "dataset", "input": "*", "start": 0, "count": 10, "filter": {"or": [{"and": criteria}]}}
    return action("entities", "search", expected)


def get(path: str, **params: str) -> Request:
    return "GET", f"colophon/{path}?{urlencode(params)}", None, {}


def propose(aspect: str, value: Any) -> Request:
    proposal = {"urn": ORDERS, "aspect": aspect, "operation": "upsert", "value": value}
    return "POST", "colophon/api/proposals", {"proposals": [proposal]}, {}


def check_pipeline(text: str, argument: str) -> Request:
    stages = [
        {"name": "in", "type": "source", "plugin": "table", "properties": {"name": text}},
        {"name": "catalog", "type": "source", "plugin": "colophon", "properties": {"query": "*", "limit": "${a}"}},
    ]
    metadata_ = {"namespace": "sales", "stages": stages, "connections": []}
    document = {"display_name": "P", "schema_name": "pipeline", "metadata": metadata_}
    return "POST", "colophon/api/pipelines/check", {"name": "p", "document": document, "arguments": {"a": argument}}, {}


#: Where a client's text is matched against, or with, something.
MATCHED: dict[str, Callable[[str], Request]] = {
    "DataHub's urnLike": lambda text: action("aspects", "getCount", {"aspect": "status", "urnLike": text}),
    "DataHub's filters": search,
    "DataHub's words": lambda text: action("entities", "search", {"entity": "dataset", "input": text}),
    "words of search": lambda text: get("api/search", q=text),
    "words of search in v3": lambda text: get("v3/search", query=text),
    "a prefix of keys": lambda text: get("api/keys", prefix=text),
    "a time": lambda text: get("api/search", q="orders", asOf=text),
    "a URN": lambda text: get(f"api/entities/{quote(ORDERS[:-1] + text, safe='')}"),
    "a node of Marquez": lambda text: get("openlineage/api/v1/lineage", nodeId=text),
    "macros of a pipeline": lambda text: check_pipeline(text, "x"),
    "a tag": lambda text: propose("businessMetadata", build_metadata_value({"k": text}, [text])),
    "a type of a column": lambda text: propose("technicalMetadata", build_metadata_value({"schema": text}, [])),
    "a condition": lambda text: (
        "PUT",
        f"colophon/api/entities/{quote(ORDERS, safe='')}/aspects/businessMetadata",
        build_metadata_value({}, []),
        {"If-Match": '"' + "".join(sign for sign in text if sign.isascii() and sign != '"') + '"'},
    ),
}
#: Where a client's document, or a document in a text of it, is walked through.
WALKED: dict[str, Callable[[str], Request]] = {
    "a body": lambda text: ("POST", "colophon/api/proposals", text, {}),
    "a value": lambda text: ("POST", "colophon/api/proposals", f'{{"proposals":[{text}]}}', {}),
    "a filter": lambda text: ("POST", "colophon/datahub/entities?action=search", f'{{"filter":{text}}}', {}),
    "an event": lambda text: ("POST", "colophon/openlineage/api/v1/lineage", text, {}),
    "a schema of Avro": lambda text: propose("technicalMetadata", build_metadata_value({"schema": text}, [])),
    "an argument of a pipeline": lambda text: check_pipeline("${a}", text),
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that knows two datasets."""
    with run_live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as server:
        catalog = server.create_client()
        for urn in (ORDERS, REPORT):
            value = build_metadata_value({"format": "parquet"}, ["faa"])
            catalog.submit_proposals(
                {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "upsert", "value": value}]}
            )
        catalog.close()
        yield server


def answered(server: LiveServer, request: Request) -> None:
    """Fail unless the server answers, and by no failure of its own."""
    method, path, body, headers = request
    where = urlsplit(server.url)
    connection = HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE_S)
    raw = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
    try:
        connection.request(method, where.path + path, raw, {**server.headers, **headers})
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    assert answer.status < 500, (answer.status, text[:500])


@pytest.mark.parametrize("build", MATCHED.values(), ids=MATCHED)
@SETTINGS
@given(text=PATTERNS)
def test_hostile_pattern_is_answered(build: Callable[[str], Request], text: str, live: LiveServer) -> None:
    answered(live, build(text))


@pytest.mark.parametrize("build", WALKED.values(), ids=WALKED)
@SETTINGS
@given(text=NESTED | AVRO)
def test_hostile_nesting_is_answered(build: Callable[[str], Request], text: str, live: LiveServer) -> None:
    answered(live, build(text))
