"""Notebooks that use DuckDB."""

from typing import Any

from capture.corpus.case import Case, control_columns, copy_columns

IMPORT = "import duckdb\nimport pandas as pd\n"
CONNECT = f"{IMPORT}con = duckdb.connect()\n"
OPEN = f"{IMPORT}con = duckdb.connect('shop.duckdb')\n"
FLOW = "run: sales.csv -> out.csv"
JOINED = "run: sales.csv, shops.csv -> out.csv"
ALL = "id day shop price quantity"
KEYS = "sales.csv.shop shops.csv.shop"
TABLE = "shop.duckdb.main.sales"


def copy(names: str) -> str:
    """Return the lines that say that these columns of the result are those of the sales."""
    return copy_columns("sales.csv", "out.csv", names)


def control(columns: str, names: str, how: str) -> str:
    """Return the lines that say that columns of the result depend on columns of the sales."""
    return control_columns(" ".join(f"sales.csv.{column}" for column in columns.split()), "out.csv", names, how)


def query(name: str, sql: str, columns: str, flows: str = FLOW, **options: Any) -> Case:
    """Return the case of a cell that writes the result of a query."""
    return Case(name, {"run": f'{IMPORT}duckdb.sql("""COPY ({sql}) TO \'out.csv\'""")'}, flows, columns, **options)


def one_cell(name: str, code: str, columns: str, flows: str = FLOW, **options: Any) -> Case:
    """Return the case of one cell."""
    return Case(name, {"run": IMPORT + code}, flows, columns, **options)


QUERIES = [
    query(
        "a query of a file",
        "SELECT id, price * quantity AS total FROM 'sales.csv' WHERE price > 2",
        copy("id") + control("price", "id", "filter") + control("price quantity", "total", "transformation"),
    ),
    query("all columns of a file", "FROM 'sales.csv'", copy(ALL), missed=copy(ALL)),
    query(
        "columns of two files, with their tables",
        "SELECT s.id, t.town FROM 'sales.csv' s JOIN 'shops.csv' t ON s.shop = t.shop",
        copy("id") + copy_columns("shops.csv", "out.csv", "town") + control_columns(KEYS, "out.csv", "id town", "join"),
        JOINED,
    ),
    query(
        "a join on a column of both tables",
        "SELECT s.id, shop, t.town FROM read_csv('sales.csv') s LEFT JOIN read_csv('shops.csv') t USING (shop)",
        copy("id shop")
        + copy_columns("shops.csv", "out.csv", "town")
        + control_columns(KEYS, "out.csv", "id town", "join")
        + "shops.csv.shop -> out.csv.shop join",
        JOINED,
    ),
    query(
        "groups and an order",
        "SELECT shop, sum(price) AS total FROM 'sales.csv' GROUP BY shop HAVING max(quantity) > 0 ORDER BY total",
        copy("shop")
        + control("price", "total", "aggregation")
        + control("shop", "total", "group_by")
        + control("quantity", "shop total", "filter")
        + control("price", "shop", "sort"),
    ),
    query(
        "a named part and a rank",
        "WITH big AS (SELECT id, shop, price FROM 'sales.csv' WHERE price > 1) "
        "SELECT id, rank() OVER (PARTITION BY shop ORDER BY price) AS place FROM big",
        copy("id") + control("price", "id place", "filter") + control("shop", "place", "window"),
    ),
    query(
        "a share of the group",
        "SELECT id, price / sum(price) OVER (PARTITION BY shop) AS share FROM 'sales.csv'",
        copy("id") + control("price", "share", "aggregation") + control("shop", "share", "window"),
    ),
    query(
        "values by a condition",
        "SELECT id, CASE WHEN price > 2 THEN quantity ELSE 0 END AS size FROM 'sales.csv'",
        copy("id") + control("quantity", "size", "transformation") + control("price", "size", "conditional"),
    ),
    query(
        "rows of two files",
        "SELECT shop FROM 'sales.csv' UNION ALL SELECT shop FROM 'shops.csv'",
        copy("shop") + copy_columns("shops.csv", "out.csv", "shop"),
        JOINED,
    ),
    query(
        "rows whose key another file has",
        "SELECT id FROM 'sales.csv' WHERE shop IN (SELECT shop FROM 'shops.csv')",
        copy("id") + control_columns(KEYS, "out.csv", "id", "filter"),
        JOINED,
    ),
    query(
        "a query as a value",
        "SELECT id, price - (SELECT avg(price) FROM 'sales.csv') AS above FROM 'sales.csv'",
        copy("id") + control("price", "above", "aggregation"),
    ),
    query(
        "a query in FROM",
        "SELECT double FROM (SELECT price * 2 AS double, shop FROM 'sales.csv') WHERE shop = 'a'",
        control("price", "double", "transformation") + control("shop", "double", "filter"),
    ),
    query(
        "several files, and files whose columns may differ",
        "SELECT a, b FROM read_csv(['part1.csv', 'part2.csv']) UNION ALL "
        "SELECT a, c AS b FROM read_csv('*3.csv', union_by_name = true)",
        copy_columns("part1.csv", "out.csv", "a b")
        + copy_columns("part2.csv", "out.csv", "a b")
        + copy_columns("part3.csv", "out.csv", "a")
        + "part3.csv.c -> out.csv.b identity",
        "run: part1.csv, part2.csv, part3.csv -> out.csv",
        files={"part1.csv": "a,b\n1,2\n", "part2.csv": "a,b\n3,4\n", "part3.csv": "a,c\n3,4\n"},
    ),
    query(
        "elements of lists",
        "SELECT id, unnest(parts) AS part FROM (SELECT id, string_split(day::VARCHAR, '-') AS parts FROM 'sales.csv')",
        copy("id") + control("day", "part", "transformation"),
    ),
    query(
        "elements of lists, as a table",
        "SELECT s.id, p.part FROM 'sales.csv' s, unnest(string_split(s.day::VARCHAR, '-')) AS p(part)",
        copy("id") + control("day", "part", "transformation"),
    ),
    query("a query without data", "SELECT range AS id FROM range(3)", "", "run: -> out.csv"),
    query(
        "files of a pattern",
        "SELECT a FROM 'part*.csv'",
        copy_columns("part1.csv", "out.csv", "a") + copy_columns("part2.csv", "out.csv", "a"),
        "run: part1.csv, part2.csv -> out.csv",
        files={"part1.csv": "a,b\n1,2\n", "part2.csv": "a,b\n3,4\n"},
    ),
]

RELATIONS = [
    one_cell(
        "methods of a relation",
        "duckdb.read_csv('sales.csv').filter('price > 2').project('id, price').write_csv('out.csv')",
        copy("id price") + control("price", "id", "filter"),
    ),
    one_cell(
        "aggregates of a relation",
        "duckdb.read_csv('sales.csv').aggregate('shop, sum(price) AS total', 'shop').write_csv('out.csv')",
        copy("shop") + control("price", "total", "aggregation") + control("shop", "total", "group_by"),
    ),
    one_cell(
        "an order of a relation",
        "duckdb.read_csv('sales.csv').order('price DESC').project('id').limit(2).write_csv('out.csv')",
        copy("id") + control("price", "id", "sort"),
    ),
    one_cell(
        "a join of relations",
        "left = duckdb.sql(\"SELECT id, shop FROM 'sales.csv'\")\nright = duckdb.sql(\"SELECT shop, town FROM 'shops.csv'\")\n"
        "left.join(right, 'shop').project('id, town').write_csv('out.csv')",
        copy("id") + copy_columns("shops.csv", "out.csv", "town") + control_columns(KEYS, "out.csv", "id town", "join"),
        JOINED,
    ),
    one_cell(
        "a union of relations",
        "left = duckdb.sql(\"SELECT shop FROM 'sales.csv'\")\nright = duckdb.sql(\"SELECT shop FROM 'shops.csv'\")\n"
        "left.union(right).write_csv('out.csv')",
        copy("shop") + copy_columns("shops.csv", "out.csv", "shop"),
        JOINED,
    ),
    one_cell(
        "a relation by its variable",
        "rows = duckdb.sql(\"SELECT id, price FROM 'sales.csv'\")\nduckdb.sql('SELECT id FROM rows WHERE price > 2').write_csv('out.csv')",
        copy("id") + control("price", "id", "filter"),
    ),
    one_cell(
        "a relation by another name",
        "rows = duckdb.sql(\"SELECT id, price FROM 'sales.csv'\")\nrows.query('given', 'SELECT id FROM given').write_csv('out.csv')",
        copy("id"),
    ),
    one_cell(
        "rows of the result as a frame",
        "rows = duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall()\n"
        "out = pd.DataFrame(rows, columns=['id'])\nout.to_csv('out.csv', index=False)",
        copy("id"),
        missed=copy("id"),
    ),
]

VARIABLES = [
    Case(
        "a frame of pandas between cells",
        {
            "read": IMPORT + "sales = pd.read_csv('sales.csv')",
            "query": "out = duckdb.sql('SELECT id, price * 2 AS double FROM sales WHERE quantity > 1').df()",
            "write": "out.to_csv('out.csv', index=False)",
        },
        "read: sales.csv -> $read.sales\nquery: $read.sales -> $query.out\nwrite: $query.out -> out.csv",
        copy_columns("sales.csv", "$read.sales", "id price quantity")
        + copy_columns("$read.sales", "$query.out", "id")
        + "$read.sales.price -> $query.out.double transformation\n"
        + control_columns("$read.sales.quantity", "$query.out", "id double", "filter")
        + copy_columns("$query.out", "out.csv", "id double"),
    ),
    one_cell(
        "a frame of polars",
        "import polars as pl\nsales = pl.read_csv('sales.csv')\nduckdb.sql('SELECT id FROM sales').pl().write_csv('out.csv')",
        copy("id"),
    ),
    one_cell(
        "a table of Arrow",
        "import pyarrow.csv as pc\nrows = pc.read_csv('sales.csv')\n"
        "out = duckdb.sql('SELECT id FROM rows').to_arrow_table()\npc.write_csv(out, 'out.csv')",
        copy("id"),
    ),
    one_cell(
        "a variable of a function, which hides another one",
        "sales = pd.read_csv('sales.csv')\ndef choose():\n    sales = pd.read_csv('shops.csv')\n"
        "    return duckdb.sql('SELECT shop FROM sales').df()\nchoose().to_csv('out.csv', index=False)",
        copy_columns("shops.csv", "out.csv", "shop"),
        "run: shops.csv -> out.csv",
    ),
    one_cell(
        "a part of the query that hides a variable",
        "sales = pd.read_csv('sales.csv')\nduckdb.sql('WITH sales AS (SELECT 1 AS id) SELECT id FROM sales').write_csv('out.csv')",
        "",
        "run: -> out.csv",
    ),
    one_cell(
        "a table in memory that hides a variable",
        "sales = pd.read_csv('sales.csv')\ncon = duckdb.connect()\n"
        "con.execute(\"CREATE TABLE sales AS SELECT shop FROM 'shops.csv'\")\ncon.sql('SELECT shop FROM sales').write_csv('out.csv')",
        copy_columns("shops.csv", "out.csv", "shop"),
        "run: shops.csv -> out.csv",
    ),
    one_cell(
        "a frame that takes the name of another one",
        "con = duckdb.connect()\ncon.register('seen', pd.read_csv('sales.csv'))\n"
        "con.register('seen', pd.read_csv('shops.csv'))\ncon.sql('SELECT shop FROM seen').write_csv('out.csv')",
        copy_columns("shops.csv", "out.csv", "shop"),
        "run: shops.csv -> out.csv",
    ),
    one_cell(
        "a name that stands for nothing any more",
        "con = duckdb.connect()\ncon.register('seen', pd.read_csv('sales.csv'))\ncon.unregister('seen')\n"
        "seen = pd.DataFrame({'id': [1]})\ncon.sql('SELECT id FROM seen').write_csv('out.csv')",
        "",
        "run: -> out.csv",
    ),
    one_cell(
        "a frame that the program made, beside one that was read",
        "sales = pd.read_csv('sales.csv')\nown = pd.DataFrame({'id': [1]})\nduckdb.sql('SELECT id FROM own').write_csv('out.csv')",
        "",
        "run: -> out.csv",
    ),
    Case(
        "a variable that was deleted and named again",
        {
            "read": IMPORT + "df = pd.read_csv('sales.csv')",
            "delete": "del df",
            "other": "df = pd.read_csv('shops.csv')",
            "write": "duckdb.sql('SELECT shop FROM df').write_csv('out.csv')",
        },
        "other: shops.csv -> $other.df\nwrite: $other.df -> out.csv",
        copy_columns("shops.csv", "$other.df", "shop") + copy_columns("$other.df", "out.csv", "shop"),
    ),
]

DATABASES = [
    Case(
        "a view in memory",
        {
            "view": CONNECT + "con.execute(\"CREATE VIEW big AS SELECT id, price FROM 'sales.csv' WHERE price > 2\")",
            "write": "con.execute(\"COPY (SELECT id FROM big) TO 'out.csv'\")",
        },
        "view: sales.csv -> $view.big\nwrite: $view.big -> out.csv",
        copy_columns("sales.csv", "$view.big", "id")
        + control_columns("sales.csv.price", "$view.big", "id", "filter")
        + copy_columns("$view.big", "out.csv", "id"),
    ),
    Case(
        "tables of a database in a file",
        {
            "make": OPEN + "con.execute(\"CREATE TABLE sales AS SELECT id, price FROM 'sales.csv'\")",
            "insert": "con.execute(\"INSERT INTO sales (id, price) SELECT id + 10, price FROM 'sales.csv'\")",
            "write": "con.execute(\"COPY (SELECT id FROM sales) TO 'out.csv'\")\ncon.close()",
        },
        f"make: sales.csv -> {TABLE}\ninsert: sales.csv -> {TABLE}\nwrite: {TABLE} -> out.csv",
        copy_columns("sales.csv", TABLE, "id price")
        + f"sales.csv.id -> {TABLE}.id transformation\n"
        + copy_columns(TABLE, "out.csv", "id"),
    ),
    Case(
        "an attached database",
        {
            "attach": CONNECT + "con.execute(\"ATTACH 'lake.duckdb' AS lake\")\n"
            "con.execute(\"CREATE TABLE lake.sales AS SELECT id FROM 'sales.csv'\")",
            "use": "con.execute('USE lake')\ncon.execute(\"COPY (SELECT id FROM sales) TO 'out.csv'\")",
        },
        "attach: sales.csv -> lake.duckdb.main.sales\nuse: lake.duckdb.main.sales -> out.csv",
        copy_columns("sales.csv", "lake.duckdb.main.sales", "id")
        + copy_columns("lake.duckdb.main.sales", "out.csv", "id"),
    ),
    Case(
        "a schema of a database",
        {
            "run": OPEN + "con.execute('CREATE SCHEMA raw')\n"
            "con.execute(\"CREATE TABLE raw.sales AS SELECT id FROM 'sales.csv'\")\n"
            "con.sql('SELECT id FROM raw.sales').write_csv('out.csv')\ncon.close()"
        },
        "run: sales.csv -> shop.duckdb.raw.sales\nrun: shop.duckdb.raw.sales -> out.csv",
        copy_columns("sales.csv", "shop.duckdb.raw.sales", "id")
        + copy_columns("shop.duckdb.raw.sales", "out.csv", "id"),
    ),
    Case(
        "a file that is copied into a table",
        {
            "run": OPEN + "con.execute('CREATE TABLE sales (shop VARCHAR, town VARCHAR)')\n"
            "con.execute(\"COPY sales FROM 'shops.csv'\")\ncon.execute(\"COPY sales (shop) TO 'out.csv'\")\ncon.close()"
        },
        f"run: shops.csv -> {TABLE}\nrun: {TABLE} -> out.csv",
        copy_columns("shops.csv", TABLE, "shop town") + copy_columns(TABLE, "out.csv", "shop"),
        missed=copy_columns("shops.csv", TABLE, "shop town"),
    ),
    Case(
        "rows that are changed by a file",
        {
            "make": OPEN + "con.execute('CREATE TABLE sales (id BIGINT, price DOUBLE)')",
            "insert": "con.execute('INSERT INTO sales VALUES (1, 0)')",
            "change": "con.execute(\"UPDATE sales SET price = s.price FROM 'sales.csv' s WHERE s.id = sales.id\")\ncon.close()",
        },
        f"insert: -> {TABLE}\nchange: sales.csv -> {TABLE}",
        f"sales.csv.price -> {TABLE}.price identity\nsales.csv.id -> {TABLE}.price filter\n{TABLE}.id -> {TABLE}.price filter",
        missed=f"{TABLE}.id -> {TABLE}.price filter",
    ),
    Case(
        "a relation as a table",
        {
            "run": OPEN + "con.sql(\"SELECT id FROM 'sales.csv'\").create('sales')\n"
            "con.table('sales').write_csv('out.csv')\ncon.close()"
        },
        f"run: sales.csv -> {TABLE}\nrun: {TABLE} -> out.csv",
        copy_columns("sales.csv", TABLE, "id") + copy_columns(TABLE, "out.csv", "id"),
    ),
    Case(
        "a file that a parameter names",
        {
            "run": OPEN + "con.execute('CREATE TABLE sales AS SELECT shop FROM read_csv(?)', ['sales.csv'])\n"
            "con.execute('INSERT INTO sales (shop) SELECT shop FROM read_csv($name)', {'name': 'shops.csv'})\ncon.close()"
        },
        f"run: sales.csv, shops.csv -> {TABLE}",
        copy_columns("sales.csv", TABLE, "shop") + copy_columns("shops.csv", TABLE, "shop"),
    ),
    Case(
        "a table of a file that hides a variable, by another case",
        {
            "run": OPEN + "con.execute(\"CREATE TABLE Sales AS SELECT id FROM 'sales.csv'\")\n"
            "sales = pd.read_csv('shops.csv')\ncon.sql('SELECT id FROM SALES').write_csv('out.csv')\n"
            "con.execute('DROP TABLE sales')\ncon.sql('SELECT shop FROM sales').write_csv('shops-out.csv')\ncon.close()"
        },
        f"run: sales.csv -> {TABLE}\nrun: {TABLE} -> out.csv\nrun: shops.csv -> shops-out.csv",
        copy_columns("sales.csv", TABLE, "id")
        + copy_columns(TABLE, "out.csv", "id")
        + copy_columns("shops.csv", "shops-out.csv", "shop"),
    ),
    Case(
        "a frame of the program, beside a database",
        {
            "run": OPEN + "own = pd.DataFrame({'id': [1]})\ncon.register('Seen', own)\n"
            "con.sql('SELECT id FROM own').write_csv('own.csv')\ncon.sql('SELECT id FROM seen').write_csv('out.csv')\ncon.close()"
        },
        "run: -> own.csv\nrun: -> out.csv",
    ),
    Case(
        "tables of the same name in two schemas, and a temporary one",
        {
            "run": CONNECT + "con.execute('CREATE SCHEMA raw')\n"
            "con.execute(\"CREATE TABLE raw.rows AS SELECT shop FROM 'sales.csv'\")\n"
            "con.execute(\"CREATE TABLE rows AS SELECT shop FROM 'shops.csv'\")\n"
            "con.sql('SELECT shop FROM raw.rows').write_csv('raw.csv')\ncon.sql('SELECT shop FROM ROWS').write_csv('out.csv')"
        },
        "run: sales.csv -> raw.csv\nrun: shops.csv -> out.csv",
        copy_columns("sales.csv", "raw.csv", "shop") + copy_columns("shops.csv", "out.csv", "shop"),
    ),
    Case(
        "a table that is made if it does not exist",
        {
            "make": OPEN + "con.execute(\"CREATE TABLE IF NOT EXISTS sales AS SELECT shop FROM 'sales.csv'\")",
            "again": "con.execute(\"CREATE TABLE IF NOT EXISTS Sales AS SELECT shop FROM 'shops.csv'\")\ncon.close()",
        },
        f"make: sales.csv -> {TABLE}",
        copy_columns("sales.csv", TABLE, "shop"),
    ),
    Case(
        "rows that replace others, and rows by the names of their columns",
        {
            "run": OPEN + "con.execute('CREATE TABLE sales (id BIGINT PRIMARY KEY, shop VARCHAR)')\n"
            "con.execute(\"INSERT OR REPLACE INTO sales BY NAME SELECT shop, id FROM 'sales.csv'\")\ncon.close()"
        },
        f"run: sales.csv -> {TABLE}",
        copy_columns("sales.csv", TABLE, "id shop"),
    ),
    Case(
        "files that are copied into a table in memory, one after the other",
        {
            "run": CONNECT + "con.execute('CREATE TABLE towns (shop VARCHAR, town VARCHAR)')\n"
            "con.execute(\"COPY towns FROM 'part*.csv'\")\ncon.execute(\"COPY towns FROM 'shops'\")\n"
            "con.sql('SELECT shop FROM towns').write_csv('out.csv')"
        },
        "run: part1.csv, part2.csv, shops -> out.csv",
        files={"part1.csv": "shop,town\na,b\n", "part2.csv": "shop,town\na,b\n", "shops": "a,b\n"},
    ),
    Case(
        "two connections with tables of the same name",
        {
            "run": IMPORT + "one, two = duckdb.connect(), duckdb.connect()\n"
            "one.execute(\"CREATE TABLE rows AS SELECT shop FROM 'sales.csv'\")\n"
            "two.execute(\"CREATE TABLE rows AS SELECT shop FROM 'shops.csv'\")\n"
            "two.sql('SELECT shop FROM rows').write_csv('out.csv')"
        },
        "run: shops.csv -> out.csv",
        copy_columns("shops.csv", "out.csv", "shop"),
    ),
]

ORDERS = [
    Case(
        "a table that is made again from another file",
        {
            "connect": CONNECT,
            "make": "con.execute(\"CREATE OR REPLACE TABLE rows AS SELECT shop FROM 'sales.csv'\")",
            "write": "con.execute(\"COPY (SELECT shop FROM rows) TO 'out.csv'\")",
            "make (2)": "con.execute(\"CREATE OR REPLACE TABLE rows AS SELECT shop FROM 'shops.csv'\")",
            "write (2)": "con.execute(\"COPY (SELECT shop FROM rows) TO 'out.csv'\")",
        },
        "make: sales.csv -> $make.rows\nmake: shops.csv -> $make.rows\nwrite: $make.rows -> out.csv",
        copy_columns("sales.csv", "$make.rows", "shop")
        + copy_columns("shops.csv", "$make.rows", "shop")
        + copy_columns("$make.rows", "out.csv", "shop"),
    ),
    Case(
        "cells in another order than in the notebook",
        {
            "connect": CONNECT,
            "second": "con.execute(\"CREATE TABLE rows AS SELECT shop FROM 'shops.csv'\")",
            "third": "con.execute(\"COPY (SELECT shop FROM rows) TO 'first.csv'\")",
            "first": "con.execute('DROP TABLE rows')\ncon.execute(\"CREATE TABLE rows AS SELECT shop FROM 'sales.csv'\")",
            "third (2)": "con.execute(\"COPY (SELECT shop FROM rows) TO 'second.csv'\")",
        },
        "second: shops.csv -> $second.rows\nthird: $second.rows -> first.csv\nfirst: sales.csv -> $first.rows\nthird: $first.rows -> second.csv",
        copy_columns("shops.csv", "$second.rows", "shop")
        + copy_columns("$second.rows", "first.csv", "shop")
        + copy_columns("sales.csv", "$first.rows", "shop")
        + copy_columns("$first.rows", "second.csv", "shop"),
    ),
    Case(
        "a statement that fails changes nothing",
        {
            "make": CONNECT + "con.execute(\"CREATE TABLE rows AS SELECT shop FROM 'sales.csv'\")",
            "fail": "con.execute(\"CREATE OR REPLACE TABLE rows AS SELECT missing FROM 'shops.csv'\")",
            "write": "con.execute(\"COPY (SELECT shop FROM rows) TO 'out.csv'\")",
        },
        "make: sales.csv -> $make.rows\nwrite: $make.rows -> out.csv",
        copy_columns("sales.csv", "$make.rows", "shop") + copy_columns("$make.rows", "out.csv", "shop"),
    ),
    Case(
        "a function of another cell, in a loop",
        {
            "define": CONNECT + "con.execute('CREATE TABLE rows (shop VARCHAR)')\n"
            "def add(name):\n    con.execute(f\"INSERT INTO rows (shop) SELECT shop FROM '{name}.csv'\")",
            "use": "for name in ('sales', 'shops'):\n    add(name)\ncon.execute(\"COPY (SELECT shop FROM rows) TO 'out.csv'\")",
        },
        "use: sales.csv, shops.csv -> out.csv",
        copy_columns("sales.csv", "out.csv", "shop") + copy_columns("shops.csv", "out.csv", "shop"),
    ),
    Case(
        "threads with cursors",
        {
            "run": CONNECT + "from concurrent.futures import ThreadPoolExecutor\n"
            "def convert(name):\n    con.cursor().execute(f\"COPY (SELECT shop FROM '{name}.csv') TO '{name}-out.csv'\")\n"
            "with ThreadPoolExecutor(2) as pool:\n    list(pool.map(convert, ['sales', 'shops'] * 2))"
        },
        "run: sales.csv -> sales-out.csv\nrun: shops.csv -> shops-out.csv",
        copy_columns("sales.csv", "sales-out.csv", "shop") + copy_columns("shops.csv", "shops-out.csv", "shop"),
    ),
    Case(
        "tasks",
        {
            "run": IMPORT
            + """
import asyncio

def query(name):
    return duckdb.connect().sql(f"SELECT shop FROM '{name}.csv'").df()

async def convert(name):
    frame = await asyncio.to_thread(query, name)
    frame.to_csv(f'{name}-out.csv', index=False)

async def convert_both():
    await asyncio.gather(convert('sales'), convert('shops'))

asyncio.run(convert_both())
"""
        },
        "run: sales.csv -> sales-out.csv\nrun: shops.csv -> shops-out.csv",
        copy_columns("sales.csv", "sales-out.csv", "shop") + copy_columns("shops.csv", "shops-out.csv", "shop"),
    ),
    Case(
        "a connection as a context manager, and statements that move no data",
        {
            "run": IMPORT + "with duckdb.connect() as con:\n"
            "    con.execute(\"CREATE TABLE rows AS SELECT id FROM 'sales.csv'\")\n"
            "    con.sql('SHOW TABLES').fetchall()\n    con.sql('DESCRIBE rows').fetchall()\n"
            "    con.sql('EXPLAIN SELECT id FROM rows').fetchall()\n    con.sql('SELECT id FROM rows').write_csv('out.csv')"
        },
        FLOW,
        copy("id"),
    ),
]

CASES = [*QUERIES, *RELATIONS, *VARIABLES, *DATABASES, *ORDERS]
