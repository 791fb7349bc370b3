"""Check sinks: their settings, and the progress of deliveries."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.settings import Settings

_WHERE = "docs/notifications.md"


def find_sink_problems(settings: Settings) -> dict[str, str]:
    """Return problems of the settings of sinks, by name. Earlier deliveries are not considered."""
    if not settings.sinks:
        return {}
    # Loaded only if there are sinks.
    from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
    from jupyter_colophon.relay.sink_factory import find_sink_problem
    from jupyter_colophon.service.registry_files import load_entity_registry

    formatter = ChangeFormatter(settings.build_identity(), load_entity_registry(settings.get_registry_extension()))
    problems = {name: find_sink_problem(name, options, formatter) for name, options in settings.sinks.items()}
    return {name: problem for name, problem in problems.items() if problem}


def check_sink_settings(settings: Settings, problems: Mapping[str, str]) -> Iterator[CheckResult]:
    """Yield a result for each sink with invalid settings, and one for the source of proposals."""
    for name, problem in sorted(problems.items()):
        yield CheckResult(f"settings of sink {name}", "warning", problem, f"correct c.Colophon.sinks ({_WHERE})")
    if settings.kafka_proposals:
        from jupyter_colophon.relay.kafka.proposal_consumer import read_proposal_source

        try:
            proposals = read_proposal_source(settings.kafka_proposals)
        except InvalidConfiguration as error:
            advice = "correct c.Colophon.kafka_proposals (docs/kafka.md)"
            yield CheckResult("settings of kafka_proposals", "warning", error.detail, advice)
            return
        yield CheckResult("proposals", "ok", f"jupyter colophon relay reads them from {proposals.topic}")


def check_sink_deliveries(
    states: Iterable[SinkState], problems: Mapping[str, str], age_ms: Callable[[int], int]
) -> Iterator[CheckResult]:
    """Yield the progress of each sink. The last delivery's problem is irrelevant if the settings are invalid now."""
    for state in states:
        problem = "nothing is delivered" if state.name in problems else state.problem
        is_ok = not problem and not state.lost and not state.dead_letters
        since = f" (the oldest is {age_ms(state.oldest) // 1000} s old)" if state.oldest is not None else ""
        message = f"{state.undelivered} undelivered changes{since}, {state.dead_letters} dead letters, {state.lost} lost changes"
        cause = f"; {problem}" if problem else ""
        yield CheckResult(f"sink {state.name}", "ok" if is_ok else "warning", message + cause, "" if is_ok else _WHERE)
