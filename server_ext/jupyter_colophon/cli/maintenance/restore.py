"""`jupyter colophon restore FILE`."""

import sys
from importlib.metadata import version

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.maintenance.verify import summarize_findings, take_first_findings
from jupyter_colophon.cli.parser import CommandParser, parse_path
from jupyter_colophon.client.progress_line import ProgressLine


class RestoreCommand(CliCommand):
    """Restore a backup."""

    description = "Restore a backup into an empty store of any provider, then verify it."
    examples = ("colophon.jsonl.gz --database=/data/colophon.db",)

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the file."""
        parser.add_argument("file", metavar="FILE", type=parse_path, help="A file that `backup` wrote.")

    def run(self) -> int:
        """Restore the rows, rebuild derived data, and verify the store."""
        from jupyter_colophon.service.admin.backups import read_and_check_backup
        from jupyter_colophon.service.registry_files import load_entity_registry

        path = self.args.file
        with ProgressLine(sys.stderr) as line:
            # The file is checked before the store is created.
            header = read_and_check_backup(
                path, load_entity_registry(self.settings.get_registry_extension()), line.show
            )
        with self.open_maintenance(new=True) as maintenance:
            rows = maintenance.create_backup_service(version("jupyter-colophon")).restore_into_empty_store(path, header)
            findings = take_first_findings(maintenance.create_integrity_checker().find_issues())
        documents = [{"subject": finding.subject, "fault": finding.problem} for finding in findings]
        lines = [f"{finding.subject}: {finding.problem}" for finding in findings]
        self.print_result(
            {"rows": rows, "sound": not findings, "findings": documents},
            "\n".join([*lines, f"{rows} rows, {summarize_findings(findings)}"]),
        )
        return EXIT_FAILED if findings else EXIT_OK
