"""Hidden entities are in no answer: every GET of every API is searched for a word that only hidden entities contain."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from faults.size import IS_FULL
from jupyter_colophon.core.identity.names import (
    Urn,
    make_dataset_urn,
    make_instance_urn,
    make_program_urn,
    make_run_urn,
)
from support import openapi_contract
from support.catalog import build_metadata_value
from support.events import open_event_stream
from support.openlineage import RUN, build_event, build_event_dataset
from support.service_tokens import create_service_token
from support.urns import build_table_urn

#: A word of hidden things alone, in lower case as engines of full text keep it.
MARK = "quxlefrob"
UNKNOWN = "nosuchone"
TIMESTAMP = re.compile(r'"timestamp": "[^"]*"')
HIDDEN, SHOWN = build_table_urn(MARK, "secret"), build_table_urn("plain", "open")
FOREIGN, PIPE = str(make_dataset_urn("postgres", f"db:5432/secret.{MARK}")), str(make_instance_urn("pipelines", MARK))
FED, LOAD = str(make_dataset_urn("postgres", "db:5432/open.plain")), f"urn:li:dataProcessInstance:{RUN}"
PROGRAM = str(make_program_urn("secret", "etl", "flows", MARK))
#: Entities of a hidden namespace, and entities that refer to them.
PIPELINES = ("schemaspaces", "pipelines", "instances")
STAGES = [
    {"name": "a", "type": "source", "plugin": "file", "properties": {"path": f"/{MARK}", "format": "csv"}},
    {"name": "b", "type": "sink", "plugin": "file", "properties": {"path": f"/{MARK}2"}},
]
PIPELINE = {
    "name": MARK,
    "display_name": f"The {MARK}",
    "schema_name": "pipeline",
    "metadata": {
        "namespace": "secret",
        "description": MARK,
        "stages": STAGES,
        "connections": [{"from": "a", "to": "b"}],
    },
}
#: Values for the parameters of paths and queries, by name; every other parameter is left out.
VALUES: Mapping[str, list[str]] = {
    "urn": [HIDDEN, SHOWN, FOREIGN, FED, PIPE, PROGRAM, str(make_run_urn(Urn.parse(PROGRAM), MARK)), LOAD],
    "type": ["dataset", "instance"],
    "aspect": ["businessMetadata", "instance", "status", "openLineage"],
    "space": ["pipelines"],
    "instance": [MARK],
    "schema": ["pipeline"],
    "key": ["owner", MARK],
    "name": ["load", MARK, f"secret.{MARK}", "open.plain"],
    "namespace": ["etl", "secret", "postgres://db:5432"],
    "nodeId": ["job:etl:load", "dataset:postgres://db:5432:open.plain", f"dataset:postgres://db:5432:secret.{MARK}"],
    "id": [RUN],
    "q": ["*", MARK, "plain", "type:instance"],
    "from": [SHOWN],
    "to": [HIDDEN],
    "direction": ["INCOMING", "OUTGOING"],
    "pointer": ["/namespace", "/description"],
    "load": ["none"],
    "kind": [""],
    "facets": ["namespace,type,tag,owner"],
    "columns": ["true"],
    "include_invalid": ["true"],
}
#: Reads that use POST.
QUESTIONS = [
    ("colophon/datahub/entities?action=search", {"entity": kind, "input": "*", "start": 0, "count": 10})
    for kind in ("dataset", "instance", "dataJob")
] + [
    ("colophon/datahub/openapi/v3/entity/scroll?includeSoftDelete=true", {"entities": ["dataset", "instance"]}),
    ("colophon/api/schemaspaces/pipelines/export", {}),
    ("colophon/api/quality/statuses", {"urns": [HIDDEN, SHOWN]}),
    ("colophon/api/lineage/labels", {"urns": [HIDDEN, SHOWN, PROGRAM]}),
    ("colophon/api/lineage/events", {"runs": [str(make_run_urn(Urn.parse(PROGRAM), MARK)), LOAD]}),
    ("colophon/api/lineage/next", {"frontier": [SHOWN], "visited": [SHOWN], "levels": 5}),
    ("colophon/api/lineage/next", {"frontier": [HIDDEN], "visited": [HIDDEN], "levels": 5}),
    ("colophon/api/entities/display-names", {"urns": [HIDDEN, SHOWN, PROGRAM]}),
    ("colophon/api/hierarchy", {"urns": [HIDDEN, SHOWN]}),
    ("colophon/api/me/owned", {"urns": [HIDDEN, SHOWN]}),
    ("colophon/api/export", {"namespace": "open"}),
    ("colophon/api/export", {"namespace": "secret"}),
    ("colophon/api/cell-states", {"notebook": f"{MARK}.ipynb", "cells": [MARK]}),
]
#: Names in paths of `/v3`, by parameter: of what is hidden, of what is shown, and of what does not exist.
V3_VALUES: Mapping[str, list[str]] = {
    "namespace": ["secret", "open", MARK],
    "dataset": [MARK, "plain"],
    "app": ["etl", MARK],
    "type": ["flows"],
    "program": [MARK, "plain"],
    "run": [MARK, "x"],
    "key": ["owner", MARK],
    "field": ["f", MARK],
    "service": ["service", MARK],
    "method": ["v1", MARK],
    "panel": [MARK],
    "secret": [MARK],
    "version": ["1"],
    "file": ["panel.js"],
}
#: In the full size, the first three names of a path are each of these.
SEGMENTS = ["secret", "open", MARK, "plain", "etl", "flows"]


#: Access policies that hide the namespace `secret` from the kernel's user.
POLICIES = {
    "denials": {
        "rules": [
            {"role": "admin", "to": ["user:ada"]},
            {"deny": ["read"], "to": ["*"], "on": {"namespace": ["secret"]}},
            {"deny": ["read"], "to": ["*"], "on": {"tag": ["unused"]}},
        ]
    },
    "grants": {
        "rules": [
            {"role": "viewer", "to": ["user:ada"], "on": {"namespace": ["open", "default", "system"]}},
            {"role": "viewer", "to": ["user:ada"], "on": {"tag": ["raw"]}},
        ]
    },
}


@pytest.fixture
def access(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """The settings that hide the namespace: a class of the site, or a folder with the access policy of the test."""
    policy = getattr(request.node, "callspec", None)
    name = policy.params.get("hidden_by", "class") if policy is not None else "class"
    if name == "class":
        return {"policy": "support.policies.HiddenAndReadOnlyNamespaces"}
    if name == "token":
        return {}
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "team.json").write_text(json.dumps(POLICIES[name]))
    return {"policy_folder": str(folder)}


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], access: dict[str, Any]) -> dict[str, Any]:
    rules = [("urn:li:dataset:(urn:li:dataPlatform:postgres,db:5432/secret.*", "secret")]
    settings = access | {"namespace_rules": rules}
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | settings}


async def make(api: Any, openlineage: Any) -> None:
    """Fill a hidden namespace with everything possible, and create visible entities that refer to it."""
    for urn in (HIDDEN, SHOWN):
        recorded = (
            build_metadata_value({"owner": MARK}, [MARK])
            if urn == HIDDEN
            else build_metadata_value({"owner": "ops"}, ["raw"])
        )
        for aspect in ("technicalMetadata", "businessMetadata"):
            assert (await api("PUT", "entities", urn, "aspects", aspect, body=recorded)).status == 200
    expected = {"expectations": {MARK: {"kind": "set", "column": MARK, "values": [MARK]}}}
    found = {"status": "failed", "failing": 1, "rows": 1, "observed": MARK, "samples": [MARK], "message": MARK}
    check = {"source": {"kind": "cell", "name": MARK}, "results": {MARK: found}}
    assert (await api("PUT", "entities", HIDDEN, "aspects", "expectations", body=expected)).status == 200
    assert (await api("POST", "entities", HIDDEN, "quality", "results", body=check)).status == 200
    assert (await api("POST", *PIPELINES, body=PIPELINE, answers="instance")).status == 201
    renamed = PIPELINE | {"display_name": f"Again {MARK}"}
    assert (await api("PUT", *PIPELINES, MARK, body=renamed, answers="instance")).status == 200
    start = {"program": PROGRAM, "runId": MARK, "start": "2026-11-20T12:00:00Z"}
    accesses = [{"data": HIDDEN, "mode": "read"}, {"data": SHOWN, "mode": "write"}]
    run = await api("POST", "runs", body=start, answers="run")
    assert (await api("POST", "runs", run.body["urn"], "accesses", body={"accesses": accesses})).status == 200
    columns = {
        "fields": {"a": {"inputFields": [{"namespace": "postgres://db:5432", "name": f"secret.{MARK}", "field": "f"}]}}
    }
    reported = build_event(
        inputs=[build_event_dataset(f"secret.{MARK}")],
        outputs=[build_event_dataset("open.plain", columnLineage=columns)],
        job_facets={"sql": {"query": f"INSERT INTO plain SELECT f FROM secret.{MARK}"}},
        run_facets={
            "parent": {"run": {"runId": RUN}, "job": {"namespace": "postgres://db:5432", "name": f"secret.{MARK}"}}
        },
    )
    assert (await openlineage("POST", "api", "v1", "lineage", body=reported)).status == 201


def paths() -> Iterator[str]:
    """Every GET of every API with every value that fits its parameters, below `/colophon` or `/elyra`."""
    apis = {
        "colophon/api": openapi_contract.NATIVE,
        "colophon/openlineage": openapi_contract.OPENLINEAGE,
        "colophon/datahub": openapi_contract.DATAHUB,
        "elyra": openapi_contract.ELYRA,
    }
    for prefix, one in apis.items():
        for template, item in one.document["paths"].items():
            if "get" in item and not template.endswith("stream"):
                given = [*item.get("parameters", ()), *item["get"].get("parameters", ())]
                yield from filled(prefix + template, [reported for reported in given if reported["in"] != "header"])
    for template, item in openapi_contract.V3.document["paths"].items():
        if "get" in item and not template.endswith("/stream"):
            yield from v3_paths(template)


def filled(template: str, given: list[Mapping[str, Any]]) -> Iterator[str]:
    named = re.findall(r"{(\w+)}", template)
    requested = [
        one["name"] for one in given if one["in"] == "query" and (one.get("required") or one["name"] in OPTIONAL)
    ]
    for values in itertools.product(*(VALUES.get(name, ["x"]) for name in (*named, *requested))):
        path = template
        for name, value in zip(named, values, strict=False):
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        query = dict(zip(requested, values[len(named) :], strict=True))
        yield path + (f"?{urlencode(query)}" if query else "")


#: Optional parameters that change which data an answer contains.
OPTIONAL = {"facets", "columns", "include_invalid"}


#: Values for the parameters of `/v3` that are not plain names.
V3_PARTS = {
    "namespaces": "namespaces",
    "entity": "namespaces/{namespace}/datasets/{dataset}",
    "data": "namespaces/{namespace}/datasets/{dataset}",
    "collection": "datasets",
}


def v3_paths(template: str) -> Iterator[str]:
    for name, part in V3_PARTS.items():
        template = template.replace(f"{{{name}}}", part)
    names = re.findall(r"{(\w+)}", template)
    choices = [itertools.product(*(V3_VALUES[name] for name in names))]
    if IS_FULL:
        choices.append(itertools.product(*(SEGMENTS if place < 3 else ["x"] for place in range(len(names)))))
    for values in itertools.chain(*choices):
        path = f"colophon/v3{template}"
        for name, value in zip(names, values, strict=True):
            path = path.replace(f"{{{name}}}", quote(value, safe=""), 1)
        yield path + ("?query=*" if path.endswith("search") else "")


@pytest.mark.each_store
async def test_a_word_of_hidden_things_is_in_no_answer(check_all_answers: Any) -> None:
    await check_all_answers()


@pytest.mark.parametrize("hidden_by", POLICIES)
async def test_a_word_of_what_access_policies_hide_is_in_no_answer(check_all_answers: Any, hidden_by: str) -> None:
    await check_all_answers()


@pytest.mark.parametrize("hidden_by", ["token"])
async def test_restricted_token_finds_no_word_of_other_namespaces(
    check_all_answers: Any, api: Any, hidden_by: str
) -> None:
    await check_all_answers(
        await create_service_token(api, "dbt", "read", namespaces=["open", "default", "system", "plain"])
    )


@pytest.fixture
def check_all_answers(
    api: Any,
    openlineage: Any,
    kernel: Any,
    http_server_client: Any,
    jp_base_url: str,
    jp_http_port: int,
    jp_auth_header: Any,
) -> Any:
    """Return a check of all answers that the kernel, or another restricted caller, and the server's user get."""
    others = (http_server_client, jp_base_url, jp_http_port, jp_auth_header)
    return lambda headers=kernel: _check_all_answers(api, openlineage, headers, *others)


async def _check_all_answers(
    api: Any,
    openlineage: Any,
    kernel: Any,
    http_server_client: Any,
    jp_base_url: str,
    jp_http_port: int,
    jp_auth_header: Any,
) -> None:
    await make(api, openlineage)

    async def text(path: str, headers: Any, body: bytes | None = None) -> str:
        url, method = f"{jp_base_url}{path}", "GET" if body is None else "POST"
        found = await http_server_client.fetch(url, method=method, headers=headers, body=body, raise_error=False)
        # Errors of Jupyter Server contain the time of the answer.
        body_text = TIMESTAMP.sub("", found.body.decode() if found.body else "")
        return f"{found.code} {body_text}"

    async def unknown(path: str) -> str:
        return (await text(path.replace(MARK, UNKNOWN), kernel)).replace(UNKNOWN, MARK) if MARK in path else ""

    leaks, seen = [], 0
    for path in paths():
        answer = await text(path, kernel)
        # A question may come back in its answer: then it is the answer to what there is not.
        if MARK in answer.lower() and answer != await unknown(path):
            leaks.append((path, answer[max(0, answer.lower().index(MARK) - 300) :][:500]))
        seen += MARK in (await text(path, jp_auth_header)).lower()
    for path, body in QUESTIONS:
        question = json.dumps(body)
        answer = await text(path, kernel, question.encode())
        unknown_answer = await text(path, kernel, question.replace(MARK, UNKNOWN).encode())
        if MARK in answer.lower() and answer != unknown_answer.replace(UNKNOWN, MARK):
            leaks.append((path, answer[:500]))
        full_answer = await text(path, jp_auth_header, question.encode())
        assert full_answer.startswith("200"), (path, full_answer)
        seen += MARK in full_answer.lower()
    assert leaks == []
    # A user with read access finds it in all kinds of answers.
    assert seen > 50
    changes = (await api("GET", "changes", params={"limit": 500}, anonymous=True, headers=kernel)).body["changes"]
    events = await open_event_stream(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", kernel, after=0)
    await events.read_next()
    assert await events.read_until(lambda one: one["seq"] == changes[-1]["seq"]) == changes
    events.close()
