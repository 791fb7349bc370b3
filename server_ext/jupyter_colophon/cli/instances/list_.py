"""`list`."""

from typing import Any

from jupyter_colophon.cli.instances.client import record
from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import answer, log, say, table
from jupyter_colophon.cli.instances.space_command import SpaceCommand


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
        """List them; instances that are left out as invalid are reported on stderr."""
        invalid, valid, schema = self.args.include_invalid, self.args.valid_only, self.args.schema_name
        if invalid and valid:
            raise Refusal("At most one of '--include-invalid' or '--valid-only' can be set at a time.", shows_help=True)
        found = self.client.instances(self.space, schema or None)
        for instance in found:
            if instance["reason"] and not invalid:
                self._warn_invalid(instance)
            elif not instance["reason"]:
                self._warn_valid(instance)
        shown = [instance for instance in found if invalid or not instance["reason"]]
        if self.json:
            answer([record(instance) for instance in shown])
        elif not shown:
            say(f"No metadata instances found for {self.space}")
        else:
            say(f"Available metadata instances for {self.space}{' (includes invalid)' if invalid else ''}:")
            say()
            _table(shown)
        return True

    def _warn_invalid(self, instance: dict[str, Any]) -> None:
        problems = instance["problems"]
        reason = problems[0]["message"] if problems else instance["reason"]
        log.warning("instance '%s' of %s is left out, since it is not valid: %s", instance["name"], self.space, reason)

    def _warn_valid(self, instance: dict[str, Any]) -> None:
        for problem in instance["problems"]:
            place = f" at {problem['pointer']}" if problem["pointer"] else ""
            log.warning("instance '%s' of %s%s: %s", instance["name"], self.space, place, problem["message"])


def _table(instances: list[dict[str, Any]]) -> None:
    ordered = sorted(instances, key=lambda instance: (instance["schema_name"], instance["name"]))
    rows = [
        (
            instance["schema_name"],
            instance["name"],
            instance["resource"],
            f"**INVALID** ({instance['reason']})" if instance["reason"] else "",
        )
        for instance in ordered
    ]
    table(("Schema", "Instance", "Resource", ""), rows)
