"""Access to instances: no caller reads secrets, and no kernel changes instances."""

import json
from pathlib import Path
from typing import Any

from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.instances import BASE, HELLO, INSTANCES, create_instances
from support.snippets import build_snippet

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


async def test_secret_is_masked_and_kept_when_mask_is_sent_back(
    api: Any, elyra: Any, kept: str, tmp_path: Path
) -> None:
    where = ("schemaspaces", "runtimes", "instances")
    done = await api("POST", *where, body=RUNTIME)
    assert done.status == 201, done.body
    assert done.body["metadata"]["cos_password"] == PLACEHOLDER
    body = {key: done.body[key] for key in ("display_name", "schema_name", "metadata")} | {"display_name": "Again"}
    assert (await api("PUT", *where, "work", body=body)).status == 200
    reported = [
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
    assert {one.status for one in reported} == {200}
    shown = [json.dumps(one.body) for one in reported]
    shown[7] = json.dumps(reported[7].body["hits"])
    assert [one for one in shown if SECRET in one] == []
    assert all("Again" in shown[at] for at in (0, 1, 2, 8, 9))
    open_ = await api(
        "POST", "schemaspaces", "runtimes", "export", body={"includeSecrets": True}, answers="instance-bundle"
    )
    assert open_.body["instances"][0]["metadata"]["cos_password"] == SECRET


async def test_kernel_token_reads_but_does_not_change_instances(api: Any, jp_serverapp: Any) -> None:
    await create_instances(api, build_snippet())
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    kernel = {"Authorization": f"token {tokens.issue_token_and_revoke_earlier('kernel-1', User('ada'), 'ada')}"}

    async def requested(method: str, *path: str, body: Any = None, params: Any = None) -> int:
        return (await api(method, *path, body=body, params=params, anonymous=True, headers=kernel)).status

    assert await requested("GET", *HELLO) == 200
    assert await requested("GET", *INSTANCES) == 200
    assert await requested("POST", *BASE, "export", body={}) == 200
    for method, path, body in (
        ("POST", INSTANCES, build_snippet("New")),
        ("PUT", HELLO, build_snippet("New")),
        ("PATCH", HELLO, {"display_name": "New"}),
        ("DELETE", HELLO, None),
        ("POST", (*HELLO, "restore"), {"version": 1}),
        ("POST", (*BASE, "import"), {"instances": [{"name": "new", **build_snippet("New")}]}),
        ("POST", (*BASE, "export"), {"includeSecrets": True}),
        ("POST", (*BASE, "migrate"), None),
        ("POST", ("schemaspaces", "refresh"), None),
    ):
        assert await requested(method, *path, body=body) == 403, (method, path)
    listed = (await api("GET", *INSTANCES, answers="instances")).body["instances"]
    assert [one["display_name"] for one in listed] == ["Hello"]
