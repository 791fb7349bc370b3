"""`jupyter colophon doctor`."""

import getpass
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.cli.checks.check_result import CheckResult
from jupyter_colophon.cli.checks.instance_checks import check_instances, check_schedules
from jupyter_colophon.cli.checks.registry_checks import check_registry
from jupyter_colophon.cli.checks.sink_checks import check_settings, check_sinks, faults
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.filesystem_info import Place, look
from jupyter_colophon.core import errors
from jupyter_colophon.core.store import StoreChoice

if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Keeper

#: Below so many bytes of free space something should be done.
_FREE_LEAST = 256 * 1024 * 1024
#: For so long a change may be without a seal; seconds, in ms.
_UNSEALED_MS = 60_000
_RESTORE = "move it away and restore a backup: jupyter colophon restore FILE"
_DEAD_LETTERS = (
    "look at them: GET /colophon/api/dead-letters; apply one again: POST /colophon/api/dead-letters/{id}/replay;"
    " or throw it away: DELETE /colophon/api/dead-letters/{id} (docs/api.md)"
)
#: What to do about a store that cannot be opened, by cause; the first class that fits.
_ADVICE: tuple[tuple[type[errors.MetadataError], str], ...] = (
    (errors.StoreDamaged, _RESTORE),
    (errors.IncompleteRestore, "jupyter colophon restore FILE, into a new store"),
    (errors.StoreTooNew, "use the version of jupyter-colophon that made it, or a newer one"),
    (errors.UnsupportedStore, "export the catalog with the version that made it, and import it into a new store"),
    (errors.TableSchemaIncompatible, "use the version of jupyter-colophon that made it, or a newer one"),
    (errors.TransactionConflict, "another process holds it: try again, or end that process"),
    (errors.StoreFull, "make room on the disk; nothing that was acknowledged is lost"),
    (errors.InvalidField, "look at c.Colophon.storage_provider and storage_options"),
    (errors.StoreUnavailable, "look at the place, its permissions and whether the store runs"),
    (errors.StorageError, "look at the place; if it stays so, " + _RESTORE),
)


class Doctor(Command):
    """Says how the store is."""

    description = (
        "Say which versions and which store there are, how it is, and what to do. Exits with 1 when something is bad."
    )

    def run(self) -> int:
        """Look at everything that can be looked at."""
        wrong = faults(self.settings)
        store = [*_versions(), *self._store(self.settings.store(), wrong)]
        found = [*store, *check_settings(self.settings, wrong), *check_instances(self.settings)]
        found += check_schedules(self.settings)
        found += check_registry(self.settings)
        bad = any(one.status == "bad" for one in found)
        lines = [f"{one.status:8}{one.check}: {one.detail}" + (f" -> {one.advice}" * bool(one.advice)) for one in found]
        self.answer({"ok": not bad, "checks": [one._asdict() for one in found]}, "\n".join(lines))
        return EXIT_FAILED if bad else EXIT_OK

    def overlay(self) -> Path | None:
        """The file as it is: what is wrong with it is looked at by itself."""
        return self.settings.overlay()

    def _store(self, store: StoreChoice, wrong: Mapping[str, str]) -> Iterator[CheckResult]:
        place = None
        if store.provider == "sqlite" and isinstance(store.options.get("path"), str):
            path = Path(store.options["path"])
            place = look(path)
            yield from _place(path, place)
            if place.kind != "file" or place.bytes == 0 or not place.is_writable:
                return
        try:
            with self.keeper() as keeper:
                yield from _opened(keeper)
                yield from check_sinks(keeper.sinks(self.settings.sinks), wrong, keeper.age_ms)
        except errors.NoCatalog as error:
            yield CheckResult("store", "warning", error.detail, "the first request to the server makes it")
        except errors.MetadataError as error:
            advice = next((text for kind, text in _ADVICE if isinstance(error, kind)), "")
            yield CheckResult("store", "bad", error.detail, advice)


def _versions() -> Iterator[CheckResult]:
    for package in ("jupyter-colophon", "jupyter_server", "jupyterlab"):
        try:
            yield CheckResult(package, "ok", version(package))
        except PackageNotFoundError:
            yield CheckResult(package, "ok", "is not installed here")
    yield CheckResult("python", "ok", sys.version.split(" ", 1)[0])


def _place(path: Path, place: Place) -> Iterator[CheckResult]:
    if place.kind == "absent":
        yield CheckResult(
            "file", "warning", f"there is no catalog at {path} yet", "the first request to the server makes it"
        )
    elif place.kind != "file":
        yield CheckResult("file", "bad", f"{path} is a {place.kind}, no file", "look at c.Colophon.database")
    elif place.bytes == 0:
        yield CheckResult("file", "bad", f"{path} is empty", "a server would make a new catalog of it; " + _RESTORE)
    elif not place.is_writable:
        message = f"{path}, or the folder round it, cannot be written by this user ({getpass.getuser()})"
        yield CheckResult(
            "file", "bad", message, f"nothing is lost: work as its owner ({_owner(path)}), or be given permission"
        )
        yield from _permissions(path, place)
    else:
        yield CheckResult("file", "ok", str(path))
        yield from _permissions(path, place)
    if place.is_remote:
        advice = "use PostgreSQL: SQLite on a network file system loses locks (docs/settings.md)"
        yield CheckResult("file system", "warning", place.file_system, advice)
    elif place.file_system:
        yield CheckResult("file system", "ok", place.file_system)
    if place.free is not None:
        short = place.free < _FREE_LEAST
        yield CheckResult("free space", "warning" if short else "ok", _size(place.free), "make room" if short else "")


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, OSError):
        return "unknown here"


def _permissions(path: Path, place: Place) -> Iterator[CheckResult]:
    looked = (("file", path, place.mode, 0o600), ("folder", path.parent, place.folder_mode, 0o700))
    for kind, what, mode, wanted in looked:
        if mode is not None and mode & 0o077:
            message, advice = f"{what} is {mode:04o}: others may look at it", f"chmod {wanted:o} {what}"
            yield CheckResult(f"{kind} permissions", "warning", message, advice)
        elif mode is not None:
            yield CheckResult(f"{kind} permissions", "ok", f"{what} is {mode:04o}")


def _opened(keeper: "Keeper") -> Iterator[CheckResult]:
    about, health = keeper.provider.about(), keeper.provider.health()
    yield CheckResult("store", "ok", f"{about['engine']}, {about['place']}")
    if "bytes" in about:
        yield CheckResult("size", "ok", _size(int(about["bytes"])))
    sound = health["status"] == "ok"
    yield CheckResult(
        "writing", "ok" if sound else "bad", "works" if sound else health["detail"], "" if sound else "see above"
    )
    yield from _journal(health)
    faults = keeper.provider.check()
    for fault in faults:
        yield CheckResult("integrity", "bad", fault, "jupyter colophon reindex; where that does not help, " + _RESTORE)
    if not faults:
        yield CheckResult("integrity", "ok", "the store finds no fault in itself")
    yield from _condition(keeper)


def _journal(health: Mapping[str, str]) -> Iterator[CheckResult]:
    mode = health.get("journalMode", "")
    if mode and mode != "wal":
        yield CheckResult("journal", "warning", f"{mode}: readers and writers wait for each other", "see file system")
    elif mode:
        yield CheckResult("journal", "ok", mode)


def _condition(keeper: "Keeper") -> Iterator[CheckResult]:
    now = keeper.condition()
    yield CheckResult("entities", "ok", str(now.entities))
    yield CheckResult("change log", "ok", f"{now.head - now.floor} changes, {now.floor} compacted")
    age = keeper.age_ms(now.unsealed) if now.unsealed is not None else 0
    late = age > _UNSEALED_MS
    sealed = f"the oldest change without a seal is {age // 1000} s old" if now.unsealed is not None else "all sealed"
    yield CheckResult("seals", "warning" if late else "ok", sealed, "jupyter colophon verify seals it" if late else "")
    yield CheckResult("inbox", "ok", f"{now.inbox} waiting")
    held = now.dead_letters
    yield CheckResult("dead letters", "warning" if held else "ok", str(held), _DEAD_LETTERS if held else "")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
