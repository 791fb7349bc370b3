"""URNs that many tests use."""

from jupyter_colophon.core.identity.names import (
    make_cell_program_urn,
    make_dataset_urn,
    make_home_dataset_urn,
    make_namespace_urn,
    make_notebook_program_urn,
)

SALES = str(make_namespace_urn("sales"))
ORDERS = str(make_home_dataset_urn("sales", "orders"))
REPORT = str(make_home_dataset_urn("sales", "report"))
NOTEBOOK = str(make_notebook_program_urn("default", "shop.ipynb"))
CELL = str(make_cell_program_urn("default", "shop.ipynb", "a1"))


def build_table_urn(name: str, database: str = "sales") -> str:
    """Return the URN of a Spark table."""
    return str(make_home_dataset_urn(database, name))


def build_file_urn(path: str) -> str:
    """Return the URN of a file."""
    return str(make_dataset_urn("file", path))


def build_cell_urn(name: str) -> str:
    """Return the URN of a cell of the notebook `shop.ipynb`."""
    return str(make_cell_program_urn("default", "shop.ipynb", name))
