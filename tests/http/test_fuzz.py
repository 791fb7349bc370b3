"""A real server under requests generated from its own document (schemathesis): no internal error, only documented answers."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from live import LiveServer, run_live_server
from schemathesis import Case, Config
from schemathesis.core.failures import FailureGroup
from support.catalog import build_metadata_value
from support.openapi_contract import DOCUMENT, ELYRA_DOCUMENT
from support.snippets import SPACE, SPACE_ID, build_snippet
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, SALES

FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"
EXAMPLES, ROUNDS, WALKS, STEPS = (400, 20, 10, 20) if FULL else (20, 4, 5, 10)
SETTINGS = settings(max_examples=EXAMPLES, deadline=None, derandomize=not FULL, suppress_health_check=list(HealthCheck))
CONFIG = {
    "checks": {
        # Rules beyond JSON Schema: an aspect's own schema, conditions, a grammar of names.
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "3xx", "400", "403", "404", "409", "410", "412", "413"]
        },
        "negative_data_rejection": {"expected-statuses": ["400", "403", "404", "405", "413"]},
    },
    # A history outlives its aspect.
    "operations": [
        {"include-operation-id": "listVersions", "checks": {"use_after_free": {"enabled": False}}},
        # A stream of events has no end: it is read for this number of seconds.
        {"include-operation-id": "streamChanges", "request-timeout": 2},
    ],
    # Undeclared parameters have their own tests: a parameter of digits without a value is accepted.
    "generation": {"with-security-parameters": False, "allow-extra-parameters": False},
}
FORMATS = {
    "urn": st.sampled_from(
        [SALES, ORDERS, REPORT, NOTEBOOK, CELL, "urn:li:namespace:x", "urn:li:dataset:(a,b,c)", "-"]
    ),
    "aspect": st.sampled_from(["businessMetadata", "technicalMetadata", "schemaMetadata", "status", "datasetKey", "x"]),
    "time": st.sampled_from(["now", "now-1d+2h", "0", "1763640000", "2026-11-20T12:00:00Z", "2026-11-20"]),
    "date": st.sampled_from(["Fri, 20 Nov 2026 12:00:00 GMT", "2026-11-20T12:00:00Z"]),
    "etag": st.sampled_from(["*", '"1"', '"2"', '"-1"']),
    "query": st.sampled_from(["*", "orders", "owner:ops", '"a phrase"', "op*", "tags:x OR y"]),
    "cursor": st.just(""),
    "space": st.sampled_from([SPACE, SPACE_ID, "runtimes", "component-registries", "nope"]),
    "instance": st.sampled_from(["hello", "broken", "none", "Not a name"]),
}
_SECONDS = {str(second) for second in range(1, 31)}
for _name, _strategy in FORMATS.items():
    schemathesis.openapi.format(f"colophon-{_name}", _strategy)
API = schemathesis.openapi.from_dict(deepcopy(DOCUMENT), config=Config.from_dict(CONFIG))
ELYRA = schemathesis.openapi.from_dict(deepcopy(ELYRA_DOCUMENT), config=Config.from_dict(CONFIG))


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that knows two datasets and a cell's run, a code snippet and a broken one."""
    home: Path = tmp_path_factory.mktemp("home")
    with run_live_server(tmp_path_factory.mktemp("root"), home) as server:
        catalog = server.create_client()
        for urn in (ORDERS, REPORT):
            value = build_metadata_value({"format": "parquet"}, ["faa"])
            catalog.submit_proposals(
                {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "upsert", "value": value}]}
            )
        catalog.close()
        folder = server.data / "metadata" / SPACE
        folder.mkdir(parents=True)
        (folder / "hello.json").write_text(json.dumps(build_snippet()))
        (folder / "broken.json").write_text("{")
        yield server


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """Connections that stay open, without cookies: each request authenticates itself."""
    with requests.Session() as opened:
        opened.headers.clear()
        opened.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        # Otherwise proxies are looked for in the environment before each request.
        opened.trust_env = False
        yield opened


@schemathesis.serializer("application/x-ndjson")
def _lines(_: Any, value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")


@API.parametrize()
@SETTINGS
def test_every_operation_answers_as_documented(case: Case, live: LiveServer, session: requests.Session) -> None:
    _without_waiting(case)
    case.call_and_validate(session=session, **_to(live))


@ELYRA.parametrize()
@SETTINGS
def test_every_elyra_operation_answers_as_documented(case: Case, live: LiveServer, session: requests.Session) -> None:
    case.call_and_validate(session=session, **_to(live, "elyra"))


def test_linked_operations_answer_as_documented(live: LiveServer, session: requests.Session) -> None:
    failures: list[str] = []
    steps = 0

    class Walk(API.as_state_machine()):  # type: ignore[misc]  # made at run time
        def before_call(self, case: Case) -> None:
            _without_waiting(case)

        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"session": session, **_to(live)}

        def validate_response(self, response: Any, case: Case, **options: Any) -> None:
            nonlocal steps
            steps += 1
            try:
                super().validate_response(response, case, **options)
            except FailureGroup as found:
                failures.append(str(found))

    # Entities left by one run change the next one, which hypothesis may report as flaky: it ends that round.
    each = settings(SETTINGS, max_examples=WALKS, stateful_step_count=STEPS, phases=[Phase.generate], database=None)
    for number in range(ROUNDS):
        with suppress(Flaky):
            seed(number)(Walk).run(settings=each)
    assert failures == []
    assert steps > ROUNDS * WALKS


def _to(server: LiveServer, prefix: str = "colophon/api") -> dict[str, Any]:
    return {"base_url": f"{server.url}{prefix}", "headers": {"Authorization": f"token {server.token}"}}


def _without_waiting(case: Case) -> None:
    """Shorten long polls: they would be answered only after their time."""
    if str(case.query.get("waitSeconds")) in _SECONDS:
        case.query["waitSeconds"] = 0
