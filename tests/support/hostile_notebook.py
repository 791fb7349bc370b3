"""What a hostile notebook tries on the metadata of another user of a shared service, and how each attempt must end.

Each row is sent from a kernel of the attacker. Whatever the answer is, it must not contain the victim's secret, and what
the victim has must be the same afterwards.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from live import LiveKernel

#: A word in the victim's metadata, which no request contains.
SECRET = "canary7f3"
#: Answers that deny: something that may not be read is answered as if it were absent.
DENIED = frozenset({400, 401, 403, 404, 405})
_READ = frozenset({200, 304}) | DENIED


@dataclass(frozen=True)
class Target:
    """What the victim has: a dataset in a namespace, a run of a kernel, and a server of their own."""

    victim: str
    namespace: str
    dataset: str
    run: str
    kernel: str
    #: The server of the victim, and the service itself, as URLs that the attacker reaches.
    server: str
    service: str


@dataclass(frozen=True)
class Attack:
    """One request. `server` is the attacker's own server, the `victim`'s, or the `service`; `token` is that of the kernel, that
    of the attacker, or another text.
    """

    kind: str
    method: str
    path: str
    body: Any = None
    server: str = "own"
    token: str = "kernel"
    headers: Mapping[str, str] = field(default_factory=dict)
    statuses: frozenset[int] = DENIED


def list_attacks(target: Target) -> Iterator[Attack]:
    """Yield the attacks on a target."""
    yield from _list_reads(target)
    yield from _list_writes(target)
    yield from _list_false_identities(target)
    yield from _list_strange_requests(target)


def _list_reads(target: Target) -> Iterator[Attack]:
    dataset, run = quote(target.dataset, safe=""), quote(target.run, safe="")
    entity, name = f"colophon/api/entities/{dataset}", target.dataset.split(",")[1].partition(".")[2]
    v3 = f"colophon/v3/namespaces/{target.namespace}"
    for path in (
        entity,
        f"{entity}/metadata",
        f"{entity}/fields",
        f"{entity}/aspects/businessMetadata",
        f"{entity}/aspects/businessMetadata/versions",
        f"{entity}/memberships",
        f"colophon/api/lineage?urn={dataset}&levels=5",
        f"colophon/api/runs/{run}",
        f"colophon/api/runs/{run}/accesses",
        f"colophon/api/access?urn={dataset}&user={target.victim}",
        f"{v3}/datasets/{name}/metadata",
        f"colophon/datahub/openapi/v3/entity/dataset/{dataset}",
        f"colophon/datahub/aspects/{dataset}?aspect=globalTags&version=0",
    ):
        yield Attack("read", "GET", path)
        yield Attack("read", "GET", path, token="user", server="service")
    for path in (
        "colophon/api/search?q=secrets",
        "colophon/api/entities?type=dataset&limit=500",
        "colophon/api/keys?limit=500",
        f"colophon/api/keys/{name}",
        f"colophon/api/changes?limit=500&urn={dataset}",
        "colophon/api/changes?limit=500",
        f"colophon/api/runs?data={dataset}",
        "colophon/api/service-tokens",
        "colophon/v3/namespaces",
        f"{v3}/metadata/search?query=*",
        "colophon/openlineage/api/v1/namespaces",
        "elyra/metadata/code-snippets",
        "colophon/api/health",
        "colophon/api/metrics",
    ):
        yield Attack("read", "GET", path, statuses=_READ)
    yield Attack("read", "POST", "colophon/api/export", {"namespace": target.namespace}, statuses=_READ)
    yield Attack("read", "POST", "colophon/api/entities/display-names", {"urns": [target.dataset]}, statuses=_READ)
    call = {"name": "search", "arguments": {"query": "secrets"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    yield Attack("read", "POST", "colophon/mcp", message, statuses=_READ)


def _list_writes(target: Target) -> Iterator[Attack]:
    dataset, run = quote(target.dataset, safe=""), quote(target.run, safe="")
    entity, value = f"colophon/api/entities/{dataset}", {"properties": {}, "tags": ["taken"]}
    proposal = {"urn": target.dataset, "aspect": "businessMetadata", "operation": "upsert", "value": value}
    grant = {"rules": [{"role": "admin", "to": ["*"], "on": {}}]}
    policy = {"urn": "urn:li:accessPolicy:mine", "aspect": "accessPolicyInfo", "operation": "upsert", "value": grant}
    access = {"accesses": [{"data": target.dataset, "mode": "write"}]}
    notebooks = {"from": "owned.ipynb", "to": "taken.ipynb", "namespace": f"user_{target.victim}"}
    for token, server in (("kernel", "own"), ("user", "service")):
        for method, path, body in (
            ("PUT", f"{entity}/aspects/businessMetadata", value),
            ("DELETE", f"{entity}/aspects/businessMetadata", None),
            ("DELETE", entity, None),
            ("POST", f"{entity}/rename", {"to": target.dataset.replace("secrets", "taken")}),
            ("POST", "colophon/api/proposals", {"proposals": [proposal]}),
            ("POST", "colophon/api/proposals", {"proposals": [policy]}),
            ("PATCH", f"colophon/api/runs/{run}", {"status": "failed"}),
            ("POST", f"colophon/api/runs/{run}/accesses", access),
            ("POST", f"colophon/v3/namespaces/{target.namespace}/datasets/secrets/metadata/tags", ["taken"]),
            ("DELETE", f"colophon/v3/namespaces/{target.namespace}?confirm={target.namespace}", None),
            ("POST", "colophon/api/service-tokens", {"name": "mine", "scopes": ["admin"], "expiresInDays": 1}),
        ):
            yield Attack("write", method, path, body, token=token, server=server)
        for path, body in (
            ("colophon/api/notebooks/rename", notebooks),
            (f"colophon/api/kernels/{target.kernel}/end", {"time": "2100-01-01T00:00:00.000Z"}),
            ("colophon/api/proposals?async=true", {"proposals": [proposal]}),
        ):
            # Accepted, and without effect.
            yield Attack("write", "POST", path, body, token=token, server=server, statuses=DENIED | {200, 202})


def _list_false_identities(target: Target) -> Iterator[Attack]:
    entity = f"colophon/api/entities/{quote(target.dataset, safe='')}/metadata"
    unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."
    for token in ("", "none", unsigned, "colophon_0123456789abcdef", "kernel"):
        yield Attack("identity", "GET", entity, server="service", token=token)
        yield Attack("identity", "GET", entity, server="victim", token=token)
    yield Attack("identity", "GET", entity, server="victim", token="user")
    yield Attack("identity", "GET", "api/contents", server="victim", token="user")
    for headers in (
        {"Colophon-Scopes": "admin read emit annotate"},
        {"Colophon-Kernel": target.kernel},
        {"X-Forwarded-User": target.victim},
        {"Remote-User": target.victim},
        {"X-Forwarded-For": "127.0.0.1", "X-Real-Ip": "127.0.0.1"},
        {"Cookie": f"username={target.victim}; service-colophon={unsigned}"},
    ):
        yield Attack("identity", "GET", entity, headers=headers)
        yield Attack("identity", "GET", entity, headers=headers, server="service", token="user")
        yield Attack("identity", "GET", entity, headers=headers, server="service", token="")
    end = f"colophon/api/kernels/{target.kernel}/end"
    forged = {"Colophon-Kernel": target.kernel}
    yield Attack(
        "identity", "POST", end, {"time": "2100-01-01T00:00:00.000Z"}, headers=forged, server="service", token="user"
    )


def _list_strange_requests(target: Target) -> Iterator[Attack]:
    entity = quote(target.dataset, safe="")
    for path in (
        "colophon/api/entities/..%2f..%2fapi%2fcontents",
        "colophon/api/%2e%2e/%2e%2e/api/contents",
        f"colophon/api/../../user/{target.victim}/api/contents",
        f"colophon/api/entities/{entity};v1/users/login",
        f"colophon/api/entities/{quote(entity, safe='')}",
        "colophon/api/entities/urn%3Ali%3Adataset%3A%00",
        "colophon/api/pipelines/executions/00000000-0000-0000-0000-000000000000",
    ):
        yield Attack("path", "GET", path)
    nested = json.loads("[" * 60 + "]" * 60)
    for body in (
        nested,
        {"proposals": [{}] * 3},
        {"proposals": "x"},
        {"proposals": [{"urn": "urn:li:x:y", "aspect": "../.."}]},
    ):
        yield Attack("body", "POST", "colophon/api/proposals", body)
    yield Attack("body", "GET", "colophon/api/search?q=" + quote('tags:"' * 40 + "*" * 40), statuses=_READ)
    yield Attack("body", "GET", "colophon/api/search?q=" + quote("secret:tok* OR NEAR(a b)"), statuses=_READ)
    yield Attack("body", "GET", "colophon/api/entities?limit=100000000")


#: Sends the attacks; run in a kernel, where COLOPHON_URL and COLOPHON_TOKEN are those of the attacker.
_SENDER = """
import json, os, urllib.error, urllib.request
def send(method, url, token, headers, body):
    data = None if body is None else json.dumps(body).encode()
    fields = {"Content-Type": "application/json", "Accept": "application/json", **headers}
    if token:
        fields["Authorization"] = f"token {token}"
    request = urllib.request.Request(url, data, fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read(2_000_000).decode(errors="replace")
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read(2_000_000).decode(errors="replace")
    except (OSError, ValueError) as error:
        return 400, f"not sent: {error}"
servers, tokens, attacks = json.loads(TEXT)
servers["own"], tokens["kernel"] = os.environ["COLOPHON_URL"], os.environ["COLOPHON_TOKEN"]
print(json.dumps([
    send(method, servers[server] + path, tokens.get(token, token), headers, body)
    for method, path, body, server, token, headers in attacks
]))
"""


def run_attacks(kernel: LiveKernel, target: Target, token: str) -> list[str]:
    """Run all attacks in a kernel of the attacker, whose own token is `token`; return a line for each that succeeded."""
    attacks = list(list_attacks(target))
    servers, tokens = {"victim": target.server, "service": target.service}, {"user": token}
    rows = [(each.method, each.path, each.body, each.server, each.token, dict(each.headers)) for each in attacks]
    text = json.dumps([servers, tokens, rows])
    outcome = kernel.run(f"TEXT = {text!r}\n{_SENDER}", "hostile")
    assert outcome.succeeded, outcome.text
    answers = json.loads(outcome.text)
    return [
        f"{attack.kind}: {attack.method} {attack.path} to {attack.server} with {attack.token!r}: {status} {answer[:300]}"
        for attack, (status, answer) in zip(attacks, answers, strict=True)
        if status not in attack.statuses or SECRET in answer or "Traceback" in answer
    ]
