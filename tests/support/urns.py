"""Names that tests use again and again."""

from jupyter_colophon.core.identity.names import cell_program, dataset, home_dataset, namespace, notebook_program

SALES = str(namespace("sales"))
ORDERS = str(home_dataset("sales", "orders"))
REPORT = str(home_dataset("sales", "report"))
NOTEBOOK = str(notebook_program("default", "shop.ipynb"))
CELL = str(cell_program("default", "shop.ipynb", "a1"))


def table(name: str, database: str = "sales") -> str:
    """The URN of a Spark table."""
    return str(home_dataset(database, name))


def file(path: str) -> str:
    """The URN of a file."""
    return str(dataset("file", path))


def cell(name: str) -> str:
    """The URN of a cell of the notebook `shop.ipynb`."""
    return str(cell_program("default", "shop.ipynb", name))
