"""Recipes: lines with one directive each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.wrangling.arguments import ArgumentReader
from jupyter_colophon.wrangling.directive import Directive, Row
from jupyter_colophon.wrangling.directive_index import DIRECTIVES, find_directive
from jupyter_colophon.wrangling.errors import ArgumentError, RecipeError
from jupyter_colophon.wrangling.tokens import iterate_tokens, split_lines

#: The most lines of a recipe, and the most characters.
LINES_MAX: Final = 500
CHARACTERS_MAX: Final = 65_536
#: The most columns that an error names.
_NAMED: Final = 50
#: The default of `plugins`. It can be pickled.
NO_PLUGINS: Final[Mapping[str, type[Directive]]] = {}


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that a directive could not process."""

    line: int
    directive: str
    reason: str
    row: Row


@dataclass(frozen=True, slots=True)
class Step:
    """A directive in a line of a recipe."""

    line: int
    text: str
    directive: Directive


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps, in their order."""

    steps: tuple[Step, ...]

    @property
    def needs_all_rows(self) -> bool:
        """Return whether a step depends on all rows."""
        return any(step.directive.needs_all_rows for step in self.steps)

    def apply(
        self,
        rows: Iterable[Mapping[str, Any]],
        on_rejected: Callable[[RejectedRow], None] | None = None,
        *,
        check_columns: bool = True,
    ) -> Iterator[Row]:
        """Yield the resulting rows. The input rows are not changed.

        Without `on_rejected`, the first row that a directive cannot process raises RecipeError. So does, at the end, a
        column that no row has; without `check_columns`, such a column has nulls.
        """
        result: Iterable[Row] = (dict(row) for row in rows)
        for step in self.steps:
            if check_columns:
                result = _check_columns(result, step)
            result = step.directive.apply(result, _create_reject(step, on_rejected))
        yield from result


def parse_recipe(text: str, plugins: Mapping[str, type[Directive]] = NO_PLUGINS) -> Recipe:
    """Parse a recipe; empty lines, and lines that begin with # or //, are ignored. Raises RecipeError.

    `plugins` are directives of artifacts, by `artifact/version/name`.
    """
    if len(text) > CHARACTERS_MAX:
        raise RecipeError(1, 1, f"a recipe may have at most {CHARACTERS_MAX} characters")
    lines = split_lines(text)
    if len(lines) > LINES_MAX:
        raise RecipeError(LINES_MAX + 1, 1, f"a recipe may have at most {LINES_MAX} lines")
    return Recipe(
        tuple(Step(number, line.strip(), _parse_directive(line, number, plugins)) for number, line in _list_steps(text))
    )


def list_unknown_directives(text: str) -> list[str]:
    """Return the names of the directives of a recipe that are not built in; those of lines that cannot be parsed are left out."""
    names: dict[str, None] = {}
    for number, line in _list_steps(text):
        with suppress(RecipeError):
            names[next(iterate_tokens(line, number)).value] = None
    return [name for name in names if name not in DIRECTIVES]


def _list_steps(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with a directive, with their numbers."""
    for number, line in enumerate(split_lines(text), 1):
        if line.strip() and not line.lstrip().startswith(("#", "//")):
            yield number, line


def _parse_directive(text: str, line: int, plugins: Mapping[str, type[Directive]]) -> Directive:
    first, *tokens = iterate_tokens(text, line)
    if first.kind != "word":
        raise RecipeError(line, first.column, f"unknown directive {first.value}")
    try:
        kind = find_directive(first.value, plugins)
    except LookupError as error:
        raise RecipeError(line, first.column, str(error)) from None
    arguments = ArgumentReader(kind, tokens, line, len(text.rstrip()) + 1).read_all()
    try:
        return kind(arguments)
    except ArgumentError as error:
        raise RecipeError(line, tokens[0].column if tokens else 1, error.reason) from None


def _check_columns(rows: Iterable[Row], step: Step) -> Iterator[Row]:
    """Yield the rows; afterwards, raise RecipeError for a column of the directive that none of them has."""
    missing, names = {*step.directive.list_input_columns()}, dict[str, None]()
    has_rows = False
    for row in rows:
        has_rows = True
        if missing:
            missing -= row.keys()
            names.update(dict.fromkeys(row))
        yield row
    if missing and has_rows:
        column = min(missing)
        raise RecipeError(step.line, 1, f"unknown column {column}; available: {', '.join([*names][:_NAMED])}")


def _create_reject(step: Step, on_rejected: Callable[[RejectedRow], None] | None) -> Callable[[Row, str], None]:
    def reject(row: Row, reason: str) -> None:
        if on_rejected is None:
            raise RecipeError(step.line, 1, f"{step.directive.name}: {reason}")
        on_rejected(RejectedRow(step.line, step.directive.name, reason, row))

    return reject
