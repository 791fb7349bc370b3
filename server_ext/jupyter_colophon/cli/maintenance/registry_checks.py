"""Check the user's extension of the registry, entity-registry.yml."""

from collections.abc import Iterator

from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.settings import Settings


def check_registry_extension(settings: Settings) -> Iterator[CheckResult]:
    """Yield a result for each entry that is ignored, or one if there is none. Nothing without such a file."""
    file = settings.get_registry_extension()
    if file is None:
        return
    # Loaded only if there is such a file.
    from jupyter_colophon.service.registry_files import load_registry_extension

    overlay = load_registry_extension(file)
    for problem in overlay.problems:
        where = f"{file}, {problem.pointer}" if problem.pointer else str(file)
        yield CheckResult(
            "entity registry",
            "warning",
            f"{where}: {problem.message}",
            "the entry is ignored: correct it (docs/registry.md)",
        )
    for warning in overlay.warnings:
        yield CheckResult("entity registry", "ok", f"{file}, {warning.pointer}: {warning.message}")
    if not overlay.problems:
        yield CheckResult("entity registry", "ok", str(file))
