"""Models that cells save and load, and what they predict."""

import sys

import pytest

TRAINER = """
class MeanModel:
    def fit(self, rows, target):
        self.mean = float(target.mean())
        return self

    def predict(self, rows):
        return [self.mean for _ in range(len(rows))]
"""


@pytest.fixture
def notebook(notebook, monkeypatch):
    for name in ("sales", "recent"):
        (notebook.folder / f"{name}.csv").write_text("price,quantity\n1.5,2\n2.5,4\n")
    # pickle finds the class of a model by its module.
    (notebook.folder / "mean_model.py").write_text(TRAINER)
    monkeypatch.syspath_prepend(notebook.folder)
    monkeypatch.delitem(sys.modules, "mean_model", raising=False)
    run(
        notebook,
        "import",
        "import joblib, pickle, pandas as pd\nfrom pathlib import Path\nfrom mean_model import MeanModel",
    )
    return notebook


def run(notebook, cell, code):
    outcome = notebook.run(cell, code)
    assert outcome.error is None, outcome.error
    return outcome


def list_written(notebook):
    return {flow for flow in notebook.list_flows() if flow[2]}


@pytest.mark.parametrize(
    ("save", "load", "file"),
    [
        ("joblib.dump(model, 'mean.joblib')", "joblib.load('mean.joblib')", "mean.joblib"),
        (
            "with open('mean.pkl', 'wb') as file:\n    pickle.dump(model, file)",
            "pickle.load(open('mean.pkl', 'rb'))",
            "mean.pkl",
        ),
    ],
)
def test_chain_over_a_model(notebook, save, load, file):
    run(notebook, "read", "sales = pd.read_csv('sales.csv')")
    run(notebook, "train", "model = MeanModel()\nmodel.fit(sales[['price']], sales['quantity'])")
    run(notebook, "save", save)
    run(notebook, "load", f"restored = {load}")
    run(notebook, "predict", "recent = pd.read_csv('recent.csv')\nexpected = restored.predict(recent)")
    run(notebook, "write", "pd.DataFrame({'expected': expected}).to_csv('expected.csv')")
    assert list_written(notebook) == {
        ("read", "sales.csv", "$read.sales"),
        ("train", "$read.sales", "$train.model"),
        ("save", "$train.model", f"model:{file}"),
        ("load", f"model:{file}", "$load.restored"),
        ("predict", "$load.restored", "$predict.expected"),
        ("predict", "recent.csv", "$predict.expected"),
        ("write", "$predict.expected", "expected.csv"),
    }
    (written,) = [ref for cell in notebook.runs for seen in cell.observations for ref in seen.writes if file in ref.urn]
    assert written.urn == f"urn:li:mlModel:(urn:li:dataPlatform:file,{notebook.folder}/{file},PROD)"
    assert (written.kind, written.format) == ("model", "joblib" if "joblib" in file else "pickle")


def test_object_that_cannot_predict_is_a_dataset(notebook):
    run(notebook, "write", "sales = pd.read_csv('sales.csv')\njoblib.dump(sales, Path('sales.joblib'))")
    run(notebook, "again", "joblib.load('sales.joblib').to_csv('out.csv')")
    assert list_written(notebook) == {
        ("write", "sales.csv", "sales.joblib"),
        ("again", "sales.joblib", "out.csv"),
    }


def test_untrained_model_has_no_source(notebook):
    run(notebook, "read", "sales = pd.read_csv('sales.csv')")
    run(notebook, "save", "joblib.dump(MeanModel(), 'empty.joblib')")
    assert list_written(notebook) == {("save", "", "model:empty.joblib")}


def test_bytes_in_memory_are_not_recorded(notebook):
    run(
        notebook,
        "copy",
        "import io\nbuffer = io.BytesIO()\npickle.dump(pd.read_csv('sales.csv'), buffer)\nbuffer.seek(0)\npickle.load(buffer)",
    )
    assert list_written(notebook) == set()


def test_caches_of_joblib_are_not_recorded(notebook):
    run(notebook, "cache", "memory = joblib.Memory('cache', verbose=0)\nread = memory.cache(pd.read_csv)")
    run(notebook, "read", "first = read('sales.csv')\nsecond = read('sales.csv')")
    run(notebook, "write", "first.to_csv('first.csv')")
    assert list_written(notebook) == {("read", "sales.csv", "$read.first"), ("write", "$read.first", "first.csv")}


def test_errors_are_those_of_the_libraries(notebook):
    assert isinstance(notebook.run("load", "joblib.load('missing.joblib')").error, FileNotFoundError)
    code = "with open('lambda.pkl', 'wb') as file:\n    pickle.dump(lambda: 1, file)"
    assert notebook.run("dump", code).error is not None
    assert {flow for flow in notebook.list_flows() if "missing" in flow[1]} == set()
    assert list_written(notebook) == set()


def test_weights_in_safetensors_are_a_model(notebook):
    run(
        notebook,
        "import",
        "import numpy as np\nfrom safetensors.numpy import load_file, save_file\nsales = pd.read_csv('sales.csv')",
    )
    run(notebook, "train", "weights = {'mean': np.array([sales['price'].mean()])}")
    run(notebook, "save", "save_file(weights, 'mean.safetensors')")
    run(notebook, "load", "restored = load_file('mean.safetensors')")
    run(notebook, "apply", "pd.DataFrame({'mean': restored['mean']}).to_csv('out.csv')")
    assert notebook.run("fail", "load_file('missing.safetensors')").error is not None
    assert list_written(notebook) == {
        ("import", "sales.csv", "$import.sales"),
        ("train", "$import.sales", "$train.weights"),
        ("save", "$train.weights", "model:mean.safetensors"),
        ("load", "model:mean.safetensors", "$load.restored"),
        ("apply", "$load.restored", "out.csv"),
    }


def test_weights_of_unknown_training_miss_its_data(notebook):
    run(notebook, "save", "import numpy as np\nfrom safetensors.numpy import save_file")
    run(notebook, "save", "save_file({'mean': np.zeros(1)}, 'mean.safetensors')")
    assert list_written(notebook) == {("save", "", "model:mean.safetensors")}
    missing = [each.missing for cell in notebook.runs for each in cell.observations if each.writes]
    assert missing == [("the data that a model was trained on",)]
