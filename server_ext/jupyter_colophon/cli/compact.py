"""`jupyter colophon compact`."""

from traitlets import Int

from jupyter_colophon.cli.command import FINE, Command


class Compact(Command):
    """Makes the store smaller."""

    name = "jupyter-colophon-compact"
    description = (
        "Remove changes older than `change_log_retention_days` (0, the default: none), and give unused space back."
    )
    aliases: dict[str, str] = Command.aliases | {"days": "Compact.days"}

    days = Int(None, allow_none=True, min=0, config=True, help="Instead of `change_log_retention_days`.")

    def work(self) -> int:
        """Remove, then give back. Who listens from before then is told 410."""
        with self.keeper() as keeper:
            removed, freed = keeper.compact(self.asked.change_log_retention_days if self.days is None else self.days)
        self.answer({"removed": removed, "freed": freed}, f"{removed} changes removed, {freed} bytes given back")
        return FINE
