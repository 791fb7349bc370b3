"""Artifacts over HTTP: their statuses, and who may upload code."""

from base64 import b64decode
from typing import Any

from support.artifacts import TOOLS

ONE = ("namespaces", "sales", "artifacts", "shop-tools", "versions", "1.0")
SENT = {"Content-Type": "application/octet-stream"}


async def test_artifact_is_uploaded_read_and_deleted(api: Any, sales: None) -> None:
    made = await api("PUT", *ONE, body=TOOLS.encode(), headers=SENT, answers="artifact")
    assert (made.status, made.body["kind"], len(made.body["plugins"])) == (201, "module", 3)
    again = await api("PUT", *ONE, body=TOOLS.encode(), headers=SENT, answers="artifact")
    assert (again.status, again.body) == (200, made.body)
    changed = await api("PUT", *ONE, body=TOOLS.encode() + b"\n", headers=SENT)
    assert (changed.status, "upload another version" in changed.body["detail"]) == (409, True)
    listed = await api("GET", *ONE[:3], answers="artifacts")
    assert listed.body == {"artifacts": [made.body], "cursor": None}
    content = (await api("GET", *ONE, "content", answers="artifact-content")).body
    assert (content["file"], b64decode(content["content"]).decode()) == ("shop_tools.py", TOOLS)
    assert (await api("DELETE", *ONE, answers="artifact")).status == 200
    assert [(await api(method, *ONE)).status for method in ("GET", "DELETE")] == [404, 404]


async def test_what_cannot_be_an_artifact_is_refused(api: Any, sales: None) -> None:
    invalid = await api("PUT", *ONE, body=b"import os\n", headers=SENT)
    assert (invalid.status, "no plugin" in invalid.body["errors"][0]["message"]) == (400, True)
    nowhere = ("namespaces", "nowhere", *ONE[2:])
    assert (await api("PUT", *nowhere, body=TOOLS.encode(), headers=SENT)).status == 404
    assert (await api("GET", *nowhere[:3])).status == 404


async def test_kernel_uploads_and_deletes_no_artifact(api: Any, sales: None, kernel: Any) -> None:
    refused = await api("PUT", *ONE, body=TOOLS.encode(), headers=kernel | SENT)
    assert refused.status == 403
    assert (await api("GET", *ONE[:3])).body["artifacts"] == []
    await api("PUT", *ONE, body=TOOLS.encode(), headers=SENT)
    assert (await api("DELETE", *ONE, headers=kernel)).status == 403
    assert (await api("GET", *ONE, headers=kernel)).status == 200


async def test_pipeline_names_plugins_of_artifacts_of_its_namespace(api: Any, sales: None) -> None:
    await api("PUT", *ONE, body=TOOLS.encode(), headers=SENT)
    params = {"namespace": "sales"}
    listed = (await api("GET", "pipelines", "plugins", params=params, answers="pipeline-plugins")).body["plugins"]
    (upper,) = (plugin for plugin in listed if plugin["name"] == "shop-tools/upper")
    assert (upper["type"], upper["title"], upper["schema"]["required"]) == ("transform", "Upper case", ["column"])
    others = (await api("GET", "pipelines", "plugins", params={"namespace": "nowhere"})).body["plugins"]
    assert [plugin for plugin in listed if plugin not in others] == [upper]
    assert (await api("GET", "pipelines", "plugins")).body["plugins"] == others

    async def check(plugin: str, namespace: str = "sales", **properties: str) -> list[Any]:
        stages = [
            {"name": "rows", "type": "source", "plugin": "file", "properties": {"path": "/data/rows"}},
            {"name": "loud", "type": "transform", "plugin": plugin, "properties": properties},
            {"name": "out", "type": "sink", "plugin": "file", "properties": {"path": "/data/out"}},
        ]
        connections = [{"from": "rows", "to": "loud"}, {"from": "loud", "to": "out"}]
        metadata = {"namespace": namespace, "stages": stages, "connections": connections}
        body = {"name": "loud", "document": {"metadata": metadata}}
        checked = await api("POST", "pipelines", "check", body=body, answers="pipeline-check-result")
        packaged = await api("POST", "pipelines", "package", body=body)
        assert packaged.status == (400 if checked.body["problems"] else 200)
        return [(problem["pointer"], problem["message"]) for problem in checked.body["problems"]]

    assert await check("shop-tools/upper", column="name") == []
    assert await check("shop-tools/1.0/upper", column="name") == []
    ((pointer, _),) = await check("shop-tools/upper")
    assert pointer == "/metadata/stages/1/properties"
    for plugin, namespace in (("shop-tools/2.0/upper", "sales"), ("shop-tools/upper", "ops"), ("upper", "sales")):
        ((pointer, message),) = await check(plugin, namespace, column="name")
        assert (pointer, f"unknown transform {plugin}" in message) == ("/metadata/stages/1/plugin", True)
