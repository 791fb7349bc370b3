"""An API: a family of operations with one prefix, one form of errors and one document."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.problems import find_problem_type
from jupyter_colophon.operations.request_schemas import SchemaOrName
from jupyter_colophon.settings import Settings

_PARAMETER = re.compile(r"\{([a-z]+)\}")
_SEGMENT = "[^/]+"


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """The reason why a request failed: an HTTP status with a message, or one of our errors."""

    status: int
    #: The standard phrase of the status.
    reason: str
    #: The message of the HTTP error; empty for one of our errors, or if there is no message.
    message: str = ""
    error: MetadataError | None = None


def _read_max_body_bytes(settings: Settings) -> int:
    return settings.max_body_bytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ApiDefinition:
    """One API. Its paths are matched as they were sent, before they are decoded, the first that fits."""

    title: str
    summary: str
    prefix: str
    operations: Sequence[Operation]
    #: Writes an error as a document.
    error_document: Callable[[RequestFailure], Mapping[str, Any]]
    error_schema: SchemaOrName
    content_type: str = "application/json"
    error_content_type: str = "application/json"
    #: Other prefixes of the same paths.
    aliases: Sequence[str] = ()
    #: The parameters in paths, by their names there.
    path_parameters: Mapping[str, Sequence[Parameter[Any]]] = field(default_factory=dict)
    #: The pattern of a path parameter, if it is not one segment.
    patterns: Mapping[str, str] = field(default_factory=dict)
    #: Whether a path may end with a slash.
    slash: bool = False
    #: Whether members of a body that are null are absent.
    drops_nulls: bool = False
    #: Whether a query parameter that the operation does not declare is refused; clients of other products rely on that
    #: unknown parameters are ignored.
    refuses_unknown_parameters: bool = False
    #: Whether the ETag of an answer without a version is a hash of the answer.
    hashes_answers: bool = False
    #: The pattern of paths below the prefix that are answered 404 by this API where no operation has them.
    unknown: str = "(?:|/.*)"
    #: The methods of these paths that are answered 404; others are answered 405.
    unknown_methods: Sequence[str] = ("GET", "POST", "PUT", "PATCH", "DELETE")
    max_body_bytes: Callable[[Settings], int] = _read_max_body_bytes
    #: The documents that operations name, by their names; loaded for the API's document alone.
    schemas: Callable[[], Mapping[str, Any]] = dict

    def find_status_of_error(self, operation: Operation | None, cause: type[MetadataError]) -> int:
        """Return the status of an error."""
        for error_type, status in operation.statuses.items() if operation is not None else ():
            if issubclass(cause, error_type):
                return status
        return find_problem_type(cause).status

    def list_path_patterns(self) -> Iterator[tuple[str, dict[str, Operation]]]:
        """Yield the pattern of each path below the server's base URL, with its operations by method."""
        paths: dict[str, dict[str, Operation]] = {}
        for operation in self.operations:
            paths.setdefault(operation.path, {})[operation.method] = operation
        for prefix in (self.prefix, *self.aliases):
            for path, operations in paths.items():
                yield prefix + self._build_path_pattern(path), operations

    def _build_path_pattern(self, path: str) -> str:
        parts = _PARAMETER.split(path)
        pattern = "".join(
            f"(?P<{part}>{self.patterns.get(part, _SEGMENT)})" if at % 2 else re.escape(part)
            for at, part in enumerate(parts)
        )
        return f"{pattern}/?" if self.slash else pattern
