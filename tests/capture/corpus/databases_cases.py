"""Notebooks that use databases: sqlite3, SQLAlchemy and psycopg, also for pandas and polars."""

from capture.corpus.case import Case, control_columns, copy_columns

ORDERS, TOTALS = "shop.sqlite.orders", "shop.sqlite.totals"
IMPORT = "import sqlite3\nimport pandas as pd\n"
MAKE = (
    IMPORT + "con = sqlite3.connect('shop.sqlite')\n"
    "con.executescript('CREATE TABLE orders (id INTEGER, shop TEXT, amount REAL); CREATE TABLE totals (shop TEXT, total REAL);')\n"
)
SQLALCHEMY = MAKE + (
    "import sqlalchemy as sa\nfrom sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column\n"
    "engine = sa.create_engine('sqlite:///shop.sqlite')\n"
    "class Base(DeclarativeBase):\n    pass\n"
    "class Order(Base):\n    __tablename__ = 'orders'\n    id: Mapped[int] = mapped_column(primary_key=True)\n"
    "    shop: Mapped[str]\n    amount: Mapped[float]\n"
)
POSTGRES = "import psycopg\nfrom support.postgres import get_or_start_server\ndsn = get_or_start_server().dsn\n"
SERVER = "localhost:5432/postgres.public"


def copy(names: str, target: str = "out.csv") -> str:
    """Return the lines that say that these columns of the target are those of the orders."""
    return copy_columns(ORDERS, target, names)


SQLITE = [
    Case(
        "a query into a frame",
        {
            "make": MAKE,
            "read": "frame = pd.read_sql('SELECT id, amount * 2 AS double FROM orders WHERE shop = \"a\"', con)",
            "write": "frame.to_csv('out.csv', index=False)",
        },
        f"read: {ORDERS} -> $read.frame\nwrite: $read.frame -> out.csv",
        copy("id", "$read.frame")
        + f"{ORDERS}.amount -> $read.frame.double transformation\n"
        + control_columns(f"{ORDERS}.shop", "$read.frame", "id double", "filter")
        + copy_columns("$read.frame", "out.csv", "id double"),
    ),
    Case(
        "a frame into a table",
        {
            "make": MAKE,
            "write": "sales = pd.read_csv('sales.csv')\nsales[['id', 'shop']].to_sql('sales', con, index=False)",
        },
        "write: sales.csv -> shop.sqlite.sales",
        copy_columns("sales.csv", "shop.sqlite.sales", "id shop"),
    ),
    Case(
        "data moves inside the database",
        {
            "make": MAKE,
            "sum": "con.execute('INSERT INTO totals (shop, total) SELECT shop, sum(amount) FROM orders GROUP BY shop')\ncon.commit()",
        },
        f"sum: {ORDERS} -> {TOTALS}",
        copy("shop", TOTALS)
        + f"{ORDERS}.amount -> {TOTALS}.total aggregation\n{ORDERS}.shop -> {TOTALS}.total group_by",
    ),
    Case(
        "a temporary table between cells",
        {
            "make": MAKE,
            "temporary": "con.execute('CREATE TEMP TABLE big AS SELECT id FROM orders WHERE amount > 5')",
            "read": "pd.read_sql('SELECT id FROM big', con).to_csv('out.csv', index=False)",
        },
        f"temporary: {ORDERS} -> $temporary.big\nread: $temporary.big -> out.csv",
        copy("id", "$temporary.big")
        + f"{ORDERS}.amount -> $temporary.big.id filter\n"
        + copy_columns("$temporary.big", "out.csv", "id"),
    ),
    Case(
        "a view",
        {
            "make": MAKE,
            "view": "con.execute('CREATE VIEW big AS SELECT id FROM orders WHERE amount > 5')",
            "read": "pd.read_sql('SELECT id FROM big', con).to_csv('out.csv', index=False)",
        },
        f"view: {ORDERS} -> shop.sqlite.big\nread: shop.sqlite.big -> out.csv",
        copy("id", "shop.sqlite.big")
        + f"{ORDERS}.amount -> shop.sqlite.big.id filter\n"
        + copy_columns("shop.sqlite.big", "out.csv", "id"),
    ),
    Case(
        "rows that are changed by another table",
        {
            "make": MAKE,
            "change": "con.execute('UPDATE totals SET total = (SELECT sum(amount) FROM orders WHERE orders.shop = totals.shop)')",
            "delete": "con.execute('DELETE FROM totals WHERE shop IN (SELECT shop FROM orders)')",
            "values": "con.executemany('INSERT INTO orders VALUES (?, ?, ?)', [(1, 'a', 2.5), (2, 'b', 3.5)])\ncon.commit()",
        },
        f"change: {ORDERS} -> {TOTALS}\ndelete: {ORDERS} -> {TOTALS}\nvalues: -> {ORDERS}",
        f"{ORDERS}.amount -> {TOTALS}.total aggregation\n{ORDERS}.shop -> {TOTALS}.total filter",
    ),
    Case(
        "an attached database",
        {
            "make": MAKE,
            "attach": "con.execute(\"ATTACH 'other.sqlite' AS other\")\ncon.execute('CREATE TABLE other.orders AS SELECT id FROM main.orders')",
            "read": "pd.read_sql('SELECT id FROM other.orders', con).to_csv('out.csv', index=False)",
        },
        f"attach: {ORDERS} -> other.sqlite.orders\nread: other.sqlite.orders -> out.csv",
        copy("id", "other.sqlite.orders") + copy_columns("other.sqlite.orders", "out.csv", "id"),
    ),
    Case(
        "a statement that fails, and a cell that runs again with another query",
        {
            "make": MAKE,
            "read": "frame = pd.read_sql('SELECT id FROM orders', con)",
            "fail": "frame = pd.read_sql('SELECT missing FROM totals', con)",
            "write": "frame.to_csv('out.csv', index=False)",
            "read (2)": "frame = pd.read_sql('SELECT shop FROM totals', con)",
            "write (2)": "frame.to_csv('out.csv', index=False)",
        },
        f"read: {ORDERS} -> $read.frame\nread: {TOTALS} -> $read.frame\nwrite: $read.frame -> out.csv",
        copy("id", "$read.frame")
        + copy_columns(TOTALS, "$read.frame", "shop")
        + copy_columns("$read.frame", "out.csv", "id shop"),
    ),
    Case(
        "chunks of a query",
        {
            "make": MAKE + "con.execute(\"INSERT INTO orders VALUES (1, 'a', 2.5), (2, 'b', 3.5)\")",
            "read": "for chunk in pd.read_sql('SELECT id FROM orders', con, chunksize=1):\n    chunk.to_csv('out.csv', mode='a', index=False)",
        },
        f"make: -> {ORDERS}\nread: {ORDERS} -> out.csv",
        copy("id"),
    ),
    Case(
        "threads with connections of their own",
        {
            "make": MAKE + "con.close()",
            "run": "from concurrent.futures import ThreadPoolExecutor\n"
            "def export(name):\n    with sqlite3.connect('shop.sqlite') as own:\n"
            "        pd.read_sql(f'SELECT shop FROM {name}', own).to_csv(f'{name}.csv', index=False)\n"
            "with ThreadPoolExecutor(2) as pool:\n    list(pool.map(export, ['orders', 'totals']))",
        },
        f"run: {ORDERS} -> orders.csv\nrun: {TOTALS} -> totals.csv",
        copy("shop", "orders.csv") + copy_columns(TOTALS, "totals.csv", "shop"),
    ),
    Case(
        "rows of a cursor as a frame",
        {
            "make": MAKE,
            "read": "cursor = con.cursor()\ncursor.execute('SELECT id FROM orders')\n"
            "frame = pd.DataFrame(cursor.fetchall(), columns=['id'])\nframe.to_csv('out.csv', index=False)",
        },
        f"read: {ORDERS} -> out.csv",
    ),
    Case(
        "a database in memory has no name",
        {
            "run": IMPORT
            + "with sqlite3.connect(':memory:') as con:\n    con.execute('CREATE TABLE t AS SELECT 1 AS id')\n"
            "    pd.read_sql('SELECT id FROM t', con).to_csv('out.csv', index=False)"
        },
        "run: -> out.csv",
    ),
    Case(
        "a query of polars",
        {
            "make": MAKE,
            "read": "import polars as pl\nframe = pl.read_database('SELECT id, amount FROM orders', con)\n"
            "frame.select('id').write_csv('out.csv')",
        },
        f"read: {ORDERS} -> out.csv",
        copy("id"),
    ),
]

ALCHEMY = [
    Case(
        "a query that Python builds",
        {
            "make": SQLALCHEMY,
            "read": "orders = Order.__table__\n"
            "query = sa.select(orders.c.id, (orders.c.amount * 2).label('double')).where(orders.c.shop == 'a')\n"
            "frame = pd.read_sql(query, engine)\nframe.to_csv('out.csv', index=False)",
        },
        f"read: {ORDERS} -> out.csv",
        copy("id")
        + f"{ORDERS}.amount -> out.csv.double transformation\n"
        + control_columns(f"{ORDERS}.shop", "out.csv", "id double", "filter"),
    ),
    Case(
        "a whole table, and back",
        {
            "make": SQLALCHEMY,
            "copy": "frame = pd.read_sql_table('orders', engine)\nframe[['shop']].to_sql('copies', engine, index=False)",
        },
        f"copy: {ORDERS} -> shop.sqlite.copies",
        copy("shop", "shop.sqlite.copies"),
    ),
    Case(
        "objects that are stored and changed",
        {
            "make": SQLALCHEMY,
            "store": "with Session(engine) as session:\n    session.add_all([Order(id=n, shop='a', amount=n) for n in (1, 2)])\n    session.commit()",
            "change": "with Session(engine) as session:\n    session.get(Order, 1).amount = 5\n    session.commit()",
        },
        f"store: -> {ORDERS}\nchange: -> {ORDERS}",
    ),
    Case(
        "objects as a frame",
        {
            "make": SQLALCHEMY,
            "read": "with Session(engine) as session:\n    found = session.scalars(sa.select(Order)).all()\n"
            "    frame = pd.DataFrame([{'id': each.id} for each in found])\nframe.to_csv('out.csv', index=False)",
        },
        f"read: {ORDERS} -> out.csv",
    ),
    Case(
        "a statement of a transaction that moves data",
        {
            "make": SQLALCHEMY,
            "move": "with engine.begin() as connection:\n"
            "    connection.execute(sa.text('INSERT INTO totals (shop, total) SELECT shop, amount FROM orders WHERE id > :id'), {'id': 1})",
        },
        f"move: {ORDERS} -> {TOTALS}",
        copy("shop", TOTALS)
        + f"{ORDERS}.amount -> {TOTALS}.total identity\n"
        + control_columns(f"{ORDERS}.id", TOTALS, "shop total", "filter"),
    ),
    Case(
        "a function of another cell, with a connection that is passed on",
        {
            "make": SQLALCHEMY,
            "define": "def export(connection, name):\n"
            "    pd.read_sql(sa.text(f'SELECT shop FROM {name}'), connection).to_csv(f'{name}.csv', index=False)",
            "use": "with engine.connect() as connection:\n    for name in ('orders', 'totals'):\n        export(connection, name)",
        },
        f"use: {ORDERS} -> orders.csv\nuse: {TOTALS} -> totals.csv",
        copy("shop", "orders.csv") + copy_columns(TOTALS, "totals.csv", "shop"),
    ),
    Case(
        "rows of a result",
        {
            "make": SQLALCHEMY,
            "read": "with engine.connect() as connection:\n    result = connection.execute(sa.text('SELECT id FROM orders'))\n"
            "    frame = pd.DataFrame(result.all(), columns=['id'])\nframe.to_csv('out.csv', index=False)",
        },
        f"read: {ORDERS} -> out.csv",
    ),
    Case(
        "a table that polars writes",
        {
            "make": SQLALCHEMY,
            "write": "import polars as pl\npl.read_csv('sales.csv').select('id', 'shop').write_database('copies', engine)",
        },
        "write: sales.csv -> shop.sqlite.copies",
        copy_columns("sales.csv", "shop.sqlite.copies", "id shop"),
    ),
]

SERVERS = [
    Case(
        "statements of psycopg",
        {
            "make": POSTGRES + "con = psycopg.connect(dsn, autocommit=True)\n"
            "con.execute('CREATE TABLE public.corpus_orders (id INTEGER, amount REAL)')",
            "move": "with con.cursor() as cursor:\n"
            "    cursor.execute('CREATE TABLE public.corpus_big AS SELECT id FROM public.corpus_orders WHERE amount > %s', [1])",
            "drop": "con.execute('DROP TABLE public.corpus_orders, public.corpus_big')\ncon.close()",
        },
        f"move: {SERVER}.corpus_orders -> {SERVER}.corpus_big",
        f"{SERVER}.corpus_orders.id -> {SERVER}.corpus_big.id identity\n"
        f"{SERVER}.corpus_orders.amount -> {SERVER}.corpus_big.id filter",
    ),
    Case(
        "statements of psycopg in tasks",
        {
            "make": POSTGRES + "con = psycopg.connect(dsn, autocommit=True)\n"
            "con.execute('CREATE TABLE public.corpus_orders (id INTEGER)')\ncon.execute('CREATE TABLE public.corpus_copies (id INTEGER)')",
            "move": """
import asyncio

async def move():
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as own:
        await own.execute('INSERT INTO public.corpus_copies (id) SELECT id FROM public.corpus_orders')

asyncio.run(move())
""",
            "drop": "con.execute('DROP TABLE public.corpus_orders')\ncon.execute('DROP TABLE public.corpus_copies')\ncon.close()",
        },
        f"move: {SERVER}.corpus_orders -> {SERVER}.corpus_copies",
        f"{SERVER}.corpus_orders.id -> {SERVER}.corpus_copies.id identity",
    ),
    Case(
        "rows of psycopg as a frame",
        {
            "make": POSTGRES
            + "import pandas as pd\nwith psycopg.connect(dsn) as con:\n"
            + "    con.execute('CREATE TABLE public.corpus_orders (id INTEGER)')\n"
            + "    cursor = con.execute('SELECT id FROM public.corpus_orders')\n"
            + "    frame = pd.DataFrame(cursor.fetchall(), columns=['id'])\n    con.rollback()\nframe.to_csv('out.csv', index=False)",
        },
        f"make: {SERVER}.corpus_orders -> out.csv",
    ),
]

CASES = [*SQLITE, *ALCHEMY, *SERVERS]
