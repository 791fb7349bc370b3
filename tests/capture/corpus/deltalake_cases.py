"""Notebooks that use tables of Delta Lake."""

from typing import Any

from capture.corpus.case import Case, copy_columns

IMPORT = "import pandas as pd, pyarrow as pa, pyarrow.csv as pc\nfrom deltalake import DeltaTable, write_deltalake\n"
READ = f"{IMPORT}sales = pd.read_csv('sales.csv')\nshops = pd.read_csv('shops.csv')\n"
ALL = "id day shop price quantity"
TOWNS = "shop town"


def one_cell(name: str, code: str, flows: str, columns: str = "", **options: Any) -> Case:
    """Return the case of one cell that reads both files."""
    return Case(name, {"run": READ + code}, flows, columns, **options)


CASES = [
    one_cell(
        "a table that is written, read and written to a file",
        "write_deltalake('lake/sales', sales)\nDeltaTable('lake/sales').to_pandas().to_csv('out.csv', index=False)",
        "run: sales.csv -> lake/sales\nrun: lake/sales -> out.csv",
        copy_columns("sales.csv", "lake/sales", ALL) + copy_columns("lake/sales", "out.csv", ALL),
    ),
    one_cell(
        "a table of Arrow, to a path with a scheme",
        "import pyarrow.parquet as pq\ntable = pc.read_csv('shops.csv')\nwrite_deltalake(f'file://{folder}/lake/shops', table)\n"
        "pq.write_table(DeltaTable('lake/shops').to_pyarrow_table(columns=['town']), 'out.parquet')",
        "run: shops.csv -> lake/shops\nrun: lake/shops -> out.parquet",
        copy_columns("shops.csv", "lake/shops", TOWNS) + copy_columns("lake/shops", "out.parquet", "town"),
    ),
    Case(
        "cells in another order, and one that runs again after an append",
        {
            "import": READ,
            "write": "write_deltalake('lake', shops)",
            "open": "table = DeltaTable('lake')",
            "read": "table = DeltaTable('lake')\nrows = table.to_pandas()",
            "append": "write_deltalake(table, shops, mode='append')",
            "read (2)": "table = DeltaTable('lake')\nrows = table.to_pandas()",
            "save": "rows.to_csv('out.csv', index=False)",
        },
        """
        import: shops.csv -> $import.shops
        write: $import.shops -> lake
        append: $import.shops -> lake
        read: lake -> $read.rows
        save: $read.rows -> out.csv
        """,
        copy_columns("shops.csv", "$import.shops", TOWNS)
        + copy_columns("$import.shops", "lake", TOWNS)
        + copy_columns("lake", "$read.rows", TOWNS)
        + copy_columns("$read.rows", "out.csv", TOWNS),
    ),
    Case(
        "a table that exists already, and a column that does not",
        {
            "import": READ,
            "write": "write_deltalake('lake', shops)",
            "again": "write_deltalake('lake', sales)",
            "fail": "DeltaTable('nowhere').to_pandas().to_csv('out.csv')",
            "late": "DeltaTable('lake').to_pandas(columns=['missing']).to_csv('out.csv')",
        },
        "import: shops.csv -> $import.shops\nwrite: $import.shops -> lake",
        copy_columns("shops.csv", "$import.shops", TOWNS) + copy_columns("$import.shops", "lake", TOWNS),
    ),
    one_cell(
        "tables in a loop",
        "for name, frame in (('sales', sales), ('shops', shops)):\n    write_deltalake(f'lake/{name}', frame[['shop']])",
        "run: sales.csv -> lake/sales\nrun: shops.csv -> lake/shops",
        copy_columns("sales.csv", "lake/sales", "shop") + copy_columns("shops.csv", "lake/shops", "shop"),
    ),
    Case(
        "an earlier version of a table",
        {
            "import": READ,
            "write": "write_deltalake('lake', shops)\nwrite_deltalake('lake', shops, mode='append')",
            "first": "DeltaTable('lake', version=0).to_pandas()[['town']].to_csv('out.csv', index=False)",
        },
        "import: shops.csv -> $import.shops\nwrite: $import.shops -> lake\nfirst: lake -> out.csv",
        copy_columns("shops.csv", "$import.shops", TOWNS)
        + copy_columns("$import.shops", "lake", TOWNS)
        + copy_columns("lake", "out.csv", "town"),
    ),
    Case(
        "rows that are merged, updated and deleted",
        {
            "import": READ,
            "write": "write_deltalake('lake', shops)",
            "merge": "(DeltaTable('lake').merge(shops, 't.shop = s.shop', source_alias='s', target_alias='t')"
            ".when_matched_update_all().execute())",
            "change": "DeltaTable('lake').update({'town': \"'Bern'\"})\nDeltaTable('lake').delete(\"shop = 'a'\")",
        },
        """
        import: shops.csv -> $import.shops
        write: $import.shops -> lake
        merge: $import.shops -> lake
        change: -> lake
        """,
        copy_columns("shops.csv", "$import.shops", TOWNS) + copy_columns("$import.shops", "lake", TOWNS),
    ),
    one_cell(
        "a partition, and an index that is written",
        "write_deltalake('lake', sales.set_index('day')[['shop']], partition_by=['shop'])",
        "run: sales.csv -> lake",
        copy_columns("sales.csv", "lake", "day shop"),
    ),
    Case(
        "polars reads and writes tables",
        {
            "run": "import polars as pl\nfrom deltalake import DeltaTable, write_deltalake\nshops = pl.read_csv('shops.csv')\n"
            "shops.write_delta('lake')\npl.read_delta(DeltaTable('lake')).select('town').write_csv('out.csv')\n"
            "write_deltalake('copy', shops)",
        },
        "run: shops.csv -> lake\nrun: lake -> out.csv\nrun: shops.csv -> copy",
        copy_columns("shops.csv", "lake", TOWNS)
        + copy_columns("lake", "out.csv", "town")
        + copy_columns("shops.csv", "copy", TOWNS),
    ),
    one_cell(
        "rows that are scanned in parts",
        "write_deltalake('lake', shops)\nrows = pa.table(DeltaTable('lake').scan())\n"
        "import pyarrow.parquet as pq\npq.write_table(rows, 'out.parquet')",
        "run: shops.csv -> lake\nrun: lake -> out.parquet",
        copy_columns("shops.csv", "lake", TOWNS),
    ),
]
