"""PostgreSQL's words for structured tables, and the text that it cannot hold as it is."""

from jupyter_colophon.storage.spi import FieldType
from jupyter_colophon.storage.sql.statements import Dialect

_TYPES: dict[FieldType, str] = {
    "int": "integer",
    "long": "bigint",
    # SQLite's floats have 8 bytes too, and what is read should be what was written.
    "float": "double precision",
    "double": "double precision",
    "string": "text",
    "bytes": "bytea",
    "bool": "boolean",
}
DIALECT = Dialect(
    mark="%s",
    nulls_lowest={"asc": " NULLS FIRST", "desc": " NULLS LAST"},
    column_types=_TYPES | {"string": 'text COLLATE "C"'},
    compared="key_part({}, {})",
    page=1_000,
    json_types={kind: name for kind, name in _TYPES.items() if kind != "bytes"},
)
#: A B-tree takes at most 2,704 bytes: a longer text is compared by how it begins, and then by its hash. So equality is
#: exact whatever the length, and the order is by code point but for texts that begin alike over the whole length kept
#: (where they hold anything but ASCII: over a quarter of it). Immutable, so that an index can be made of it.
KEY_PART = """CREATE OR REPLACE FUNCTION key_part(text, integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length($1) <= $2 THEN $1
        ELSE left($1, CASE WHEN octet_length(left($1, $2)) = $2 THEN $2 ELSE $2 / 4 END) || chr(1)
            || encode(sha256(decode(replace($1, '\\', '\\\\'), 'escape')), 'base64') END $$"""


def storable(text: str) -> str:
    """A text without U+0000, which PostgreSQL cannot hold, in the same order; `original` gives it back."""
    if "\x00" not in text and "\x01" not in text:
        return text
    return text.replace("\x01", "\x01\x02").replace("\x00", "\x01\x01")


def original(text: str) -> str:
    """The text that was stored."""
    if "\x01" not in text:
        return text
    return text.replace("\x01\x01", "\x00").replace("\x01\x02", "\x01")
