"""Record in the audit what service methods return (docs/how-to/audit-access.md)."""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.audit import AuditAction

# Processes without a catalog have instances of schemaspaces, and no audit.
if TYPE_CHECKING:
    from jupyter_colophon.service.audit.recorder import AuditRecorder

P = ParamSpec("P")
R = TypeVar("R")

#: Whether a query is running: queries within it are part of it and not recorded again.
_is_inside: ContextVar[bool] = ContextVar("is_inside", default=False)


def audit_reads_of_method(
    action: AuditAction,
    urns: Callable[[Any], Iterable[str]],
    audit: "Callable[[Any], AuditRecorder | None]" = lambda service: service.read_policy.audit,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that records the entities in the result of a service method.

    The method has a parameter `principal`. `urns` extracts the URNs from the result, `audit` returns the audit. A result
    that cannot be recorded is not returned: raises StoreUnavailable.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        parameters = list(signature(method).parameters)
        position = parameters.index("principal")

        @wraps(method)
        def call_and_record(*args: P.args, **kwargs: P.kwargs) -> R:
            recorder = audit(args[0])
            if recorder is None or _is_inside.get():
                return method(*args, **kwargs)
            principal = (
                kwargs["principal"] if "principal" in kwargs else args[position] if len(args) > position else None
            )
            if not isinstance(principal, Principal) or not recorder.is_recording_reads_of(principal):
                return method(*args, **kwargs)
            token = _is_inside.set(True)
            try:
                result = method(*args, **kwargs)
            finally:
                _is_inside.reset(token)
            recorder.record_reads(principal, action, urns(result))
            return result

        return call_and_record

    return decorate
