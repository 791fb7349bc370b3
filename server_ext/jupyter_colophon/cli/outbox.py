"""`jupyter colophon outbox flush`: sends what programs emitted while no server answered (docs/programs.md)."""

import logging

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.cli.servers import add_server_url, server_named
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.programs.outbox import claim_orphaned_files, default_folder, is_same_server
from jupyter_colophon.client.programs.outbox_delivery import Delivery
from jupyter_colophon.client.transport import Transport


class Outbox(Command):
    """Sends the outbox."""

    description = "Send what programs emitted while no server answered."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the only subcommand."""
        description = "Send what programs emitted while no server answered, and what killed ones left."
        flush = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True).add_parser(
            "flush", help="Send it.", description=description
        )
        add_server_url(flush)
        flush.add_argument("--all-servers", action="store_true", help="Also send what was emitted for other servers.")

    def run(self) -> int:
        """Send what no running process holds; a running process sends its own."""
        server = server_named(self.args.url)
        logging.basicConfig(format="%(message)s")
        catalog = Operations(Transport(server))
        delivery, pending, other_servers = Delivery(catalog), 0, 0
        for file in claim_orphaned_files(default_folder()):
            try:
                if not self.args.all_servers and not is_same_server(file.server, server.url):
                    other_servers += len(file)
                elif pending or not delivery.empty(file):
                    pending += len(file)
            finally:
                file.release()
        catalog.close()
        result = {
            "sent": delivery.sent,
            "dropped": delivery.dropped,
            "pending": pending,
            "otherServers": other_servers,
        }
        self.answer(
            result, f"{delivery.sent} sent, {delivery.dropped} dropped, {pending} pending{_other(other_servers)}"
        )
        if pending:
            return self.fail(delivery.error)
        return EXIT_FAILED if delivery.dropped else EXIT_OK


def _other(count: int) -> str:
    return f"; {count} for other servers (--all-servers)" if count else ""
