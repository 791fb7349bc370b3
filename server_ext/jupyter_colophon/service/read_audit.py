"""Record lists and searches by programs where reads are audited (docs/notifications.md)."""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.storage.changes.read_audit import ProgramReadAudit

P = ParamSpec("P")
R = TypeVar("R")

#: The members of a recorded query that are not named after the parameter: the format of the audit files does not change.
_MEMBER_OF_PARAMETER = {"request": "question", "selection": "choice"}

#: Whether a query is running: queries within it are part of it and not recorded again.
_is_inside: ContextVar[bool] = ContextVar("is_inside", default=False)


def audit_reads_of_method(
    operation: str,
    urns: Callable[[Any], Iterable[str]] = lambda result: (),
    audit: Callable[[Any], ProgramReadAudit | None] = lambda service: service.read_policy.audit,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that records what a service method returns to a program.

    The method has a parameter `principal`; its other parameters are the query. `urns` extracts the URNs from the
    result, `audit` returns the audit log. A result that cannot be recorded is not returned: raises StoreFull, StorageError.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(method)

        @wraps(method)
        def call_and_record(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments = parameters.bind(*args, **kwargs).arguments
            log, principal = audit(arguments.pop("self")), arguments.pop("principal", None)
            if log is None or _is_inside.get() or not isinstance(principal, Principal) or principal.via is None:
                return method(*args, **kwargs)
            token = _is_inside.set(True)
            try:
                result = method(*args, **kwargs)
            finally:
                _is_inside.reset(token)
            query = {_MEMBER_OF_PARAMETER.get(name, name): value for name, value in arguments.items()}
            log.record_query_by_program(principal, operation, query, urns(result))
            return result

        return call_and_record

    return decorate
