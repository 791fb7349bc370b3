"""`python -m jupyter_colophon.operations.app_worker FD`: a worker process of a system application.

Its server starts it, and sends the settings of the catalog through the socket with this descriptor: they may contain a
password, which no other account can read there.
"""

import logging
import socket
import sys
from importlib.metadata import version
from typing import Any

from jupyter_colophon.apps.workers.frames import receive_frame
from jupyter_colophon.apps.workers.worker_loop import answer_calls, end_with_server, limit_memory


def main() -> None:
    """Answer calls until the server closes the socket."""
    end_with_server()
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.set_inheritable(False)
    start = receive_frame(channel).header
    sys.path[:] = start["path"]
    limit_memory(start["memoryBytes"])
    # The server logs what this process writes.
    logging.basicConfig(stream=sys.stderr, format="%(message)s", level=logging.WARNING)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a TextIOWrapper

    from traitlets.config import Config

    from jupyter_colophon.operations.services import ProcessServices
    from jupyter_colophon.settings import Settings, create_settings

    settings = create_settings(Settings, Config({"Colophon": start["settings"]}))
    services = ProcessServices(
        settings, settings.choose_store(), settings.build_identity(), version("jupyter-colophon"), is_worker=True
    )
    apps = services.get_system_apps()
    apps.start_spark = _start_spark
    try:
        answer_calls(channel, start, apps)
    finally:
        apps.close()
        services.close()


def _start_spark() -> Any:
    from jupyter_colophon.spark.session import get_or_start_active_session

    return get_or_start_active_session()


if __name__ == "__main__":
    main()
