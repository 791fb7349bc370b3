"""Directives for texts."""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Row,
    RowDirective,
    ValueDirective,
    define_column,
    define_new_column,
    get_text,
)
from jupyter_colophon.wrangling.errors import ArgumentError


class TextDirective(ValueDirective):
    """A directive that changes texts without further arguments."""

    parameters = (define_column(),)
    change: ClassVar[Callable[[str], str]]

    def convert_value(self, value: Any) -> Any:
        """Return the changed text."""
        return type(self).change(get_text(value))


class UpperCase(TextDirective):
    """Write texts in upper case."""

    name = "uppercase"
    description = "Writes texts in upper case."
    example = Example("uppercase :a", [{"a": "Rome"}, {"a": None}], [{"a": "ROME"}, {"a": None}])
    change = str.upper


class LowerCase(TextDirective):
    """Write texts in lower case."""

    name = "lowercase"
    description = "Writes texts in lower case."
    example = Example("lowercase :a", [{"a": "Rome"}], [{"a": "rome"}])
    change = str.lower


class TitleCase(TextDirective):
    """Write words with a capital."""

    name = "titlecase"
    description = "Writes each word with a capital, and the rest of it in lower case."
    example = Example("titlecase :a", [{"a": "new YORK"}], [{"a": "New York"}])
    change = str.title


class TrimText(TextDirective):
    """Remove blanks at both ends."""

    name = "trim"
    description = "Removes blanks at both ends."
    example = Example("trim :a", [{"a": "  b c "}], [{"a": "b c"}])
    change = str.strip


class TrimLeft(TextDirective):
    """Remove blanks at the beginning."""

    name = "ltrim"
    description = "Removes blanks at the beginning."
    example = Example("ltrim :a", [{"a": "  b "}], [{"a": "b "}])
    change = str.lstrip


class TrimRight(TextDirective):
    """Remove blanks at the end."""

    name = "rtrim"
    description = "Removes blanks at the end."
    example = Example("rtrim :a", [{"a": " b  "}], [{"a": " b"}])
    change = str.rstrip


class CollapseBlanks(ValueDirective):
    """Replace runs of blanks by one."""

    name = "collapse-blanks"
    description = "Removes blanks at both ends, and replaces those inside by one."
    parameters = (define_column(),)
    example = Example("collapse-blanks :a", [{"a": " a  b\tc "}], [{"a": "a b c"}])

    def convert_value(self, value: Any) -> Any:
        """Return the text with single blanks."""
        return " ".join(get_text(value).split())


class FindAndReplace(ValueDirective):
    """Replace matches of a regular expression."""

    name = "find-and-replace"
    description = "Replaces each match of a regular expression; `\\1` in the replacement is the first group."
    parameters = (
        define_column(),
        DirectiveParameter("pattern", "regex", "The regular expression"),
        DirectiveParameter("replacement", "text", "The replacement"),
    )
    example = Example(r"find-and-replace :a '(\d+) km' '\1,000 m'", [{"a": "about 5 km"}], [{"a": "about 5,000 m"}])

    def prepare(self) -> None:
        """Check the replacement."""
        try:
            self.arguments["pattern"].sub(self.arguments["replacement"], "")
        except (re.error, IndexError) as error:
            raise ArgumentError(f"the replacement is not valid: {error}") from None

    def convert_value(self, value: Any) -> Any:
        """Return the text with replacements."""
        return self.arguments["pattern"].sub(self.arguments["replacement"], get_text(value))


class CutCharacters(RowDirective):
    """Copy ranges of characters."""

    name = "cut-character"
    description = "Copies ranges of characters, which count from 1, to another column."
    parameters = (
        define_column("source", "The column with the texts"),
        define_new_column("destination", "The column that gets the characters"),
        DirectiveParameter("ranges", "ranges", "The ranges, such as 1-3,7 or 5-"),
    )
    example = Example("cut-character :id :area 1-2,5-", [{"id": "AB12CD"}], [{"id": "AB12CD", "area": "ABCD"}])

    def change_row(self, row: Row) -> Row:
        """Return the row with the characters."""
        value = row.get(self.arguments["source"])
        text = get_text(value)
        parts = [text[first - 1 : last] for first, last in self.arguments["ranges"]]
        row[self.arguments["destination"]] = None if value is None else "".join(parts)
        return row


class ExtractRegexGroups(RowDirective):
    """Copy groups of a regular expression to columns."""

    name = "extract-regex-groups"
    description = (
        "Copies the groups of the first match of a regular expression to columns: a named group to the column of its"
        " name, others to `column_1`, `column_2` …; null without a match."
    )
    parameters = (define_column(), DirectiveParameter("pattern", "regex", "A regular expression with groups"))
    example = Example(
        r"extract-regex-groups :a '(?P<year>\d{4})-(\d\d)'",
        [{"a": "on 2026-11-27"}, {"a": "never"}],
        [{"a": "on 2026-11-27", "year": "2026", "a_2": "11"}, {"a": "never", "year": None, "a_2": None}],
    )

    def prepare(self) -> None:
        """Name the columns."""
        pattern = self.arguments["pattern"]
        if not pattern.groups:
            raise ArgumentError("the regular expression has no group: enclose parts in parentheses")
        names = {number: name for name, number in pattern.groupindex.items()}
        column = self.arguments["column"]
        self._names = [names.get(number, f"{column}_{number}") for number in range(1, pattern.groups + 1)]

    def change_row(self, row: Row) -> Row:
        """Return the row with the groups."""
        value = row.get(self.arguments["column"])
        found = None if value is None else self.arguments["pattern"].search(get_text(value))
        groups = found.groups() if found else (None,) * len(self._names)
        row.update(zip(self._names, groups, strict=True))
        return row


class MaskWithPattern(ValueDirective):
    """Hide characters."""

    name = "mask-number"
    description = "Masks texts by a pattern: `#` shows a character, `x` hides it, and others are inserted."
    parameters = (define_column(), DirectiveParameter("pattern", "text", "The pattern"))
    example = Example("mask-number :card 'xxxx-##'", [{"card": "123456"}], [{"card": "xxxx-56"}])

    def convert_value(self, value: Any) -> Any:
        """Return the masked text."""
        text, position, result = get_text(value), 0, []
        for letter in self.arguments["pattern"]:
            if letter in "#x":
                if position >= len(text):
                    break
                result.append(text[position] if letter == "#" else "x")
                position += 1
            else:
                result.append(letter)
        return "".join(result)


class MaskAll(ValueDirective):
    """Hide all letters and digits."""

    name = "mask-characters"
    description = "Replaces letters by `x` and digits by `9`, except the last ones."
    parameters = (
        define_column(),
        DirectiveParameter(
            "shown", "integer", "The number of characters at the end that are shown", is_optional=True, default=0
        ),
    )
    example = Example("mask-characters :iban 2", [{"iban": "DE89-3704"}], [{"iban": "xx99-9904"}])

    def convert_value(self, value: Any) -> Any:
        """Return the masked text."""
        text = get_text(value)
        hidden = max(len(text) - self.arguments["shown"], 0)
        masked = ("9" if letter.isdigit() else "x" if letter.isalpha() else letter for letter in text[:hidden])
        return "".join(masked) + text[hidden:]


class PadText(ValueDirective):
    """Fill texts to a length."""

    name = "pad-left"
    description = "Inserts a character at the beginning until texts have a length."
    parameters = (
        define_column(),
        DirectiveParameter("length", "integer", "The length"),
        DirectiveParameter("character", "text", "The character"),
    )
    example = Example("pad-left :zip 5 '0'", [{"zip": "123"}], [{"zip": "00123"}])

    def prepare(self) -> None:
        """Check the character."""
        if len(self.arguments["character"]) != 1 or self.arguments["length"] > 10_000:
            raise ArgumentError("use one character, and a length of at most 10000")

    def convert_value(self, value: Any) -> Any:
        """Return the longer text."""
        return get_text(value).rjust(self.arguments["length"], self.arguments["character"])


DIRECTIVES: tuple[type[Directive], ...] = (
    UpperCase,
    LowerCase,
    TitleCase,
    TrimText,
    TrimLeft,
    TrimRight,
    CollapseBlanks,
    FindAndReplace,
    CutCharacters,
    ExtractRegexGroups,
    MaskWithPattern,
    MaskAll,
    PadText,
)
