"""`jupyter colophon restore FILE`."""

import sys
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.maintenance.verify import summarize_findings, take_first_findings
from jupyter_colophon.cli.parser import CommandParser, build_integer_type, parse_path
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.time_format import format_ms_as_iso_time, parse_time_to_ms

if TYPE_CHECKING:
    from jupyter_colophon.service.admin.archive_replay import Replay, RestorePoint


class RestoreCommand(CliCommand):
    """Restore a backup."""

    description = (
        "Restore a backup into an empty store of any provider, then verify it. With --archive, also restore the changes"
        " that were archived after it (c.Colophon.archive_folder), all of them or up to a point in time."
    )
    examples = (
        "colophon.jsonl.gz --database=/data/colophon.db",
        "colophon.jsonl.gz --archive=/backups/changes --until=2026-11-26T14:05:00Z --dry-run",
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the file, the archive, and the point in time."""
        parser.add_argument("file", metavar="FILE", type=parse_path, help="A file that `backup` wrote.")
        parser.add_argument(
            "--archive", metavar="FOLDER", type=parse_path, help="The folder in which changes were archived."
        )
        parser.add_argument(
            "--until",
            metavar="TIME",
            help="Restore what was written up to this time, such as 2026-11-26T14:05:00Z or now-10m.",
        )
        parser.add_argument(
            "--until-change",
            metavar="NUMBER",
            type=build_integer_type(0),
            help="Restore what was written up to this change of the change log.",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Check the files and show what would be restored; change nothing."
        )

    def run(self) -> int:
        """Restore the rows, rebuild derived data, and verify the store. Raises BackupRejected, InvalidQuery."""
        from jupyter_colophon.service.admin.backups import check_archive, read_and_check_backup
        from jupyter_colophon.service.registry_files import load_entity_registry

        point = self._parse_point()
        with ProgressLine(sys.stderr) as line:
            # The files are checked before the store is created.
            header = read_and_check_backup(
                self.args.file, load_entity_registry(self.settings.get_registry_extension()), line.show
            )
            replay = None if point is None else check_archive(self.args.file, header, self.args.archive, point)
        if self.args.dry_run:
            return self._show_what_would_be_restored(header.time, replay)
        with self.open_maintenance(new=True) as maintenance:
            service = maintenance.create_backup_service(version("jupyter-colophon"))
            if point is None:
                rows = service.restore_into_empty_store(self.args.file, header)
            else:
                rows, replay = service.restore_to_point(self.args.file, header, self.args.archive, point)
            findings = take_first_findings(maintenance.create_integrity_checker().find_issues())
        documents = [{"subject": finding.subject, "fault": finding.problem} for finding in findings]
        lines = [f"{finding.subject}: {finding.problem}" for finding in findings]
        lines += [] if replay is None else [_describe_replay(replay)]
        self.print_result(
            {"rows": rows, "sound": not findings, "findings": documents} | _render_replay(replay),
            "\n".join([*lines, f"{rows} rows, {summarize_findings(findings)}"]),
        )
        return EXIT_FAILED if findings else EXIT_OK

    def _parse_point(self) -> "RestorePoint | None":
        """Return the point in time; None without an archive. Raises InvalidQuery."""
        from jupyter_colophon.service.admin.archive_replay import RestorePoint

        until, until_change = self.args.until, self.args.until_change
        if self.args.archive is None:
            for option, value in (("--until", until), ("--until-change", until_change)):
                if value is not None:
                    raise InvalidQuery("needs the folder of the archived changes (--archive)", option)
            return None
        return RestorePoint(
            None if until is None else parse_time_to_ms(until, time.time_ns() // 1_000_000, "--until"), until_change
        )

    def _show_what_would_be_restored(self, backup_ms: int, replay: "Replay | None") -> int:
        written = format_ms_as_iso_time(backup_ms)
        lines = [f"{self.args.file}: a backup of {written}"]
        lines += [] if replay is None else [_describe_replay(replay)]
        self.print_result({"backup": written} | _render_replay(replay), "\n".join([*lines, "nothing was changed"]))
        return EXIT_OK


def _describe_replay(replay: "Replay") -> str:
    if not replay.writes:
        return "no archived writes after the backup"
    last = f"the last of {format_ms_as_iso_time(replay.time)}"
    return f"{format_count_with_noun(replay.writes, 'archived write')}, {last}" + (
        f", change {replay.change}" if replay.change else ""
    )


def _render_replay(replay: "Replay | None") -> dict[str, Any]:
    if replay is None:
        return {}
    last = format_ms_as_iso_time(replay.time) if replay.writes else None
    return {"archivedWrites": replay.writes, "lastWrite": last, "lastChange": replay.change or None}
