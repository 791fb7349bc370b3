"""Wrappers of functions that compute values, which are called often: those that only record derived values."""

import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from jupyter_colophon.capture.hidden_frames import hide_wrappers
from jupyter_colophon.capture.places import set_place
from jupyter_colophon.capture.receivers import create_call

if TYPE_CHECKING:
    from jupyter_colophon.capture.calls import CallContext

Function: TypeAlias = Callable[..., Any]


class ComputationOptions(TypedDict, total=False):
    """How a function that computes a value is observed."""

    #: The types of values that are followed; calls that return others are not reported, except None (of a change in place).
    values: tuple[type, ...]
    #: Gets the arguments before the call; what it returns is the call's `state`.
    prepare: Function
    #: Whether the function calls functions of the program whose computations are reported.
    calls_back: bool
    #: Whether the method always changes its receiver, not only if it is called with `inplace=True`.
    in_place: bool
    #: Whether the method is a constructor; the same, except for the many calls inside other observed calls.
    is_constructor: bool


@dataclass(frozen=True, slots=True)
class Computation:
    """A function that computes values. `report` gets the arguments, the result and the state of a call."""

    context: "CallContext"
    original: Function
    report: Callable[[tuple[Any, ...], dict[str, Any], Any, Any], None]
    options: ComputationOptions

    def wrap(self) -> Function:
        """Return a function that calls the original and reports the call.

        It costs next to nothing where it does not matter: inside another observed call, and while no value is followed.
        """
        if self.options.get("in_place"):
            return self._wrap_receiver(self._wrap_change())
        if self.options.get("is_constructor"):
            return self._wrap_constructor(self._wrap_change())
        return self._wrap_function()

    def _wrap_function(self) -> Function:
        """Return a function, or a method that may change its receiver."""
        # Few methods do, and few programs call them so.
        get_change = cache(self._wrap_change)
        stack, entries, original, report = self.context.stack, self.context.origins.entries, self.original, self.report
        values, prepare = self.options.get("values", (object,)), prepare_safely(self.options.get("prepare"))
        is_opaque = not self.options.get("calls_back", False)

        def compute_observed(*args: Any, **kwargs: Any) -> Any:
            try:
                # Most calls are those that the library makes itself.
                if stack.is_busy and "inplace" not in kwargs:
                    return original(*args, **kwargs)
                args = args or take_receiver(kwargs)
                if kwargs and kwargs.get("inplace") and args:
                    receiver, args = list(args[:1]), args[1:]
                    return get_change()(receiver, args, kwargs)
                if stack.is_busy or not entries:
                    return original(*args, **kwargs)
                state = None if prepare is None else prepare(*args, **kwargs)
                stack.is_busy = is_opaque
                try:
                    result = original(*args, **kwargs)
                finally:
                    stack.is_busy = False
            except BaseException as error:
                hide_wrappers(error)
                raise
            if result is None or isinstance(result, values):
                report(args, kwargs, result, state)
            return result

        return compute_observed

    def _wrap_receiver(self, change_observed: Function) -> Function:
        """Return a method that always changes its receiver."""
        original = self.original

        def call_observed(*args: Any, **kwargs: Any) -> Any:
            args = args or take_receiver(kwargs)
            try:
                if not args:
                    return original(**kwargs)
                receiver, args = list(args[:1]), args[1:]
                return change_observed(receiver, args, kwargs)
            except BaseException as error:
                hide_wrappers(error)
                raise

        return call_observed

    def _wrap_constructor(self, change_observed: Function) -> Function:
        stack, entries, original = self.context.stack, self.context.origins.entries, self.original

        def create_observed(*args: Any, **kwargs: Any) -> Any:
            try:
                if stack.is_busy or not entries:
                    return original(*args, **kwargs)
                args = args or take_receiver(kwargs)
                if not args:
                    return original(**kwargs)
                receiver, args = list(args[:1]), args[1:]
                return change_observed(receiver, args, kwargs)
            except BaseException as error:
                hide_wrappers(error)
                raise

        return create_observed

    def _wrap_change(self) -> Function:
        """Return a function that calls a method which changes its receiver, the only element of a list, and keeps no reference to it."""
        stack, entries, original, report = self.context.stack, self.context.origins.entries, self.original, self.report
        prepare = prepare_safely(self.options.get("prepare"))

        def change_observed(receiver: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            call = create_call(original, len(args), tuple(kwargs))
            if stack.is_busy or not entries:
                return call(receiver, args, kwargs)
            state = None if prepare is None else prepare(receiver[0], *args, **kwargs)
            reference = _create_reference(receiver[0])
            stack.is_busy = True
            try:
                result = call(receiver, args, kwargs)
            finally:
                stack.is_busy = False
            changed = reference()
            if changed is not None:
                report((changed, *args), kwargs, result, state)
            return result

        return set_place(change_observed, original)


def take_receiver(kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the receiver of a method that is called without positional arguments, `DataFrame.copy(self=frame)`, and remove it there."""
    return (kwargs.pop("self"),) if "self" in kwargs else ()


def prepare_safely(prepare: Function | None) -> Function | None:
    """Return a function whose state is None for a call with wrong arguments, whose error is that of the library."""
    if prepare is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        with suppress(Exception):
            return prepare(*args, **kwargs)

    return call


def _create_reference(value: Any) -> Callable[[], Any]:
    """Return a weak reference, or a strong one to an object that has none, such as the indexer `df.loc`."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
