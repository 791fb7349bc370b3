"""Notebooks that save models, other objects, figures and arrays."""

from typing import Any

from capture.corpus.case import Case

MODEL = """
class MeanModel:
    def fit(self, rows, target):
        self.mean = float(target.mean())
        return self

    def predict(self, rows):
        return [self.mean for _ in range(len(rows))]
"""
MODULE = {"corpus_model.py": MODEL}
IMPORT = "import sys\nsys.path.insert(0, folder)\nfrom corpus_model import MeanModel\nsys.path.remove(folder)\nimport joblib, pickle\nimport pandas as pd\n"
READ = "import pandas as pd\nsales = pd.read_csv('sales.csv')\nshops = pd.read_csv('shops.csv')\n"
FIGURE = f"{READ}import matplotlib\nmatplotlib.use('agg')\nfrom matplotlib.figure import Figure\n"
PLOTLY = f"{READ}import plotly.graph_objects as go\n"
ARRAY = f"{READ}import numpy as np\n"


def one_cell(name: str, code: str, flows: str, **options: Any) -> Case:
    """Return the case of one cell."""
    return Case(name, {"run": code}, flows, **options)


MODELS = [
    Case(
        "trained, saved, loaded and applied",
        {
            "import": IMPORT,
            "read": "sales = pd.read_csv('sales.csv')",
            "train": "model = MeanModel()\nmodel.fit(sales[['price']], sales['quantity'])",
            "save": "joblib.dump(model, 'mean.joblib')",
            "load": "restored = joblib.load('mean.joblib')",
            "apply": "expected = restored.predict(sales)",
            "write": "pd.DataFrame({'expected': expected}).to_csv('out.csv')",
        },
        """
        read: sales.csv -> $read.sales
        train: $read.sales -> $train.model
        save: $train.model -> model:mean.joblib
        load: model:mean.joblib -> $load.restored
        apply: $load.restored, $read.sales -> $apply.expected
        write: $apply.expected -> out.csv
        """,
        files=MODULE,
    ),
    Case(
        "a model that is trained again with other data",
        {
            "import": IMPORT + "model = MeanModel()",
            "read": "sales = pd.read_csv('sales.csv')\nothers = pd.read_csv('others.csv')",
            "train": "model.fit(sales, sales['quantity'])",
            "again": "model.fit(others, others['quantity'])",
            "save": "with open('mean.pkl', 'wb') as file:\n    pickle.dump(model, file)",
        },
        """
        read: others.csv -> $read.others
        again: $read.others -> $again.model
        save: $again.model -> model:mean.pkl
        """,
        files=MODULE | {"others.csv": "quantity\n4\n"},
    ),
    Case(
        "a training cell that runs again with other data",
        {
            "import": IMPORT,
            "read": "sales = pd.read_csv('sales.csv')\nothers = pd.read_csv('others.csv')",
            "train": "model = MeanModel().fit(sales, sales['quantity'])",
            "train (2)": "model = MeanModel().fit(others, others['quantity'])",
            "save": "joblib.dump(model, 'mean.joblib')",
        },
        """
        read: others.csv -> $read.others
        train: $read.others -> $train.model
        save: $train.model -> model:mean.joblib
        """,
        files=MODULE | {"others.csv": "quantity\n4\n"},
    ),
    Case(
        "an untrained model, and a training that fails",
        {
            "import": IMPORT + "sales = pd.read_csv('sales.csv')",
            "fail": "model = MeanModel()\nmodel.fit(sales['missing'], sales['quantity'])",
            "save": "joblib.dump(MeanModel(), 'empty.joblib')",
        },
        "save: -> model:empty.joblib",
        files=MODULE,
    ),
    Case(
        "objects that are no models",
        {
            "import": IMPORT + "sales = pd.read_csv('sales.csv')",
            "save": "with open('sales.pkl', 'wb') as file:\n    pickle.dump(sales[['id']], file)",
            "load": "with open('sales.pkl', 'rb') as file:\n    again = pickle.load(file)\nagain.to_csv('out.csv', index=False)",
        },
        "import: sales.csv -> $import.sales\nsave: $import.sales -> sales.pkl\nload: sales.pkl -> out.csv",
        files=MODULE,
    ),
    one_cell(
        "a table of settings beside data",
        IMPORT + "sales = pd.read_csv('sales.csv')\nlimits = {'low': 1}\njoblib.dump(limits, 'limits.joblib')",
        "run: -> limits.joblib",
        files=MODULE,
    ),
    one_cell(
        "models of parts, in a loop",
        IMPORT + "for name in ('sales', 'shops'):\n    frame = pd.read_csv(f'{name}.csv')\n"
        "    joblib.dump(frame[['shop']], f'{name}.joblib')",
        "run: sales.csv -> sales.joblib\nrun: shops.csv -> shops.joblib",
        files=MODULE,
    ),
]

FIGURES = [
    one_cell(
        "a figure of a column",
        FIGURE + "figure = Figure()\nfigure.subplots().plot(sales['id'], sales['price'])\nfigure.savefig('out.png')",
        "run: sales.csv -> out.png",
    ),
    Case(
        "a figure between cells, of two frames",
        {
            "read": FIGURE,
            "draw": "figure = Figure()\naxes = figure.subplots()\naxes.bar(sales['shop'], sales['price'])",
            "more": "axes.scatter(shops['shop'], [1, 2])",
            "save": "figure.savefig('out.svg')",
        },
        """
        read: sales.csv -> $read.sales
        read: shops.csv -> $read.shops
        draw: $read.sales -> $draw.figure
        more: $draw.figure, $read.shops -> $more.figure
        save: $more.figure -> out.svg
        """,
    ),
    one_cell(
        "a figure that is cleared",
        FIGURE + "figure = Figure()\naxes = figure.subplots()\naxes.plot(sales['price'])\naxes.clear()\n"
        "axes.plot([1, 2])\nfigure.savefig('out.png')",
        "run: -> out.png",
    ),
    one_cell(
        "two figures, in a loop",
        FIGURE + "for name, frame in (('sales', sales), ('shops', shops)):\n    figure = Figure()\n"
        "    figure.subplots().plot(frame['shop'])\n    figure.savefig(f'{name}.png')",
        "run: sales.csv -> sales.png\nrun: shops.csv -> shops.png",
    ),
    one_cell(
        "a plot of a frame",
        FIGURE
        + "import matplotlib.pyplot as plt\naxes = sales.plot(x='id', y='price')\naxes.figure.savefig('out.png')\nplt.close('all')",
        "run: sales.csv -> out.png",
    ),
    Case(
        "a figure of plotly",
        {
            "read": PLOTLY,
            "draw": "figure = go.Figure(go.Scatter(x=sales['id'], y=sales['price']))",
            "save": "figure.write_html('out.html')\nfigure.write_json('out.json')",
        },
        """
        read: sales.csv -> $read.sales
        draw: $read.sales -> $draw.figure
        save: $draw.figure -> out.html
        save: $draw.figure -> out.json
        """,
    ),
    one_cell(
        "a figure of plotly without data that was read",
        PLOTLY + "figure = go.Figure(go.Scatter(x=[1], y=[2]))\nfigure.write_html('out.html')",
        "run: -> out.html",
    ),
]

ARRAYS = [
    one_cell(
        "a column as an array",
        ARRAY
        + "np.save('price.npy', sales['price'].to_numpy())\nagain = np.load('price.npy')\nnp.savetxt('out.txt', again)",
        "run: sales.csv -> price.npy\nrun: price.npy -> out.txt",
    ),
    one_cell(
        "several arrays in a file",
        ARRAY + "np.savez('both.npz', price=sales['price'].to_numpy(), code=shops['shop'].to_numpy(dtype=str))",
        "run: sales.csv, shops.csv -> both.npz",
    ),
    one_cell(
        "an array that is computed",
        ARRAY + "big = np.where(sales['price'] > 2, 1, 0)\nnp.save('big.npy', big)",
        "run: sales.csv -> big.npy",
    ),
    one_cell(
        "an array of the program beside data",
        ARRAY + "own = np.arange(3)\nnp.save('own.npy', own)",
        "run: -> own.npy",
    ),
    Case(
        "an array between cells, and a name that is given to another one",
        {
            "read": ARRAY,
            "compute": "values = sales['price'].to_numpy()\nvalues = values * 2",
            "save": "np.save('values.npy', values)",
            "own": "values = np.zeros(2)",
            "save (2)": "np.save('zeros.npy', values)",
        },
        """
        read: sales.csv -> $read.sales
        compute: $read.sales -> $compute.values
        save: $compute.values -> values.npy
        save: -> zeros.npy
        """,
    ),
    one_cell(
        "a frame of an array that was loaded",
        ARRAY + "np.savetxt('in.txt', np.ones((2, 2)))\nvalues = np.loadtxt('in.txt')\n"
        "frame = pd.DataFrame(values, columns=['a', 'b'])\nframe.to_csv('out.csv', index=False)",
        "run: -> in.txt\nrun: in.txt -> out.csv",
    ),
]

CASES = [*MODELS, *FIGURES, *ARRAYS]
