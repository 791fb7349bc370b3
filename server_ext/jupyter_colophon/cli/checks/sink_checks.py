"""What the doctor tells of sinks: whether they can be made of the settings, and how far they have come."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from jupyter_colophon.cli.checks.check_result import CheckResult
from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.settings import Settings

_WHERE = "docs/notifications.md"


def faults(settings: Settings) -> dict[str, str]:
    """What is wrong with the settings of sinks, by name, whatever happened before these were set."""
    if not settings.sinks:
        return {}
    # Most catalogs have no sinks, and need none of this.
    from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
    from jupyter_colophon.relay.sink_factory import find_problem
    from jupyter_colophon.service.registry_files import load_registry

    formatter = ChangeFormatter(settings.identity(), load_registry(settings.overlay()))
    found = {name: find_problem(name, options, formatter) for name, options in settings.sinks.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def check_settings(settings: Settings, wrong: Mapping[str, str]) -> Iterator[CheckResult]:
    """A line for each sink that cannot be made, and for where proposals come from."""
    for name, fault in sorted(wrong.items()):
        yield CheckResult(f"settings of sink {name}", "warning", fault, f"set it right in c.Colophon.sinks ({_WHERE})")
    if settings.kafka_proposals:
        from jupyter_colophon.relay.kafka.proposal_consumer import source

        try:
            found = source(settings.kafka_proposals)
        except InvalidConfiguration as error:
            advice = "set it right in c.Colophon.kafka_proposals (docs/kafka.md)"
            yield CheckResult("settings of kafka_proposals", "warning", error.detail, advice)
            return
        yield CheckResult("proposals", "ok", f"jupyter colophon relay takes them from {found.topic}")


def check_sinks(
    states: Iterable[SinkState], wrong: Mapping[str, str], age_ms: Callable[[int], int]
) -> Iterator[CheckResult]:
    """How far each has come. The last delivery's problem says nothing of a sink that cannot be made now."""
    for one in states:
        problem = "nothing goes to it" if one.name in wrong else one.problem
        fine = not problem and not one.lost and not one.dead_letters
        since = f" (the oldest is {age_ms(one.oldest) // 1000} s old)" if one.oldest is not None else ""
        message = f"{one.behind} changes behind{since}, {one.dead_letters} dead letters, {one.lost} lost"
        why = f"; {problem}" if problem else ""
        yield CheckResult(f"sink {one.name}", "ok" if fine else "warning", message + why, "" if fine else _WHERE)
