"""`jupyter colophon flush`: ships what programs said while no server answered (docs/programs.md)."""

import logging
import os
from typing import Any

from traitlets import Bool, Unicode

from jupyter_colophon.cli.command import FINE, REFUSED, Command
from jupyter_colophon.client.catalog import Catalog
from jupyter_colophon.client.programs.delivery import Delivery
from jupyter_colophon.client.programs.spool import default_folder, left_behind, same_place
from jupyter_colophon.client.transport import Server
from jupyter_colophon.core.errors import Misconfigured


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
        server = self._server()
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

    def _server(self) -> Server:
        url = self.url or os.environ.get("COLOPHON_URL", "")
        if not url:
            raise Misconfigured("which server? Say --url=, or set COLOPHON_URL")
        try:
            return Server(url, os.environ.get("COLOPHON_TOKEN", ""))
        except ValueError as error:
            raise Misconfigured(f"--url: {error}") from None


def _other(count: int) -> str:
    return f"; {count} said for other servers (--any)" if count else ""
