"""What the doctor looks at besides the catalog: packages that register schemaspaces, and the instances."""

import logging
from collections.abc import Iterator

from jupyter_colophon.cli.checks.check_result import CheckResult
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.schemaspaces.space import LoadingProblem
from jupyter_colophon.settings import Settings

#: How many findings are listed one by one.
_FINDINGS_MAX = 100
_FOLDER = "move that folder away"


def check_instances(settings: Settings) -> Iterator[CheckResult]:
    """Load what is installed, and read all instances. Nothing is changed; what is wrong with one harms no other."""
    from jupyter_colophon.cli.instances.local_services import LocalServices

    # What is logged meanwhile becomes a line of the result.
    logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())
    services = LocalServices.open(settings)
    try:
        names = services.spaces().names(deprecated=True)
        yield CheckResult("schemaspaces", "ok", ", ".join(names) or "none is installed")
        yield from (_unloaded(problem) for problem in services.spaces().problems())
        found = list(services.instances().findings())
        for finding in found[:_FINDINGS_MAX]:
            advice = _FOLDER if "it is a folder" in finding.fault else "jupyter colophon metadata update, or remove"
            yield CheckResult(f"instance {finding.subject}", "warning", finding.fault, advice)
        if len(found) > _FINDINGS_MAX:
            yield CheckResult(
                "instances", "warning", f"{len(found)} findings, of which {_FINDINGS_MAX} are listed", "see above"
            )
        elif not found:
            yield CheckResult("instances", "ok", "all can be read, and are valid")
    finally:
        services.close()


def _unloaded(problem: LoadingProblem) -> CheckResult:
    whose = f"{problem.distribution} {problem.version}".strip() or problem.value
    advice = (
        "it is taken in when it comes" if problem.late else f"update or remove {problem.distribution or 'its package'}"
    )
    return CheckResult(
        f"{problem.kind} {problem.name}", "warning", f"{whose} ({problem.value}): {problem.reason}", advice
    )


def check_schedules(settings: Settings) -> Iterator[CheckResult]:
    """Schedules of pipelines that can start nothing. Invalid ones are reported with the other instances."""
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.service.changes.schedules import SPACE, problems

    services = LocalServices.open(settings)
    try:
        found = services.instances().list(SPACE, invalid=True)
        invalid = {one.name for one in found if one.reason}
        for name, why in problems(found).items():
            if name not in invalid:
                yield CheckResult(f"schedule {name}", "warning", why, "change it, or remove it (docs/pipelines.md)")
    except MetadataError as error:
        yield CheckResult("schedules", "warning", f"they were not looked at: {error.detail}", "see above")
    finally:
        services.close()
