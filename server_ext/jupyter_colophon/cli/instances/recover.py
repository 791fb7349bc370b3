"""`recover`: recovery files, which interrupted saves of Elyra leave (spec INST-11). Elyra has no such command."""

from datetime import UTC, datetime

from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.output import print_escaped_line, print_table
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand
from jupyter_colophon.service.instances.recovery import InstanceFileRecovery


class RecoverInstances(FixedOptionsCommand):
    """List recovery files, recover an instance from one, or discard one."""

    name = "recover"
    description = "Recover instances from the files of interrupted saves."
    about = "List recovery files of interrupted saves in {space}; with --name, recover the instance."
    example = "--name=NAME"
    declared = (
        Option("name", "The instance, whose own file is missing or unreadable."),
        Option("file", "The recovery file. Default: the newest readable one."),
        create_flag_option("discard", "Discard the recovery file given by --file instead."),
        create_flag_option("json", "Print the result as JSON"),
    )

    def execute(self) -> bool:
        """List, recover or discard recovery files."""
        name, file, discards = self.args.name, self.args.file, self.args.discard
        services = self.client.require_local_services(
            "recovery files can be discarded" if discards else "recovery files can be used"
        )
        recovery = services.get_or_create_instances().create_file_recovery(self.space, services.principal, "admin")
        if not name:
            self._print_recovery_files(recovery)
            return True
        if discards and not file:
            raise InstanceCommandError("'--file' is a required parameter.", shows_help=True)
        file = file or next(
            (each.file for each in recovery.list_orphaned_files() if each.name == name and not each.problem), ""
        )
        if discards:
            recovery.delete_orphaned_file(file, name)
            self.print_result(
                {"schemaspace": self.space, "discarded": file}, f"'{file}' of schemaspace '{self.space}' removed."
            )
            return True
        recovery.restore_instance_from_file(file, name)
        path = self.client.read_instance(self.space, name)["resource"]
        document = {"schemaspace": self.space, "recovered": name, "file": file, "resource": path}
        self.print_result(document, f"Metadata instance '{name}' has been recovered from {file} to: {path}")
        return True

    def _print_recovery_files(self, recovery: InstanceFileRecovery) -> None:
        rows = [
            {
                "name": each.name,
                "file": each.file,
                "time": _format_time(each.time),
                "state": _describe_state(each.problem, missing=each.missing),
            }
            for each in recovery.list_orphaned_files()
        ]
        if self.json:
            self.print_result({"schemaspace": self.space, "recoveryFiles": rows})
        elif not rows:
            print_escaped_line(f"No recovery files found for {self.space}")
        else:
            print_table(("Instance", "File", "Time", "State"), [tuple(row.values()) for row in rows])


def _format_time(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _describe_state(problem: str, *, missing: bool) -> str:
    return problem or ("the instance is missing or unreadable" if missing else "the instance is readable")
