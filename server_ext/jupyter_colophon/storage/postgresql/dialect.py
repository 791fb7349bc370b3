"""PostgreSQL's dialect for structured tables, and the encoding of strings that it cannot store."""

from jupyter_colophon.storage.spi import FieldType
from jupyter_colophon.storage.sql.statements import SqlDialect

_TYPES: dict[FieldType, str] = {
    "int": "integer",
    "long": "bigint",
    # SQLite's floats have 8 bytes too, and values must be read as they were written.
    "float": "double precision",
    "double": "double precision",
    "string": "text",
    "bytes": "bytea",
    "bool": "boolean",
}
DIALECT = SqlDialect(
    placeholder="%s",
    nulls_lowest={"asc": " NULLS FIRST", "desc": " NULLS LAST"},
    column_types=_TYPES | {"string": 'text COLLATE "C"'},
    compared="key_part({}, {})",
    page=1_000,
    json_types={kind: name for kind, name in _TYPES.items() if kind != "bytes"},
    joins_rows=True,
)
#: A B-tree takes at most 2,704 bytes: a longer string is compared by its beginning, and then by its hash. So equality
#: is exact for any length, and the order is by code point except for strings that share the whole indexed beginning (or
#: a quarter of it, if they are not ASCII). Immutable, so that it can be indexed.
KEY_PART = """CREATE OR REPLACE FUNCTION key_part(text, integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length($1) <= $2 THEN $1
        ELSE left($1, CASE WHEN octet_length(left($1, $2)) = $2 THEN $2 ELSE $2 / 4 END) || chr(1)
            || encode(sha256(decode(replace($1, '\\', '\\\\'), 'escape')), 'base64') END $$"""


def encode_text_without_nul(text: str) -> str:
    """Encode a string without U+0000, which PostgreSQL cannot store, keeping the order; `decode_text` reverses it."""
    if "\x00" not in text and "\x01" not in text:
        return text
    return text.replace("\x01", "\x01\x02").replace("\x00", "\x01\x01")


def decode_text_with_nul(text: str) -> str:
    """Decode a stored string."""
    if "\x01" not in text:
        return text
    return text.replace("\x01\x01", "\x00").replace("\x01\x02", "\x01")
