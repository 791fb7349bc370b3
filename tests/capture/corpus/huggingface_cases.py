"""Notebooks that use the library `datasets` of Hugging Face."""

from typing import Any

from capture.corpus.case import Case, control_columns, copy_columns

IMPORT = (
    "import datasets, pathlib, pandas as pd\nfrom datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset, load_from_disk\n"
    "datasets.config.HF_DATASETS_CACHE = pathlib.Path(folder) / 'cache'\ndatasets.disable_progress_bars()\n"
)
SALES = "load_dataset('csv', data_files='sales.csv', split='train')"
READ = f"sales = {SALES}\n"
ALL = "id day shop price quantity"
OTHER = {"other.csv": "id,day,shop,price,quantity\n9,2026-01-09,z,1.5,2\n"}
FLOW = "run: sales.csv -> out.csv"


def one_cell(name: str, code: str, flows: str = FLOW, columns: str = "", **options: Any) -> Case:
    """Return the case of one cell that reads the sales."""
    return Case(name, {"run": IMPORT + READ + code}, flows, columns, **options)


CASES = [
    one_cell(
        "from format to format",
        "sales.to_json('out.json')\nload_dataset('json', data_files=['out.json'])['train'].to_parquet('out.parquet')\n"
        "Dataset.from_parquet('out.parquet').to_csv('out.csv')",
        "run: sales.csv -> out.json\nrun: out.json -> out.parquet\nrun: out.parquet -> out.csv",
        copy_columns("sales.csv", "out.json", ALL)
        + copy_columns("out.json", "out.parquet", ALL)
        + copy_columns("out.parquet", "out.csv", ALL),
    ),
    one_cell(
        "columns that are chosen, renamed and removed",
        "sales.rename_column('price', 'cost').rename_columns({'id': 'number'}).remove_columns(['day'])"
        ".select_columns(['number', 'cost']).to_csv('out.csv')",
        FLOW,
        "sales.csv.id -> out.csv.number identity\nsales.csv.price -> out.csv.cost identity",
    ),
    one_cell(
        "a function of rows, and one that selects them",
        "def halve(row):\n    return {'half': row['price'] / 2, 'price': row['quantity']}\n"
        "sales.map(halve).filter(lambda row: row['shop'] == 'a').select_columns(['half', 'price']).to_csv('out.csv')",
        FLOW,
        "sales.csv.price -> out.csv.half transformation\nsales.csv.quantity -> out.csv.price identity\n"
        + control_columns("sales.csv.shop", "out.csv", "half price", "filter"),
    ),
    one_cell(
        "batches, and columns as arguments",
        "sales.map(lambda rows: {'half': [each / 2 for each in rows['price']]}, batched=True, remove_columns=sales.column_names)"
        ".to_csv('out.csv')\nsales.filter(lambda price: price > 2, input_columns='price').select_columns('id').to_csv('big.csv')",
        f"{FLOW}\nrun: sales.csv -> big.csv",
        "sales.csv.price -> out.csv.half transformation\nsales.csv.id -> big.csv.id identity\nsales.csv.price -> big.csv.id filter",
    ),
    one_cell(
        "functions that cannot be followed by column",
        "def double(row):\n    row['price'] *= 2\n    return row\n"
        "sales.map(double).to_csv('out.csv')\nsales.map(lambda row: dict(row)).to_csv('copy.csv')",
        f"{FLOW}\nrun: sales.csv -> copy.csv",
    ),
    Case(
        "splits between cells, saved and loaded",
        {
            "import": IMPORT,
            "read": "both = load_dataset('csv', data_files={'train': 'sales.csv', 'test': 'other.csv'})",
            "choose": "both = both.select_columns(['id'])",
            "save": "both.save_to_disk('both')",
            "test": "both['test'].to_csv('test.csv')",
            "load": "load_from_disk('both')['train'].to_csv('train.csv')",
        },
        """
        read: sales.csv -> $read.both
        read: other.csv -> $read.both
        choose: $read.both -> $choose.both
        save: $choose.both -> both
        test: $choose.both -> test.csv
        load: both -> train.csv
        """,
        copy_columns("sales.csv", "$read.both", "id")
        + copy_columns("other.csv", "$read.both", "id")
        + copy_columns("$read.both", "$choose.both", "id")
        + copy_columns("$choose.both", "both", "id")
        + copy_columns("$choose.both", "test.csv", "id")
        + copy_columns("both", "train.csv", "id"),
        files=OTHER,
    ),
    Case(
        "splits in one cell",
        {
            "run": IMPORT
            + "both = load_dataset('csv', data_files={'train': 'sales.csv', 'test': 'other.csv'}, split='train')\n"
            "both.to_csv('out.csv')\nparts = both.train_test_split(test_size=1, seed=1)\nparts['test'].to_csv('test.csv')",
        },
        f"{FLOW}\nrun: sales.csv -> test.csv",
        copy_columns("sales.csv", "out.csv", ALL) + copy_columns("sales.csv", "test.csv", ALL),
        files=OTHER,
    ),
    Case(
        "from pandas and back",
        {
            "import": IMPORT,
            "read": "frame = pd.read_csv('shops.csv')",
            "to": "shops = Dataset.from_pandas(frame)",
            "back": "again = shops.select(range(1)).to_pandas()",
            "write": "again.to_csv('out.csv', index=False)",
        },
        """
        read: shops.csv -> $read.frame
        to: $read.frame -> $to.shops
        back: $to.shops -> $back.again
        write: $back.again -> out.csv
        """,
        copy_columns("shops.csv", "$read.frame", "shop town")
        + copy_columns("$read.frame", "$to.shops", "shop town")
        + copy_columns("$to.shops", "$back.again", "shop town")
        + copy_columns("$back.again", "out.csv", "shop town"),
    ),
    Case(
        "cells in another order, one that fails, and one that runs again",
        {
            "import": IMPORT + READ,
            "shape": "small = sales.select_columns(['id'])",
            "fail": "small = sales.select_columns(['missing'])",
            "early": "small.to_csv('shops.csv/out.csv')",
            "shape (2)": "small = sales.select_columns(['shop'])",
            "write": "small.to_csv('out.csv')",
        },
        "import: sales.csv -> $import.sales\nshape: $import.sales -> $shape.small\nwrite: $shape.small -> out.csv",
        copy_columns("sales.csv", "$import.sales", "shop")
        + copy_columns("$import.sales", "$shape.small", "shop")
        + copy_columns("$shape.small", "out.csv", "shop"),
    ),
    one_cell(
        "datasets that are joined, and one of the program beside them",
        "other = Dataset.from_csv('other.csv')\nconcatenate_datasets([sales.select_columns(['id']), other]).to_csv('out.csv')\n"
        "Dataset.from_dict({'a': [1]}).to_csv('own.csv')",
        f"{FLOW}\nrun: other.csv -> out.csv\nrun: -> own.csv",
        copy_columns("sales.csv", "out.csv", "id") + copy_columns("other.csv", "out.csv", "id"),
        files={"other.csv": "id\n9\n"},
    ),
    one_cell(
        "a split that is replaced, in a loop",
        "both = DatasetDict({'train': sales, 'test': sales})\nfor name in ('train', 'test'):\n"
        "    both[name] = both[name].select_columns(['id'])\n    both[name].to_csv(f'{name}.csv')",
        "run: sales.csv -> train.csv\nrun: sales.csv -> test.csv",
        copy_columns("sales.csv", "train.csv", "id") + copy_columns("sales.csv", "test.csv", "id"),
    ),
    one_cell(
        "a type and a column of the program",
        "from datasets import Value\nsales.cast_column('id', Value('string')).add_column('own', [1, 2, 3])"
        ".select_columns(['id', 'day']).to_csv('out.csv')",
        FLOW,
        "sales.csv.id -> out.csv.id transformation\nsales.csv.day -> out.csv.day identity",
    ),
]
