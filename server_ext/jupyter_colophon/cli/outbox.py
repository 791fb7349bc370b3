"""`jupyter colophon outbox flush`: sends what programs emitted while no server answered (docs/programs.md)."""

import logging
from typing import Any

from traitlets import Bool, Unicode

from jupyter_colophon.cli.command import FINE, REFUSED, WRONG_USAGE, Command
from jupyter_colophon.cli.servers import server_named
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.programs.outbox import default_folder, left_behind, same_place
from jupyter_colophon.client.programs.outbox_delivery import Delivery
from jupyter_colophon.client.transport import Transport


class Outbox(Command):
    """Sends the outbox."""

    name = "jupyter-colophon-outbox"
    description = "flush: send what programs emitted while no server answered, and what killed ones left."
    arguments: tuple[str, ...] = ("flush",)
    aliases: dict[str, str] = Command.aliases | {"url": "Outbox.url"}
    flags: dict[str, Any] = Command.flags | {
        "all-servers": ({"Outbox": {"all_servers": True}}, "Also send what was emitted for other servers.")
    }

    url = Unicode("", config=True, help="The server (its token in COLOPHON_TOKEN). Default: COLOPHON_URL.")
    all_servers = Bool(False, config=True, help="Also send what was emitted for other servers.")

    def work(self) -> int:
        """Send what no running process holds; a running process sends its own."""
        if self.extra_args != ["flush"]:
            return self.told("usage: jupyter colophon outbox flush", WRONG_USAGE)
        server = server_named(self.url)
        logging.basicConfig(format="%(message)s")
        catalog = Operations(Transport(server))
        delivery, pending, other_servers = Delivery(catalog), 0, 0
        for file in left_behind(default_folder()):
            try:
                if not self.all_servers and not same_place(file.server, server.url):
                    other_servers += len(file)
                elif pending or not delivery.empty(file):
                    pending += len(file)
            finally:
                file.release()
        catalog.close()
        result = {
            "sent": delivery.told,
            "dropped": delivery.dropped,
            "pending": pending,
            "otherServers": other_servers,
        }
        self.answer(
            result, f"{delivery.told} sent, {delivery.dropped} dropped, {pending} pending{_other(other_servers)}"
        )
        if pending:
            return self.told(delivery.trouble, REFUSED)
        return REFUSED if delivery.dropped else FINE


def _other(count: int) -> str:
    return f"; {count} for other servers (--all-servers)" if count else ""
