"""`move`: move instances from one store to another. Elyra has no such command."""

from collections.abc import Sequence

from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.output import format_instance_count, print_escaped_line, print_table
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand
from jupyter_colophon.core.instances.instance_query import InstanceOutcome

_SUCCESSES = ("created", "updated")


class MoveInstances(FixedOptionsCommand):
    """Move all instances of a schemaspace with their secrets."""

    name = "move"
    description = "Move the instances of a schemaspace to another store."
    about = "Move all instances of {space} unchanged from one store to another. Existing instances are not overwritten."
    example = "--from=file --to=catalog --dry-run"
    declared = (
        Option("from", "The store to move from.", is_required=True, hint="file, catalog, or another installed store"),
        Option("to", "The store to move to.", is_required=True, hint="file, catalog, or another installed store"),
        create_flag_option("dry-run", "Print what would be moved, and change nothing"),
        create_flag_option("json", "Print the result as JSON"),
    )

    def execute(self) -> bool:
        """Move the instances. The exit code is 1 if one could not be moved."""
        from_, to, dry_run = getattr(self.args, "from"), self.args.to, self.args.dry_run
        services = self.client.require_local_services("instances can be moved")
        outcomes = services.get_or_create_instances().move_to_other_store(
            self.space, from_, to, services.principal, dry_run=dry_run
        )
        failed = [each for each in outcomes if each.kind not in (*_SUCCESSES, "unchanged")]
        moved = [each for each in outcomes if each.kind in _SUCCESSES]
        unchanged = [each for each in outcomes if each.kind == "unchanged"]
        if self.json:
            results = [{"name": each.name, "outcome": each.kind, "reason": each.reason} for each in outcomes]
            self.print_result({"schemaspace": self.space, "dry_run": dry_run, "results": results})
            return not failed
        print_escaped_line(
            f"{'Would move' if dry_run else 'Moved'} {format_instance_count(len(moved))} of {self.space} from {from_} to {to}"
        )
        _print_outcomes("not changed", unchanged)
        _print_outcomes("not moved", failed)
        return not failed


def _print_outcomes(state: str, outcomes: Sequence[InstanceOutcome]) -> None:
    if outcomes:
        print_escaped_line(f"{format_instance_count(len(outcomes))} {state}\n")
        print_table(("Instance", "Reason"), [(each.name, each.reason or "already exists") for each in outcomes])
