"""Operations of the native API, called by their ids: in this process or over HTTP."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jupyter_colophon.client.caller import Call, Caller, Document
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.operation import Operation


@cache
def find_operation(name: str) -> Operation:
    """Return an operation of the native API. Raises StopIteration if it does not exist."""
    return next(operation for operation in NATIVE.operations if operation.id == name)


def call_operation(caller: Caller, name: str, parameters: Mapping[str, Any], body: Any = None) -> Document:
    """Return the answer of an operation. Raises ClientError."""
    operation = find_operation(name)
    path = {name: str(value) for name, value in parameters.items() if f"{{{name}}}" in operation.path}
    query = {name: value for name, value in parameters.items() if name not in path}
    return caller.call(Call(operation.id, operation.method, operation.path, path=path, query=query, body=body))
