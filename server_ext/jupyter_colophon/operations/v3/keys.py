"""Keys of metadata and their values, for completion (spec CDAP-9)."""

from typing import Any, Final

from jupyter_colophon.core.documents.codec import to_documents
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import HistoryExpired
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.search import KeysQuestion, ValuesQuestion
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import count, number
from jupyter_colophon.operations.request import Answer, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import PREFIX
from jupyter_colophon.operations.v3.parameters import AS_OF, SCOPE, SCOPES, TRUNCATED
from jupyter_colophon.operations.v3.targets import TARGET, kinds

_MOST: Final = 10_000
_LIMIT: Final = count("limit", "Maximum number of results.", default=_MOST, least=0, most=_MOST)
_OFFSET: Final = number("offset", "Number of results to skip.", default=0, least=0, most=10**9)
_KEY: Final = {
    "type": "object",
    "properties": {
        "key": {"type": "string"},
        "kind": {"type": "string"},
        "scope": {"enum": ["USER", "SYSTEM"]},
        "entities": {"type": "integer"},
    },
    "required": ["key", "kind", "scope", "entities"],
}
_VALUE: Final = {
    "type": "object",
    "properties": {"value": {"type": "string"}, "entities": {"type": "integer"}},
    "required": ["value", "entities"],
}


@operation(
    "v3ListKeys",
    "GET /namespaces/{namespace}/metadata/keys",
    parameters=[PREFIX, SCOPE, TARGET, AS_OF, _LIMIT, _OFFSET],
    answers={200: {"type": "array", "items": _KEY}},
    errors=[HistoryExpired],
)
def list_keys(services: Services, request: Request) -> Answer:
    """List keys with the number of entities that have them."""
    question = KeysQuestion(
        request[PREFIX],
        request.path["namespace"],
        SCOPES[request[SCOPE]],
        kinds(request[TARGET]),
        request[AS_OF],
    )
    catalog, start = services.catalog(), request[_OFFSET]
    catalog.lister.require_kinds(question.carriers)
    found, cut = catalog.keys.keys(question, request.principal)
    return _page(to_documents(found[start : start + request[_LIMIT]]), cut=cut)


@operation(
    "v3ListValues",
    "GET /namespaces/{namespace}/metadata/keys/{key}/values",
    parameters=[PREFIX, SCOPE, AS_OF, _LIMIT, _OFFSET],
    answers={200: {"type": "array", "items": _VALUE}},
    errors=[HistoryExpired],
)
def list_values(services: Services, request: Request) -> Answer:
    """List the values of a key with the number of entities that have them."""
    start = request[_OFFSET]
    question = ValuesQuestion(
        request.path["key"], request[PREFIX], request.path["namespace"], SCOPES[request[SCOPE]], request[AS_OF]
    )
    found, cut = services.catalog().keys.values(question, start + request[_LIMIT], request.principal)
    return _page([{"value": value, "entities": entities} for value, entities in found[start:]], cut=cut)


def _page(found: list[dict[str, Any]], *, cut: bool) -> Answer:
    """Answer a list, which may be cut off by its size: `offset` reads on."""
    shown = list(take_page(found, measure))
    return Answer(shown, headers=TRUNCATED if cut or len(shown) < len(found) else {})
