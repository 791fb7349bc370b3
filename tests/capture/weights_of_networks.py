"""Networks of torch and keras that cells save and load, in an environment that has both (`make long-networks`)."""

import pytest

TRAIN = """
features, target = torch.tensor(sales[['price']].values), torch.tensor(sales[['quantity']].values)
model = torch.nn.Linear(1, 1, dtype=torch.float64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(features), target).backward()
    optimizer.step()
"""
APPLY = "pd.DataFrame(restored(features).detach().numpy(), columns=['expected']).to_csv('out.csv')"
CREATE = "restored = torch.nn.Linear(1, 1, dtype=torch.float64)\n"
FILLED = f"{CREATE}_ = restored.load_state_dict(torch.load('model.pt'))"


@pytest.fixture
def notebook(notebook):
    (notebook.folder / "sales.csv").write_text("price,quantity\n1.5,2.0\n2.5,4.0\n")
    run(notebook, "read", "import pandas as pd\nsales = pd.read_csv('sales.csv')")
    return notebook


def run(notebook, cell, code):
    outcome = notebook.run(cell, code)
    assert outcome.error is None, outcome.error


def list_written(notebook):
    return {flow for flow in notebook.list_flows() if flow[2]}


@pytest.mark.parametrize(
    ("save", "load"),
    [
        ("torch.save(model, 'model.pt')", "restored = torch.load('model.pt', weights_only=False)"),
        ("torch.save(model.state_dict(), 'model.pt')", FILLED),
        (
            "torch.save({'weights': model.state_dict(), 'epoch': 3}, 'model.pt')",
            f"{CREATE}state = torch.load('model.pt')\n_ = restored.load_state_dict(state['weights'])",
        ),
        (
            "from safetensors.torch import load_file, save_file\nsave_file(model.state_dict(), 'model.pt')",
            f"{CREATE}_ = restored.load_state_dict(load_file('model.pt'))",
        ),
        (
            "from safetensors.torch import load_model, save_model\nsave_model(model, 'model.pt')",
            f"{CREATE}_ = load_model(restored, 'model.pt')",
        ),
    ],
    ids=["module", "weights", "checkpoint", "safetensors", "safetensors of a module"],
)
def test_network_of_torch_is_followed_over_its_file(notebook, save, load):
    run(notebook, "import", "import torch")
    run(notebook, "train", TRAIN)
    run(notebook, "save", save)
    run(notebook, "load", load)
    run(notebook, "apply", APPLY)
    written = list_written(notebook)
    assert ("save", "", "model:model.pt") in written
    assert {
        ("train", "$read.sales", "$train.features"),
        ("load", "model:model.pt", "$load.restored"),
        ("apply", "$load.restored", "out.csv"),
        ("apply", "$train.features", "out.csv"),
    } <= written
    missing = {each.missing for cell in notebook.runs for each in cell.observations if cell.cell_id == "save"}
    assert missing == {("the data that a model was trained on",)}


def test_tensors_are_no_model(notebook):
    run(notebook, "run", "import torch\ntorch.save({'price': torch.tensor(sales['price'].values)}, 'prices.pt')")
    run(notebook, "again", "pd.DataFrame(torch.load('prices.pt')['price'].numpy()).to_csv('out.csv')")
    assert {("run", "$read.sales", "prices.pt"), ("again", "prices.pt", "out.csv")} <= list_written(notebook)


def test_network_of_keras_is_followed_over_its_file(notebook, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    run(notebook, "import", "import keras")
    code = "model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])\nmodel.compile(loss='mse')\n"
    run(notebook, "train", f"{code}_ = model.fit(sales[['price']].values, sales[['quantity']].values, verbose=0)")
    run(notebook, "save", "model.save('model.keras')\nmodel.save_weights('model.weights.h5')")
    run(notebook, "load", "restored = keras.models.load_model('model.keras')")
    run(notebook, "fill", "filled = keras.models.clone_model(model)\nfilled.load_weights('model.weights.h5')")
    run(notebook, "apply", "pd.DataFrame(restored.predict(sales[['price']].values, verbose=0)).to_csv('out.csv')")
    run(notebook, "other", "pd.DataFrame(filled.predict(sales[['price']].values, verbose=0)).to_csv('other.csv')")
    assert {
        ("train", "$read.sales", "$train.model"),
        ("save", "$train.model", "model:model.keras"),
        ("save", "$train.model", "model:model.weights.h5"),
        ("load", "model:model.keras", "$load.restored"),
        ("apply", "$load.restored", "out.csv"),
        ("fill", "model:model.weights.h5", "$fill.filled"),
        ("other", "$fill.filled", "other.csv"),
    } <= list_written(notebook)


def test_errors_are_those_of_the_libraries(notebook):
    run(notebook, "import", "import torch")
    assert isinstance(notebook.run("load", "torch.load('missing.pt')").error, FileNotFoundError)
    assert notebook.run("save", "torch.save(lambda: 1, 'function.pt')").error is not None
    assert list_written(notebook) == set()
