"""The extension of the shared service: the catalog, without kernels, notebooks and pipelines."""

from traitlets import default

from jupyter_colophon.http.app import Colophon
from jupyter_colophon.http.service.worker import count_workers
from jupyter_colophon.http.state import SETTING, ServerState


class ServiceExtension(Colophon):
    """Serves the catalog of many users, whose kernels run elsewhere. Settings are `c.Colophon.<trait>`."""

    is_shared_service = True

    @default("max_queue_delay_seconds")
    def _get_default_queue_delay(self) -> float:
        """Limit the delay of requests: a person alone rather waits, but many clients would wait for ever longer."""
        return 0.5

    def initialize_settings(self) -> None:
        """Share the memory of the machine with the other processes of the service."""
        super().initialize_settings()
        self.settings[SETTING].load_shedder.processes = count_workers()

    def start_notebook_services(self, state: ServerState) -> None:
        """Do nothing: the service starts no kernels and no pipelines, and has no notebooks."""
