"""URNs as a person reads and types them in a notebook or a program."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Identity, Urn, field, notebook_of, parse_data_name, program_of
from jupyter_colophon.core.identity.urn import PREFIX

#: A kernel knows only the default home (Spark, PROD); the server's own traits may differ, and URNs are exact then.
_IDENTITY = Identity()


def typed(name: str, namespace: str = "") -> str:
    """The URN of what a person typed: `db.table`, a table of `namespace`, the absolute path of a file, or a URN.

    Raises:
        InvalidName: it is none of them.
    """
    if namespace and "." not in name and not name.startswith((PREFIX, "/")):
        return str(_IDENTITY.home(namespace, name))
    return str(parse_data_name(name, _IDENTITY))


def retyped(urn: str) -> str:
    """What to type to mean this: its short name where that stands for it, else its URN."""
    name = shown(urn)
    try:
        return name if typed(name) == urn else urn
    except InvalidName:
        return urn


def field_of(urn: str, path: str) -> str:
    """The URN of a dataset's field. Raises InvalidName where that is no dataset, or the path is empty."""
    whole = Urn.parse(urn)
    if whole.type != "dataset":
        raise InvalidName("dataset", urn, "only datasets have fields")
    return str(field(whole, path))


def called(urn: str, node: Mapping[str, Any]) -> str:
    """The short name of a node of lineage, behind the name of the step that it is where it has one."""
    title = node.get("title")
    return f"{title} ({shown(urn)})" if title else shown(urn)


def shown(urn: str) -> str:
    """A short name: `db.table`, its field as `db.table#field`, a file's path, a cell as `notebook.ipynb#cell`, else the last part."""
    try:
        parsed = Urn.parse(urn)
        if parsed.type == "dataset":
            return parsed.parts[1]
        if parsed.type == "schemaField":
            return f"{shown(parsed.parts[0])}#{parsed.parts[1]}"
        notebook = notebook_of(parsed)
        if notebook is not None:
            return "#".join(part for part in notebook if part)
        program = program_of(parsed)
        return program[3] if program else _IDENTITY.short_name(parsed)
    except InvalidName:
        return urn
