"""`list`: list instances."""

from typing import Any

from jupyter_colophon.cli.instances.client import to_elyra_document
from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.output import log, print_escaped_line, print_json, print_table
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand


class ListInstances(FixedOptionsCommand):
    """List instances: a table by schema and name, or complete documents."""

    name = "list"
    description = "List metadata instances for a given schemaspace."
    about = "List installed metadata for {space}."
    example = "--include-invalid"
    declared = (
        create_flag_option("json", "List complete instances as JSON"),
        create_flag_option("include-invalid", "Include invalid instances (default displays only valid instances)"),
        create_flag_option("valid-only", "List only valid instances, the default (for scripts of older versions)"),
        Option("schema_name", "List only instances of this schema"),
    )

    def execute(self) -> bool:
        """List the instances. Invalid instances that are not listed are reported on stderr."""
        invalid, valid, schema = self.args.include_invalid, self.args.valid_only, self.args.schema_name
        if invalid and valid:
            raise InstanceCommandError(
                "At most one of '--include-invalid' or '--valid-only' can be set at a time.", shows_help=True
            )
        instances = self.client.list_all_instances(self.space, schema or None)
        for instance in instances:
            if instance["reason"] and not invalid:
                self._warn_about_invalid(instance)
            elif not instance["reason"]:
                self._warn_about_valid_with_problems(instance)
        listed = [instance for instance in instances if invalid or not instance["reason"]]
        if self.json:
            print_json([to_elyra_document(instance) for instance in listed])
        elif not listed:
            print_escaped_line(f"No metadata instances found for {self.space}")
        else:
            print_escaped_line(
                f"Available metadata instances for {self.space}{' (includes invalid)' if invalid else ''}:"
            )
            print_escaped_line()
            _print_instances(listed)
        return True

    def _warn_about_invalid(self, instance: dict[str, Any]) -> None:
        problems = instance["problems"]
        reason = problems[0]["message"] if problems else instance["reason"]
        log.warning("instance '%s' of %s is invalid and not listed: %s", instance["name"], self.space, reason)

    def _warn_about_valid_with_problems(self, instance: dict[str, Any]) -> None:
        for problem in instance["problems"]:
            location = f" at {problem['pointer']}" if problem["pointer"] else ""
            log.warning(
                "instance '%s' of %s is valid, with a warning%s: %s",
                instance["name"],
                self.space,
                location,
                problem["message"],
            )


def _print_instances(instances: list[dict[str, Any]]) -> None:
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
    print_table(("Schema", "Instance", "Resource", ""), rows)
