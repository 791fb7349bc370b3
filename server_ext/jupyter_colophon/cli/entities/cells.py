"""`jupyter colophon cells NOTEBOOK`: which cells of a notebook are stale."""

import json
from pathlib import Path

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.errors import InvalidQuery


class CellsCommand(CatalogCommand):
    """List the cells of a notebook with their states."""

    description = (
        "List the cells of a notebook that read or wrote data: fresh, or stale if what the newest run read was written"
        " since, or comes from a stale cell."
    )
    examples = ("flights.ipynb", "etl/flights.ipynb --stale", "etl/flights.ipynb --file=work/etl/flights.ipynb")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the notebook, and which of its cells are listed."""
        super().add_arguments(parser)
        parser.add_argument("notebook", metavar="NOTEBOOK", help="The path of the notebook below the server's root.")
        parser.add_argument("--stale", action="store_true", help="Only stale cells.")
        parser.add_argument(
            "--file", default="", help="The notebook's file: cells are listed in its order, without deleted ones."
        )

    def run(self) -> int:
        """List the cells."""
        query: Document = {"notebook": self.args.notebook}
        if self.args.file:
            query["cells"] = _read_cell_ids(Path(self.args.file))
        with self.connect_to_catalog() as client:
            cells = client.list_cell_states(query)["cells"]
        document = {"cells": [cell for cell in cells if cell["state"] == "stale" or not self.args.stale]}
        self.print_result(document, self.render_document("cells", document))
        return EXIT_OK


def _read_cell_ids(path: Path) -> list[str]:
    """Return the ids of the code cells of a notebook. Raises InvalidQuery."""
    try:
        cells = json.loads(path.read_text())["cells"]
        return [str(cell["id"]) for cell in cells if cell["cell_type"] == "code" and "id" in cell]
    except OSError as error:
        raise InvalidQuery(f"{path}: {error.strerror or 'cannot be read'}", "--file") from None
    except (ValueError, LookupError, TypeError):
        raise InvalidQuery(f"{path} is not a notebook", "--file") from None
