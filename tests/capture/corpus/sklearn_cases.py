"""Notebooks that train models of scikit-learn."""

from typing import Any

from capture.corpus.case import Case, copy_columns

SALES = "price,quantity,shop,returned\n" + "".join(
    f"{at % 7 + 0.5},{at % 5 + 1},{'ab'[at % 2]},{int(at % 3 == 0)}\n" for at in range(30)
)
FILES = {"orders.csv": SALES, "recent.csv": SALES}
IMPORT = (
    "import joblib, pandas as pd\nfrom sklearn.compose import make_column_transformer\n"
    "from sklearn.linear_model import LogisticRegression\nfrom sklearn.model_selection import GridSearchCV, train_test_split\n"
    "from sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import OneHotEncoder, StandardScaler\n"
)
READ = "orders = pd.read_csv('orders.csv')\n"
NUMBERS = "['price', 'quantity']"


def train(name: str, cells: dict[str, str], flows: str, columns: str = "", **options: Any) -> Case:
    """Return the case of cells that train a model of the orders."""
    return Case(name, {"import": IMPORT} | cells, flows, columns, files=FILES, **options)


CASES = [
    train(
        "a pipeline that is trained, saved, loaded and applied",
        {
            "read": READ,
            "train": f"model = make_pipeline(StandardScaler(), LogisticRegression())\nmodel.fit(orders[{NUMBERS}], orders['returned'])",
            "save": "joblib.dump(model, 'returns.joblib')",
            "load": "restored = joblib.load('returns.joblib')\nrecent = pd.read_csv('recent.csv')",
            "apply": f"recent['returned'] = restored.predict(recent[{NUMBERS}])",
            "write": "recent.to_csv('out.csv', index=False)",
        },
        """
        read: orders.csv -> $read.orders
        train: $read.orders -> $train.model
        save: $train.model -> model:returns.joblib
        load: model:returns.joblib -> $load.restored
        load: recent.csv -> $load.recent
        apply: $load.restored, $load.recent -> $apply.recent
        write: $apply.recent -> out.csv
        """,
        copy_columns("recent.csv", "$load.recent", "price quantity shop")
        + copy_columns("$load.recent", "$apply.recent", "price quantity shop")
        + copy_columns("$apply.recent", "out.csv", "price quantity shop returned"),
    ),
    train(
        "a split, in one cell",
        {
            "run": READ
            + f"rows, tests, target, expected = train_test_split(orders[{NUMBERS}], orders['returned'], random_state=1)\n"
            "model = LogisticRegression().fit(rows, target)\njoblib.dump(model, 'returns.joblib')\n"
            "tests.to_csv('tests.csv', index=False)",
        },
        "run: orders.csv -> model:returns.joblib\nrun: orders.csv -> tests.csv",
        copy_columns("orders.csv", "tests.csv", "price quantity"),
    ),
    train(
        "a training cell that runs again after another one changed the rows",
        {
            "read": READ,
            "train": f"model = LogisticRegression().fit(orders[{NUMBERS}], orders['returned'])",
            "choose": "orders = orders[orders['price'] > 1]",
            "train (2)": f"model = LogisticRegression().fit(orders[{NUMBERS}], orders['returned'])",
            "save": "joblib.dump(model, 'returns.joblib')",
        },
        """
        read: orders.csv -> $read.orders
        choose: $read.orders -> $choose.orders
        train: $choose.orders -> $train.model
        save: $train.model -> model:returns.joblib
        """,
    ),
    train(
        "a training that fails, and an earlier model that is saved",
        {
            "read": READ,
            "train": f"model = LogisticRegression().fit(orders[{NUMBERS}], orders['returned'])",
            "fail": "model = LogisticRegression().fit(orders, orders['returned'])",
            "save": "joblib.dump(model, 'returns.joblib')",
        },
        """
        read: orders.csv -> $read.orders
        train: $read.orders -> $train.model
        save: $train.model -> model:returns.joblib
        """,
    ),
    train(
        "categories and a search of parameters",
        {
            "read": READ,
            "train": f"columns = make_column_transformer((StandardScaler(), {NUMBERS}), (OneHotEncoder(), ['shop']))\n"
            "search = GridSearchCV(make_pipeline(columns, LogisticRegression()), {'logisticregression__C': [0.1, 1]}, cv=2)\n"
            "search.fit(orders, orders['returned'])\nbest = search.best_estimator_",
            "save": "joblib.dump(best, 'best.joblib')\npd.DataFrame(search.cv_results_).to_csv('scores.csv')",
        },
        """
        read: orders.csv -> $read.orders
        train: $read.orders -> $train.best
        train: $read.orders -> $train.search
        save: $train.best -> model:best.joblib
        save: $train.search -> scores.csv
        """,
    ),
    train(
        "a model of each shop, in a loop",
        {
            "run": READ + "for shop, part in orders.groupby('shop'):\n"
            f"    joblib.dump(LogisticRegression().fit(part[{NUMBERS}], part['returned']), f'{{shop}}.joblib')",
        },
        "run: orders.csv -> model:a.joblib\nrun: orders.csv -> model:b.joblib",
    ),
    train(
        "probabilities as a frame of their own",
        {
            "run": READ + f"model = LogisticRegression().fit(orders[{NUMBERS}], orders['returned'])\n"
            f"recent = pd.read_csv('recent.csv')\nsure = model.predict_proba(recent[{NUMBERS}])\n"
            "pd.DataFrame(sure, columns=['no', 'yes']).to_csv('out.csv', index=False)",
        },
        "run: orders.csv, recent.csv -> out.csv",
    ),
    train(
        "an untrained model beside data",
        {"run": READ + "joblib.dump(LogisticRegression(), 'empty.joblib')"},
        "run: -> model:empty.joblib",
    ),
]
