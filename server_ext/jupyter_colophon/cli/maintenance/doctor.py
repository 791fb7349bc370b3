"""`jupyter colophon doctor`: check the health of the catalog, its file and the settings."""

import getpass
import os
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.cli.command import CliCommand, format_detail_and_reason
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.maintenance.archive_checks import check_archive_folder, check_archive_lag
from jupyter_colophon.cli.maintenance.check_result import FREE_LEAST, CheckResult, format_size
from jupyter_colophon.cli.maintenance.filesystem_info import PathInfo, read_path_info
from jupyter_colophon.cli.maintenance.instance_checks import check_schedules, check_schemaspaces_and_instances
from jupyter_colophon.cli.maintenance.policy_checks import check_policies, check_policy_files
from jupyter_colophon.cli.maintenance.registry_checks import check_registry_extension
from jupyter_colophon.cli.maintenance.service_checks import check_clock, check_descriptors, check_hub, check_service
from jupyter_colophon.cli.maintenance.sink_checks import check_sink_deliveries, check_sink_settings, find_sink_problems
from jupyter_colophon.cli.maintenance.system_app_checks import check_system_apps
from jupyter_colophon.cli.maintenance.token_checks import check_service_tokens
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.core import errors
from jupyter_colophon.core.store import StorageChoice

if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Maintenance

#: A change that is unsealed for longer than this is a warning, in ms.
_UNSEALED_MS = 60_000
#: A store with a larger share of unused space than this, and more bytes, is a warning.
_UNUSED_SHARE, _UNUSED_LEAST = 0.2, 10 * 1024**2
_RESTORE = "move it away and restore a backup: jupyter colophon restore FILE"
_DEAD_LETTERS = (
    "list them: GET /colophon/api/dead-letters; replay one: POST /colophon/api/dead-letters/{id}/replay;"
    " discard one: DELETE /colophon/api/dead-letters/{id} (docs/api.md)"
)
#: What to do about a store that cannot be opened, by error; the first matching class applies.
_ADVICE: tuple[tuple[type[errors.MetadataError], str], ...] = (
    (errors.StoreDamaged, _RESTORE),
    (errors.IncompleteRestore, "jupyter colophon restore FILE, into a new store"),
    (errors.StoreTooNew, "use the version of jupyter-colophon that created it, or a newer one"),
    (errors.UnsupportedStore, "export the catalog with the version that created it, and import it into a new store"),
    (errors.TableSchemaIncompatible, "use the version of jupyter-colophon that created it, or a newer one"),
    (errors.TransactionConflict, "another process has locked it: try again, or stop that process"),
    (errors.StoreFull, "free disk space; acknowledged writes are not lost"),
    (errors.InvalidField, "check c.Colophon.storage_provider and storage_options"),
    (errors.StoreUnavailable, "check the location, its permissions, and whether the database is running"),
    (errors.StorageError, "check the location; if the error persists, " + _RESTORE),
)


class DoctorCommand(CliCommand):
    """Check the health of the catalog."""

    description = (
        "Check versions, the store and its file, settings, schemaspaces, instances, access policies and system applications, and"
        " print what to do about problems. Exits with 1 if a check is bad."
    )
    examples = ("", "--database=/data/colophon.db --json", "--url=https://catalog.example.org/ --config=service.py")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the running service."""
        parser.add_argument(
            "--url",
            default="",
            help="A running server or service with these settings, which is checked too (token in COLOPHON_TOKEN).",
        )

    def run(self) -> int:
        """Run all checks."""
        sink_problems = find_sink_problems(self.settings)
        results = [*_check_versions(), *self._check_store(self.settings.choose_store(), sink_problems)]
        results += check_archive_folder(self.settings.archive_folder)
        results += [check_descriptors(), *check_hub(os.environ)]
        if self.args.url:
            results += check_service(self.args.url, self._head)
        if self.args.url or self._head is not None:
            results += check_system_apps(self.args.url, self.settings)
        results += check_sink_settings(self.settings, sink_problems)
        results += check_schemaspaces_and_instances(self.settings)
        results += check_schedules(self.settings)
        results += check_policy_files(self.settings)
        results += check_registry_extension(self.settings)
        bad = any(result.status == "bad" for result in results)
        lines = [
            f"{result.status:8}{result.check}: {result.detail}" + (f" -> {result.advice}" if result.advice else "")
            for result in results
        ]
        self.print_result({"ok": not bad, "checks": [result._asdict() for result in results]}, "\n".join(lines))
        return EXIT_FAILED if bad else EXIT_OK

    #: The newest change of the store; None if it could not be read.
    _head: int | None = None

    def find_registry_extension(self) -> Path | None:
        """Return the file without a check: `check_registry_extension` reports its problems."""
        return self.settings.get_registry_extension()

    def _check_store(self, store: StorageChoice, sink_problems: Mapping[str, str]) -> Iterator[CheckResult]:
        if store.provider == "sqlite" and isinstance(store.options.get("path"), str):
            path = Path(store.options["path"])
            info = read_path_info(path)
            yield from _check_file(path, info)
            if info.kind != "file" or info.bytes == 0 or not info.is_writable:
                return
        try:
            with self.open_maintenance() as maintenance:
                yield from _check_open_store(maintenance)
                yield from check_policies(self.settings, maintenance)
                yield from check_service_tokens(
                    maintenance.list_service_tokens(), self.settings.service_token_max_days, time.time_ns() // 1_000_000
                )
                yield from check_archive_lag(maintenance, self.settings.archive_folder)
                self._head = maintenance.read_store_status().head
                yield from check_sink_deliveries(
                    maintenance.read_sink_states(self.settings.sinks), sink_problems, maintenance.measure_age_ms
                )
        except errors.NoCatalog as error:
            yield CheckResult("store", "warning", error.detail, "the first request to the server creates it")
        except errors.MetadataError as error:
            advice = next((text for kind, text in _ADVICE if isinstance(error, kind)), "")
            yield CheckResult("store", "bad", format_detail_and_reason(error), advice)


def _check_versions() -> Iterator[CheckResult]:
    for package in ("jupyter-colophon", "jupyter_server", "jupyterlab"):
        try:
            yield CheckResult(package, "ok", version(package))
        except PackageNotFoundError:
            yield CheckResult(package, "ok", "not installed")
    yield CheckResult("python", "ok", sys.version.split(" ", 1)[0])


def _check_file(path: Path, info: PathInfo) -> Iterator[CheckResult]:
    if info.kind == "absent":
        yield CheckResult("file", "warning", f"{path} does not exist yet", "the first request to the server creates it")
    elif info.kind != "file":
        yield CheckResult("file", "bad", f"{path} is not a file: {info.kind}", "check c.Colophon.database")
    elif info.bytes == 0:
        yield CheckResult("file", "bad", f"{path} is empty", "a server would create a new catalog in it; " + _RESTORE)
    elif not info.is_writable:
        message = f"{path} or its folder is not writable for this user ({getpass.getuser()})"
        advice = f"no data is lost: run as its owner ({_read_owner(path)}), or change its permissions"
        yield CheckResult("file", "bad", message, advice)
        yield from _check_permissions(path, info)
    else:
        yield CheckResult("file", "ok", str(path))
        yield from _check_permissions(path, info)
    if info.is_remote:
        advice = "use PostgreSQL: SQLite on a network file system loses locks (docs/settings.md)"
        yield CheckResult("file system", "warning", info.file_system, advice)
    elif info.file_system:
        yield CheckResult("file system", "ok", info.file_system)
    if info.free is not None:
        is_low = info.free < FREE_LEAST
        status, advice = ("warning", "free disk space") if is_low else ("ok", "")
        yield CheckResult("free space", status, format_size(info.free), advice)


def _read_owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, OSError):
        return "unknown"


def _check_permissions(path: Path, info: PathInfo) -> Iterator[CheckResult]:
    checked = (("file", path, info.mode, 0o600), ("folder", path.parent, info.folder_mode, 0o700))
    for kind, file, mode, expected in checked:
        if mode is not None and mode & 0o077:
            message = f"{file} has mode {mode:04o}: other users can access it"
            yield CheckResult(f"{kind} permissions", "warning", message, f"chmod {expected:o} {file}")
        elif mode is not None:
            yield CheckResult(f"{kind} permissions", "ok", f"{file} has mode {mode:04o}: only its owner can access it")


def _check_open_store(maintenance: "Maintenance") -> Iterator[CheckResult]:
    about, health = maintenance.provider.describe_store(), maintenance.provider.check_health()
    yield CheckResult("store", "ok", f"{about['engine']}, {about['place']}")
    if "bytes" in about:
        yield _check_size(int(about["bytes"]), int(about.get("freeBytes", 0)))
    if "clock" in about:
        yield check_clock("clock of the database", float(about["clock"]))
    if "connections" in about:
        yield CheckResult("connections of the database", "ok", about["connections"])
    if health["status"] == "ok":
        yield CheckResult("writing", "ok", "works")
    else:
        yield CheckResult("writing", "bad", health["detail"], "see above")
    yield from _check_journal(health)
    problems = maintenance.provider.find_store_problems()
    for problem in problems:
        advice = "jupyter colophon reindex; if that does not help, " + _RESTORE
        yield CheckResult("integrity", "bad", problem, advice)
    if not problems:
        yield CheckResult("integrity", "ok", "the store's own check found no problems")
    yield from _check_contents(maintenance)


def _check_size(size: int, free: int) -> CheckResult:
    detail = f"{format_size(size)}, {format_size(free)} of it unused" if free else format_size(size)
    if free > max(_UNUSED_LEAST, size * _UNUSED_SHARE):
        return CheckResult("size", "warning", detail, "jupyter colophon compact returns it; writers wait meanwhile")
    return CheckResult("size", "ok", detail)


def _check_journal(health: Mapping[str, str]) -> Iterator[CheckResult]:
    mode = health.get("journalMode", "")
    if mode and mode != "wal":
        yield CheckResult(
            "journal", "warning", f"{mode}: readers and writers wait for each other", "see the check of the file system"
        )
    elif mode:
        yield CheckResult("journal", "ok", mode)


def _check_contents(maintenance: "Maintenance") -> Iterator[CheckResult]:
    now = maintenance.read_store_status()
    yield CheckResult("entities", "ok", str(now.entities))
    yield CheckResult("change log", "ok", f"{now.head - now.floor} changes, {now.floor} compacted")
    age_ms = maintenance.measure_age_ms(now.unsealed) if now.unsealed is not None else 0
    sealed = f"the oldest unsealed change is {age_ms // 1000} s old" if now.unsealed is not None else "all sealed"
    if age_ms > _UNSEALED_MS:
        yield CheckResult("seals", "warning", sealed, "jupyter colophon verify seals it")
    else:
        yield CheckResult("seals", "ok", sealed)
    yield CheckResult("inbox", "ok", f"{now.inbox} pending")
    if now.dead_letters:
        yield CheckResult("dead letters", "warning", str(now.dead_letters), _DEAD_LETTERS)
    else:
        yield CheckResult("dead letters", "ok", "0")
