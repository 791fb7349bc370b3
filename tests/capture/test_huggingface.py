"""Datasets of the hub of Hugging Face, and streams; files and computations are in the corpus."""

import gc
import json
import shutil

import pytest

START = (
    "import datasets, pathlib, pandas as pd\nfrom datasets import load_dataset\ndatasets.disable_progress_bars()\n"
    "datasets.config.HF_DATASETS_CACHE = pathlib.Path(folder) / 'cache'\ndatasets.config.HF_HUB_OFFLINE = True"
)


@pytest.fixture
def notebook(notebook, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (notebook.folder / "sales.csv").write_text("id,price\n1,2\n2,3\n")
    assert notebook.run("import", START).error is None
    return notebook


def test_dataset_of_the_hub_has_its_name(notebook):
    assert notebook.run("fill", "_ = load_dataset('csv', data_files='sales.csv')").error is None
    cache = notebook.folder / "cache"
    (made,) = cache.glob("csv/default-*/0.0.0/*/")
    stored = cache / "someone___sales" / "default" / "0.0.0" / made.name
    shutil.copytree(made, stored)
    (stored / "csv-train.arrow").rename(stored / "sales-train.arrow")
    information = stored / "dataset_info.json"
    information.write_text(json.dumps(json.loads(information.read_text()) | {"dataset_name": "sales"}))
    code = "load_dataset('someone/sales', split='train').rename_column('price', 'cost').to_csv('out.csv')"
    assert notebook.run("load", code).error is None
    assert ("load", "someone/sales", "out.csv") in notebook.list_flows()
    assert ("someone/sales.price", "out.csv.cost", "identity") in notebook.list_columns()
    urns = {ref.urn for cell in notebook.runs for seen in cell.observations for ref in seen.reads}
    assert "urn:li:dataset:(urn:li:dataPlatform:huggingface,someone/sales,PROD)" in urns
    assert not [urn for urn in urns if str(cache) in urn]


def test_dataset_that_cannot_be_loaded_is_not_recorded(notebook):
    assert notebook.run("load", "load_dataset('someone/missing').to_csv('out.csv')").error is not None
    assert notebook.list_flows() == set()


@pytest.mark.filterwarnings("ignore")
def test_rows_of_a_stream_are_followed(notebook):
    rows = "rows = load_dataset('csv', data_files='sales.csv', split='train', streaming=True)"
    assert notebook.run("load", rows).error is None
    code = "prices = [row['price'] for row in rows.take(1)]\npd.DataFrame({'price': prices}).to_csv('out.csv')"
    assert notebook.run("write", code).error is None
    # The library leaves the file to the garbage collector, which warns of it.
    notebook.variables.clear()
    gc.collect()
    assert {("load", "sales.csv", "$load.rows"), ("write", "$load.rows", "out.csv")} <= notebook.list_flows()
