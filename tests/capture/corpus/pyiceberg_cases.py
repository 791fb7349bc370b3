"""Notebooks that use tables of Iceberg, in a catalog in SQLite."""

from typing import Any

from capture.corpus.case import Case, control_columns, copy_columns

IMPORT = (
    "import pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq\nfrom pyiceberg.catalog import load_catalog\n"
    "catalog = load_catalog('lake', type='sql', uri=f'sqlite:///{folder}/catalog.db', warehouse=f'file://{folder}/warehouse')\n"
    "catalog.create_namespace('db')\n"
)
READ = "shops = pc.read_csv('shops.csv')\n"
CREATE = f"{IMPORT}{READ}table = catalog.create_table('db.shops', schema=shops.schema)\n"
TABLE = "lake/db.shops"
TOWNS = "shop town"
WRITTEN = copy_columns("shops.csv", TABLE, TOWNS)


def one_cell(name: str, code: str, flows: str, columns: str = "", **options: Any) -> Case:
    """Return the case of one cell that creates a table."""
    return Case(name, {"run": CREATE + code}, flows, columns, **options)


CASES = [
    one_cell(
        "a table that is written, read and written to a file",
        "table.append(shops)\ntable.scan().to_pandas().to_csv('out.csv', index=False)",
        f"run: shops.csv -> {TABLE}\nrun: {TABLE} -> out.csv",
        WRITTEN + copy_columns(TABLE, "out.csv", TOWNS),
    ),
    one_cell(
        "chosen columns and rows",
        "table.append(shops)\nrows = table.scan(selected_fields=('town',)).filter(\"shop == 'a'\").to_arrow()\npq.write_table(rows, 'out.parquet')",
        f"run: shops.csv -> {TABLE}\nrun: {TABLE} -> out.parquet",
        WRITTEN
        + copy_columns(TABLE, "out.parquet", "town")
        + control_columns(f"{TABLE}.shop", "out.parquet", "town", "filter"),
    ),
    Case(
        "cells in another order, and one that runs again",
        {
            "import": CREATE,
            "scan": "scan = table.scan()",
            "append": "table.append(shops)",
            "read": "rows = catalog.load_table('db.shops').scan().to_pandas()",
            "append (2)": "table.append(shops)",
            "read (2)": "rows = catalog.load_table('db.shops').scan().to_pandas()",
            "save": "rows.to_csv('out.csv', index=False)",
        },
        f"""
        import: shops.csv -> $import.shops
        append: $import.shops -> {TABLE}
        read: {TABLE} -> $read.rows
        save: $read.rows -> out.csv
        """,
        copy_columns("shops.csv", "$import.shops", TOWNS)
        + copy_columns("$import.shops", TABLE, TOWNS)
        + copy_columns(TABLE, "$read.rows", TOWNS)
        + copy_columns("$read.rows", "out.csv", TOWNS),
    ),
    Case(
        "failures: another schema, and a table that does not exist",
        {
            "import": CREATE,
            "fail": "table.append(pa.table({'other': [1]}))",
            "missing": "catalog.load_table('db.missing').scan().to_pandas().to_csv('out.csv')",
            "late": "table.append(shops)",
        },
        f"import: shops.csv -> $import.shops\nlate: $import.shops -> {TABLE}",
        copy_columns("shops.csv", "$import.shops", TOWNS) + copy_columns("$import.shops", TABLE, TOWNS),
    ),
    Case(
        "transactions: one that is committed, and one that is not",
        {
            "import": CREATE,
            "commit": "with table.transaction() as change:\n    change.append(shops)",
            "fail": "with table.transaction() as change:\n    change.delete(\"shop == 'a'\")\n    raise ValueError",
        },
        f"import: shops.csv -> $import.shops\ncommit: $import.shops -> {TABLE}",
        copy_columns("shops.csv", "$import.shops", TOWNS) + copy_columns("$import.shops", TABLE, TOWNS),
    ),
    one_cell(
        "rows that are replaced and deleted, and a table of the program",
        "own = pa.table({'shop': ['c'], 'town': ['Rome']})\ntable.append(own)\ntable.overwrite(own)\ntable.delete(\"shop == 'c'\")",
        f"run: -> {TABLE}",
    ),
    one_cell(
        "fewer columns than the table has",
        "table.append(shops.select(['shop']))",
        f"run: shops.csv -> {TABLE}",
    ),
    one_cell(
        "tables in a loop",
        "for name in ('north', 'south'):\n    part = catalog.create_table(f'db.{name}', schema=shops.schema)\n    part.append(shops)",
        "run: shops.csv -> lake/db.north\nrun: shops.csv -> lake/db.south",
        copy_columns("shops.csv", "lake/db.north", TOWNS) + copy_columns("shops.csv", "lake/db.south", TOWNS),
    ),
    one_cell(
        "files that become a part of a table",
        "pq.write_table(shops, 'shops.parquet')\ntable.add_files([f'{folder}/shops.parquet'])",
        f"run: shops.csv -> shops.parquet\nrun: shops.parquet -> {TABLE}",
        copy_columns("shops.csv", "shops.parquet", TOWNS) + copy_columns("shops.parquet", TABLE, TOWNS),
    ),
]
