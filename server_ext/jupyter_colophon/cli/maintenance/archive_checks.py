"""Check the archive of changes: its folder, and whether a server moves changes to it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jupyter_colophon.cli.maintenance.check_result import FREE_LEAST, CheckResult, format_size

if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Maintenance

#: A change that waits for longer is a warning, in ms.
_WAITING_MS: Final = 300_000
_RESTART: Final = "start a server with c.Colophon.archive_folder, and read its log"


def check_archive_folder(setting: str) -> Iterator[CheckResult]:
    """Yield whether the folder of the setting can be written; nothing without one."""
    if not setting:
        return
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        yield CheckResult("archive", "warning", f"{folder} does not exist yet", _RESTART)
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield CheckResult("archive", "bad", f"{folder} is not writable for this user", "change its permissions")
    else:
        free = shutil.disk_usage(folder).free
        is_low = free < FREE_LEAST
        advice = "delete files that are older than the oldest backup" if is_low else ""
        yield CheckResult("archive", "warning" if is_low else "ok", f"{folder}, {format_size(free)} free", advice)


def check_archive_lag(maintenance: "Maintenance", setting: str) -> Iterator[CheckResult]:
    """Yield whether changes are archived, and for how long they have waited."""
    time = maintenance.find_oldest_unmoved_change(Path(setting).expanduser() if setting else None)
    if time is None:
        if setting and not maintenance.is_archiving():
            yield CheckResult("archived changes", "warning", "changes are not archived yet", _RESTART)
        return
    age_ms = maintenance.measure_age_ms(time)
    if age_ms > _WAITING_MS or not setting:
        detail = f"changes have waited in the store for {age_ms // 1000} s"
        yield CheckResult("archived changes", "warning", detail, _RESTART)
    else:
        yield CheckResult("archived changes", "ok", f"the oldest change has waited for {age_ms // 1000} s")
