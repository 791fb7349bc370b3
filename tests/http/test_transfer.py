"""Export and import of a namespace as lines over HTTP: content, conflicts and refusals."""

import json
from typing import Any

import pytest
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

HEAD = {"format": "jupyter-colophon-namespace", "namespace": "sales", "version": 1}
LINES = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
def export(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Any:
    """`await export("?namespace=sales")`, or with a body: status, content type and lines."""

    async def ask(query: str = "", body: Any = None, token: bool = True) -> tuple[int, str, list[Any]]:
        found = await http_server_client.fetch(
            f"{jp_base_url}colophon/api/export{query}",
            method="GET" if body is None else "POST",
            body=None if body is None else json.dumps(body),
            headers=jp_auth_header if token else {},
            raise_error=False,
        )
        kind = found.headers["Content-Type"]
        lines = [json.loads(line) for line in found.body.split(b"\n") if line] if "ndjson" in kind else []
        return found.code, kind, lines

    return ask


def lines(*reported: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in reported)


def aspect(value: Any, urn: str = ORDERS, name: str = "businessMetadata") -> dict[str, Any]:
    return {"urn": urn, "aspect": name, "value": value}


async def test_exported_lines_can_be_imported(api: Any, sales: None, export: Any) -> None:
    status, kind, reported = await export("?namespace=sales")
    assert (status, kind, reported[0]) == (200, "application/x-ndjson", HEAD)
    assert {"technicalMetadata", "status"} == {one["aspect"] for one in reported[1:]}
    done = await api("POST", "import", body=lines(*reported), headers=LINES, answers="namespace-import")
    assert (done.status, done.body["counts"]) == (200, {"unchanged": len(reported) - 1})


async def test_export_can_select_part_of_a_namespace(api: Any, sales: None, export: Any) -> None:
    recorded = {"properties": {"owner": "ada"}, "tags": []}
    await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=recorded)
    _, _, reported = await export(body={"namespace": "sales", "types": ["dataset"], "aspects": ["businessMetadata"]})
    assert [one["value"] for one in reported[1:]] == [recorded]
    assert (await export(body={"namespace": "sales", "types": ["nothing"]}))[0] == 400
    assert (await export(body={"namespace": "sales", "aspects": ["nothing"]}))[0] == 400
    assert (await export(body={}))[0] == 400
    assert (await export("?namespace=nothing"))[0] == 404
    assert (await export("?namespace=a-b"))[0] == 400
    assert (await export())[0] in (400, 404)
    assert (await export("?namespace=sales", token=False))[0] == 403


async def test_import_conflict_is_reported_and_not_overwritten(api: Any, sales: None) -> None:
    path = ("entities", ORDERS, "aspects", "businessMetadata")
    await api("PUT", *path, body={"properties": {"owner": "ada"}, "tags": []})
    sent = lines(HEAD, aspect({"properties": {"owner": "bob"}, "tags": []}))
    done = await api("POST", "import", body=sent, headers=LINES)
    assert done.body["conflicts"] == [{"urn": ORDERS, "aspect": "businessMetadata", "line": 2}]
    assert (await api("GET", *path)).body["value"]["properties"] == {"owner": "ada"}
    dry = await api("POST", "import", body=sent, headers=LINES, params={"dryRun": "true", "overwrite": "true"})
    assert (dry.body["dryRun"], dry.body["counts"]) == (True, {"overwritten": 1})
    assert (await api("GET", *path)).body["version"] == 1
    await api("POST", "import", body=sent, headers=LINES, params={"overwrite": "true"})
    assert (await api("GET", *path)).body["value"]["properties"] == {"owner": "bob"}


@pytest.mark.parametrize(
    ("sent", "reported"),
    [
        (b"", "line 1"),
        (b"[]\n", "line 1"),
        (b"\xff\n", "line 1"),
        (lines(HEAD, []), "line 2"),
        (lines(HEAD, aspect({"properties": {"a b": "x"}, "tags": []})), "line 2"),
        (lines(HEAD, aspect({}, "urn:li:instance:(code-snippets,hello)", "instance")), "code"),
    ],
)
async def test_invalid_import_lines_change_nothing(api: Any, sales: None, sent: bytes, reported: str) -> None:
    good = lines(HEAD, aspect({"properties": {"owner": "x"}, "tags": []}))
    whole = sent if not sent.startswith(b'{"format') else good + sent.partition(b"\n")[2]
    refused = await api("POST", "import", body=whole, headers=LINES)
    assert refused.status in (400, 403)
    assert reported.replace("line 2", "line 3") in refused.body["detail"] or refused.status == 403
    assert (await api("GET", "entities", ORDERS, "aspects", "businessMetadata")).status == 404


async def test_timeseries_values_are_exported_and_imported(api: Any, sales: None, export: Any) -> None:
    def reported(time: int, rows: int, **more: Any) -> dict[str, Any]:
        return aspect({"timestampMillis": time, "rowCount": rows} | more, name="datasetProfile")

    part = {"partitionSpec": {"partition": "day=1", "type": "PARTITION"}}
    first = lines(HEAD, reported(3, 30), reported(1, 10), reported(2, 20), reported(2, 21, **part))
    done = await api("POST", "import", body=first, headers=LINES, answers="namespace-import")
    assert (done.status, done.body["counts"]) == (200, {"created": 4})
    _, _, found = await export(body={"namespace": "sales", "types": ["dataset"], "aspects": ["datasetProfile"]})
    assert [(one["value"]["timestampMillis"], one["value"]["rowCount"]) for one in found[1:]][0::3] == [
        (1, 10),
        (3, 30),
    ]
    assert len(found) == 5
    assert (await api("POST", "import", body=lines(*found), headers=LINES)).body["counts"] == {"unchanged": 4}
    # Edited in the file; of another catalog.
    edited = found[1] | {"value": found[1]["value"] | {"rowCount": 11}}
    counts = (await api("POST", "import", body=lines(HEAD, edited, reported(3, 31)), headers=LINES)).body["counts"]
    assert counts == {"updated": 1, "conflict": 1}
    over = await api("POST", "import", body=lines(HEAD, reported(3, 31)), headers=LINES, params={"overwrite": "true"})
    assert over.body["counts"] == {"overwritten": 1}
    _, _, found = await export("?namespace=sales")
    assert [one["value"]["rowCount"] for one in found[1:] if one["aspect"] == "datasetProfile"][0::3] == [11, 31]
    timeless = aspect({"rowCount": 1}, name="datasetProfile")
    refused = await api("POST", "import", body=lines(HEAD, timeless), headers=LINES)
    assert (refused.status, "line 2" in refused.body["detail"]) == (400, True)


async def test_a_body_that_is_too_large_is_refused(api: Any, sales: None, jp_serverapp: Any) -> None:
    jp_serverapp.web_app.settings["colophon"].settings.max_body_bytes = 1_000
    refused = await api("POST", "import", body=lines(HEAD) + b" " * 2_000, headers=LINES)
    assert refused.status == 413
