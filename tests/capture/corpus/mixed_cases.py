"""Notebooks that use several libraries, and code that looks as if data flowed."""

from capture.corpus.case import Case, control_columns, copy_columns

IMPORT = "import duckdb, sqlite3\nimport pandas as pd\nimport polars as pl\nimport numpy as np\n"

CHAINS = [
    Case(
        "pandas, DuckDB, polars and a file",
        {
            "read": IMPORT + "sales = pd.read_csv('sales.csv')",
            "query": "totals = duckdb.sql('SELECT shop, sum(price) AS total FROM sales GROUP BY shop').pl()",
            "choose": "big = totals.filter(pl.col('total') > 1)",
            "write": "big.write_parquet('out.parquet')",
        },
        """
        read: sales.csv -> $read.sales
        query: $read.sales -> $query.totals
        choose: $query.totals -> $choose.big
        write: $choose.big -> out.parquet
        """,
        copy_columns("sales.csv", "$read.sales", "shop price")
        + copy_columns("$read.sales", "$query.totals", "shop")
        + "$read.sales.price -> $query.totals.total aggregation\n$read.sales.shop -> $query.totals.total group_by\n"
        + copy_columns("$query.totals", "$choose.big", "shop total")
        + "$query.totals.total -> $choose.big.shop filter\n"
        + copy_columns("$choose.big", "out.parquet", "shop total"),
    ),
    Case(
        "polars, pandas and a database",
        {
            "run": IMPORT + "con = sqlite3.connect('shop.sqlite')\n"
            "pl.read_csv('sales.csv').select('id', 'shop').to_pandas().to_sql('sales', con, index=False)\n"
            "frame = pl.from_pandas(pd.read_sql('SELECT id FROM sales', con))\nframe.write_csv('out.csv')\ncon.close()"
        },
        "run: sales.csv -> shop.sqlite.sales\nrun: shop.sqlite.sales -> out.csv",
        copy_columns("sales.csv", "shop.sqlite.sales", "id shop") + copy_columns("shop.sqlite.sales", "out.csv", "id"),
    ),
    Case(
        "a query that joins frames of two libraries and a file",
        {
            "run": IMPORT
            + "sales = pl.read_csv('sales.csv').select('id', 'shop', 'day')\nshops = pd.read_csv('shops.csv')\n"
            "duckdb.sql(\"SELECT s.id, t.town, r.rate FROM sales s JOIN shops t ON s.shop = t.shop JOIN 'rates.csv' r ON s.day = r.day\").write_csv('out.csv')"
        },
        "run: sales.csv, shops.csv, rates.csv -> out.csv",
        copy_columns("sales.csv", "out.csv", "id")
        + copy_columns("shops.csv", "out.csv", "town")
        + copy_columns("rates.csv", "out.csv", "rate")
        + control_columns(
            "sales.csv.shop sales.csv.day shops.csv.shop rates.csv.day", "out.csv", "id town rate", "join"
        ),
        files={"rates.csv": "day,rate\n2026-01-01,1.1\n"},
    ),
    Case(
        "Arrow between libraries",
        {
            "run": IMPORT + "import pyarrow.parquet as pq\n"
            "table = duckdb.sql(\"SELECT id, price FROM 'sales.csv'\").to_arrow_table()\n"
            "frame = pl.from_arrow(table)\npq.write_table(frame.to_arrow(), 'out.parquet')"
        },
        "run: sales.csv -> out.parquet",
        copy_columns("sales.csv", "out.parquet", "id price"),
    ),
    Case(
        "an array between libraries",
        {
            "read": IMPORT + "sales = pd.read_csv('sales.csv')",
            "compute": "scaled = np.sqrt(sales[['price']].to_numpy())",
            "frame": "out = pl.DataFrame({'scaled': scaled[:, 0]})",
            "write": "out.write_csv('out.csv')",
        },
        """
        read: sales.csv -> $read.sales
        compute: $read.sales -> $compute.scaled
        frame: $compute.scaled -> $frame.out
        write: $frame.out -> out.csv
        """,
        copy_columns("$frame.out", "out.csv", "scaled"),
    ),
    Case(
        "a table of DuckDB that pandas made, used again after the frame is gone",
        {
            "load": IMPORT + "con = duckdb.connect('shop.duckdb')\nsales = pd.read_csv('sales.csv')\n"
            "con.execute('CREATE TABLE sales AS SELECT id, shop FROM sales')\ndel sales",
            "read": "frame = con.execute('SELECT id FROM sales').df()",
            "write": "frame.to_csv('out.csv', index=False)\ncon.close()",
        },
        """
        load: sales.csv -> shop.duckdb.main.sales
        read: shop.duckdb.main.sales -> $read.frame
        write: $read.frame -> out.csv
        """,
        copy_columns("sales.csv", "shop.duckdb.main.sales", "id shop")
        + copy_columns("shop.duckdb.main.sales", "$read.frame", "id")
        + copy_columns("$read.frame", "out.csv", "id"),
    ),
    Case(
        "threads of two cells",
        {
            "start": IMPORT + "import threading\nis_open = threading.Event()\n"
            "def convert():\n    frame = pl.read_csv('sales.csv').select('id')\n    is_open.wait(5)\n    frame.write_csv('late.csv')\n"
            "thread = threading.Thread(target=convert)\nthread.start()",
            "other": "pd.read_csv('shops.csv')[['shop']].to_csv('out.csv', index=False)\nis_open.set()\nthread.join()",
        },
        "start: sales.csv -> late.csv\nother: shops.csv -> out.csv",
        copy_columns("sales.csv", "late.csv", "id") + copy_columns("shops.csv", "out.csv", "shop"),
    ),
]

#: Data that is read beside data that is written, without a flow between them.
UNRELATED = [
    Case(
        "a file that is only counted",
        {
            "run": IMPORT + "count = len(pd.read_csv('sales.csv'))\nnames = ['a', 'b']\n"
            "pd.DataFrame({'name': names}).to_csv('out.csv', index=False)"
        },
        "run: -> out.csv",
    ),
    Case(
        "rows of a query and rows of the program",
        {
            "run": IMPORT + "rows = duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall()\nown = [{'id': 1}]\n"
            "frame = pd.DataFrame(own)\nframe.to_csv('own.csv', index=False)\npd.DataFrame(rows).to_csv('out.csv', index=False)"
        },
        "run: -> own.csv\nrun: sales.csv -> out.csv",
    ),
    Case(
        "a name that held data, and holds none any more",
        {
            "run": IMPORT + "rows = duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall()\nrows = [(1,)]\n"
            "pd.DataFrame(rows).to_csv('out.csv', index=False)"
        },
        "run: -> out.csv",
    ),
    Case(
        "a name that held data in another cell",
        {
            "read": IMPORT + "rows = duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall()",
            "own": "rows = [(1,)]\nframe = pd.DataFrame(rows)\nrows = None",
            "write": "frame.to_csv('out.csv', index=False)",
        },
        "write: -> out.csv",
    ),
    Case(
        "files one after the other, by the same lines",
        {
            "run": IMPORT
            + "for name in ('sales', 'shops'):\n    rows = duckdb.sql(f\"SELECT shop FROM '{name}.csv'\").fetchall()\n"
            "    frame = pd.DataFrame(rows, columns=['shop'])\n    frame.to_csv(f'{name}-out.csv', index=False)"
        },
        "run: sales.csv -> sales-out.csv\nrun: shops.csv -> shops-out.csv",
        missed="run: sales.csv -> sales-out.csv\nrun: shops.csv -> shops-out.csv",
    ),
    Case(
        "rows of a cursor that are added in a loop",
        {
            "make": IMPORT + "con = sqlite3.connect('shop.sqlite')\n"
            "pd.read_csv('sales.csv').to_sql('sales', con, index=False)",
            "run": "cursor = con.execute('SELECT id, shop FROM sales')\nrows = []\nfor row in cursor:\n    rows.append(list(row))\n"
            "own = []\nfor number in range(2):\n    own.append([number])\n"
            "pd.DataFrame(rows).to_csv('out.csv', index=False)\npd.DataFrame(own).to_csv('own.csv', index=False)",
        },
        """
        make: sales.csv -> shop.sqlite.sales
        run: shop.sqlite.sales -> out.csv
        run: -> own.csv
        """,
        copy_columns("sales.csv", "shop.sqlite.sales", "id day shop price quantity"),
    ),
    Case(
        "rows of a query that are added in a loop",
        {
            "run": IMPORT
            + "rows = []\nfor row in duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall():\n    rows.append(row)\n"
            "pd.DataFrame(rows).to_csv('out.csv', index=False)"
        },
        "run: sales.csv -> out.csv",
    ),
    Case(
        "two statements in a line",
        {
            "run": IMPORT + "rows = duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall(); own = [(1,)]\n"
            "pd.DataFrame(own).to_csv('own.csv', index=False); pd.DataFrame(rows).to_csv('out.csv', index=False)"
        },
        "run: -> own.csv\nrun: sales.csv -> out.csv",
    ),
    Case(
        "rows that are added in two cells",
        {
            "begin": IMPORT + "rows = []\nrows += duckdb.sql(\"SELECT shop FROM 'sales.csv'\").fetchall()",
            "add": "rows += duckdb.sql(\"SELECT shop FROM 'shops.csv'\").fetchall()",
            "write": "pd.DataFrame(rows).to_csv('out.csv', index=False)",
        },
        "begin: sales.csv -> $begin.rows\nadd: shops.csv, $begin.rows -> $add.rows\nwrite: $add.rows -> out.csv",
    ),
    Case(
        "a branch that did not run",
        {
            "run": IMPORT
            + "rows = [(1,)]\nif len(rows) > 1:\n    rows = duckdb.sql(\"SELECT id FROM 'sales.csv'\").fetchall()\n"
            "pd.DataFrame(rows).to_csv('out.csv', index=False)"
        },
        "run: -> out.csv",
    ),
    Case(
        "the names of files in a query",
        {
            "run": IMPORT + "tables = duckdb.sql(\"SELECT 'sales.csv' AS name\").fetchall()\n"
            "pd.DataFrame(tables).to_csv('out.csv', index=False)"
        },
        "run: -> out.csv",
    ),
    Case(
        "a value that is read and replaced before it is written",
        {
            "read": IMPORT + "frame = pl.read_csv('sales.csv')",
            "use": "height = frame.height\nframe = pl.DataFrame({'height': [height]})",
            "write": "frame.write_csv('out.csv')",
        },
        "write: -> out.csv",
    ),
]

CASES = [*CHAINS, *UNRELATED]
