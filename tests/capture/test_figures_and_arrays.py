"""Figures and arrays that cells save to files."""

import pytest

START = """
import numpy as np, pandas as pd, matplotlib, plotly.graph_objects as go, plotly.io as pio
matplotlib.use("agg")
import matplotlib.pyplot as plt
"""


@pytest.fixture
def notebook(notebook):
    (notebook.folder / "sales.csv").write_text("price,quantity\n1.5,2\n2.5,4\n")
    (notebook.folder / "points.txt").write_text("1 2\n3 4\n")
    run(notebook, "import", START)
    return notebook


def run(notebook, cell, code):
    outcome = notebook.run(cell, code)
    assert outcome.error is None, outcome.error


def list_written(notebook):
    return {flow for flow in notebook.list_flows() if flow[2]}


def list_formats(notebook):
    refs = [ref for cell in notebook.runs for seen in cell.observations for ref in seen.writes]
    return {notebook.shorten(ref): ref.format for ref in refs if ref.kind == "file"}


def test_figure_of_matplotlib_over_cells(notebook):
    run(notebook, "read", "sales = pd.read_csv('sales.csv')")
    run(
        notebook,
        "plot",
        "fig, ax = plt.subplots()\nax.plot(sales['price'], sales['quantity'])\nfig.savefig('sales.svg')",
    )
    assert ("plot", "$read.sales", "sales.svg") in list_written(notebook)
    assert list_formats(notebook) == {"sales.svg": "svg"}


def test_plot_of_a_frame(notebook):
    run(notebook, "read", "sales = pd.read_csv('sales.csv')")
    run(notebook, "plot", "axes = sales.plot()\naxes.figure.savefig('sales', format='png')")
    assert list_written(notebook) == {("read", "sales.csv", "$read.sales"), ("plot", "$read.sales", "sales")}
    assert list_formats(notebook) == {"sales": "png"}


@pytest.mark.parametrize(
    "draw",
    [
        "plt.figure()\nplt.scatter(sales['price'], sales['quantity'])",
        "plt.figure()\nplt.plot('price', 'quantity', data=sales)",
        "sales.plot.bar()",
        "sales['price'].plot()",
    ],
)
def test_current_figure_holds_what_was_drawn(notebook, draw):
    run(notebook, "plot", f"sales = pd.read_csv('sales.csv')\n{draw}\nplt.savefig('sales.png')")
    run(notebook, "clear", "plt.clf()\nplt.plot([1, 2])\nplt.savefig('line.png')")
    assert list_written(notebook) == {("plot", "sales.csv", "sales.png"), ("clear", "", "line.png")}


def test_figure_without_data_has_no_source(notebook):
    run(notebook, "read", "sales = pd.read_csv('sales.csv')")
    run(notebook, "plot", "plt.figure()\nplt.plot([1, 2])\nplt.savefig('line.png')")
    assert list_written(notebook) == {("plot", "", "line.png")}


def test_figures_of_plotly(notebook):
    run(notebook, "read", "sales = pd.read_csv('sales.csv')")
    run(
        notebook, "plot", "fig = go.Figure(go.Bar(x=sales['price'], y=sales['quantity']))\nfig.write_html('sales.html')"
    )
    run(notebook, "json", "pio.write_json(fig, 'sales.json')")
    assert list_written(notebook) == {
        ("read", "sales.csv", "$read.sales"),
        ("plot", "$read.sales", "sales.html"),
        ("plot", "$read.sales", "$plot.fig"),
        ("json", "$plot.fig", "sales.json"),
    }
    assert list_formats(notebook) == {"sales.html": "html", "sales.json": "json"}


def test_arrays_are_followed_from_file_to_file(notebook):
    run(notebook, "read", "points = np.loadtxt('points.txt')")
    run(notebook, "save", "np.save('points', points)\nnp.savez('both.npz', first=points, second=np.ones(2))")
    run(notebook, "load", "np.savetxt('again.txt', np.load('points.npy'))")
    run(notebook, "part", "archive = np.load('both.npz')\nnp.save('first.npy', archive['first'])")
    assert list_written(notebook) == {
        ("read", "points.txt", "$read.points"),
        ("save", "$read.points", "points.npy"),
        ("save", "$read.points", "both.npz"),
        ("load", "points.npy", "again.txt"),
        ("part", "both.npz", "first.npy"),
    }
    assert list_formats(notebook) == {"points.npy": "npy", "both.npz": "npz", "again.txt": "text", "first.npy": "npy"}


def test_arrays_in_memory_are_not_recorded(notebook):
    run(notebook, "memory", "import io\nnp.save(io.BytesIO(), np.loadtxt('points.txt'))\nnp.loadtxt(['1 2'])")
    assert list_written(notebook) == set()
