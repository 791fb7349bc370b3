"""Check a running service: its processes, certificate, clock and load, and the hub that it asks."""

import json
import resource
import socket
import ssl
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.cli.maintenance.system_app_checks import check_calls_of_apps
from jupyter_colophon.cli.servers import create_server_address
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.client.transport import HttpAnswer, ServerAddress, Transport
from jupyter_colophon.core.changes.work_progress import STALLED_MS

#: Connections that are opened one after the other: behind one address are several processes.
_CONNECTIONS: Final = 8
#: A larger difference of two clocks is a warning, in seconds.
CLOCK_DIFFERENCE_MAX_S: Final = 2.0
_CERTIFICATE_DAYS_LEAST: Final = 21
_TIMEOUT_S: Final = 30.0
_DAY_S: Final = 86_400
#: Each subscriber has a connection.
_DESCRIPTORS_LEAST: Final = 4_096
_HUB_VARIABLE: Final = "JUPYTERHUB_API_URL"


def check_descriptors() -> CheckResult:
    """Return whether processes of this account may open enough files and connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most >= _DESCRIPTORS_LEAST:
        return CheckResult("open files", "ok", "unlimited" if most == resource.RLIM_INFINITY else f"{most} allowed")
    advice = f"allow {_DESCRIPTORS_LEAST} (LimitNOFILE of systemd, ulimits of a container)"
    return CheckResult("open files", "warning", f"{most} allowed: each subscriber uses one", advice)


def check_hub(environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Yield whether the hub that checks tokens answers; nothing without one."""
    url = environ.get(_HUB_VARIABLE, "")
    if not url:
        return
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/", timeout=_TIMEOUT_S) as answer:  # noqa: S310  of the environment
            found = json.load(answer)["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        advice = f"check that the hub runs, and {_HUB_VARIABLE}: without it, only tokens that were checked before work"
        yield CheckResult("hub", "bad", f"{url} does not answer ({type(error).__name__})", advice)
        return
    yield CheckResult("hub", "ok", f"JupyterHub {found} at {url}")


def check_service(url: str, head: int | None) -> Iterator[CheckResult]:
    """Yield the state of the service at a URL. `head` is the newest change of the store, None if it is unknown.

    Raises InvalidConfiguration.
    """
    address = create_server_address(url)
    yield from _check_certificate(address)
    try:
        answers = [_read_health(address) for _ in range(_CONNECTIONS)]
    except ClientError as error:
        advice = "check the URL, the token (COLOPHON_TOKEN), and the log of the service"
        yield CheckResult("service", "bad", str(error), advice)
        return
    documents = [answer.body for answer in answers]
    yield _check_states(address, documents)
    yield _check_versions(documents)
    yield _check_heads(documents, head)
    yield _check_load(documents)
    yield _check_background_work(documents)
    yield check_calls_of_apps(documents)
    if "date" in answers[-1].headers:
        sent = parsedate_to_datetime(answers[-1].headers["date"]).timestamp()
        # The header has no fractions of a second.
        yield check_clock("clock of the service", sent + 0.5)


def check_clock(name: str, seconds: float) -> CheckResult:
    """Return whether another clock that shows these seconds since 1970 agrees with that of this machine."""
    difference = seconds - time.time()
    detail = f"{abs(difference):.1f} s {'ahead of' if difference > 0 else 'after'} this machine"
    if abs(difference) <= CLOCK_DIFFERENCE_MAX_S:
        return CheckResult(name, "ok", detail)
    return CheckResult(
        name, "warning", f"{detail}: times of changes are those of the writing machine", "synchronize it by NTP"
    )


def _read_health(address: ServerAddress) -> HttpAnswer:
    """Read the health over a new connection, also from an unhealthy server. Raises ClientError."""
    with closing(Transport(address)) as transport:
        try:
            return transport.request("GET", "/health", timeout_s=_TIMEOUT_S)
        except RequestFailed as refusal:
            if refusal.status == 503 and "store" in refusal.problem:
                return HttpAnswer(refusal.status, {}, refusal.problem)
            raise


def _check_states(address: ServerAddress, documents: list[Any]) -> CheckResult:
    states = {document["status"] for document in documents}
    if states == {"ok"}:
        return CheckResult("service", "ok", f"{address.url} answered on {len(documents)} connections")
    problems = {document["store"]["detail"] for document in documents} - {""}
    detail = f"{address.url}: {', '.join(sorted(states))}" + (f" ({'; '.join(sorted(problems))})" if problems else "")
    return CheckResult("service", "bad", detail, "read the log of the service, and `load` in /health")


def _check_versions(documents: list[Any]) -> CheckResult:
    ours = version("jupyter-colophon")
    versions = {document["version"] for document in documents}
    if versions == {ours}:
        return CheckResult("versions of the service", "ok", ours)
    detail = f"{', '.join(sorted(versions))}; this command is {ours}"
    return CheckResult("versions of the service", "warning", detail, "install one version, and restart all processes")


def _check_heads(documents: list[Any], head: int | None) -> CheckResult:
    """Return whether every connection shows the changes of this store: other processes may have another one."""
    heads = [document["changeLog"]["head"] for document in documents]
    if None in heads or head is None:
        return CheckResult(
            "changes of the service", "warning", "they could not be compared with the store", "see above"
        )
    if min(heads) < head:
        detail = f"a process has changes up to {min(heads)}, the configured store up to {head}"
        return CheckResult(
            "changes of the service",
            "bad",
            detail,
            "give this command and all processes the same settings of the store",
        )
    return CheckResult("changes of the service", "ok", f"every connection shows change {head} or later")


def _check_load(documents: list[Any]) -> CheckResult:
    loads = [document["load"] for document in documents if document["load"] is not None]
    refused = sorted({kind for load in loads for kind in load["refused"]})
    delay = max((load["delayMs"] for load in loads), default=0)
    if refused:
        detail = f"requests are refused ({', '.join(refused)}): they wait for {delay} ms"
        return CheckResult("load", "warning", detail, "more processes or cores (docs/how-to/size-a-service.md)")
    return CheckResult("load", "ok", f"requests wait for {delay} ms")


def _check_background_work(documents: list[Any]) -> CheckResult:
    """Return whether work that waits makes progress in every process that answered."""
    stalled = {
        f"{work['name']}: {work['pending']} waiting, none done for {work['stalledSeconds']} s"
        + (f" ({work['problem']})" if work["problem"] else "")
        for document in documents
        for work in document["backgroundWork"]
        if work["stalledSeconds"] * 1_000 > STALLED_MS
    }
    if stalled:
        advice = "read the log of the service (docs/how-to/watch-a-server.md#health)"
        return CheckResult("background work", "warning", "; ".join(sorted(stalled)), advice)
    return CheckResult("background work", "ok", "what waits makes progress")


def _check_certificate(address: ServerAddress) -> Iterator[CheckResult]:
    parts = urlsplit(address.url)
    if parts.scheme != "https" or parts.hostname is None:
        return
    try:
        with (
            socket.create_connection((parts.hostname, parts.port or 443), _TIMEOUT_S) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname) as connection,
        ):
            certificate: Any = connection.getpeercert()
    except (OSError, ValueError) as error:
        yield CheckResult("certificate", "bad", f"{address.url}: {error}", "renew it, or trust its authority")
        return
    days = int((ssl.cert_time_to_seconds(certificate["notAfter"]) - time.time()) / _DAY_S)
    is_ok = days >= _CERTIFICATE_DAYS_LEAST
    yield CheckResult(
        "certificate", "ok" if is_ok else "warning", f"valid for {days} days", "" if is_ok else "renew it"
    )
