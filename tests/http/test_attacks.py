"""Attacks on instances and schemas, each as it is written down in `conformance/attacks.json`."""

import json
import logging
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.authorizer import AllowAllAuthorizer, Authorizer
from jupyter_server.auth.identity import User
from support.browser import sign_in
from support.snippets import get_snippet_folder, write_instance_file
from support.third_party_packages import GivenSchemasProvider, build_thing_schema, register_schemaspace
from tornado.httpclient import HTTPResponse
from tornado.httputil import HTTPHeaders

STORE_NAMES = ["sqlite"]
ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "conformance" / "attacks.json").read_text())
PATHS = {
    "{instances}": "elyra/metadata/things",
    "{instance}": "elyra/metadata/things/demo",
    "{secret_instance}": "elyra/metadata/things/secret",
    "{schemas}": "colophon/api/schemas",
    "{dataset}": quote("urn:li:dataset:(urn:li:dataPlatform:file,/a,PROD)", safe=""),
}
CANARY = "hunter2-CANARY"
GIB = 2**30


def thing(**metadata: Any) -> dict[str, Any]:
    return {"display_name": "x", "schema_name": "thing", "metadata": metadata}


def _doubling() -> dict[str, Any]:
    """A schema of 24 levels, each of which is looked at twice by the one above."""
    levels = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(24)}
    return {"name": "evil", "$defs": levels | {"d24": {"type": "integer"}}, "anyOf": [{"$ref": "#/$defs/d0"}]}


def _filters() -> dict[str, Any]:
    """Eight criteria of a megabyte each."""
    criteria = [{"field": "name", "condition": "CONTAIN", "values": ["x" * 2**20]}] * 8
    return {"entity": "dataset", "input": "*", "filter": {"or": [{"and": criteria}]}}


def _avro() -> dict[str, Any]:
    """A field of Avro whose type has hundreds of levels, as a text."""
    kind = '{"type":' * 450 + '"int"' + "}" * 450
    schema_ = f'{{"type":"record","name":"r","fields":[{{"name":"f","type":{kind}}}]}}'
    recorded = {"properties": {"schema": schema_}, "tags": []}
    urn = "urn:li:dataset:(urn:li:dataPlatform:hive,evil,PROD)"
    return {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "upsert", "value": recorded}]}


def _argument() -> dict[str, Any]:
    """A pipeline whose number is given by a macro, and an argument that is nested deeply."""
    stage = {"name": "in", "type": "source", "plugin": "colophon", "properties": {"query": "*", "limit": "${a}"}}
    metadata = {"namespace": "sales", "stages": [stage], "connections": []}
    document = {"display_name": "P", "schema_name": "pipeline", "metadata": metadata}
    return {"name": "p", "document": document, "arguments": {"a": "[" * 5_000}}


#: Bodies that are too long to be written down.
MADE = {
    "digits": lambda: ('{"display_name":"x","metadata":{"n":' + "9" * 5_000 + "}}").encode(),
    "large": lambda: json.dumps(thing(a="x" * 11 * 2**20)).encode(),
    "keys": lambda: json.dumps(thing(**{f"k{at}": 1 for at in range(250_000)})).encode(),
    "copies": lambda: [{"op": "copy", "from": "", "path": f"/k{at}"} for at in range(22)],
    "doubling": _doubling,
    "like": lambda: {"aspect": "status", "urnLike": "%a" * 100_000},
    "filters": _filters,
    "avro": _avro,
    "argument": _argument,
    "told": lambda: {"name": "secret", **thing(password={"$secret": True})},
}


class Reader(Authorizer):
    """Allows everyone to read, and no one to write."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return action == "read"


class Attacker:
    """Sends rows to one server."""

    def __init__(self, server: Any, client: Any, base_url: str, auth: dict[str, str]) -> None:
        self._server, self._client, self._base, self._auth = server, client, base_url, auth

    async def __call__(self, row: dict[str, Any]) -> HTTPResponse:
        self._server.web_app.settings["authorizer"] = (Reader if row["auth"] == "reader" else AllowAllAuthorizer)()
        path = row["path"].replace("{token}", self._server.identity_provider.token)
        for name, at in PATHS.items():
            path = path.replace(name, at)
        return await self._client.fetch(
            self._base + path,
            method=row["method"],
            body=_body(row) if row["method"] not in ("GET", "DELETE") else None,
            headers=HTTPHeaders({**await self._signed(row["auth"]), **row.get("headers", {})})
            if row.get("made") != "headers"
            else HTTPHeaders(self._auth | {f"X-A{at}": "b" for at in range(2_000)}),
            request_timeout=120,
            raise_error=False,
        )

    async def _signed(self, auth: str) -> dict[str, str]:
        if auth == "cookie":
            return {"Cookie": await sign_in(self._server, self._client, self._base)}
        if auth == "kernel":
            tokens = self._server.web_app.settings[SETTING].tokens
            return {"Authorization": f"token {tokens.issue_token_and_revoke_earlier('kernel-1', User('ada'), 'ada')}"}
        return {} if auth == "none" else self._auth


def _body(row: dict[str, Any]) -> bytes:
    """The body of a row. Schemas are complete except for the attack: otherwise they would be refused as incomplete."""
    body = MADE[row["made"]]() if "made" in row else row["body"]
    if row["path"] == "{schemas}":
        body = build_thing_schema("evil") | body
    if isinstance(body, bytes):
        return body
    text = body if isinstance(body, str) else json.dumps(body)
    return text.replace("{schema}", "thing").encode()


@pytest.fixture(autouse=True)
def things(monkeypatch: pytest.MonkeyPatch) -> None:
    register_schemaspace(
        monkeypatch,
        GivenSchemasProvider(
            build_thing_schema("thing", {"password": {"format": "password"}, "bad": {"type": "string"}})
        ),
    )


@pytest.fixture
def planted(jp_data_dir: Path) -> Iterator[Path]:
    """Instances, and hostile files in their folder: a link out of it, a pipe, and an endless file."""
    for name in ("demo", "readme"):
        write_instance_file(name, thing(), "things")
    write_instance_file("secret", thing(password=CANARY), "things")
    at = get_snippet_folder("things")
    (at / "link.json").symlink_to("/etc/passwd")
    os.mkfifo(at / "pipe.json")
    with (at / "x.json").open("wb") as sparse:
        sparse.truncate(2 * GIB)
    yield at
    (at / "x.json").unlink()


def _tree(folder: Path) -> dict[str, str]:
    files = (one for one in folder.rglob("*.json") if one.is_file() and not one.is_symlink())
    small = (one for one in files if one.stat().st_size < GIB)
    return {str(one): sha256(one.read_bytes()).hexdigest() for one in small}


async def test_every_attack_is_refused_or_harmless(
    jp_serverapp: Any,
    http_server_client: Any,
    jp_base_url: str,
    jp_auth_header: dict[str, str],
    jp_data_dir: Path,
    planted: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    attack = Attacker(jp_serverapp, http_server_client, jp_base_url, jp_auth_header)
    wrong: dict[str, Any] = {}
    for row in ROWS:
        before = _tree(jp_data_dir)
        caplog.clear()
        found = await attack(row)
        text = found.body.decode()
        if found.code not in row["status"]:
            wrong[row["id"]] = (found.code, text[:300])
            continue
        reported = json.loads(text)
        assert isinstance(reported, dict), row["id"]
        assert found.headers["Content-Type"].startswith(("application/json", "application/problem+json")), row["id"]
        assert found.headers["X-Content-Type-Options"] == "nosniff", row["id"]
        for secret in (str(jp_data_dir), "Traceback", "root:x:", CANARY):
            assert secret not in text, (row["id"], secret)
        assert CANARY not in caplog.text, row["id"]
        if row["cls"] == "token":
            assert jp_serverapp.identity_provider.token not in caplog.text
        if found.code >= 400:
            assert _tree(jp_data_dir) == before, row["id"]
    assert wrong == {}
    # The stored instance is unchanged, including its secret.
    assert json.loads((planted / "secret.json").read_text())["metadata"]["password"] == CANARY


async def test_invalid_instance_file_is_listed_with_reason(elyra: Any, planted: Path) -> None:
    every = (await elyra("GET", "metadata", "things", params={"include_invalid": "true"})).body["things"]
    reasons = {one["name"]: one.get("reason") for one in every}
    assert reasons == {
        "demo": None,
        "link": "ValueError",
        "pipe": "ValueError",
        "readme": None,
        "secret": None,
        "x": "ValueError",
    }
