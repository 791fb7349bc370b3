"""What of instances is for whom: secrets for nobody, changes for no kernel."""

import json
from pathlib import Path
from typing import Any

from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.instances import BASE, HELLO, INSTANCES, made
from support.snippets import snippet

SECRET = "Hunter2-CANARY"
PLACEHOLDER = {"$secret": True}


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
