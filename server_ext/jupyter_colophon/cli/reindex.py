"""`jupyter colophon reindex`."""

from traitlets import Bool

from jupyter_colophon.cli.command import FINE, Command


class Reindex(Command):
    """Makes what is derived anew."""

    name = "jupyter-colophon-reindex"
    description = (
        "Bring search, counts, lists and lineage to what the catalog was told, in short steps beside running servers."
    )

    flags = Command.flags | {
        "namespaces": (
            {"Reindex": {"namespaces": True}},
            "First put entities of other platforms where `namespace_rules` say now.",
        )
    }

    namespaces = Bool(False, config=True, help="First put entities of other platforms where `namespace_rules` say now.")

    def work(self) -> int:
        """Mend every difference."""
        with self.keeper() as keeper:
            moved = keeper.mover(self.asked.identity()).apply() if self.namespaces else None
            mended = keeper.checker().reindex()
        said = f"{mended} differences mended" if mended else "nothing differed"
        if moved is None:
            self.answer({"mended": mended}, said)
        else:
            self.answer({"moved": moved, "mended": mended}, f"{moved} entities moved, {said}")
        return FINE
