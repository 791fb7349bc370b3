"""Keys of metadata and their values, for completion (spec CDAP-9)."""

from typing import Any, Final

from jupyter_colophon.core.documents.codec import to_api_documents
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import HistoryExpired
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.core.search.search import KeysRequest, ValuesRequest
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_count, declare_number
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import PREFIX
from jupyter_colophon.operations.v3.parameters import AS_OF, SCOPE, SCOPES, TRUNCATED
from jupyter_colophon.operations.v3.targets import TARGET, parse_targets

_MOST: Final = 10_000
_LIMIT: Final = declare_count("limit", "Maximum number of results.", default=_MOST, minimum=0, maximum=_MOST)
_OFFSET: Final = declare_number("offset", "Number of results to skip.", default=0, minimum=0, maximum=10**9)
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


@declare_operation(
    "v3ListKeys",
    "GET /namespaces/{namespace}/metadata/keys",
    decided_by="entities",
    parameters=[PREFIX, SCOPE, TARGET, AS_OF, _LIMIT, _OFFSET],
    answers={200: {"type": "array", "items": _KEY}},
    errors=[HistoryExpired],
)
def list_keys(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """List keys with the number of entities that have them."""
    keys_request = KeysRequest(
        request[PREFIX],
        request.path["namespace"],
        SCOPES[request[SCOPE]],
        parse_targets(request[TARGET]),
        request[AS_OF],
    )
    catalog, start = services.get_or_open_catalog(), request[_OFFSET]
    catalog.lister.require_known_kinds(keys_request.carriers)
    keys, is_truncated = catalog.keys.list_keys_with_counts(keys_request, request.principal)
    return _build_list_answer(to_api_documents(keys[start : start + request[_LIMIT]]), is_truncated=is_truncated)


@declare_operation(
    "v3ListValues",
    "GET /namespaces/{namespace}/metadata/keys/{key}/values",
    decided_by="entities",
    parameters=[PREFIX, SCOPE, AS_OF, _LIMIT, _OFFSET],
    answers={200: {"type": "array", "items": _VALUE}},
    errors=[HistoryExpired],
)
def list_values(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """List the values of a key with the number of entities that have them."""
    start = request[_OFFSET]
    values_request = ValuesRequest(
        request.path["key"], request[PREFIX], request.path["namespace"], SCOPES[request[SCOPE]], request[AS_OF]
    )
    values, is_truncated = services.get_or_open_catalog().keys.list_values_with_counts(
        values_request, start + request[_LIMIT], request.principal
    )
    return _build_list_answer(
        [{"value": value, "entities": entities} for value, entities in values[start:]], is_truncated=is_truncated
    )


def _build_list_answer(items: list[dict[str, Any]], *, is_truncated: bool) -> OperationAnswer:
    """Answer a list, which may be cut off by its size: `offset` reads on."""
    page = list(limit_items_to_page_bytes(items, measure_json_bytes))
    return OperationAnswer(page, headers=TRUNCATED if is_truncated or len(page) < len(items) else {})
