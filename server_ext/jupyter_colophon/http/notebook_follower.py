"""Follow renames, saves and openings of notebooks by any frontend, by the events of the server's contents manager.

The events are emitted after the file has been changed or read, and everything here runs after that: no request for a
notebook can fail or wait because of the catalog.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from jupyter_server.utils import ensure_async

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidConfiguration, StorageError
from jupyter_colophon.http.request_user import get_request_user
from jupyter_colophon.http.state import ServerState, create_user_principal
from jupyter_colophon.system.worker import Worker

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

    from jupyter_colophon.composition import Catalog

_logger = logging.getLogger("jupyter_colophon.http")
#: Larger notebooks are not read to find the headings of their cells.
NOTEBOOK_BYTES_MOST = 20 * 1024 * 1024
#: Whether a file is read by the follower itself, whose own events are ignored: listeners run in the context of the reader.
_is_reading: ContextVar[bool] = ContextVar("_is_reading", default=False)


class NotebookFollower:
    """Gives the records of notebooks the present paths of their files, and cells the names of their headings.

    With a shared service, renames are reported to it, and nothing else.
    """

    def __init__(self, server: "ServerApp", state: ServerState) -> None:
        self._server, self._state = server, state
        #: Renames that have not been recorded yet: old path, new path, and who renamed.
        self._renames: deque[tuple[str, str, Principal]] = deque()
        #: The notebooks whose former paths are being looked up: frontends read a notebook several times to open it.
        self._looked_up: set[str] = set()
        self._worker = Worker(
            "colophon-notebooks",
            self._record_renames,
            _logger,
            "renames of notebooks",
            unavailable=(StorageError,),
        )

    def start(self) -> None:
        """Follow the events from now on; a contents manager without events is not followed."""
        manager = self._server.contents_manager
        logger, schema = getattr(manager, "event_logger", None), getattr(manager, "event_schema_id", None)
        if logger is not None and schema is not None:
            logger.add_listener(schema_id=schema, listener=self._handle_event)

    def close(self) -> None:
        """Stop recording renames."""
        self._worker.close()

    async def _handle_event(self, logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        """Handle an event of the contents manager."""
        if self._state.closed or _is_reading.get():
            return
        action, path = data.get("action"), str(data.get("path", "")).strip("/")
        reports = self._state.service_reports
        if reports is not None:
            if action == "rename":
                old = str(data.get("source_path", "")).strip("/")
                self._state.kernel_notebooks.rename_path(old, path)
                reports.report_rename(old, path, self._state.notebook_namespace)
            return
        principal = create_user_principal(self._server.identity_provider, get_request_user())
        if action == "rename":
            self._follow_rename(str(data.get("source_path", "")).strip("/"), path, principal)
        elif action == "save" and path.endswith(".ipynb"):
            await self._follow_save(path, principal)
        elif action == "get" and path.endswith(".ipynb") and path not in self._looked_up:
            self._looked_up.add(path)
            await self._follow_opening(path, principal)
            self._looked_up.discard(path)

    def _follow_rename(self, old: str, new: str, principal: Principal) -> None:
        # From now on kernels report the new path. What they reported before is renamed after this.
        self._state.kernel_notebooks.rename_path(old, new)
        self._renames.append((old, new, principal))
        self._worker.wake(ends_backoff=False)
        self._worker.start()

    def _record_renames(self) -> float:
        """Record the renames in their order. Raises StorageError; the rename is tried again then."""
        while self._renames:
            try:
                self._record_rename(*self._renames[0])
            except InvalidConfiguration:
                # No catalog is opened in this server, so nothing is recorded of the notebook.
                self._renames.clear()
                break
            self._renames.popleft()
        return Worker.DONE

    def _record_rename(self, old: str, new: str, principal: Principal) -> None:
        self._state.get_or_open_catalog().notebooks.rename_notebooks_below(old, new, principal)

    async def _follow_save(self, path: str, principal: Principal) -> None:
        """Name cells by their headings in the saved notebook; a failure leaves the names unchanged."""
        # Before the catalog is open, no cell has been recorded in this process.
        catalog = self._state.get_catalog_if_open()
        if catalog is None:
            return
        loop, threads = asyncio.get_running_loop(), self._state.threads
        try:
            if await loop.run_in_executor(threads, catalog.notebooks.has_cells_without_name, path):
                text = await self._read_notebook(path)
                await loop.run_in_executor(threads, _name_cells, catalog, path, text, principal)
        except Exception as error:  # noqa: BLE001  contents managers are third-party code
            _logger.info("cells of %s were not named by their headings: %s", path, error)

    async def _follow_opening(self, path: str, principal: Principal) -> None:
        """Continue the history of a notebook that another program moved to this path; a failure leaves it unchanged."""
        loop, threads = asyncio.get_running_loop(), self._state.threads
        try:
            catalog = await loop.run_in_executor(threads, self._state.get_or_open_catalog)
            if await loop.run_in_executor(threads, catalog.moved_notebooks.is_recorded, path):
                return
            text = await self._read_notebook(path)
            counts = await loop.run_in_executor(threads, _count_same_cells, catalog, text, principal)
            moved = {other: count for other, count in counts.items() if not await self._is_file(other)}
        except InvalidConfiguration:
            return  # no catalog is opened in this server
        except Exception as error:  # noqa: BLE001  contents managers are third-party code
            _logger.info("the former path of the notebook %s was not looked up: %s", path, error)
            return
        former = [other for other, count in moved.items() if count == max(moved.values())]
        # Of several notebooks with equally many of the cells, none is certainly the former one.
        if len(former) == 1:
            _logger.info(
                "the notebook %s was moved to %s by another program: its history continues there", former[0], path
            )
            self._follow_rename(former[0], path, principal)

    async def _is_file(self, path: str) -> bool:
        return bool(await ensure_async(self._server.contents_manager.file_exists(path)))

    async def _read_notebook(self, path: str) -> str:
        """Return the text of a notebook, "" if it is too large. Contents managers check and sign less in a text file."""
        token = _is_reading.set(True)
        try:
            return await self._read_text(path)
        finally:
            _is_reading.reset(token)

    async def _read_text(self, path: str) -> str:
        manager = self._server.contents_manager
        model: Mapping[str, Any] = await ensure_async(manager.get(path, content=False))
        if (model.get("size") or 0) > NOTEBOOK_BYTES_MOST:
            return ""
        model = await ensure_async(manager.get(path, content=True, type="file", format="text"))
        return str(model["content"])


def _count_same_cells(catalog: "Catalog", text: str, principal: Principal) -> dict[str, int]:
    notebook = json.loads(text) if text else {}
    return catalog.moved_notebooks.count_same_cells(notebook if isinstance(notebook, dict) else {}, principal)


def _name_cells(catalog: "Catalog", path: str, text: str, principal: Principal) -> None:
    notebook = json.loads(text) if text else {}
    catalog.notebooks.name_cells_by_headings(path, notebook, principal)
