"""The base class of directives in artifacts of a namespace (docs/how-to/write-a-directive.md)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from jupyter_colophon.wrangling.directive import Directive, Reject, Row
from jupyter_colophon.wrangling.errors import ArgumentError
from jupyter_colophon.wrangling.normalization import decode_value, encode_value, normalize_row
from jupyter_colophon.wrangling.plugin_parameters import build_parameters

_REASON_MAX: Final = 500


class DirectivePlugin(Directive):
    """Base class of the directives of an artifact. `properties` and `required` declare the arguments, in their order."""

    type: ClassVar[str] = "directive"
    description: ClassVar[str] = ""
    properties: ClassVar[Mapping[str, Any]] = {}
    required: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.parameters = build_parameters(cls.properties, cls.required)

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        try:
            super().__init__({parameter.name: parameter.default for parameter in self.parameters} | {**arguments})
        except ArgumentError:
            raise
        except Exception as error:
            raise ArgumentError(_describe_error(error)) from error

    def prepare(self) -> None:
        """Check and convert `self.arguments` once; an exception refuses the recipe."""

    def change_row(self, row: Row) -> Row | Sequence[Row] | None:
        """Return the changed row, several rows, or None to remove it. An exception rejects the row, with its message."""
        raise NotImplementedError

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the resulting rows."""
        for row in rows:
            outcome = self._apply_to_row(row)
            if isinstance(outcome, str):
                reject(row, outcome)
            else:
                yield from outcome

    def apply_to_batch(self, rows: Sequence[Mapping[str, Any]]) -> list[list[Row] | str]:
        """Return the resulting rows of each row, or why it is rejected; values are encoded. The server calls this."""
        outcomes: list[list[Row] | str] = []
        for row in rows:
            outcome = self._apply_to_row({name: decode_value(value) for name, value in row.items()})
            outcomes.append(outcome if isinstance(outcome, str) else [_encode_row(changed) for changed in outcome])
        return outcomes

    def _apply_to_row(self, row: Row) -> list[Row] | str:
        try:
            changed = self.change_row(dict(row))
            results = [] if changed is None else [changed] if isinstance(changed, Mapping) else changed
            if not isinstance(results, Sequence) or not all(isinstance(result, Mapping) for result in results):
                return f"change_row returned {type(changed).__name__}, and not rows"
            return [normalize_row(result) for result in results]
        except Exception as error:  # noqa: BLE001  code of the plugin may raise anything
            return _describe_error(error)


def _encode_row(row: Row) -> Row:
    return {name: encode_value(value) for name, value in row.items()}


def _describe_error(error: Exception) -> str:
    try:
        return str(error)[:_REASON_MAX] or type(error).__name__
    except Exception:  # noqa: BLE001  its class belongs to the plugin
        return type(error).__name__
