"""Notebooks that use pandas."""

from importlib.metadata import version

from capture.corpus.case import Case

IS_PANDAS_3 = version("pandas") >= "3"
IMPORT = "import pandas as pd\n"
READ = f"{IMPORT}sales = pd.read_csv('sales.csv')\n"
READ_BOTH = f"{READ}shops = pd.read_csv('shops.csv')\n"
WRITE = "\nout.to_csv('out.csv', index=False)"
FLOW = "run: sales.csv -> out.csv"
JOINED = "run: sales.csv, shops.csv -> out.csv"
ALL_COPIED = """
    sales.csv.id -> out.csv.id identity
    sales.csv.day -> out.csv.day identity
    sales.csv.shop -> out.csv.shop identity
    sales.csv.price -> out.csv.price identity
    sales.csv.quantity -> out.csv.quantity identity
"""


def one_cell(name: str, code: str, columns: str, flows: str = FLOW, *, read: str = READ, missed: str = "") -> Case:
    """Return the case of one cell that reads, computes `out`, and writes it."""
    return Case(name, {"run": read + code + WRITE}, flows, columns, missed)


def control_all(source: str, how: str, columns: str = "id day shop price quantity") -> str:
    """Return the lines that say that all columns of the result depend on a column of the sales."""
    return "\n".join(f"sales.csv.{source} -> out.csv.{column} {how}" for column in columns.split() if column != source)


SELECTED = [
    one_cell("copy", "out = sales.copy()", ALL_COPIED),
    one_cell("first rows", "out = sales.head(2)", ALL_COPIED),
    one_cell(
        "two columns",
        "out = sales[['id', 'price']]",
        "sales.csv.id -> out.csv.id identity\nsales.csv.price -> out.csv.price identity",
    ),
    one_cell(
        "rows by a mask",
        "out = sales[sales['price'] > 2]",
        ALL_COPIED + control_all("price", "filter"),
    ),
    one_cell(
        "rows and columns by loc",
        "out = sales.loc[sales.quantity.notna(), ['id', 'shop']]",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.shop -> out.csv.shop identity
        sales.csv.quantity -> out.csv.id, filter
        """.replace("out.csv.id, filter", "out.csv.id filter")
        + "sales.csv.quantity -> out.csv.shop filter",
    ),
    one_cell(
        "query",
        "low = 1\nout = sales.query('price > @low and shop == \"day\"')[['id']]",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.id filter
        sales.csv.shop -> out.csv.id filter
        """,
    ),
    one_cell(
        "renamed and dropped",
        "out = sales.rename(columns={'price': 'cost'}).drop(columns=['day', 'shop'])",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.cost identity
        sales.csv.quantity -> out.csv.quantity identity
        """,
    ),
    one_cell(
        "labels that are set",
        "out = sales[['id', 'price']].copy()\nout.columns = ['key', 'cost']",
        "sales.csv.id -> out.csv.key identity\nsales.csv.price -> out.csv.cost identity",
    ),
    one_cell(
        "sorted by a column that is left out",
        "out = sales.sort_values('price')[['id']]",
        "sales.csv.id -> out.csv.id identity\nsales.csv.price -> out.csv.id sort",
    ),
    one_cell(
        "without duplicates of a column",
        "out = sales.drop_duplicates(subset=['shop'])[['id']]",
        "sales.csv.id -> out.csv.id identity\nsales.csv.shop -> out.csv.id group_by",
    ),
    one_cell(
        "without missing values",
        "out = sales.dropna(subset=['quantity'])[['id']]",
        "sales.csv.id -> out.csv.id identity\nsales.csv.quantity -> out.csv.id filter",
    ),
    one_cell(
        "a column as a frame",
        "out = sales['price'].to_frame('cost')",
        "sales.csv.price -> out.csv.cost identity",
    ),
    one_cell(
        "an index that was a column",
        "out = sales.set_index('id')[['price']].reset_index()",
        "sales.csv.id -> out.csv.id identity\nsales.csv.price -> out.csv.price identity",
    ),
    Case(
        "an index that is written",
        {"run": READ + "sales.set_index('shop')[['price']].to_csv('out.csv')"},
        FLOW,
        "sales.csv.shop -> out.csv.shop identity\nsales.csv.price -> out.csv.price identity",
    ),
    Case(
        "an index without a name is no column of the data",
        {"run": READ + "sales.index.name = 'price'\nsales[['id']].to_csv('out.csv')"},
        FLOW,
        "sales.csv.id -> out.csv.id identity",
    ),
    one_cell(
        "columns by position",
        "out = sales.iloc[:, [0, 3]]",
        "sales.csv.id -> out.csv.id identity\nsales.csv.price -> out.csv.price identity",
    ),
]

COMPUTED = [
    one_cell(
        "a column of two others",
        "sales['total'] = sales['price'] * sales['quantity']\nout = sales[['id', 'total']]",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.total transformation
        sales.csv.quantity -> out.csv.total transformation
        """,
    ),
    one_cell(
        "assign with functions",
        "out = sales.assign(total=lambda d: d.price * d.quantity, tax=lambda d: d.total * 0.2)[['total', 'tax']]",
        """
        sales.csv.price -> out.csv.total transformation
        sales.csv.quantity -> out.csv.total transformation
        sales.csv.price -> out.csv.tax transformation
        sales.csv.quantity -> out.csv.tax transformation
        """,
    ),
    one_cell(
        "a constant",
        "out = sales[['id']].copy()\nout['country'] = 'CH'",
        "sales.csv.id -> out.csv.id identity",
    ),
    one_cell(
        "types and missing values of named columns",
        "out = sales[['id', 'price', 'quantity']].fillna({'quantity': 0}).astype({'quantity': int})",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.price identity
        sales.csv.quantity -> out.csv.quantity transformation
        """,
    ),
    one_cell(
        "accessors of text and time",
        "out = pd.DataFrame({'shop': sales['shop'].str.upper(), 'year': pd.to_datetime(sales['day']).dt.year})",
        "sales.csv.shop -> out.csv.shop transformation\nsales.csv.day -> out.csv.year transformation",
    ),
    one_cell(
        "values that are mapped",
        "names = {'a': 'Alpha'}\nout = sales[['id']].assign(name=sales['shop'].map(names), half=sales.price.apply(lambda x: x / 2))",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.shop -> out.csv.name transformation
        sales.csv.price -> out.csv.half transformation
        """,
    ),
    one_cell(
        "a function of rows",
        "sales['total'] = sales.apply(lambda row: row['price'] * row.quantity, axis=1)\nout = sales[['total']]",
        "sales.csv.price -> out.csv.total transformation\nsales.csv.quantity -> out.csv.total transformation",
    ),
    one_cell(
        "a function of numpy",
        "import numpy as np\nout = sales[['id']].assign(log=np.log(sales['price']))",
        "sales.csv.id -> out.csv.id identity\nsales.csv.price -> out.csv.log transformation",
    ),
    one_cell(
        "an array whose origin is not followed",
        "import numpy as np\nout = sales[['id']].copy()\nout['big'] = np.where(sales['price'] > 2, 1, 0)",
        "sales.csv.id -> out.csv.id identity\nsales.csv.price -> out.csv.big conditional",
        missed="sales.csv.price -> out.csv.big conditional",
    ),
    one_cell(
        "an array and back",
        "out = pd.DataFrame(sales[['id', 'price']].to_numpy(), columns=['key', 'cost'])",
        "sales.csv.id -> out.csv.key identity\nsales.csv.price -> out.csv.cost identity",
    ),
    one_cell(
        "values that are set where a mask is true",
        "sales.loc[sales['price'] > 2, 'quantity'] = 0\nout = sales[['quantity']]",
        "sales.csv.quantity -> out.csv.quantity identity\nsales.csv.price -> out.csv.quantity conditional",
    ),
    one_cell(
        "a new column that is set where a mask is true",
        "sales.loc[sales['price'] > 2, 'kind'] = sales['shop']\nout = sales[['kind']]",
        "sales.csv.shop -> out.csv.kind identity\nsales.csv.price -> out.csv.kind conditional",
    ),
    one_cell(
        "where",
        "out = sales[['id']].assign(price=sales['price'].where(sales['quantity'] > 1, 0))",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.price identity
        sales.csv.quantity -> out.csv.price conditional
        """,
    ),
    one_cell(
        "in place",
        "sales.rename(columns={'price': 'cost'}, inplace=True)\n"
        "sales.fillna({'quantity': 1}, inplace=True)\n"
        "sales.drop(columns=['day', 'shop'], inplace=True)\nout = sales",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.cost identity
        sales.csv.quantity -> out.csv.quantity transformation
        """,
    ),
    one_cell(
        "an expression as text",
        "out = sales.eval('total = price * quantity')[['total']]",
        "sales.csv.price -> out.csv.total transformation\nsales.csv.quantity -> out.csv.total transformation",
    ),
    one_cell(
        "bins and dummies",
        "out = pd.get_dummies(sales[['id', 'shop']], columns=['shop'])\nout['band'] = pd.cut(sales['price'], 2)",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.shop -> out.csv.shop_a transformation
        sales.csv.shop -> out.csv.shop_b transformation
        sales.csv.price -> out.csv.band transformation
        """,
    ),
    one_cell(
        "rows that a program makes",
        "rows = []\nfor _, row in sales.iterrows():\n    rows.append({'id': row['id']})\nout = pd.DataFrame(rows)",
        "sales.csv.id -> out.csv.id identity",
        missed="sales.csv.id -> out.csv.id identity",
    ),
]

JOINS = [
    one_cell(
        "merge on a key",
        "out = sales[['id', 'shop']].merge(shops, on='shop')",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.shop -> out.csv.shop identity
        shops.csv.town -> out.csv.town identity
        sales.csv.shop -> out.csv.id join
        shops.csv.shop -> out.csv.id join
        shops.csv.shop -> out.csv.shop join
        sales.csv.shop -> out.csv.town join
        shops.csv.shop -> out.csv.town join
        """,
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "merge on keys with other names, and suffixes",
        "left = sales[['shop', 'id']]\nright = shops.rename(columns={'shop': 'name'}).assign(id=1)\n"
        "out = pd.merge(left, right, left_on='shop', right_on='name', suffixes=('', '_other'))[['id', 'town', 'id_other']]",
        """
        sales.csv.id -> out.csv.id identity
        shops.csv.town -> out.csv.town identity
        sales.csv.shop -> out.csv.id join
        shops.csv.shop -> out.csv.id join
        sales.csv.shop -> out.csv.town join
        shops.csv.shop -> out.csv.town join
        sales.csv.shop -> out.csv.id_other join
        shops.csv.shop -> out.csv.id_other join
        """,
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "join on an index",
        "out = sales[['id', 'shop']].join(shops.set_index('shop'), on='shop')[['id', 'town']]",
        """
        sales.csv.id -> out.csv.id identity
        shops.csv.town -> out.csv.town identity
        sales.csv.shop -> out.csv.id join
        shops.csv.shop -> out.csv.id join
        sales.csv.shop -> out.csv.town join
        shops.csv.shop -> out.csv.town join
        """,
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "rows of two frames",
        "out = pd.concat([sales[['shop']], shops[['shop', 'town']]])",
        """
        sales.csv.shop -> out.csv.shop identity
        shops.csv.shop -> out.csv.shop identity
        shops.csv.town -> out.csv.town identity
        """,
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "columns of two frames",
        "out = pd.concat([sales[['id']], shops['town'].rename('place')], axis=1)",
        "sales.csv.id -> out.csv.id identity\nshops.csv.town -> out.csv.place identity",
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "rows whose key another frame has",
        "out = sales[sales['shop'].isin(shops['shop'])][['id']]",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.shop -> out.csv.id filter
        shops.csv.shop -> out.csv.id filter
        """,
        JOINED,
        read=READ_BOTH,
    ),
    one_cell(
        "a column that is mapped by another frame",
        "towns = shops.set_index('shop')['town']\nout = sales[['id']].assign(town=sales['shop'].map(towns))",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.shop -> out.csv.town transformation
        shops.csv.town -> out.csv.town transformation
        """,
        JOINED,
        read=READ_BOTH,
    ),
]

GROUPS = [
    one_cell(
        "a sum by group",
        "out = sales.groupby('shop')['price'].sum().reset_index()",
        """
        sales.csv.shop -> out.csv.shop identity
        sales.csv.price -> out.csv.price aggregation
        sales.csv.shop -> out.csv.price group_by
        """,
    ),
    one_cell(
        "named aggregates",
        "out = sales.groupby(['shop', 'day'], as_index=False).agg(total=('price', 'sum'), most=('quantity', 'max'))",
        """
        sales.csv.shop -> out.csv.shop identity
        sales.csv.day -> out.csv.day identity
        sales.csv.price -> out.csv.total aggregation
        sales.csv.quantity -> out.csv.most aggregation
        sales.csv.day -> out.csv.shop group_by
        sales.csv.shop -> out.csv.day group_by
        sales.csv.shop -> out.csv.total group_by
        sales.csv.day -> out.csv.total group_by
        sales.csv.shop -> out.csv.most group_by
        sales.csv.day -> out.csv.most group_by
        """,
    ),
    one_cell(
        "aggregates by a dictionary",
        "out = sales.groupby('shop').agg({'price': 'mean'}).reset_index()",
        """
        sales.csv.shop -> out.csv.shop identity
        sales.csv.price -> out.csv.price aggregation
        sales.csv.shop -> out.csv.price group_by
        """,
    ),
    one_cell(
        "the sizes of groups",
        "out = sales.groupby('shop').size().reset_index(name='rows')",
        "sales.csv.shop -> out.csv.shop identity\nsales.csv.shop -> out.csv.rows group_by",
    ),
    one_cell(
        "groups by a computed key",
        "out = sales.groupby(pd.to_datetime(sales['day']).dt.month)['price'].mean().rename_axis('month').reset_index()",
        """
        sales.csv.day -> out.csv.month transformation
        sales.csv.price -> out.csv.price aggregation
        sales.csv.day -> out.csv.price group_by
        """,
    ),
    one_cell(
        "a share of the group",
        "out = sales[['id']].assign(share=sales['price'] / sales.groupby('shop')['price'].transform('sum'))",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.share transformation
        sales.csv.shop -> out.csv.share window
        """,
    ),
    one_cell(
        "counts of values",
        "out = sales['shop'].value_counts().reset_index()",
        "sales.csv.shop -> out.csv.shop identity\nsales.csv.shop -> out.csv.count group_by",
    ),
    one_cell(
        "means of all columns",
        "out = sales[['price', 'quantity']].describe()",
        "sales.csv.price -> out.csv.price aggregation\nsales.csv.quantity -> out.csv.quantity aggregation",
    ),
    one_cell(
        "a sum over the columns of a row",
        "out = sales[['id']].assign(total=sales[['price', 'quantity']].sum(axis=1))",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.total transformation
        sales.csv.quantity -> out.csv.total transformation
        """,
    ),
    one_cell(
        "a moving mean",
        "out = sales[['price']].rolling(2).mean()",
        "sales.csv.price -> out.csv.price aggregation",
    ),
    one_cell(
        "a pivot table",
        "out = sales.pivot_table(index='day', columns='shop', values='price', aggfunc='sum').reset_index()",
        """
        sales.csv.day -> out.csv.day identity
        sales.csv.shop -> out.csv.day group_by
        sales.csv.price -> out.csv.a aggregation
        sales.csv.day -> out.csv.a group_by
        sales.csv.shop -> out.csv.a group_by
        sales.csv.price -> out.csv.b aggregation
        sales.csv.day -> out.csv.b group_by
        sales.csv.shop -> out.csv.b group_by
        """,
    ),
    one_cell(
        "melted columns",
        "out = sales.melt(id_vars=['id'], value_vars=['price', 'quantity'], var_name='what', value_name='value')",
        """
        sales.csv.id -> out.csv.id identity
        sales.csv.price -> out.csv.value identity
        sales.csv.quantity -> out.csv.value identity
        """,
    ),
    Case(
        "a file for each group",
        {"run": READ + "for name, part in sales.groupby('shop'):\n    part.to_csv(f'{name}.csv', index=False)"},
        "run: sales.csv -> a.csv\nrun: sales.csv -> b.csv",
        "\n".join(
            f"sales.csv.{column} -> {name}.csv.{column} identity"
            for name in ("a", "b")
            for column in ("id", "day", "shop", "price", "quantity")
        ),
    ),
    Case(
        "a function of each group that writes",
        {
            "run": READ
            + "sales.groupby('shop')[['id', 'price']].apply(lambda part: part[['id']].to_csv(f'{part.name}.csv', index=False))"
        },
        "run: sales.csv -> a.csv\nrun: sales.csv -> b.csv",
        "sales.csv.id -> a.csv.id identity\nsales.csv.id -> b.csv.id identity",
        # pandas 2 selects the columns of the groups inside of its own function.
        missed="" if IS_PANDAS_3 else "sales.csv.id -> a.csv.id identity\nsales.csv.id -> b.csv.id identity",
    ),
    one_cell(
        "a function of each group is not followed by column",
        "out = sales.groupby('shop')[['price']].apply(lambda part: part * 2)",
        "",
    ),
]

CHAINS = [
    Case(
        "read, cleaned and written in three cells",
        {
            "read": READ,
            "clean": "clean = sales[['id', 'price']].dropna()",
            "write": "clean.to_parquet('out.parquet')",
        },
        """
        read: sales.csv -> $read.sales
        clean: $read.sales -> $clean.clean
        write: $clean.clean -> out.parquet
        """,
        """
        sales.csv.id -> $read.sales.id identity
        sales.csv.price -> $read.sales.price identity
        $read.sales.id -> $clean.clean.id identity
        $read.sales.price -> $clean.clean.id filter
        $read.sales.price -> $clean.clean.price identity
        $read.sales.id -> $clean.clean.price filter
        $clean.clean.id -> out.parquet.id identity
        $clean.clean.price -> out.parquet.price identity
        """,
    ),
    Case(
        "changed in place by a later cell",
        {
            "read": READ,
            "change": "sales['double'] = sales['price'] * 2",
            "write": "sales[['double']].to_csv('out.csv', index=False)",
        },
        """
        read: sales.csv -> $read.sales
        change: $read.sales -> $change.sales
        write: $change.sales -> out.csv
        """,
        """
        sales.csv.price -> $read.sales.price identity
        $read.sales.price -> $change.sales.double transformation
        $change.sales.double -> out.csv.double identity
        """,
    ),
    Case(
        "a series and groups between cells",
        {
            "read": READ,
            "price": "price = sales['price']",
            "group": "groups = sales.groupby('shop')",
            "mean": "mean = groups['price'].mean()",
            "write": "pd.DataFrame({'price': price, 'more': price + 1}).to_csv('price.csv', index=False)\nmean.to_csv('mean.csv')",
        },
        """
        read: sales.csv -> $read.sales
        price: $read.sales -> $price.price
        group: $read.sales -> $group.groups
        mean: $group.groups -> $mean.mean
        write: $price.price -> price.csv
        write: $mean.mean -> mean.csv
        """,
        """
        sales.csv.price -> $read.sales.price identity
        sales.csv.shop -> $read.sales.shop identity
        $read.sales.price -> $price.price.values identity
        $read.sales.price -> $group.groups.price identity
        $read.sales.shop -> $group.groups.shop identity
        $group.groups.price -> $mean.mean.values aggregation
        $group.groups.shop -> $mean.mean.values group_by
        $group.groups.shop -> $mean.mean.shop identity
        $price.price.values -> price.csv.price identity
        $price.price.values -> price.csv.more transformation
        $mean.mean.values -> mean.csv.price identity
        $mean.mean.shop -> mean.csv.shop identity
        """,
    ),
    Case(
        "cells in another order than in the notebook",
        {
            "import": IMPORT,
            "third": "df = pd.read_csv('shops.csv')",
            "first": "df = pd.read_csv('sales.csv')[['id']]",
            "second": "df.to_csv('out.csv', index=False)",
        },
        "first: sales.csv -> $first.df\nsecond: $first.df -> out.csv",
        "sales.csv.id -> $first.df.id identity\n$first.df.id -> out.csv.id identity",
    ),
    Case(
        "a cell that runs again on its own result",
        {
            "read": READ + "df = sales[['price']]",
            "double": "df = df * 2",
            "double (2)": "df = df * 2",
            "write": "df.to_csv('out.csv', index=False)",
        },
        """
        read: sales.csv -> $read.df
        double: $read.df -> $double.df
        double: $double.df -> $double.df
        write: $double.df -> out.csv
        """,
        """
        sales.csv.price -> $read.df.price identity
        $read.df.price -> $double.df.price transformation
        $double.df.price -> $double.df.price transformation
        $double.df.price -> out.csv.price identity
        """,
    ),
    Case(
        "a cell that runs again after its input was replaced",
        {
            "read": IMPORT + "df = pd.read_csv('sales.csv')[['shop']]",
            "write": "df.to_csv('out.csv', index=False)",
            "other": "df = pd.read_csv('shops.csv')[['shop']]",
            "write (2)": "df.to_csv('out.csv', index=False)",
        },
        """
        read: sales.csv -> $read.df
        write: $read.df -> out.csv
        other: shops.csv -> $other.df
        write: $other.df -> out.csv
        """,
        """
        sales.csv.shop -> $read.df.shop identity
        $read.df.shop -> out.csv.shop identity
        shops.csv.shop -> $other.df.shop identity
        $other.df.shop -> out.csv.shop identity
        """,
    ),
    Case(
        "a value that was deleted",
        {
            "read": READ_BOTH,
            "keep": "kept = sales[['id']].merge(shops[['town']], how='cross')\ndel sales, shops",
            "write": "kept.to_csv('out.csv', index=False)",
        },
        """
        read: sales.csv -> $read.sales
        read: shops.csv -> $read.shops
        keep: $read.sales, $read.shops -> $keep.kept
        write: $keep.kept -> out.csv
        """,
        """
        sales.csv.id -> $read.sales.id identity
        shops.csv.town -> $read.shops.town identity
        $read.sales.id -> $keep.kept.id identity
        $read.shops.town -> $keep.kept.town identity
        $keep.kept.id -> out.csv.id identity
        $keep.kept.town -> out.csv.town identity
        """,
    ),
    Case(
        "a write that fails",
        {
            "read": READ,
            "write": "sales.to_csv('missing/out.csv')",
            "again": "sales[['id']].to_csv('out.csv', index=False)",
        },
        "read: sales.csv -> $read.sales\nagain: $read.sales -> out.csv\n",
        "sales.csv.id -> $read.sales.id identity\n$read.sales.id -> out.csv.id identity",
    ),
    Case(
        "a cell that fails after it wrote",
        {"read": READ, "write": "sales[['id']].to_csv('out.csv', index=False)\n1 / 0"},
        "read: sales.csv -> $read.sales\nwrite: $read.sales -> out.csv",
        "sales.csv.id -> $read.sales.id identity\n$read.sales.id -> out.csv.id identity",
    ),
    Case(
        "a change in place that fails",
        {
            "read": READ + "out = sales[['id']].copy()",
            "fail": "out['price'] = sales['price'].to_list() + [1]",
            "write": "out.to_csv('out.csv', index=False)",
        },
        "read: sales.csv -> $read.out\nwrite: $read.out -> out.csv",
        "sales.csv.id -> $read.out.id identity\n$read.out.id -> out.csv.id identity",
    ),
    Case(
        "threads",
        {
            "run": IMPORT
            + """
from concurrent.futures import ThreadPoolExecutor

def copy(name):
    frame = pd.read_csv(f'{name}.csv')
    frame[['shop']].to_csv(f'{name}-shops.csv', index=False)

with ThreadPoolExecutor(4) as pool:
    list(pool.map(copy, ['sales', 'shops'] * 5))
"""
        },
        "run: sales.csv -> sales-shops.csv\nrun: shops.csv -> shops-shops.csv",
        "sales.csv.shop -> sales-shops.csv.shop identity\nshops.csv.shop -> shops-shops.csv.shop identity",
    ),
    Case(
        "tasks that take turns",
        {
            "run": IMPORT
            + """
import asyncio

async def copy(name):
    frame = pd.read_csv(f'{name}.csv')
    await asyncio.sleep(0)
    part = frame[['shop']]
    await asyncio.sleep(0)
    part.to_csv(f'{name}-shops.csv', index=False)

async def copy_both():
    await asyncio.gather(copy('sales'), copy('shops'))

asyncio.run(copy_both())
"""
        },
        "run: sales.csv -> sales-shops.csv\nrun: shops.csv -> shops-shops.csv",
        "sales.csv.shop -> sales-shops.csv.shop identity\nshops.csv.shop -> shops-shops.csv.shop identity",
    ),
    Case(
        "beside each other, but not connected",
        {
            "run": READ_BOTH
            + "len(shops)\nsales[['id']].to_csv('out.csv', index=False)\npd.DataFrame({'a': [1]}).to_csv('own.csv')"
        },
        "run: sales.csv -> out.csv\nrun: -> own.csv",
        "sales.csv.id -> out.csv.id identity",
    ),
]

FORMATS = [
    Case(
        "from format to format",
        {
            "run": READ
            + "sales[['id']].to_json('one.json')\n"
            + "pd.read_json('one.json').to_parquet('two.parquet')\n"
            + "pd.read_parquet('two.parquet').to_feather('three.feather')\n"
            + "pd.read_feather('three.feather').to_orc('four.orc')\n"
            + "pd.read_orc('four.orc').to_stata('five.dta', write_index=False)\n"
            + "pd.read_stata('five.dta').to_pickle('six.pkl')\n"
            + "pd.read_pickle('six.pkl').to_csv('seven.csv.gz', index=False)\n"
            + "pd.read_table('seven.csv.gz', sep=',').to_html('eight.html')\n",
        },
        """
        run: sales.csv -> one.json
        run: one.json -> two.parquet
        run: two.parquet -> three.feather
        run: three.feather -> four.orc
        run: four.orc -> five.dta
        run: five.dta -> six.pkl
        run: six.pkl -> seven.csv.gz
        run: seven.csv.gz -> eight.html
        """,
        """
        sales.csv.id -> one.json.id identity
        one.json.id -> two.parquet.id identity
        two.parquet.id -> three.feather.id identity
        three.feather.id -> four.orc.id identity
        four.orc.id -> five.dta.id identity
        five.dta.id -> six.pkl.id identity
        six.pkl.id -> seven.csv.gz.id identity
        seven.csv.gz.id -> eight.html.id identity
        """,
    ),
    Case(
        "chunks",
        {
            "run": IMPORT + "for at, chunk in enumerate(pd.read_csv('sales.csv', chunksize=2)):\n"
            "    chunk[['id']].to_csv('out.csv', mode='a', header=at == 0, index=False)"
        },
        FLOW,
        "sales.csv.id -> out.csv.id identity",
    ),
    Case(
        "open files",
        {
            "run": IMPORT + "with open('sales.csv') as file:\n    sales = pd.read_csv(file)\n"
            "with open('out.csv', 'w') as file:\n    sales[['id']].to_csv(file, index=False)"
        },
        FLOW,
        "sales.csv.id -> out.csv.id identity",
    ),
    Case(
        "data in memory has no name",
        {
            "run": READ + "import io\nbuffer = io.StringIO()\nsales.to_csv(buffer)\nbuffer.seek(0)\n"
            "pd.read_csv(buffer)[['id']].to_csv('out.csv', index=False)"
        },
        "run: -> out.csv",
    ),
    Case(
        "columns that are renamed as they are read and written",
        {
            "run": IMPORT + "df = pd.read_csv('sales.csv', usecols=['id', 'price'])\n"
            "df.to_csv('out.csv', index=False, columns=['price', 'id'], header=['cost', 'key'])\n"
            "pd.read_csv('sales.csv', header=0, names=['i', 'd', 's', 'p', 'q']).to_csv('renamed.csv', index=False)"
        },
        "run: sales.csv -> out.csv\nrun: sales.csv -> renamed.csv",
        "sales.csv.price -> out.csv.cost identity\nsales.csv.id -> out.csv.key identity",
    ),
    Case(
        "folders of partitions",
        {
            "run": READ + "sales[['id', 'shop']].to_parquet('table', partition_cols=['shop'])\n"
            "pd.read_parquet('table')[['id']].to_parquet('all.parquet')\n"
            "pd.read_parquet('table/shop=a')[['id']].to_parquet('a.parquet')"
        },
        "run: sales.csv -> table\nrun: table -> all.parquet\nrun: table -> a.parquet",
        """
        sales.csv.id -> table.id identity
        sales.csv.shop -> table.shop identity
        table.id -> all.parquet.id identity
        table.id -> a.parquet.id identity
        """,
    ),
]

CASES = [*SELECTED, *COMPUTED, *JOINS, *GROUPS, *CHAINS, *FORMATS]
