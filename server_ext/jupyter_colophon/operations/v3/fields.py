"""Lineage of fields: `GET …/lineage/fields…` and `…/lineage/allfieldlineage`."""

from typing import Any, Final

from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.lineage.field_lineage import FieldQuestion
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.request import Answer, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import PREFIX
from jupyter_colophon.operations.v3.field_documents import SIDES, FieldShape
from jupyter_colophon.operations.v3.lineage import END, START, data_in_path, window
from jupyter_colophon.operations.v3.parameters import TRUNCATED, word
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS
from jupyter_colophon.service.lineage.field_lineage import field_lineage

_LIST: Final = {"type": "array"}
_OBJECT: Final = {"type": "object"}
_DIRECTION: Final = word(
    "direction",
    "`incoming`: the fields that a field is derived from; `outgoing`: those derived from it.",
    *SIDES,
    "both",
)
_CURRENT: Final = word("includeCurrent", "Include the fields of the current schema.", "true", "false")
_PARAMETERS: Final = (*ENTITY_PARAMETERS, START, END, _DIRECTION)
_ERRORS: Final = (NotFound, InvalidName)


@operation(
    "v3ListFields",
    "GET /{data}/lineage/fields",
    parameters=[*ENTITY_PARAMETERS, START, END, PREFIX, _CURRENT],
    answers={200: _LIST},
    errors=_ERRORS,
)
def list_fields(services: Services, request: Request) -> Answer:
    """List the fields of a dataset that have lineage."""
    shape, headers = _read(services, request, 2, "", "both")
    prefix = request[PREFIX]
    document: Any = shape.with_current(prefix) if request[_CURRENT] == "true" else shape.names(prefix)
    return Answer(document, headers=headers)


@operation(
    "v3ReadField",
    "GET /{data}/lineage/fields/{field}",
    parameters=_PARAMETERS,
    answers={200: _OBJECT},
    errors=_ERRORS,
)
def read_field(services: Services, request: Request) -> Answer:
    """Return the fields that a field is derived from, and those derived from it."""
    shape, headers = _read(services, request, 3, request.path["field"], request[_DIRECTION])
    return Answer(shape.neighbours(), headers=headers)


@operation(
    "v3ListOperations",
    "GET /{data}/lineage/fields/{field}/operations",
    parameters=_PARAMETERS,
    answers={200: _OBJECT},
    errors=_ERRORS,
)
def list_operations(services: Services, request: Request) -> Answer:
    """Return the operations of programs that produced a field, and those that read it."""
    shape, headers = _read(services, request, 4, request.path["field"], request[_DIRECTION] or "both")
    return Answer(shape.operations(), headers=headers)


@operation(
    "v3ReadAllFields",
    "GET /{data}/lineage/allfieldlineage",
    parameters=_PARAMETERS,
    answers={200: _OBJECT},
    errors=_ERRORS,
)
def read_all_fields(services: Services, request: Request) -> Answer:
    """Return how the fields of a dataset are related to those of others."""
    direction = request[_DIRECTION]
    shape, headers = _read(services, request, 2, "", direction)
    return Answer(shape.whole(direction, window(request[START], request[END])), headers=headers)


def _read(
    services: Services, request: Request, trailing: int, field: str, direction: str
) -> tuple[FieldShape, dict[str, str]]:
    """Read the lineage of a field of the data in the path, or of all, in the window; also return the answer's headers."""
    urn, namespace = data_in_path(services, request, trailing)
    within, sides = window(request[START], request[END]), _sides(direction)
    question = FieldQuestion(urn, within, field, "incoming" in sides, "outgoing" in sides)
    lineage, principal = services.catalog().lineage, request.principal
    lineage.require_in(urn, namespace, principal)
    found = field_lineage(lineage, question, principal)
    return FieldShape(urn, found, services.identity, sides), TRUNCATED if found.truncated else {}


def _sides(direction: str) -> tuple[str, ...]:
    if not direction:
        raise InvalidQuery("is missing: incoming, outgoing or both", "direction")
    return SIDES if direction == "both" else (direction,)
