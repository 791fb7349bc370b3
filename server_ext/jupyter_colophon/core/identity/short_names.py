"""URNs as a person reads and types them."""

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Identity, Urn, field, notebook_of, parse_data_name, program_of
from jupyter_colophon.core.identity.urn import PREFIX

#: A kernel knows only the default home (Spark, PROD); the server's own settings may differ, and URNs are exact then.
_DEFAULTS = Identity()


def parse_name(name: str, namespace: str = "") -> str:
    """Return the URN of what a person typed: `db.table`, a table of `namespace`, the absolute path of a file, or a URN.

    Raises:
        InvalidName: it is none of them.
    """
    if namespace and "." not in name and not name.startswith((PREFIX, "/")):
        return str(_DEFAULTS.home(namespace, name))
    return str(parse_data_name(name, _DEFAULTS))


def name_to_type(urn: str, identity: Identity = _DEFAULTS) -> str:
    """Return what to type to mean a URN: its short name where that is read as this URN, else the URN."""
    name = short_name(urn)
    try:
        return name if str(parse_data_name(name, identity)) == urn else urn
    except InvalidName:
        return urn


def field_urn(urn: str, path: str) -> str:
    """Return the URN of a dataset's field. Raises InvalidName if it is not a dataset, or the path is empty."""
    parsed = Urn.parse(urn)
    if parsed.type != "dataset":
        raise InvalidName("dataset", urn, "only datasets have fields")
    return str(field(parsed, path))


def short_name(urn: str) -> str:
    """Return `db.table`, its field as `db.table#field`, a file's path, a cell as `notebook.ipynb#cell`, else the last part."""
    try:
        parsed = Urn.parse(urn)
        if parsed.type == "dataset":
            return parsed.parts[1]
        if parsed.type == "schemaField":
            return f"{short_name(parsed.parts[0])}#{parsed.parts[1]}"
        notebook = notebook_of(parsed)
        if notebook is not None:
            return "#".join(part for part in notebook if part)
        program = program_of(parsed)
        return program[3] if program else _DEFAULTS.short_name(parsed)
    except InvalidName:
        return urn
