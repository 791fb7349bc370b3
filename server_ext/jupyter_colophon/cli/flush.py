"""`jupyter colophon flush`: ships what programs said while no server answered (docs/programs.md)."""

import logging
from typing import Any

from traitlets import Bool, Unicode

from jupyter_colophon.cli.command import FINE, REFUSED, Command
from jupyter_colophon.cli.servers import server_named
from jupyter_colophon.client.catalog import Catalog
from jupyter_colophon.client.programs.delivery import Delivery
from jupyter_colophon.client.programs.spool import default_folder, left_behind, same_place


class Flush(Command):
    """Ships the spool."""

    name = "jupyter-colophon-flush"
    description = "Ship what programs said while no server answered, and what killed ones left."
    aliases: dict[str, str] = Command.aliases | {"url": "Flush.url"}
    flags: dict[str, Any] = Command.flags | {
        "any": ({"Flush": {"any": True}}, "Ship also what was said for other servers.")
    }

    url = Unicode("", config=True, help="The server (its token in COLOPHON_TOKEN). Default: COLOPHON_URL.")
    any = Bool(False, config=True, help="Ship also what was said for other servers.")

    def work(self) -> int:
        """Ship what no living process holds; that ships its own."""
        server = server_named(self.url)
        logging.basicConfig(format="%(message)s")
        catalog = Catalog(server)
        delivery, waiting, elsewhere = Delivery(catalog), 0, 0
        for file in left_behind(default_folder()):
            try:
                if not self.any and not same_place(file.server, server.url):
                    elsewhere += len(file)
                elif waiting or not delivery.empty(file):
                    waiting += len(file)
            finally:
                file.release()
        catalog.close()
        told = {"told": delivery.told, "dropped": delivery.dropped, "waiting": waiting, "elsewhere": elsewhere}
        self.answer(told, f"{delivery.told} told, {delivery.dropped} dropped, {waiting} waiting{_other(elsewhere)}")
        if waiting:
            return self.told(delivery.trouble, REFUSED)
        return REFUSED if delivery.dropped else FINE


def _other(count: int) -> str:
    return f"; {count} said for other servers (--any)" if count else ""
