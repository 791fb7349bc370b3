"""All directives by their names, and those of artifacts."""

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


def find_directive(name: str, plugins: Mapping[str, type[Directive]]) -> type[Directive]:
    """Return a built-in directive, or that of an artifact by its name or by `artifact/name`. Raises LookupError.

    The names of `plugins` are `artifact/version/name`.
    """
    if name in DIRECTIVES:
        return DIRECTIVES[name]
    found = [full for full in plugins if name in list_names_of_plugin(full)]
    if len(found) > 1:
        choices = " or ".join(sorted(list_names_of_plugin(full)[1] for full in found))
        raise LookupError(f"several artifacts have the directive {name}: write {choices}")
    if not found:
        raise LookupError(f"unknown directive {name}")
    return plugins[found[0]]


def list_names_of_plugin(full: str) -> tuple[str, str]:
    """Return the names by which recipes refer to the directive `artifact/version/name`: the short one first."""
    artifact, _, name = full.rpartition("/")
    return name, f"{artifact.partition('/')[0]}/{name}"
