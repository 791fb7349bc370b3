"""URNs as a person reads and types them in a notebook."""

from jupyter_colophon.core.errors import IllegalName
from jupyter_colophon.core.names import Identity, Urn, dataset, notebook_of, parse_data_name, program_of

#: A kernel knows only the default home (Spark, PROD); the server's own traits may differ, and URNs are exact then.
_IDENTITY = Identity()


def typed(name: str) -> str:
    """The URN of what a person typed: `db.table`, the absolute path of a file, or a URN.

    Raises:
        IllegalName: it is none of them.
    """
    if name.startswith("/"):
        return str(dataset("file", name))
    return str(parse_data_name(name, _IDENTITY))


def shown(urn: str) -> str:
    """A short name: `db.table`, a file's path, a cell as `notebook.ipynb#cell`, else the last part of the URN."""
    try:
        parsed = Urn.parse(urn)
        if parsed.type == "dataset":
            return parsed.parts[1]
        notebook = notebook_of(parsed)
        if notebook is not None:
            return "#".join(part for part in notebook if part)
        program = program_of(parsed)
        return program[3] if program else _IDENTITY.short_name(parsed)
    except IllegalName:
        return urn
