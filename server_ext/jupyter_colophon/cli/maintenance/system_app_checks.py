"""Check the system applications."""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.cli.catalog.client import open_catalog_client
from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.settings import Settings


def check_system_apps(url: str, settings: Settings) -> Iterator[CheckResult]:
    """Yield the state of each system application of a server, or without a URL of the packages that are installed here."""
    try:
        with open_catalog_client(url, settings) as client:
            apps = client.list_system_apps()["systemApps"]
    except (ClientError, MetadataError) as error:
        advice = (
            "use the token of an administrator (COLOPHON_TOKEN)" if url else "solve the problems of the store first"
        )
        yield CheckResult("system applications", "warning", f"they could not be listed: {error}", advice)
        return
    yield CheckResult("system applications", "ok", str(len(apps)))
    for app in apps:
        yield _check_system_app(app)


def check_calls_of_apps(documents: list[Any]) -> CheckResult:
    """Return whether calls of listeners and schedules hang in any process, given documents of its health."""
    hanging = max(document["systemApps"]["hangingCalls"] or 0 for document in documents)
    if hanging:
        advice = "find the application in the log of the service, and restart the process"
        return CheckResult("calls of system applications", "warning", f"{hanging} hang in a process", advice)
    return CheckResult("calls of system applications", "ok", "none hangs")


def _check_system_app(app: Mapping[str, Any]) -> CheckResult:
    name, check = app["name"], f"system application {app['name']}"
    if app["state"] == "failed":
        advice = f"correct it or the package {app['package']}, then run jupyter colophon apps enable {name}"
        return CheckResult(check, "warning", f"it cannot be deployed: {app['problem']}", advice)
    if app["warnings"]:
        advice = f"jupyter colophon apps logs {name}"
        return CheckResult(check, "warning", "; ".join([app["state"], *app["warnings"]]), advice)
    if app["state"] == "uninstalled":
        return CheckResult(
            check,
            "ok",
            f"it is not installed, and left {len(app['tables'])} tables (jupyter colophon apps drop-tables {name})",
        )
    return CheckResult(check, "ok", f"{app['state']}, version {app['version']}")
