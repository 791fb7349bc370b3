"""Rest.li's actions: one path accepts POST, and its parameter `action` selects the action."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.operations.datahub.errors import RESTLI_STATUSES
from jupyter_colophon.operations.operation import JSON, Function, Operation, declare_operation
from jupyter_colophon.operations.parameter import Parameter, declare_choice
from jupyter_colophon.operations.request import OperationRequest
from jupyter_colophon.operations.request_schemas import SchemaOrName
from jupyter_colophon.operations.services import ProcessServices


@dataclass(frozen=True, slots=True)
class RestliAction:
    """One action: its function, the shape of its body, and whether it writes."""

    function: Function
    body: SchemaOrName
    writes: bool = False


def declare_restli_actions(
    name: str,
    path: str,
    summary: str,
    actions: Mapping[str, RestliAction],
    *,
    answer: SchemaOrName,
    parameters: Iterable[Parameter[Any]] = (),
    errors: Iterable[type[MetadataError]] = (),
) -> Operation:
    """Declare the operation `name` with these actions. A caller without write access may still call the reading ones."""
    parameter = declare_choice("action", "The action to perform.", *actions)

    @declare_operation(
        name,
        f"POST {path}",
        decided_by="entities",
        answers={200: answer},
        parameters=[parameter, *parameters],
        body={JSON: {"anyOf": [action.body for action in actions.values()]}},
        errors=errors,
        statuses=RESTLI_STATUSES,
        permission="read",
    )
    def act(services: ProcessServices, request: OperationRequest) -> Any:
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
