"""Check the tokens of programs."""

from collections.abc import Iterator, Sequence
from typing import Final

from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.core.service_token import ServiceToken
from jupyter_colophon.core.time_format import DAY_MS

#: Tokens that end sooner are reported, and so are those that were not used for longer.
_EXPIRY_DAYS: Final = 14
_UNUSED_DAYS: Final = 90
_EXPIRED: Final = "it has expired"
_EXPIRING: Final = f"it expires within {_EXPIRY_DAYS} days"
_TOO_LONG: Final = "it is valid for longer than c.Colophon.service_token_max_days allows"
_UNUSED: Final = f"it was not used for {_UNUSED_DAYS} days"
#: The command that solves a problem.
_COMMANDS: Final = {_EXPIRED: "revoke", _EXPIRING: "rotate", _TOO_LONG: "rotate", _UNUSED: "revoke"}


def check_service_tokens(tokens: Sequence[ServiceToken], days_max: int, now: int) -> Iterator[CheckResult]:
    """Yield what is wrong with tokens of programs: ended, about to end, valid for too long, or unused."""
    problems = {token.name: problem for token in tokens if (problem := _find_problem(token, days_max, now))}
    for name, problem in problems.items():
        advice = f"jupyter colophon tokens {_COMMANDS[problem]} {name}"
        yield CheckResult(f"token {name}", "warning", problem, advice)
    if not problems:
        yield CheckResult("tokens of programs", "ok", str(len(tokens)))


def _find_problem(token: ServiceToken, days_max: int, now: int) -> str:
    if token.expires <= now:
        return _EXPIRED
    if token.lifetime_ms > days_max * DAY_MS:
        return _TOO_LONG
    if token.expires < now + _EXPIRY_DAYS * DAY_MS:
        return _EXPIRING
    return _UNUSED if (token.last_used or token.created) < now - _UNUSED_DAYS * DAY_MS else ""
