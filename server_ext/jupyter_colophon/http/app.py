"""The server extension: its settings, routes, start and stop."""

import asyncio
import atexit
import logging
from collections.abc import Iterable
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_core.paths import jupyter_data_dir
from jupyter_server.extension.application import ExtensionApp
from traitlets import default

from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.http.kernels import provisioner
from jupyter_colophon.http.lazy_routes import LazyRouter, Route
from jupyter_colophon.http.notebook_follower import NotebookFollower
from jupyter_colophon.http.request_log import RequestLog
from jupyter_colophon.http.state import SETTING, ServerState
from jupyter_colophon.settings import Settings
from jupyter_colophon.system.private_folders import restrict_folder_to_owner

if TYPE_CHECKING:
    from jupyter_colophon.http.forwarding.shared_catalog import SharedCatalog

_logger = logging.getLogger("jupyter_colophon.http")


class Colophon(Settings, ExtensionApp):
    """Metadata for the data that notebooks work on. Settings are `c.Colophon.<trait>`."""

    name = "jupyter_colophon"
    app_name = "Jupyter Colophon"
    description = "The catalog of the data that notebooks work on."
    extension_url = "/colophon/api/health"
    load_other_extensions = True
    _config_error = ""

    #: The server ignores unreadable config files, and so our settings; the extension must not.
    raise_config_file_errors = True

    @default("app_data_folders")
    def _default_app_data_folders(self) -> list[str]:
        """Return the root directory of a personal server, which its user reads and writes in JupyterLab, too."""
        return [] if self.is_managed or self.serverapp is None else [self.serverapp.root_dir]

    def load_config_file(self, suppress_errors: bool = True) -> None:  # type: ignore[override]  # as JupyterApp does
        """Load our config files. An error of an unreadable one is recorded without its content."""
        try:
            super().load_config_file(suppress_errors=False)
        except Exception as error:  # noqa: BLE001  a config file is arbitrary code
            self._config_error = f"the config file {self.config_file_name} cannot be read ({type(error).__name__})"

    def initialize_settings(self) -> None:
        """Put our state into the server's settings. Nothing is opened yet: the first request does that."""
        if self.serverapp is not None:
            # Log with the server's format, level and handlers.
            logging.getLogger("jupyter_colophon").parent = self.serverapp.log
        # Earlier versions left the folder readable by others if a kernel was started before the first request.
        restrict_folder_to_owner(Path(jupyter_data_dir()) / "colophon")
        store, problem = self._choose_store_and_find_problem()
        shared: SharedCatalog | None = None
        if self.service_url and not self.is_shared_service and not problem:
            shared, problem = self._find_shared_catalog()
        if problem:
            _logger.error("the catalog cannot be opened, so its requests are refused: %s", problem)
        elif shared is not None:
            # Nothing here opens a catalog beside the shared one.
            problem = f"this server uses the shared catalog at {shared.address.url}"
            store = StorageChoice("service", {"url": shared.address.url})
        self.settings[SETTING] = state = ServerState(
            self, store, self.build_identity(), version("jupyter-colophon"), problem, elyra_api=self._serves_elyra_api
        )
        state.request_log = self._open_request_log()
        state.is_shared_service = self.is_shared_service
        if shared is not None:
            state.use_shared_catalog(shared)
        if self.sinks and not problem:
            from jupyter_colophon.http.changes.event_bus import create_event_emitter

            state.start_sink_delivery(self.sinks, create_event_emitter(self.serverapp))
        self.start_notebook_services(state)

    def start_notebook_services(self, state: ServerState) -> None:
        """Give kernels a token, start scheduled pipelines, and follow notebooks."""
        if self.serverapp is None:
            return
        state.token_issuer = partial(provisioner.issue_token_of_pipeline, self.serverapp)
        provisioner.install_default_provisioner(self.serverapp)
        if not state.configuration_error and self.max_scheduled_runs:
            state.start_pipeline_scheduler(state.token_issuer)
        if not state.configuration_error or state.shared_catalog is not None:
            state.notebook_follower = NotebookFollower(self.serverapp, state)
            state.notebook_follower.start()

    def _choose_store_and_find_problem(self) -> tuple[StorageChoice, str]:
        """Return the store, and why the settings cannot be used; "" if they can."""
        try:
            store, problem = self.choose_store(), ""
        except InvalidConfiguration as error:
            store, problem = StorageChoice(self.storage_provider), error.detail
        return store, self._config_error or problem

    def _find_shared_catalog(self) -> "tuple[SharedCatalog | None, str]":
        """Return the shared service, or why its settings are invalid."""
        from jupyter_colophon.http.forwarding.shared_catalog import SharedCatalog

        try:
            return SharedCatalog.from_settings(self.service_url), ""
        except InvalidConfiguration as error:
            return None, error.detail

    def _open_request_log(self) -> RequestLog | None:
        try:
            return RequestLog(Path(self.request_log)) if self.request_log else None
        except OSError as error:
            _logger.error("requests are not logged: %s cannot be written: %s", self.request_log, error.strerror)
            return None

    def initialize_handlers(self) -> None:
        """Handle requests below our prefixes. The routes and their modules are loaded by the first such request."""
        if self.serverapp is not None:
            prefixes = ["colophon", "elyra"] if self._serves_elyra_api else ["colophon"]
            LazyRouter(self.serverapp.web_app, self.serverapp.base_url, self._load_routes).install_for_prefixes(
                prefixes
            )

    def _load_routes(self) -> Iterable[Route]:
        if self.service_url and not self.is_shared_service:
            from jupyter_colophon.http.forwarding.handlers import list_forwarding_routes

            return list_forwarding_routes(elyra=self._serves_elyra_api)
        from jupyter_colophon.http.garbage_collection import adapt_collector_to_large_answers
        from jupyter_colophon.http.routes import list_server_routes

        routes = list_server_routes(elyra=self._serves_elyra_api)
        adapt_collector_to_large_answers()
        return routes

    @cached_property
    def _serves_elyra_api(self) -> bool:
        """Return whether this extension serves `/elyra/…` (spec INST-15)."""
        if self.elyra_api != "auto":
            return bool(self.elyra_api == "on")
        extensions = getattr(self.serverapp, "extension_manager", None)
        elyra_extension = None if extensions is None else extensions.extensions.get("elyra")
        if elyra_extension is not None and elyra_extension.enabled:
            _logger.info("/elyra/ is served by Elyra's own server extension (c.Colophon.elyra_api)")
            return False
        return True

    async def stop_extension(self) -> None:
        """Close the catalog.

        The server stops its kernels after its extensions, and they report the end of their last runs then. So while
        kernels run, the catalog stays open until the process ends.
        """
        state: Any = self.settings.get(SETTING)
        if state is None:
            return
        # The runs that this server started report their end.
        await asyncio.get_running_loop().run_in_executor(None, state.close_pipelines)
        if self.serverapp is not None and self.serverapp.kernel_manager.list_kernel_ids():
            atexit.register(state.close)
        else:
            state.close()
