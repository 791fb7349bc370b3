"""`jupyter colophon check-quality DATASET`: check a dataset against its expectations (docs/how-to/check-data-quality.md)."""

import threading
import uuid
from contextlib import closing
from typing import Any

from jupyter_colophon.cli.catalog.entity_command import add_pairs_option
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.cli.servers import add_server_url_option, require_server_address
from jupyter_colophon.cli.spark.signal_handling import InterruptHandler, add_stop_option, stop_on_stdin_eof
from jupyter_colophon.cli.spark.start_session import start_spark_session
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.did_you_mean import explain_missing_entity
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import EntityNotFound
from jupyter_colophon.client.programs.entity import resolve_entity
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.errors import DataUnreadable, InvalidConfiguration, InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.rendering.renderers import render_document_page


class CheckQualityCommand(CliCommand):
    """Check a dataset."""

    description = (
        "Read the data of a dataset with Spark on this machine, check its expectations, and report the results to a"
        " server. The exit status is 1 if an expectation of the severity error failed."
    )
    examples = ("sales.orders", "/data/flights.csv --conf=spark.driver.memory=4g")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the dataset and the options."""
        parser.add_argument(
            "dataset", metavar="DATASET", help="A table name, a file path that begins with /, or a URN."
        )
        add_server_url_option(parser)
        add_pairs_option(parser, "--conf", "A Spark setting; may be repeated.")
        parser.add_argument("--run-id", default="", metavar="ID", help="The id of the run. Default: a new one.")
        add_stop_option(parser)

    def run(self) -> int:
        """Check, and print the results."""
        from jupyter_colophon.spark.quality.api import build_check_document
        from jupyter_colophon.spark.quality.dataset_check import DatasetCheck

        urn = self._resolve_dataset()
        interrupts = InterruptHandler()
        if self.args.stop_on_stdin_eof:
            threading.Thread(target=stop_on_stdin_eof, daemon=True).start()
        with closing(Operations(Transport(require_server_address(self.args.url)))) as catalog:
            if find_entity(catalog, str(urn), "status") is None:
                raise EntityNotFound(explain_missing_entity(catalog, str(urn)))
            check = DatasetCheck(catalog, urn, self.args.run_id or str(uuid.uuid4()))
            try:
                report = check.check_and_record(lambda: interrupts.run_uninterrupted(self._start_spark_session))
            except KeyboardInterrupt:
                return self.print_error_and_get_status(f"check {check.run_id} stopped")
            except DataUnreadable as error:
                return self.print_error_and_get_status(error.detail)
        document = build_check_document(report)
        self.print_result(document, str(render_document_page("check", document)))
        return EXIT_FAILED if report.failed_ids else EXIT_OK

    def _resolve_dataset(self) -> Urn:
        try:
            return Urn.parse(resolve_entity(self.args.dataset).urn)
        except InvalidName as error:
            raise InvalidConfiguration(error.detail) from None

    def _start_spark_session(self) -> Any:
        return start_spark_session("colophon check", dict(self.args.conf))
