"""Erase people: replace their names by pseudonyms everywhere in the store, in the background and in short steps.

An erasure visits one place after the other. Its progress is stored in the transactions that change the store, so a
killed process is continued by any other one, and nothing is replaced twice (decision 48).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName, NotFound, StorageError, StoreDamaged
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import require_valid_text
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.privacy.erasure import Erasure
from jupyter_colophon.core.privacy.person import PSEUDONYM_PREFIX, PSEUDONYM_TITLE, PersonNames, generate_pseudonym
from jupyter_colophon.core.service_token import ACCOUNT_PREFIX
from jupyter_colophon.service.admin.archiving import Archiver, is_archiving
from jupyter_colophon.service.admin.integrity_check import IntegrityChecker
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.audit_log import AUDIT_LOG
from jupyter_colophon.storage.changes.signed_chain import CHANGE_LOG, SealedLog
from jupyter_colophon.storage.privacy import erasures as rows
from jupyter_colophon.storage.privacy import person_logs, person_rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: Replaces the names in a part of the store: gets where to continue, None at the beginning; returns the number of
#: changed rows, and where to continue, None at the end.
StoredPart = Callable[[TableContext, PersonNames, Any], tuple[int, Any]]
#: Replaces the names in a place that has no transaction; returns the number of changed rows. It may be repeated.
OutsidePart = Callable[[PersonNames], int]
#: The logs with chains of seals.
SEALED_LOGS: Final = (CHANGE_LOG, AUDIT_LOG)
_logger = logging.getLogger("jupyter_colophon.erasures")


@dataclass(frozen=True, slots=True)
class ErasurePlace:
    """A place that may have names of people: in the store, or outside its transactions."""

    name: str
    stored: StoredPart | None = None
    outside: OutsidePart | None = None


@dataclass(slots=True)
class PersonEraser:
    """Erases people on one thread, which runs while there is something to erase."""

    provider: StorageProvider
    write_path: WritePath
    key: bytes
    now: Callable[[], int]
    #: Places besides the tables and the logs.
    more_places: tuple[ErasurePlace, ...] = ()
    #: The folder in which the store's changes are archived; None if this process knows none.
    archive_folder: Path | None = None
    _places: dict[str, ErasurePlace] = field(init=False)
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the places and the thread, which starts with the first erasure."""
        places = (
            *(ErasurePlace(spec.id, stored=_replace_in_table(spec.id)) for spec in person_rows.TABLES),
            ErasurePlace("system applications", stored=person_rows.replace_names_in_tables_of_apps),
            *(ErasurePlace(person_logs.get_step_of_log(log), stored=self._replace_in_log(log)) for log in SEALED_LOGS),
            *self.more_places,
            ErasurePlace("derived data", outside=self._rebuild_derived_data),
            ErasurePlace(_TITLE_STEP, outside=self._write_title),
            ErasurePlace(_SPACE_STEP, outside=self._remove_old_pages),
        )
        self._places = {place.name: place for place in places}
        self._worker = Worker(
            "colophon-erasures", self._erase_all, _logger, "erasures of people", unavailable=(StorageError, OSError)
        )

    def start(self, person: str, principal: Principal) -> Erasure:
        """Start to erase a person, or continue; return the erasure. Raises InvalidName for a name that no person has.

        Raises InvalidConfiguration if the store archives its changes in a folder that this process does not know.
        """
        require_erasable_name(person)
        if not self._can_empty_archive():
            raise InvalidConfiguration(
                "no person is erased by this process: the store archives its changes, and rows that wait for the archive"
                " have names of people. Set c.Colophon.archive_folder as for the server, or use the server"
            )

        def add_unless_running(tx: TableContext) -> Erasure:
            running = rows.find_unfinished_erasure(tx, person)
            if running is not None:
                rows.record_problem(tx, running.pseudonym, None)
                return running
            erasure = Erasure(generate_pseudonym(), principal.user, self.now(), next(iter(self._places)), person)
            rows.add_erasure(tx, erasure)
            return erasure

        erasure = self.provider.tx_runner.run(add_unless_running)
        self.start_or_resume()
        return self.read_erasure(erasure.pseudonym)

    def list_erasures(self) -> list[Erasure]:
        """Return all erasures, the newest first."""
        return self.provider.tx_runner.run(rows.list_erasures, read_only=True)

    def read_erasure(self, pseudonym: str) -> Erasure:
        """Return an erasure. Raises NotFound."""
        erasure = self.provider.tx_runner.run(lambda tx: rows.find_erasure(tx, pseudonym), read_only=True)
        if erasure is None:
            raise NotFound("erasure", pseudonym)
        return erasure

    def start_or_resume(self) -> None:
        """Continue erasures of any process; the thread ends after the last one.

        A process that does not know the folder of the archive leaves them to others.
        """
        current = self.provider.tx_runner.run(rows.find_current_erasure, read_only=True)
        if current is not None and self._can_empty_archive():
            self._worker.wake()
            self._worker.start()

    def stop_thread(self) -> None:
        """Stop; the next process that opens the catalog continues."""
        self._worker.close()

    def _erase_all(self) -> float:
        while not self._worker.is_stopped and self._erase_next_part():
            pass
        return Worker.DONE

    def _erase_next_part(self) -> bool:
        """Erase the next part of the oldest erasure; return False if there is none."""
        erasure = self.provider.tx_runner.run(rows.find_current_erasure, read_only=True)
        if erasure is None:
            return False
        try:
            place = self._places.get(erasure.step)
            if place is None or place.stored is None:
                self._erase_outside(erasure, place)
            else:
                self.provider.tx_runner.run(
                    partial(self._erase_stored_part, erasure.pseudonym, erasure.step, place.stored)
                )
        except StoreDamaged as error:
            detail = error.detail
            self.provider.tx_runner.run(lambda tx: rows.record_problem(tx, erasure.pseudonym, detail))
            _logger.error("the erasure of %s stopped: %s", erasure.pseudonym, detail)
        return True

    def _erase_stored_part(self, pseudonym: str, step: str, erase: StoredPart, tx: TableContext) -> None:
        erasure = rows.find_erasure(tx, pseudonym)
        if erasure is None or erasure.step != step:
            # Another process has done it.
            return
        position = rows.read_position(tx, pseudonym)
        changed, following = erase(tx, PersonNames(erasure.person, pseudonym), position)
        self._record_progress(tx, erasure, changed, following)

    def _erase_outside(self, erasure: Erasure, place: ErasurePlace | None) -> None:
        changed = 0
        if place is not None and place.outside is not None:
            changed = place.outside(PersonNames(erasure.person, erasure.pseudonym))

        def record(tx: TableContext) -> None:
            present = rows.find_erasure(tx, erasure.pseudonym)
            if present is not None and present.step == erasure.step:
                self._record_progress(tx, present, changed, None)

        self.provider.tx_runner.run(record)

    def _record_progress(self, tx: TableContext, erasure: Erasure, changed: int, position: Any) -> None:
        """Record the progress; before the last step, in which old pages are removed, the person is forgotten."""
        if position is not None:
            rows.record_progress(tx, erasure, changed, erasure.step, position)
            return
        steps = list(self._places)
        at = steps.index(erasure.step) if erasure.step in steps else -1
        if at + 1 == len(steps):
            rows.record_end(tx, erasure.pseudonym, self.now())
            return
        rows.record_progress(tx, erasure, changed, steps[at + 1], None)
        if steps[at + 1] == _SPACE_STEP:
            rows.forget_person(tx, erasure.pseudonym)

    def _replace_in_log(self, log: SealedLog) -> StoredPart:
        def replace(tx: TableContext, names: PersonNames, position: Any) -> tuple[int, Any]:
            return person_logs.replace_names_in_next_seal(tx, log, self.key, self.now(), names, position)

        return replace

    def _rebuild_derived_data(self, names: PersonNames) -> int:
        checker = IntegrityChecker(
            self.provider, self.write_path.registry, self.key, self.now, lambda title, steps: None
        )
        checker.repair_derived_rows()
        return 0

    def _write_title(self, names: PersonNames) -> int:
        """Give the pseudonym a name, which also records in the change log who erased a person."""
        erasure = self.read_erasure(names.pseudonym)
        if erasure.changed:
            value = {"active": False, "displayName": PSEUDONYM_TITLE}
            proposal = Proposal(Urn.parse(names.pseudonym_urn), "corpUserInfo", "upsert", value)
            sender = Principal(erasure.requested_by, internal=True)
            self.write_path.apply_proposals_atomically([proposal], sender)
        return 0

    def _can_empty_archive(self) -> bool:
        """Return whether rows that wait for the archive, which have names too, can be moved out of the store."""
        return self.archive_folder is not None or not is_archiving(self.provider)

    def _remove_old_pages(self, names: PersonNames) -> int:
        """Rewrite the files of the store, which still have the names in pages that are free."""
        if self.archive_folder is not None:
            # Rows that wait for the archive have the names too: their pages become free first.
            Archiver(self.provider, self.archive_folder).move_all_rows_to_files()
        self.provider.rebuild_derived_data()
        self.provider.reclaim_space()
        return 0


def require_erasable_name(person: str) -> None:
    """Raise InvalidName for a name that is not one of a person: of this program, a service account, a pseudonym."""
    require_valid_text("person", person)
    if person == INTERNAL.user or person.startswith((ACCOUNT_PREFIX, PSEUDONYM_PREFIX)):
        raise InvalidName("person", person, "it is not the name of a person")


def _replace_in_table(table: str) -> StoredPart:
    spec = next(spec for spec in person_rows.TABLES if spec.id == table)

    def replace(tx: TableContext, names: PersonNames, position: Any) -> tuple[int, Any]:
        return person_rows.replace_names_in_slice(tx, spec, names, position)

    return replace


_TITLE_STEP: Final = "title"
_SPACE_STEP: Final = "space"
