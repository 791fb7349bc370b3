"""Lists and searches by programs, recorded where reads are audited (docs/notifications.md)."""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.storage.changes.read_audit import ReadAudit

P = ParamSpec("P")
R = TypeVar("R")

#: Whether a query is answered already: what it asks in its turn is a part of it.
_is_inside: ContextVar[bool] = ContextVar("is_inside", default=False)


def audited(
    operation: str,
    urns: Callable[[Any], Iterable[str]] = lambda found: (),
    audit: Callable[[Any], ReadAudit | None] = lambda service: service.gate.audit,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that records what a method of a service answers to a program.

    The method has a parameter `principal`; its other parameters are the query. `urns` returns the entities of its
    answer, and `audit` the record. The caller gets the answer only if it is recorded: raises StoreFull, StorageError.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(method)

        @wraps(method)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            asked = parameters.bind(*args, **kwargs).arguments
            record, principal = audit(asked.pop("self")), asked.pop("principal", None)
            if record is None or _is_inside.get() or not isinstance(principal, Principal) or principal.via is None:
                return method(*args, **kwargs)
            token = _is_inside.set(True)
            try:
                found = method(*args, **kwargs)
            finally:
                _is_inside.reset(token)
            record.record_query(principal, operation, asked, urns(found))
            return found

        return answer

    return decorate
