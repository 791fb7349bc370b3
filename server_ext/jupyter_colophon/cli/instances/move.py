"""`move`: from one kind of store to another. Elyra has no such command."""

from collections.abc import Sequence

from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import count, say, table
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.core.instances.instance_query import Outcome

_MOVED = ("created", "updated")


class Move(SpaceCommand):
    """Moves all instances of a schemaspace, secrets and all."""

    description = "Move the instances of a schemaspace to another store."
    about = "Move all instances of {space}, as they are, from one store to another; nothing there is overwritten."
    declared = (
        Option("from", "The store that they are in.", is_required=True, hint="file, catalog, or one that is installed"),
        Option("to", "The store that they go to.", is_required=True, hint="file, catalog, or one that is installed"),
        flag("dry-run", "Show what would be moved, and change nothing"),
        flag("json", "Answer in JSON"),
    )

    def work(self) -> bool:
        """Move them; exits with 1 where one could not be."""
        from_, to, dry_run = getattr(self.args, "from"), self.args.to, self.args.dry_run
        services = self.client.require_services("instances are moved between stores")
        done = services.instances().move(self.space, from_, to, services.principal, dry_run=dry_run)
        failed = [one for one in done if one.kind not in _MOVED and one.kind != "unchanged"]
        moved = [one for one in done if one.kind in _MOVED]
        stayed = [one for one in done if one.kind == "unchanged"]
        if self.json:
            results = [{"name": one.name, "outcome": one.kind, "reason": one.reason} for one in done]
            self.tell({"schemaspace": self.space, "dry_run": dry_run, "results": results})
            return not failed
        say(f"{'Would move' if dry_run else 'Moved'} {count(len(moved))} of {self.space} from {from_} to {to}")
        _tell("were left as they are", stayed)
        _tell("could not be moved", failed)
        return not failed


def _tell(what: str, outcomes: Sequence[Outcome]) -> None:
    if outcomes:
        say(f"{count(len(outcomes))} {what}\n")
        table(("Instance", "Reason"), [(one.name, one.reason or "it is there already") for one in outcomes])
