"""Checks of schemaspaces, the packages that register them, instances and schedules."""

import logging
from collections.abc import Iterator

from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.schemaspaces.space import LoadingProblem
from jupyter_colophon.settings import Settings

#: Maximum number of findings that are listed.
_FINDINGS_MAX = 100
_FOLDER = "move that folder away"


def check_schemaspaces_and_instances(settings: Settings) -> Iterator[CheckResult]:
    """Load all schemaspaces, and read all instances. Nothing is changed."""
    from jupyter_colophon.cli.instances.local_services import LocalServices

    # Problems are results: they are not logged as well.
    logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())
    services = LocalServices.open(settings)
    try:
        names = services.get_or_load_schemaspaces().list_names(deprecated=True)
        yield CheckResult("schemaspaces", "ok", ", ".join(names) or "none installed")
        yield from (
            _report_loading_problem(problem) for problem in services.get_or_load_schemaspaces().list_loading_problems()
        )
        findings = list(services.get_or_create_instances().find_instance_issues())
        for finding in findings[:_FINDINGS_MAX]:
            advice = _FOLDER if "it is a folder" in finding.problem else "jupyter colophon metadata update, or remove"
            yield CheckResult(f"instance {finding.subject}", "warning", finding.problem, advice)
        if len(findings) > _FINDINGS_MAX:
            yield CheckResult(
                "instances", "warning", f"{len(findings)} findings; the first {_FINDINGS_MAX} are listed", "see above"
            )
        elif not findings:
            yield CheckResult("instances", "ok", "all instances are readable and valid")
    finally:
        services.close()


def _report_loading_problem(problem: LoadingProblem) -> CheckResult:
    registered_by = f"{problem.distribution} {problem.version}".strip() or problem.value
    advice = (
        "it is loaded when the package responds"
        if problem.late
        else f"update or remove {problem.distribution or 'its package'}"
    )
    return CheckResult(
        f"{problem.kind} {problem.name}", "warning", f"{registered_by} ({problem.value}): {problem.reason}", advice
    )


def check_schedules(settings: Settings) -> Iterator[CheckResult]:
    """Yield schedules that cannot start their pipeline. Invalid schedules are reported with the other instances."""
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.service.changes.schedules import SPACE, find_schedule_problems

    services = LocalServices.open(settings)
    try:
        schedules = services.get_or_create_instances().list_visible_instances(SPACE, invalid=True)
        invalid = {schedule.name for schedule in schedules if schedule.reason}
        for name, problem in find_schedule_problems(schedules).items():
            if name not in invalid:
                yield CheckResult(f"schedule {name}", "warning", problem, "change it, or remove it (docs/pipelines.md)")
    except MetadataError as error:
        yield CheckResult("schedules", "warning", f"not checked: {error.detail}", "see above")
    finally:
        services.close()
