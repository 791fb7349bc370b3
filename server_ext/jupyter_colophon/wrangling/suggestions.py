"""Directives that fit the values of a column, and completions of a line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.wrangling.column_profiles import list_texts
from jupyter_colophon.wrangling.directive_index import DIRECTIVES
from jupyter_colophon.wrangling.tokens import quote_column, quote_text
from jupyter_colophon.wrangling.value_patterns import (
    DECIMAL_MARKS,
    detect_text_type,
    find_date_format,
    is_formatted_number,
)

Suggestion = dict[str, str]
_SEPARATORS: Final = (",", ";", "|", "\t")
#: The share of texts that may be no numbers if a directive for numbers is suggested.
_OTHERS_MAX: Final = 0.2


def suggest_directives(column: str, values: Sequence[Any]) -> list[Suggestion]:
    """Return directives for a column, with the reason for each."""
    name = quote_column(column)
    return [
        {"directive": line.replace("{}", name, 1), "reason": reason} for line, reason in _iterate_suggestions(values)
    ]


def complete_directives(prefix: str) -> list[Mapping[str, str]]:
    """Return the directives whose names begin with a prefix."""
    return [
        {"name": name, "usage": directive.format_usage(), "description": directive.description}
        for name, directive in sorted(DIRECTIVES.items())
        if name.startswith(prefix.strip().lower())
    ]


def _iterate_suggestions(values: Sequence[Any]) -> Iterator[tuple[str, str]]:
    texts = list_texts(values)
    if any(text != text.strip() for text in texts):
        yield "trim {}", "some texts have blanks at an end"
    if any(isinstance(value, list) for value in values):
        yield "flatten {}", "some values are lists"
    if any(isinstance(value, dict) for value in values):
        yield "parse-as-json {}", "some values are objects"
    yield from _iterate_text_suggestions(texts)
    if any(value is None or value == "" for value in values):
        yield "fill-null-or-empty {} 'n/a'", "some values are missing"
        yield "filter-empty-or-null {}", "some values are missing"


def _iterate_text_suggestions(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    found = detect_text_type(texts)
    if found in ("integer", "double", "boolean"):
        yield f"set-type {{}} {found}", f"all texts are of the type {found}"
    elif found in ("json", "url", "email"):
        directive = {"json": "parse-as-json", "url": "split-url", "email": "split-email"}[found]
        yield f"{directive} {{}}", f"all texts are of the kind {found}"
    elif found == "string":
        yield from _iterate_number_suggestions(texts)
    if (form := find_date_format(texts)) is not None:
        yield f"parse-as-date {{}} {quote_text(form.text)}", f"all texts have the format {form.text}"
    if found == "string":
        yield from _iterate_string_suggestions(texts)


def _iterate_number_suggestions(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield how most of the texts are parsed as numbers, with each decimal mark that fits."""
    for mark in DECIMAL_MARKS:
        others = sum(not is_formatted_number(text, mark) for text in texts)
        is_open = mark == "." or any(mark in text for text in texts)
        if texts and is_open and others <= _OTHERS_MAX * len(texts):
            some = f"{len(texts) - others} of {len(texts)} texts are formatted numbers; rows with others are rejected"
            yield f"parse-as-number {{}} '{mark}'", some if others else "all texts are formatted numbers"


def _iterate_string_suggestions(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for separator in _SEPARATORS:
        counts = {text.count(separator) for text in texts}
        if texts and 0 not in counts and len(counts) == 1:
            count = counts.pop() + 1
            pattern = quote_text("\\|" if separator == "|" else separator)
            yield f"split-to-columns {{}} {pattern} {count}", f"each text has {count} parts"
    if len({text.lower() for text in texts}) < len(texts):
        yield "lowercase {}", "some texts differ only in letter case"
