"""What the doctor tells of the user's entity-registry.yml: what of it does not count, and why."""

from collections.abc import Iterator

from jupyter_colophon.cli.checks.check_result import CheckResult
from jupyter_colophon.settings import Settings


def check_registry(settings: Settings) -> Iterator[CheckResult]:
    """A line for each thing that was left out; one where there is nothing to tell. None without such a file."""
    file = settings.overlay()
    if file is None:
        return
    # Most catalogs have none, and need none of this.
    from jupyter_colophon.service.registry_files import load_overlay

    found = load_overlay(file)
    for one in found.faults:
        where = f"{file}, {one.pointer}" if one.pointer else str(file)
        yield CheckResult("entity registry", "warning", f"{where}: {one.message}", "it is left out (docs/registry.md)")
    for one in found.warnings:
        yield CheckResult("entity registry", "ok", f"{file}, {one.pointer}: {one.message}")
    if not found.faults:
        yield CheckResult("entity registry", "ok", str(file))
