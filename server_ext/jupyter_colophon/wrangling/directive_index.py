"""All directives by their names."""

from collections.abc import Mapping
from typing import Final

from jupyter_colophon.wrangling.directive import Directive
from jupyter_colophon.wrangling.directives import columns, dates, encodings, numbers, parsing, rows, texts, values

#: The modules with directives, by the headings of the reference page.
GROUPS: Final[Mapping[str, tuple[type[Directive], ...]]] = {
    "Columns": columns.DIRECTIVES,
    "Values": values.DIRECTIVES,
    "Texts": texts.DIRECTIVES,
    "Parsing": parsing.DIRECTIVES,
    "Dates": dates.DIRECTIVES,
    "Numbers": numbers.DIRECTIVES,
    "Encodings": encodings.DIRECTIVES,
    "Rows": rows.DIRECTIVES,
}
DIRECTIVES: Final[Mapping[str, type[Directive]]] = {
    directive.name: directive for group in GROUPS.values() for directive in group
}
