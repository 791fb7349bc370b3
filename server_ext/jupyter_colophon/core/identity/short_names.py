"""Short names of entities, as people read and type them."""

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import (
    IdentityRules,
    Urn,
    make_field_urn,
    parse_dataset_name,
    parse_notebook_program_urn,
    parse_program_urn,
)
from jupyter_colophon.core.identity.urn import PREFIX

#: A kernel knows only the default home (Spark, PROD); if the server's settings differ, URNs are needed.
_DEFAULTS = IdentityRules()


def parse_name_to_urn(name: str, namespace: str = "") -> str:
    """Return the URN of what a person typed: `db.table`, a table of `namespace`, the absolute path of a file, or a URN.

    Raises:
        InvalidName: it is none of them.
    """
    if namespace and "." not in name and not name.startswith((PREFIX, "/")):
        return str(_DEFAULTS.make_home_dataset_urn(namespace, name))
    return str(parse_dataset_name(name, _DEFAULTS))


def format_shortest_name(urn: str, identity: IdentityRules = _DEFAULTS) -> str:
    """Return the text to type for a URN: its short name if that parses to this URN, else the URN."""
    name = shorten_urn(urn)
    try:
        return name if str(parse_dataset_name(name, identity)) == urn else urn
    except InvalidName:
        return urn


def format_field_urn(urn: str, path: str) -> str:
    """Return the URN of a dataset's field. Raises InvalidName if it is not a dataset, or the path is empty."""
    parsed = Urn.parse(urn)
    if parsed.type != "dataset":
        raise InvalidName("dataset", urn, "only datasets have fields")
    return str(make_field_urn(parsed, path))


def shorten_urn(urn: str) -> str:
    """Return `db.table`, its field as `db.table#field`, a file's path, a cell as `notebook.ipynb#cell`, else the last part."""
    try:
        parsed = Urn.parse(urn)
        if parsed.type == "dataset":
            return parsed.parts[1]
        if parsed.type == "schemaField":
            return f"{shorten_urn(parsed.parts[0])}#{parsed.parts[1]}"
        notebook = parse_notebook_program_urn(parsed)
        if notebook is not None:
            return "#".join(part for part in notebook if part)
        program = parse_program_urn(parsed)
        return program[3] if program else _DEFAULTS.get_short_name(parsed)
    except InvalidName:
        return urn


def format_place(urn: str) -> str:
    """Return where an entity with a title is: the file of a notebook's cell, else its short name."""
    try:
        notebook = parse_notebook_program_urn(Urn.parse(urn))
    except InvalidName:
        return urn
    return notebook[0].rpartition("/")[2] if notebook is not None and notebook[1] is not None else shorten_urn(urn)
