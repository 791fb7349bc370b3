"""`jupyter colophon reindex`."""

from jupyter_colophon.cli.command import FINE, Command


class Reindex(Command):
    """Makes what is derived anew."""

    name = "jupyter-colophon-reindex"
    description = (
        "Bring search, counts, lists and lineage to what the catalog was told, in short steps beside running servers."
    )

    def work(self) -> int:
        """Mend every difference."""
        with self.keeper() as keeper:
            mended = keeper.checker().reindex()
        self.answer({"mended": mended}, f"{mended} differences mended" if mended else "nothing differed")
        return FINE
