"""Find directives from examples: candidates are enumerated, and those that turn each input into its output are kept."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.wrangling.errors import RecipeError
from jupyter_colophon.wrangling.recipe import parse_recipe
from jupyter_colophon.wrangling.tokens import quote_column, quote_text
from jupyter_colophon.wrangling.value_patterns import DATE_FORMATS

#: The most candidates that are returned.
_RETURNED: Final = 5
_CLASSES: Final = (r"\d+", r"[A-Za-z]+", r"\w+")
_CASES: Final = ("uppercase", "lowercase", "titlecase")
_META: Final = re.compile(r"([\\.^$*+?{}\[\]|()])")


@dataclass(frozen=True, slots=True)
class InputOutput:
    """An example. A list of texts is what a text is split into."""

    input: str
    output: str | tuple[str, ...]


def find_directives_by_example(column: str, examples: Sequence[InputOutput]) -> list[list[str]]:
    """Return the simplest recipes that turn each input into its output, as lists of lines.

    An output is the new value of the column, or of the column `column_1`; the parts of a text are those of `column_1`,
    `column_2` ….
    """
    found: list[list[str]] = []
    candidates = _iterate_splits(column, examples[0]) if _is_split(examples) else _iterate_changes(column, examples)
    for lines in candidates:
        if lines not in found and _matches_examples(column, lines, examples):
            found.append(lines)
        if len(found) == _RETURNED:
            break
    return found


def _is_split(examples: Sequence[InputOutput]) -> bool:
    return isinstance(examples[0].output, tuple)


def _matches_examples(column: str, lines: Sequence[str], examples: Sequence[InputOutput]) -> bool:
    try:
        rows = [*parse_recipe("\n".join(lines)).apply([{column: example.input} for example in examples])]
    except RecipeError:
        return False
    return len(rows) == len(examples) and all(
        _has_output(column, row, example) for row, example in zip(rows, examples, strict=True)
    )


def _has_output(column: str, row: dict[str, Any], example: InputOutput) -> bool:
    if isinstance(example.output, tuple):
        return tuple(row.get(f"{column}_{number}") for number in range(1, len(row))) == example.output
    return bool(row.get(f"{column}_1", row[column]) == example.output)


def _iterate_splits(column: str, example: InputOutput) -> Iterator[list[str]]:
    """Yield splits at the texts between the parts of the first example."""
    position, between = 0, []
    for part in example.output:
        begin = example.input.find(part, position)
        if begin < 0:
            return
        between.append(example.input[position:begin])
        position = begin + len(part)
    separators = [*dict.fromkeys(between[1:])]
    if not separators or "" in separators:
        return
    count, name = len(example.output), quote_column(column)
    patterns = ["|".join(_escape(separator) for separator in separators)]
    patterns += [rf"\s*{_escape(separator.strip())}\s*" for separator in separators if separator.strip()]
    patterns += [r"\s+"] if not any(separator.strip() for separator in separators) else []
    for pattern in patterns:
        yield [f"split-to-columns {name} {quote_text(pattern)}"]
        yield [f"split-to-columns {name} {quote_text(pattern)} {count}"]


def _iterate_changes(column: str, examples: Sequence[InputOutput]) -> Iterator[list[str]]:
    name = quote_column(column)
    for directive in ("trim", "collapse-blanks", *_CASES):
        yield [f"{directive} {name}"]
    yield from ([f"trim {name}", f"{case} {name}"] for case in _CASES)
    yield from _iterate_date_formats(name)
    output = str(examples[0].output)
    text = examples[0].input
    begin = text.find(output)
    while output and begin >= 0:
        for pattern in _iterate_patterns(text, begin, begin + len(output)):
            yield [f"extract-regex-groups {name} {quote_text(pattern)}"]
        begin = text.find(output, begin + 1)


def _iterate_date_formats(name: str) -> Iterator[list[str]]:
    for read in DATE_FORMATS:
        for written in DATE_FORMATS:
            yield [f"parse-as-date {name} {quote_text(read.text)}", f"format-date {name} {quote_text(written.text)}"]


def _iterate_patterns(text: str, begin: int, end: int) -> Iterator[str]:
    """Yield patterns whose group is a range of a text: a field between separators, or a kind of characters in a context."""
    before, part, after = text[:begin], text[begin:end], text[end:]
    for separator in dict.fromkeys((before[-1:], after[:1])):
        if separator and not separator.isalnum() and separator not in part:
            escaped = _escape(separator)
            field = rf"([^{escaped}]*)"
            yield rf"^{f'(?:[^{escaped}]*{escaped}){{{before.count(separator)}}}' if before else ''}{field}"
            if not after:
                yield rf"{field}$"
    left = ["^"] if not before else [_escape(before[-1]), _escape(before[-2:])]
    right = ["$"] if not after else ["", _escape(after[0])]
    kinds = [kind for kind in _CLASSES if re.fullmatch(kind, part)]
    kinds.append(rf"[^{_escape(after[0])}]+" if after else ".+")
    for kind in kinds:
        yield rf"({kind})"
        for beginning in left:
            yield from (rf"{beginning}({kind}){ending}" for ending in right)
    yield rf"^.{{{begin}}}(.{{{end - begin}}})"


def _escape(text: str) -> str:
    return _META.sub(r"\\\1", text)
