"""SQLite's dialect for structured tables."""

from jupyter_colophon.storage.sql.statements import SqlDialect

DIALECT = SqlDialect(
    placeholder="?",
    nulls_lowest={"asc": "", "desc": ""},
    column_types={
        "int": "INTEGER",
        "long": "INTEGER",
        "float": "REAL",
        "double": "REAL",
        "string": "TEXT",
        "bytes": "BLOB",
        "bool": "INTEGER",
    },
    unlimited=-1,
)
