"""Lineage of fields: `GET …/lineage/fields…` and `…/lineage/allfieldlineage`."""

from typing import Any, Final

from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.lineage.field_lineage import FieldLineageRequest
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import PREFIX
from jupyter_colophon.operations.v3.field_documents import SIDES, FieldLineageRenderer
from jupyter_colophon.operations.v3.lineage import END, START, parse_data_urn_of_path, require_time_window
from jupyter_colophon.operations.v3.parameters import TRUNCATED, declare_choice_in_any_case
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS
from jupyter_colophon.service.lineage.field_lineage import read_field_lineage

_LIST: Final = {"type": "array"}
_OBJECT: Final = {"type": "object"}
_DIRECTION: Final = declare_choice_in_any_case(
    "direction",
    "`incoming`: the fields that a field is derived from; `outgoing`: those derived from it.",
    *SIDES,
    "both",
)
_CURRENT: Final = declare_choice_in_any_case(
    "includeCurrent",
    "Also return fields of the current schema that have no lineage; otherwise only fields with lineage are returned.",
    "true",
    "false",
)
_PARAMETERS: Final = (*ENTITY_PARAMETERS, START, END, _DIRECTION)
_ERRORS: Final = (NotFound, InvalidName)


@declare_operation(
    "v3ListFields",
    "GET /{data}/lineage/fields",
    decided_by="entities",
    parameters=[*ENTITY_PARAMETERS, START, END, PREFIX, _CURRENT],
    answers={200: _LIST},
    errors=_ERRORS,
)
def list_fields(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """List the fields of a dataset that have lineage."""
    schema, headers = _read_field_lineage_of_path(services, request, 2, "", "both")
    prefix = request[PREFIX]
    document: Any = (
        schema.list_all_fields(prefix) if request[_CURRENT] == "true" else schema.list_fields_with_lineage(prefix)
    )
    return OperationAnswer(document, headers=headers)


@declare_operation(
    "v3ReadField",
    "GET /{data}/lineage/fields/{field}",
    decided_by="entities",
    parameters=_PARAMETERS,
    answers={200: _OBJECT},
    errors=_ERRORS,
)
def read_field(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the fields that a field is derived from, and those derived from it."""
    schema, headers = _read_field_lineage_of_path(services, request, 3, request.path["field"], request[_DIRECTION])
    return OperationAnswer(schema.render_field_neighbours(), headers=headers)


@declare_operation(
    "v3ListOperations",
    "GET /{data}/lineage/fields/{field}/operations",
    decided_by="entities",
    parameters=_PARAMETERS,
    answers={200: _OBJECT},
    errors=_ERRORS,
)
def list_field_operations(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the operations of programs that produced a field, and those that read it."""
    schema, headers = _read_field_lineage_of_path(
        services, request, 4, request.path["field"], request[_DIRECTION] or "both"
    )
    return OperationAnswer(schema.render_field_operations(), headers=headers)


@declare_operation(
    "v3ReadAllFields",
    "GET /{data}/lineage/allfieldlineage",
    decided_by="entities",
    parameters=_PARAMETERS,
    answers={200: _OBJECT},
    errors=_ERRORS,
)
def read_lineage_of_all_fields(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return how the fields of a dataset are related to those of others."""
    direction = request[_DIRECTION]
    schema, headers = _read_field_lineage_of_path(services, request, 2, "", direction)
    return OperationAnswer(
        schema.render_relations_of_all_fields(direction, require_time_window(request[START], request[END])),
        headers=headers,
    )


def _read_field_lineage_of_path(
    services: ProcessServices, request: OperationRequest, trailing: int, field: str, direction: str
) -> tuple[FieldLineageRenderer, dict[str, str]]:
    """Read the lineage of a field of the data in the path, or of all, in the window; also return the answer's headers."""
    urn, namespace = parse_data_urn_of_path(services, request, trailing)
    within, sides = require_time_window(request[START], request[END]), _parse_direction_to_sides(direction)
    lineage_request = FieldLineageRequest(urn, within, field, "incoming" in sides, "outgoing" in sides)
    lineage, principal = services.get_or_open_catalog().lineage, request.principal
    lineage.require_entity_in_namespace(urn, namespace, principal)
    field_lineage = read_field_lineage(lineage, lineage_request, principal)
    renderer = FieldLineageRenderer(urn, field_lineage, services.identity, sides)
    return renderer, TRUNCATED if field_lineage.truncated else {}


def _parse_direction_to_sides(direction: str) -> tuple[str, ...]:
    if not direction:
        raise InvalidQuery("parameter 'direction' is required: incoming, outgoing or both")
    return SIDES if direction == "both" else (direction,)
