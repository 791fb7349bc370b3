"""`list`."""

from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.instances_protocol import record
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import answer, log, say, table
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.core.instances.instance import Instance


class List(SpaceCommand):
    """Lists instances: a table by schema and name, or all of them whole."""

    description = "List metadata instances for a given schemaspace."
    about = "List installed metadata for {space}."
    declared = (
        flag("json", "List complete instances as JSON"),
        flag("include-invalid", "Include invalid instances (default displays only valid instances)"),
        flag("valid-only", "List valid instances only: the default (for scripts of older versions)"),
        Option("schema_name", "List the instances of this schema only"),
    )

    def work(self) -> bool:
        """List them; what is left out as invalid is told on stderr."""
        invalid, valid, schema = self.args.include_invalid, self.args.valid_only, self.args.schema_name
        if invalid and valid:
            raise Refusal("At most one of '--include-invalid' or '--valid-only' can be set at a time.", shows_help=True)
        found = self.source.listed(self.space, schema or None)
        for one in found:
            if one.reason and not invalid:
                _warn(one)
            elif not one.reason:
                _warn_of_valid(one)
        shown = [one for one in found if invalid or not one.reason]
        if self.json:
            answer([record(one) for one in shown])
        elif not shown:
            say(f"No metadata instances found for {self.space}")
        else:
            say(f"Available metadata instances for {self.space}{' (includes invalid)' if invalid else ''}:")
            say()
            _table(shown)
        return True


def _table(instances: list[Instance]) -> None:
    ordered = sorted(instances, key=lambda one: (one.schema_name, one.name))
    rows = [
        (one.schema_name, one.name, one.resource, f"**INVALID** ({one.reason})" if one.reason else "")
        for one in ordered
    ]
    table(("Schema", "Instance", "Resource", ""), rows)


def _warn(instance: Instance) -> None:
    told = instance.problems[0].message if instance.problems else instance.reason
    log.warning("instance '%s' of %s is left out, since it is not valid: %s", instance.name, instance.space, told)


def _warn_of_valid(instance: Instance) -> None:
    for problem in instance.problems:
        place = f" at {problem.pointer}" if problem.pointer else ""
        log.warning("instance '%s' of %s%s: %s", instance.name, instance.space, place, problem.message)
