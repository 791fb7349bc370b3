"""Notebooks that use pyarrow."""

from typing import Any

from capture.corpus.case import Case, copy_columns

IMPORT = (
    "import pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq, pyarrow.feather as pf, pyarrow.dataset as ds\n"
)
READ = f"{IMPORT}sales = pc.read_csv('sales.csv')\n"
FLOW = "run: sales.csv -> out.parquet"
ALL = "id day shop price quantity"


def one_cell(name: str, code: str, flows: str = FLOW, columns: str = "", *, read: str = READ, **options: Any) -> Case:
    """Return the case of one cell that reads the sales."""
    return Case(name, {"run": read + code}, flows, columns, **options)


CASES = [
    one_cell(
        "a file as it was read",
        "pq.write_table(sales, 'out.parquet')",
        FLOW,
        copy_columns("sales.csv", "out.parquet", ALL),
    ),
    one_cell(
        "from format to format",
        "pq.write_table(sales, 'one.parquet')\npf.write_feather(pq.read_table('one.parquet', columns=['id']), 'two.feather')\n"
        "pc.write_csv(pf.read_table('two.feather'), 'three.csv')",
        "run: sales.csv -> one.parquet\nrun: one.parquet -> two.feather\nrun: two.feather -> three.csv",
        copy_columns("sales.csv", "one.parquet", ALL)
        + copy_columns("one.parquet", "two.feather", "id")
        + copy_columns("two.feather", "three.csv", "id"),
    ),
    one_cell("chosen columns", "small = sales.select(['id', 'shop'])\npq.write_table(small, 'out.parquet')"),
    one_cell("chosen columns, without a name", "pq.write_table(sales.select(['id']), 'out.parquet')"),
    one_cell(
        "functions of Arrow",
        "import pyarrow.compute as compute\nbig = sales.filter(compute.greater(sales['price'], 2))\npq.write_table(big, 'out.parquet')",
    ),
    one_cell(
        "a name that is given twice",
        "sales = sales.select(['id'])\npq.write_table(sales, 'out.parquet')",
    ),
    one_cell(
        "a table of the program beside one that was read",
        "own = pa.table({'a': [1]})\npq.write_table(own, 'own.parquet')\npq.write_table(sales, 'out.parquet')",
        "run: -> own.parquet\n" + FLOW,
        copy_columns("sales.csv", "out.parquet", ALL),
    ),
    one_cell(
        "a writer as a context manager",
        "with pq.ParquetWriter('out.parquet', sales.schema) as writer:\n    writer.write_table(sales)",
        FLOW,
        copy_columns("sales.csv", "out.parquet", ALL),
    ),
    one_cell(
        "batches of a file",
        "pq.write_table(sales, 'one.parquet')\nfile = pq.ParquetFile('one.parquet')\n"
        "with pq.ParquetWriter('out.parquet', file.schema_arrow) as writer:\n"
        "    for batch in file.iter_batches():\n        writer.write_batch(batch)",
        "run: sales.csv -> one.parquet\nrun: one.parquet -> out.parquet",
        copy_columns("sales.csv", "one.parquet", ALL) + copy_columns("one.parquet", "out.parquet", ALL),
    ),
    one_cell(
        "a file of the format of Arrow",
        "with pa.ipc.new_file('one.arrow', sales.schema) as writer:\n    writer.write_table(sales)\n"
        "pq.write_table(pa.ipc.open_file('one.arrow').read_all(), 'out.parquet')",
        "run: sales.csv -> one.arrow\nrun: one.arrow -> out.parquet",
        copy_columns("sales.csv", "one.arrow", ALL) + copy_columns("one.arrow", "out.parquet", ALL),
    ),
    one_cell(
        "a dataset of a folder",
        "ds.write_dataset(sales, 'lake', format='parquet')\ntable = ds.dataset('lake', format='parquet').to_table(columns=['id'])\n"
        "pq.write_table(table, 'out.parquet')",
        "run: sales.csv -> lake\nrun: lake -> out.parquet",
        copy_columns("sales.csv", "lake", ALL),
    ),
    one_cell(
        "a dataset that is written again",
        "source = ds.dataset('sales.csv', format='csv')\nds.write_dataset(source, 'lake', format='parquet')",
        "run: sales.csv -> lake",
        copy_columns("sales.csv", "lake", ALL),
        read=IMPORT,
    ),
    one_cell(
        "a table from a frame, and back",
        "import pandas as pd\nframe = sales.to_pandas()\nframe['double'] = frame['price'] * 2\n"
        "table = pa.Table.from_pandas(frame)\npq.write_table(table, 'out.parquet')",
    ),
    Case(
        "read, chosen and written in three cells",
        {
            "read": READ,
            "choose": "small = sales.select(['id'])",
            "write": "pq.write_table(small, 'out.parquet')",
        },
        "read: sales.csv -> $read.sales\nchoose: $read.sales -> $choose.small\nwrite: $choose.small -> out.parquet",
        copy_columns("$choose.small", "out.parquet", "id"),
    ),
    Case(
        "a cell that runs again with another source",
        {
            "read": IMPORT + "table = pc.read_csv('sales.csv')",
            "write": "pq.write_table(table, 'out.parquet')",
            "read (2)": "table = pc.read_csv('shops.csv')",
            "write (2)": "pq.write_table(table, 'out.parquet')",
        },
        "read: sales.csv -> $read.table\nread: shops.csv -> $read.table\nwrite: $read.table -> out.parquet",
        copy_columns("sales.csv", "$read.table", ALL)
        + copy_columns("shops.csv", "$read.table", "shop town")
        + copy_columns("$read.table", "out.parquet", ALL + " town"),
    ),
    Case(
        "cells in another order than in the notebook",
        {
            "second": IMPORT + "table = pc.read_csv('shops.csv')",
            "first": "table = pc.read_csv('sales.csv')\nsmall = table.select(['id'])",
            "third": "pq.write_table(small, 'out.parquet')",
        },
        "first: sales.csv -> $first.small\nthird: $first.small -> out.parquet",
        copy_columns("$first.small", "out.parquet", "id"),
    ),
    Case(
        "a write that fails, and one after it",
        {
            "read": READ,
            "fail": "pq.write_table(sales, 'missing/out.parquet')",
            "write": "pq.write_table(sales, 'out.parquet')",
        },
        "read: sales.csv -> $read.sales\nwrite: $read.sales -> out.parquet",
        copy_columns("sales.csv", "$read.sales", ALL) + copy_columns("$read.sales", "out.parquet", ALL),
    ),
    Case(
        "a function of another cell, in threads",
        {
            "define": IMPORT + "from concurrent.futures import ThreadPoolExecutor\n"
            "def convert(name):\n    pq.write_table(pc.read_csv(f'{name}.csv'), f'{name}.parquet')",
            "run": "with ThreadPoolExecutor(2) as pool:\n    list(pool.map(convert, ['sales', 'shops'] * 2))",
        },
        "run: sales.csv -> sales.parquet\nrun: shops.csv -> shops.parquet",
        copy_columns("sales.csv", "sales.parquet", ALL) + copy_columns("shops.csv", "shops.parquet", "shop town"),
    ),
    Case(
        "tasks",
        {
            "run": IMPORT
            + """
import asyncio

async def convert(name):
    table = await asyncio.to_thread(pc.read_csv, f'{name}.csv')
    pq.write_table(table, f'{name}.parquet')

async def convert_both():
    await asyncio.gather(convert('sales'), convert('shops'))

asyncio.run(convert_both())
"""
        },
        "run: sales.csv -> sales.parquet\nrun: shops.csv -> shops.parquet",
        copy_columns("sales.csv", "sales.parquet", ALL) + copy_columns("shops.csv", "shops.parquet", "shop town"),
    ),
    one_cell(
        "data in memory has no name",
        "sink = pa.BufferOutputStream()\npq.write_table(sales, sink)\n"
        "again = pq.read_table(pa.BufferReader(sink.getvalue()))\npq.write_table(pa.table({'a': [1]}), 'out.parquet')",
        "run: -> out.parquet",
    ),
]
