"""Directives of artifacts that this process knows by their declaration: their code runs in another one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar, Final, NoReturn

from jupyter_colophon.wrangling.directive import Directive, Reject, Row
from jupyter_colophon.wrangling.errors import RecipeError
from jupyter_colophon.wrangling.normalization import decode_value, encode_value
from jupyter_colophon.wrangling.plugin_parameters import build_parameters

#: How many rows are sent at once.
_BATCH: Final = 500


#: Called with encoded rows, returns the resulting rows of each, or why it is rejected.
SendBatch = Callable[[list[Row]], Any]


class DeclaredDirective(Directive):
    """A directive whose rows are processed where `connect` sends them."""

    full_name: ClassVar[str]
    _send: SendBatch | None = None
    _line = 1

    def connect(self, send: SendBatch, line: int) -> None:
        """Set what processes batches of rows, and the line in the recipe."""
        self._send, self._line = send, line

    def get_properties(self) -> dict[str, Any]:
        """Return the arguments that the recipe has."""
        return {name: value for name, value in self.arguments.items() if value is not None}

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the resulting rows. Raises RecipeError for anything else than rows."""
        if self._send is None:
            msg = f"the directive {self.name} is declared only: its code was not loaded"
            raise RuntimeError(msg)
        rest = iter(rows)
        while batch := [*islice(rest, _BATCH)]:
            outcomes = self._send([{name: encode_value(value) for name, value in row.items()} for row in batch])
            if not isinstance(outcomes, list) or len(outcomes) != len(batch):
                self._refuse_outcome()
            for row, outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, str):
                    reject(row, outcome)
                else:
                    yield from self._decode_rows(outcome)

    def _decode_rows(self, outcome: Any) -> list[Row]:
        if not isinstance(outcome, list) or not all(isinstance(row, dict) for row in outcome):
            self._refuse_outcome()
        try:
            return [{name: decode_value(value) for name, value in row.items()} for row in outcome]
        except ValueError:
            self._refuse_outcome()

    def _refuse_outcome(self) -> NoReturn:
        raise RecipeError(self._line, 1, f"{self.name}: its process returned something else than rows")


def declare_directive(full_name: str, description: str, schema: Mapping[str, Any]) -> type[DeclaredDirective]:
    """Return a directive of an artifact from its declaration. Raises ValueError if it cannot be used in recipes."""
    members = {
        "full_name": full_name,
        "name": full_name.rpartition("/")[2],
        "description": description,
        "parameters": build_parameters(schema["properties"], schema["required"]),
    }
    return type("DeclaredDirective", (DeclaredDirective,), members)
