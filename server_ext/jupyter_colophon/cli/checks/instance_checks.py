"""What the doctor looks at besides the catalog: packages that register schemaspaces, and the instances."""

import logging
from collections.abc import Iterator

from jupyter_colophon.cli.checks.check_result import Told
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.schemaspaces.space import LoadingProblem
from jupyter_colophon.settings import Settings

#: So many findings are told each by itself.
_FINDINGS_MAX = 100
_FOLDER = "move that folder away"


def looked_at_instances(settings: Settings) -> Iterator[Told]:
    """Load what is installed, and read all instances. Nothing is changed; what is wrong with one harms no other."""
    from jupyter_colophon.cli.instances.local_services import LocalServices

    # What is logged meanwhile is told as a line of the answer.
    logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())
    services = LocalServices.open(settings)
    try:
        names = services.spaces().names(deprecated=True)
        yield Told("schemaspaces", "ok", ", ".join(names) or "none is installed")
        yield from (_unloaded(problem) for problem in services.spaces().problems())
        found = list(services.instances().findings())
        for finding in found[:_FINDINGS_MAX]:
            advice = _FOLDER if "it is a folder" in finding.fault else "jupyter colophon metadata update, or remove"
            yield Told(f"instance {finding.subject}", "warning", finding.fault, advice)
        if len(found) > _FINDINGS_MAX:
            yield Told("instances", "warning", f"{len(found)} findings, of which {_FINDINGS_MAX} are told", "see above")
        elif not found:
            yield Told("instances", "ok", "all can be read, and are valid")
    finally:
        services.close()


def _unloaded(problem: LoadingProblem) -> Told:
    whose = f"{problem.distribution} {problem.version}".strip() or problem.value
    advice = (
        "it is taken in when it comes" if problem.late else f"update or remove {problem.distribution or 'its package'}"
    )
    return Told(f"{problem.kind} {problem.name}", "warning", f"{whose} ({problem.value}): {problem.reason}", advice)


def looked_at_schedules(settings: Settings) -> Iterator[Told]:
    """Schedules of pipelines that can start nothing. Those that are not valid were told with the other instances."""
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.service.changes.schedules import SPACE, problems

    services = LocalServices.open(settings)
    try:
        found = services.instances().list(SPACE, invalid=True)
        invalid = {one.name for one in found if one.reason}
        for name, why in problems(found).items():
            if name not in invalid:
                yield Told(f"schedule {name}", "warning", why, "change it, or remove it (docs/pipelines.md)")
    except MetadataError as error:
        yield Told("schedules", "warning", f"they were not looked at: {error.detail}", "see above")
    finally:
        services.close()
