"""Rest.li's actions: one path takes POST, and its parameter `action` chooses what is done."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.operations.datahub.errors import RESTLI_STATUSES
from jupyter_colophon.operations.operation import JSON, Function, Operation, operation
from jupyter_colophon.operations.parameter import Parameter, choice
from jupyter_colophon.operations.request import Request
from jupyter_colophon.operations.request_schemas import Shape
from jupyter_colophon.operations.services import Services


@dataclass(frozen=True, slots=True)
class Action:
    """One action: the function that does it, what its body must be, and whether it writes."""

    function: Function
    body: Shape
    writes: bool = False


def declare_actions(
    name: str,
    path: str,
    summary: str,
    actions: Mapping[str, Action],
    *,
    answer: Shape,
    parameters: Iterable[Parameter[Any]] = (),
    errors: Iterable[type[MetadataError]] = (),
) -> Operation:
    """Declare the operation `name` with these actions. A caller who may not write may still call those that read."""
    parameter = choice("action", "The action to perform.", *actions)

    @operation(
        name,
        f"POST {path}",
        answers={200: answer},
        parameters=[parameter, *parameters],
        body={JSON: {"anyOf": [action.body for action in actions.values()]}},
        errors=errors,
        statuses=RESTLI_STATUSES,
        permission="read",
    )
    def act(services: Services, request: Request) -> Any:
        return actions[request[parameter]].function(services, request)

    whole = replace(act, summary=summary)
    chosen = {
        value: replace(
            whole,
            function=action.function,
            body={JSON: action.body},
            permission="write" if action.writes else "read",
        )
        for value, action in actions.items()
    }
    return replace(whole, actions=chosen)
