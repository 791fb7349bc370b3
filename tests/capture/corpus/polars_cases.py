"""Notebooks that use polars."""

from typing import Any

from capture.corpus.case import Case, control_columns, copy_columns

IMPORT = "import polars as pl\n"
READ = f"{IMPORT}sales = pl.read_csv('sales.csv')\n"
READ_BOTH = f"{READ}shops = pl.read_csv('shops.csv')\n"
SCAN = f"{IMPORT}sales = pl.scan_csv('sales.csv')\n"
SCAN_BOTH = f"{SCAN}shops = pl.scan_csv('shops.csv')\n"
WRITE = "\nout.write_csv('out.csv')"
SINK = "\nout.sink_csv('out.csv')"
FLOW = "run: sales.csv -> out.csv"
JOINED = "run: sales.csv, shops.csv -> out.csv"
ALL = "id day shop price quantity"


def copy(names: str) -> str:
    """Return the lines that say that these columns of the result are those of the sales."""
    return copy_columns("sales.csv", "out.csv", names)


def control(columns: str, names: str, how: str) -> str:
    """Return the lines that say that columns of the result depend on columns of the sales."""
    return control_columns(" ".join(f"sales.csv.{column}" for column in columns.split()), "out.csv", names, how)


def one_cell(
    name: str, code: str, columns: str, flows: str = FLOW, *, read: str = READ, write: str = WRITE, **options: Any
) -> Case:
    """Return the case of one cell that reads, computes `out`, and writes it."""
    return Case(name, {"run": read + code + write}, flows, columns, **options)


SELECTED = [
    one_cell("columns by name", "out = sales.select('id', 'price')", copy("id price")),
    one_cell("columns in brackets", "out = sales[['id', 'price']]", copy("id price")),
    one_cell("rows in brackets", "out = sales[:2]", copy(ALL)),
    one_cell(
        "rows by a condition", "out = sales.filter(pl.col('price') > 2)", copy(ALL) + control("price", ALL, "filter")
    ),
    one_cell(
        "rows by a condition and an argument",
        "out = sales.filter(pl.col('price') > 1, shop='a').select('id')",
        copy("id") + control("price shop", "id", "filter"),
    ),
    one_cell("columns that are left out", "out = sales.drop('day', 'shop', 'quantity')", copy("id price")),
    one_cell(
        "columns by a selector",
        "import polars.selectors as cs\nout = sales.select(cs.numeric())",
        copy("id price quantity"),
    ),
    one_cell("all columns but one", "out = sales.select(pl.all().exclude('day'))", copy("id shop price quantity")),
    one_cell(
        "a column that is renamed",
        "out = sales.select('id', 'price').rename({'price': 'cost'})",
        copy("id") + "sales.csv.price -> out.csv.cost identity",
    ),
    one_cell(
        "two columns that exchange their names",
        "out = sales.select('id', 'price').rename({'id': 'price', 'price': 'id'})",
        "sales.csv.id -> out.csv.price identity\nsales.csv.price -> out.csv.id identity",
    ),
    one_cell(
        "columns that are renamed by a function",
        "out = sales.select('id', 'price').rename(str.upper)",
        "sales.csv.id -> out.csv.ID identity\nsales.csv.price -> out.csv.PRICE identity",
    ),
    one_cell(
        "sorted by a column that is left out",
        "out = sales.sort('price', descending=True).select('id')",
        copy("id") + control("price", "id", "sort"),
    ),
    one_cell(
        "without duplicates of a column",
        "out = sales.unique(subset=['shop'], keep='first').select('id')",
        copy("id") + control("shop", "id", "group_by"),
    ),
    one_cell(
        "without missing values",
        "out = sales.drop_nulls('quantity').select('id')",
        copy("id") + control("quantity", "id", "filter"),
    ),
    one_cell(
        "the rows with the largest values",
        "out = sales.top_k(2, by='price').select('id')",
        copy("id") + control("price", "id", "sort"),
    ),
    one_cell("numbers of rows", "out = sales.with_row_index('row').select('row', 'id')", copy("id")),
    one_cell(
        "a column as a frame", "out = sales['price'].to_frame('cost')", "sales.csv.price -> out.csv.cost identity"
    ),
    one_cell("method chain with pipe", "out = sales.pipe(lambda frame: frame.select('id')).head(1)", copy("id")),
]

COMPUTED = [
    one_cell(
        "a column of two others",
        "out = sales.with_columns((pl.col('price') * pl.col('quantity')).alias('total')).select('id', 'total')",
        copy("id") + control("price quantity", "total", "transformation"),
    ),
    one_cell(
        "named expressions",
        "out = sales.select('id', total=pl.col('price') * pl.col('quantity'), tax=pl.col('price') * 0.2)",
        copy("id") + control("price quantity", "total", "transformation") + control("price", "tax", "transformation"),
    ),
    one_cell("a constant", "out = sales.select('id', country=pl.lit('CH'))", copy("id")),
    one_cell(
        "values by a condition",
        "out = sales.select('id', size=pl.when(pl.col('price') > 2).then(pl.col('quantity')).otherwise(0))",
        copy("id") + control("price", "size", "conditional") + control("quantity", "size", "transformation"),
    ),
    one_cell(
        "text and time",
        "out = sales.select(pl.col('shop').str.to_uppercase(), year=pl.col('day').str.to_date().dt.year())",
        "sales.csv.shop -> out.csv.shop transformation\nsales.csv.day -> out.csv.year transformation",
    ),
    one_cell(
        "a rank within a group",
        "out = sales.select('id', place=pl.col('price').rank().over('shop'))",
        copy("id") + control("price", "place", "transformation") + control("shop", "place", "window"),
    ),
    one_cell(
        "a share of the group",
        "out = sales.select('id', share=pl.col('price') / pl.col('price').sum().over('shop'))",
        copy("id") + control("price", "share", "aggregation") + control("shop", "share", "window"),
    ),
    one_cell(
        "an aggregate of chosen rows",
        "out = sales.select(most=pl.col('price').filter(pl.col('quantity') > 1).max())",
        control("price", "most", "aggregation") + control("quantity", "most", "filter"),
    ),
    one_cell(
        "the first of a sorted column",
        "out = sales.select(first=pl.col('id').sort_by('price').first())",
        control("id", "first", "aggregation") + control("price", "first", "sort"),
    ),
    one_cell(
        "a function of elements",
        "out = sales.select('id', half=pl.col('price').map_elements(lambda x: x / 2, return_dtype=pl.Float64))",
        copy("id") + control("price", "half", "transformation"),
    ),
    one_cell(
        "several columns at once",
        "out = sales.select(pl.col('price', 'quantity') * 2)",
        "sales.csv.price -> out.csv.price transformation\nsales.csv.quantity -> out.csv.quantity transformation",
    ),
    one_cell(
        "several columns at once with new names",
        "out = sales.select('id', pl.col('price', 'quantity').round(1).name.suffix('_round'))",
        copy("id")
        + "sales.csv.price -> out.csv.price_round transformation\nsales.csv.quantity -> out.csv.quantity_round transformation",
    ),
    one_cell(
        "a sum over the columns of a row",
        "out = sales.select('id', total=pl.sum_horizontal('price', 'quantity'))",
        copy("id") + control("price quantity", "total", "transformation"),
    ),
    one_cell(
        "missing values and types of expressions",
        "out = sales.select('id', pl.col('quantity').fill_null(0).cast(pl.Int32))",
        copy("id") + "sales.csv.quantity -> out.csv.quantity transformation",
    ),
    one_cell(
        "missing values of a frame",
        "out = sales.select('id', 'quantity').fill_null(0)",
        "sales.csv.id -> out.csv.id transformation\nsales.csv.quantity -> out.csv.quantity transformation",
    ),
    one_cell(
        "the type of one column",
        "out = sales.select('id', 'price').cast({'price': pl.String})",
        copy("id") + "sales.csv.price -> out.csv.price transformation",
    ),
    one_cell(
        "arithmetic of series",
        "out = sales.with_columns((sales['price'] * sales['quantity']).alias('total')).select('id', 'total')",
        copy("id") + control("price quantity", "total", "transformation"),
    ),
    one_cell(
        "a frame of series",
        "out = pl.DataFrame({'key': sales['id'], 'cost': sales['price']})",
        "sales.csv.id -> out.csv.key identity\nsales.csv.price -> out.csv.cost identity",
    ),
    one_cell(
        "a structure and its fields",
        "out = sales.select('id', pl.struct('price', 'quantity').alias('both')).unnest('both')",
        copy("id price quantity"),
        missed=copy("id price quantity"),
    ),
    one_cell(
        "rows that a program makes",
        "out = pl.DataFrame([{'id': row['id']} for row in sales.iter_rows(named=True)])",
        copy("id"),
        missed=copy("id"),
    ),
]

JOIN_KEYS = "sales.csv.shop shops.csv.shop"
JOINS = [
    one_cell(
        "join on a key",
        "out = sales.select('id', 'shop').join(shops, on='shop')",
        copy("id shop")
        + copy_columns("shops.csv", "out.csv", "town")
        + control_columns(JOIN_KEYS, "out.csv", "id town", "join")
        + "shops.csv.shop -> out.csv.shop join",
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "join on keys with other names, and a suffix",
        "left = sales.select('shop', 'id')\nright = shops.rename({'shop': 'name'}).with_columns(id=pl.lit(1))\n"
        "out = left.join(right, left_on='shop', right_on='name', suffix='_other').select('id', 'town', 'id_other')",
        copy("id")
        + copy_columns("shops.csv", "out.csv", "town")
        + control_columns(JOIN_KEYS, "out.csv", "id town id_other", "join"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "rows whose key another frame has",
        "out = sales.join(shops, on='shop', how='semi').select('id')",
        copy("id") + control_columns(JOIN_KEYS, "out.csv", "id", "join"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "every row with every row",
        "out = sales.select('id').join(shops.select('town'), how='cross')",
        copy("id") + copy_columns("shops.csv", "out.csv", "town"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "join on the nearest key",
        "rates = pl.read_csv('rates.csv')\n"
        "out = sales.select('id', 'day').sort('day').join_asof(rates.sort('day'), on='day').select('id', 'rate')",
        copy("id")
        + copy_columns("rates.csv", "out.csv", "rate")
        + control_columns("sales.csv.day rates.csv.day", "out.csv", "id rate", "join"),
        "run: sales.csv, rates.csv -> out.csv",
        files={"rates.csv": "day,rate\n2026-01-01,1.1\n"},
    ),
    one_cell(
        "rows of two frames",
        "out = pl.concat([sales.select('shop'), shops.select('shop')])",
        copy("shop") + copy_columns("shops.csv", "out.csv", "shop"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "rows of two frames with other columns",
        "out = pl.concat([sales.select('shop', 'id'), shops], how='diagonal')",
        copy("shop id") + copy_columns("shops.csv", "out.csv", "shop town"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "columns of two frames",
        "out = pl.concat([sales.select('id').head(2), shops.select('town')], how='horizontal')",
        copy("id") + copy_columns("shops.csv", "out.csv", "town"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell("a column beside others", "out = sales.select('id').hstack([sales['price']])", copy("id price")),
    one_cell(
        "rows below others",
        "out = sales.select('shop').vstack(shops.select('shop'))",
        copy("shop") + copy_columns("shops.csv", "out.csv", "shop"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "values of a series in a condition",
        "out = sales.filter(pl.col('shop').is_in(shops['shop'].implode())).select('id')",
        copy("id") + control_columns(JOIN_KEYS, "out.csv", "id", "filter"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "values of a series in a condition beside another one",
        "known = ~pl.col('shop').is_in(shops['shop'].implode()) & (pl.col('price') > 1)\nout = sales.filter(known).select('id')",
        copy("id") + control_columns(JOIN_KEYS, "out.csv", "id", "filter") + control("price", "id", "filter"),
        JOINED,
        read=READ_BOTH,
    ),
]

GROUPS = [
    one_cell(
        "a sum by group",
        "out = sales.group_by('shop').agg(pl.col('price').sum())",
        copy("shop") + "sales.csv.price -> out.csv.price aggregation\n" + control("shop", "price", "group_by"),
    ),
    one_cell(
        "named aggregates",
        "out = sales.group_by('shop', 'day').agg(total=pl.col('price').sum(), most=pl.col('quantity').max(), rows=pl.len())",
        copy("shop day")
        + control("price", "total", "aggregation")
        + control("quantity", "most", "aggregation")
        + control("shop day", "shop day total most rows", "group_by"),
    ),
    one_cell(
        "groups by a computed key",
        "out = sales.group_by(pl.col('day').str.slice(0, 7).alias('month')).agg(pl.col('price').mean())",
        control("day", "month", "transformation")
        + "sales.csv.price -> out.csv.price aggregation\n"
        + control("day", "price", "group_by"),
    ),
    one_cell(
        "the sizes of groups",
        "out = sales.group_by('shop').len()",
        copy("shop") + control("shop", "len", "group_by"),
    ),
    one_cell(
        "one aggregate of all columns",
        "out = sales.select('shop', 'price', 'quantity').group_by('shop').sum()",
        copy("shop")
        + copy_columns("sales.csv", "out.csv", "price quantity", "aggregation")
        + control("shop", "price quantity", "group_by"),
    ),
    one_cell(
        "groups by time",
        "out = (sales.with_columns(pl.col('day').str.to_date()).sort('day')\n"
        "    .group_by_dynamic('day', every='1d').agg(pl.col('price').sum()))",
        "sales.csv.day -> out.csv.day transformation\nsales.csv.price -> out.csv.price aggregation\n"
        + control("day", "price", "group_by"),
    ),
    one_cell(
        "a pivot is not followed by column",
        "out = sales.pivot('shop', index='day', values='price', aggregate_function='sum')",
        "",
    ),
    one_cell(
        "columns as rows",
        "out = sales.unpivot(on=['price', 'quantity'], index='id')",
        copy("id") + control("price quantity", "value", "identity"),
    ),
    one_cell(
        "counts of values",
        "out = sales['shop'].value_counts()",
        copy("shop") + control("shop", "count", "group_by"),
    ),
    one_cell("a reduction", "out = sales.select('price').max()", "sales.csv.price -> out.csv.price aggregation"),
    one_cell(
        "a description",
        "out = sales.select('price').describe()",
        "sales.csv.price -> out.csv.price aggregation",
    ),
    Case(
        "a file for each part",
        {
            "run": READ
            + "for part in sales.select('id', 'shop').partition_by('shop'):\n    part.write_csv(f\"{part['shop'][0]}.csv\")"
        },
        "run: sales.csv -> a.csv\nrun: sales.csv -> b.csv",
        copy_columns("sales.csv", "a.csv", "id shop") + copy_columns("sales.csv", "b.csv", "id shop"),
    ),
    Case(
        "a file for each group",
        {
            "run": READ
            + "for (name,), part in sales.select('id', 'shop').group_by('shop'):\n    part.write_csv(f'{name}.csv')"
        },
        "run: sales.csv -> a.csv\nrun: sales.csv -> b.csv",
        copy_columns("sales.csv", "a.csv", "id shop") + copy_columns("sales.csv", "b.csv", "id shop"),
    ),
]

LAZY = [
    one_cell(
        "lazy from scan to sink",
        "out = sales.filter(pl.col('price') > 2).select('id')",
        copy("id") + control("price", "id", "filter"),
        read=SCAN,
        write=SINK,
    ),
    one_cell(
        "lazy join",
        "out = sales.join(shops, on='shop', how='left').select('id', 'town')",
        copy("id")
        + copy_columns("shops.csv", "out.csv", "town")
        + control_columns(JOIN_KEYS, "out.csv", "id town", "join"),
        JOINED,
        read=SCAN_BOTH,
        write=SINK,
    ),
    one_cell(
        "lazy rows of two frames",
        "out = pl.concat([sales.select('shop'), shops.select('shop')])",
        copy("shop") + copy_columns("shops.csv", "out.csv", "shop"),
        JOINED,
        read=SCAN_BOTH,
        write=SINK,
    ),
    one_cell(
        "lazy groups",
        "out = sales.group_by('shop').agg(total=pl.col('price').sum()).sort('shop').collect()",
        copy("shop") + control("price", "total", "aggregation") + control("shop", "total", "group_by"),
        read=SCAN,
    ),
    Case(
        "several lazy frames at once",
        {
            "run": SCAN + "ids, prices = pl.collect_all([sales.select('id'), sales.select('price')])\n"
            "ids.write_csv('ids.csv')\nprices.write_csv('prices.csv')"
        },
        "run: sales.csv -> ids.csv\nrun: sales.csv -> prices.csv",
        copy_columns("sales.csv", "ids.csv", "id") + copy_columns("sales.csv", "prices.csv", "price"),
    ),
    Case(
        "files of a pattern",
        {"run": IMPORT + "pl.scan_csv('part*.csv').select('a').sink_parquet('out.parquet')"},
        "run: part1.csv, part2.csv -> out.parquet",
        copy_columns("part1.csv", "out.parquet", "a") + copy_columns("part2.csv", "out.parquet", "a"),
        files={"part1.csv": "a,b\n1,2\n", "part2.csv": "a,b\n3,4\n"},
    ),
    Case(
        "a lazy frame between cells",
        {
            "scan": SCAN,
            "plan": "plan = sales.select('id', double=pl.col('price') * 2)",
            "collect": "frame = plan.collect()",
            "write": "frame.write_parquet('out.parquet')",
        },
        """
        scan: sales.csv -> $scan.sales
        plan: $scan.sales -> $plan.plan
        collect: $plan.plan -> $collect.frame
        write: $collect.frame -> out.parquet
        """,
        copy_columns("sales.csv", "$scan.sales", "id price")
        + copy_columns("$scan.sales", "$plan.plan", "id")
        + "$scan.sales.price -> $plan.plan.double transformation\n"
        + copy_columns("$plan.plan", "$collect.frame", "id double")
        + copy_columns("$collect.frame", "out.parquet", "id double"),
    ),
    Case(
        "from format to format",
        {
            "run": READ + "sales.select('id').write_parquet('one.parquet')\n"
            "pl.read_parquet('one.parquet').write_ipc('two.arrow')\n"
            "pl.scan_ipc('two.arrow').sink_ndjson('three.ndjson')\n"
            "pl.read_ndjson('three.ndjson').write_json('four.json')\n"
            "pl.read_json('four.json').write_avro('five.avro')\n"
            "pl.read_avro('five.avro').write_csv('six.csv')"
        },
        """
        run: sales.csv -> one.parquet
        run: one.parquet -> two.arrow
        run: two.arrow -> three.ndjson
        run: three.ndjson -> four.json
        run: four.json -> five.avro
        run: five.avro -> six.csv
        """,
        """
        sales.csv.id -> one.parquet.id identity
        one.parquet.id -> two.arrow.id identity
        two.arrow.id -> three.ndjson.id identity
        three.ndjson.id -> four.json.id identity
        four.json.id -> five.avro.id identity
        five.avro.id -> six.csv.id identity
        """,
    ),
]

SQL_COLUMNS = copy("id") + control("price", "double", "transformation") + control("quantity", "id double", "filter")
SQL = [
    one_cell(
        "SQL of a context",
        "context = pl.SQLContext(sales=sales)\n"
        "out = context.execute('SELECT id, price * 2 AS double FROM sales WHERE quantity > 1', eager=True)",
        SQL_COLUMNS,
    ),
    one_cell(
        "SQL of a context, lazily and as a context manager",
        "with pl.SQLContext() as context:\n    context.register('rows', sales)\n"
        "    out = context.execute('SELECT id, price * 2 AS double FROM rows WHERE quantity > 1')",
        SQL_COLUMNS,
        read=SCAN,
        write=SINK,
    ),
    one_cell(
        "SQL that names variables",
        "out = pl.sql('SELECT s.id, t.town FROM sales AS s JOIN shops AS t ON s.shop = t.shop').collect()",
        copy("id")
        + copy_columns("shops.csv", "out.csv", "town")
        + control_columns(JOIN_KEYS, "out.csv", "id town", "join"),
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "SQL of a frame",
        "out = sales.sql('SELECT shop, sum(price) AS total FROM self GROUP BY shop')",
        copy("shop") + control("price", "total", "aggregation") + control("shop", "total", "group_by"),
    ),
]

CHAINS = [
    Case(
        "read, cleaned and written in three cells",
        {
            "read": READ,
            "clean": "clean = sales.select('id', 'price').filter(pl.col('price') > 2)",
            "write": "clean.write_parquet('out.parquet')",
        },
        """
        read: sales.csv -> $read.sales
        clean: $read.sales -> $clean.clean
        write: $clean.clean -> out.parquet
        """,
        copy_columns("sales.csv", "$read.sales", "id price")
        + copy_columns("$read.sales", "$clean.clean", "id price")
        + "$read.sales.price -> $clean.clean.id filter\n"
        + copy_columns("$clean.clean", "out.parquet", "id price"),
    ),
    Case(
        "cells in another order than in the notebook",
        {
            "import": IMPORT,
            "third": "df = pl.read_csv('shops.csv')",
            "first": "df = pl.read_csv('sales.csv').select('id')",
            "second": "df.write_csv('out.csv')",
        },
        "first: sales.csv -> $first.df\nsecond: $first.df -> out.csv",
        copy_columns("sales.csv", "$first.df", "id") + copy_columns("$first.df", "out.csv", "id"),
    ),
    Case(
        "a cell that runs again with another source",
        {
            "read": IMPORT + "df = pl.read_csv('sales.csv').select('shop')",
            "write": "df.write_csv('out.csv')",
            "read (2)": "df = pl.read_csv('shops.csv').select('shop')",
            "write (2)": "df.write_csv('out.csv')",
        },
        """
        read: sales.csv -> $read.df
        write: $read.df -> out.csv
        read: shops.csv -> $read.df
        """,
        copy_columns("sales.csv", "$read.df", "shop")
        + copy_columns("shops.csv", "$read.df", "shop")
        + copy_columns("$read.df", "out.csv", "shop"),
    ),
    Case(
        "a cell that fails before it assigns",
        {
            "read": READ + "out = sales.select('id')",
            "fail": "out = sales.select('price', 'missing')",
            "write": "out.write_csv('out.csv')",
        },
        "read: sales.csv -> $read.out\nwrite: $read.out -> out.csv",
        copy_columns("sales.csv", "$read.out", "id") + copy_columns("$read.out", "out.csv", "id"),
    ),
    Case(
        "a write that fails",
        {"read": READ, "write": "sales.select('id').write_csv('out.csv')\nsales.write_csv('missing/out.csv')"},
        "read: sales.csv -> $read.sales\nwrite: $read.sales -> out.csv",
        copy_columns("sales.csv", "$read.sales", "id") + copy_columns("$read.sales", "out.csv", "id"),
    ),
    Case(
        "a function of another cell, in a loop",
        {
            "define": IMPORT
            + "def convert(name):\n    pl.read_csv(f'{name}.csv').select('shop').write_csv(f'{name}-out.csv')",
            "use": "for name in ('sales', 'shops'):\n    convert(name)",
        },
        "use: sales.csv -> sales-out.csv\nuse: shops.csv -> shops-out.csv",
        copy_columns("sales.csv", "sales-out.csv", "shop") + copy_columns("shops.csv", "shops-out.csv", "shop"),
    ),
    Case(
        "a function whose parameter hides a variable",
        {
            "read": READ_BOTH,
            "define": "def write(sales):\n    sales.select('shop').write_csv('out.csv')",
            "use": "write(shops)",
        },
        "read: shops.csv -> $read.shops\nuse: $read.shops -> out.csv",
        copy_columns("shops.csv", "$read.shops", "shop") + copy_columns("$read.shops", "out.csv", "shop"),
    ),
    Case(
        "a name that is given to other data",
        {"read": READ_BOTH, "swap": "sales = shops", "write": "sales.select('shop').write_csv('out.csv')"},
        "read: shops.csv -> $read.shops\nwrite: $read.shops -> out.csv",
        copy_columns("shops.csv", "$read.shops", "shop") + copy_columns("$read.shops", "out.csv", "shop"),
    ),
    Case(
        "a value that was deleted",
        {"read": READ, "keep": "kept = sales.select('id')\ndel sales", "write": "kept.write_csv('out.csv')"},
        "read: sales.csv -> $read.sales\nkeep: $read.sales -> $keep.kept\nwrite: $keep.kept -> out.csv",
        copy_columns("sales.csv", "$read.sales", "id")
        + copy_columns("$read.sales", "$keep.kept", "id")
        + copy_columns("$keep.kept", "out.csv", "id"),
    ),
    Case(
        "a file for each column",
        {"run": READ + "for column in ('id', 'price'):\n    sales.select(column).write_csv(f'{column}.csv')"},
        "run: sales.csv -> id.csv\nrun: sales.csv -> price.csv",
        copy_columns("sales.csv", "id.csv", "id") + copy_columns("sales.csv", "price.csv", "price"),
    ),
    Case(
        "threads",
        {
            "define": IMPORT
            + "from concurrent.futures import ThreadPoolExecutor\n"
            + "def convert(name):\n    pl.scan_csv(f'{name}.csv').select('shop').sink_csv(f'{name}-out.csv')",
            "run": "with ThreadPoolExecutor(4) as pool:\n    list(pool.map(convert, ['sales', 'shops'] * 3))",
        },
        "run: sales.csv -> sales-out.csv\nrun: shops.csv -> shops-out.csv",
        copy_columns("sales.csv", "sales-out.csv", "shop") + copy_columns("shops.csv", "shops-out.csv", "shop"),
    ),
    Case(
        "tasks that take turns",
        {
            "run": IMPORT
            + """
import asyncio

async def convert(name):
    frame = await pl.scan_csv(f'{name}.csv').select('shop').collect_async()
    await asyncio.sleep(0)
    frame.write_csv(f'{name}-out.csv')

async def convert_both():
    await asyncio.gather(convert('sales'), convert('shops'))

asyncio.run(convert_both())
"""
        },
        "run: sales.csv -> sales-out.csv\nrun: shops.csv -> shops-out.csv",
        copy_columns("sales.csv", "sales-out.csv", "shop") + copy_columns("shops.csv", "shops-out.csv", "shop"),
    ),
    Case(
        "open files",
        {
            "run": IMPORT + "with open('sales.csv', 'rb') as file:\n    sales = pl.read_csv(file)\n"
            "with open('out.csv', 'wb') as file:\n    sales.select('id').write_csv(file)"
        },
        FLOW,
        copy("id"),
    ),
    Case(
        "beside each other, but not connected",
        {
            "read": READ_BOTH,
            "write": "shops.height\nsales.select('id').write_csv('out.csv')\npl.DataFrame({'a': [1]}).write_csv('own.csv')",
        },
        "read: sales.csv -> $read.sales\nwrite: $read.sales -> out.csv\nwrite: -> own.csv",
        copy_columns("sales.csv", "$read.sales", "id") + copy_columns("$read.sales", "out.csv", "id"),
    ),
    Case(
        "a value of the program in place of one that was read",
        {
            "read": READ + "out = sales.select('id')",
            "own": "out = pl.DataFrame({'id': [1]})",
            "write": "out.write_csv('out.csv')",
        },
        "write: -> out.csv",
    ),
]

CASES = [*SELECTED, *COMPUTED, *JOINS, *GROUPS, *LAZY, *SQL, *CHAINS]
