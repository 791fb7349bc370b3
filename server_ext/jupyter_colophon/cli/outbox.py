"""`jupyter colophon outbox flush`: send what programs emitted, and notebooks did, while no server was available (docs/programs.md)."""

import logging

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.cli.servers import add_server_url_option, require_server_address
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.programs.outbox import claim_orphaned_files, find_outbox_folder, is_same_server
from jupyter_colophon.client.programs.outbox_delivery import OutboxDelivery
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.kernel.orphaned_reports import OrphanResult, send_orphaned_reports


class OutboxCommand(CliCommand):
    """Send the outbox."""

    description = (
        "Send the metadata of programs and the lineage of notebooks that was stored while no server was available."
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the only subcommand."""
        description = (
            "Send the outbox to a server: metadata that programs emitted, and lineage of notebooks that was captured,"
            " while no server was available, including those of killed programs and kernels."
        )
        flush = parser.add_group_of_subcommands().add_parser(
            "flush",
            help="Send the outbox.",
            description=description,
            examples=("--url=http://localhost:8888/",),
        )
        add_server_url_option(flush)
        flush.add_argument(
            "--all-servers", action="store_true", help="Also send metadata that was emitted for other servers."
        )

    def run(self) -> int:
        """Send the files that no running process owns: a running process sends its own."""
        server = require_server_address(self.args.url)
        logging.basicConfig(format="%(message)s")
        catalog = Operations(Transport(server))
        delivery, pending, other_servers = OutboxDelivery(catalog), 0, 0
        for file in claim_orphaned_files(find_outbox_folder()):
            try:
                if not self.args.all_servers and not is_same_server(file.server, server.url):
                    other_servers += len(file)
                elif pending or not delivery.send_pending_entries(file):
                    pending += len(file)
            finally:
                file.release_or_remove()
        reports = self._send_reports(catalog, server)
        catalog.close()
        result = {
            "sent": delivery.sent + reports.sent,
            "dropped": delivery.dropped + reports.dropped,
            "pending": pending + reports.pending,
            "otherServers": other_servers + reports.other_servers,
        }
        self.print_result(
            result,
            f"{result['sent']} sent, {result['dropped']} dropped, {result['pending']} pending{_format_other_servers(result['otherServers'])}",
        )
        if result["pending"]:
            return self.print_error_and_get_status(delivery.error or reports.error)
        return EXIT_FAILED if result["dropped"] else EXIT_OK

    def _send_reports(self, catalog: Operations, server: ServerAddress) -> OrphanResult:
        return send_orphaned_reports(catalog, server.url, all_servers=self.args.all_servers)


def _format_other_servers(count: int) -> str:
    return f"; {count} for other servers (--all-servers)" if count else ""
