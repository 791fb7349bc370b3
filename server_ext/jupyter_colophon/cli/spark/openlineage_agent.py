"""`jupyter colophon spark conf`: settings for OpenLineage's Spark agent to report to a server (docs/spark-lineage.md)."""

import shlex
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.cli.servers import add_server_url_option, require_server_address

#: The agent for the Scala version of Spark 4. Tests compare lineage with it.
AGENT = "io.openlineage:openlineage-spark_2.13:1.53.0"
#: Printed instead of the token, which is a secret: output ends up in files, shell histories and tickets.
PLACEHOLDER = "<token>"
TOKEN_HINT = (
    f"{PLACEHOLDER} is a token of that server: `jupyter server list` on its machine shows it; for JupyterHub, create one on"
    " the token page"
)


class SparkCommand(CliCommand):
    """Print the settings of the agent."""

    description = "Print settings for OpenLineage's Spark agent to report to a server."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the only subcommand."""
        conf = parser.add_group_of_subcommands().add_parser(
            "conf",
            help="Print the settings of the agent.",
            description="Print settings for OpenLineage's Spark agent, which reports the reads and writes of clusters,"
            f" spark-submit and Spark Connect servers to a server. {TOKEN_HINT}.",
            examples=("--url=http://localhost:8888/", "--url=http://localhost:8888/ --format=conf"),
        )
        add_server_url_option(conf)
        conf.add_argument(
            "--format",
            choices=tuple(FORMATS),
            default="properties",
            help="properties: lines of spark-defaults.conf; conf: options of spark-submit; code: calls of the session builder.",
        )
        conf.add_argument("--namespace", default="default", metavar="NAME", help="The namespace of the agent's jobs.")

    def run(self) -> int:
        """Print the settings."""
        settings = build_agent_settings(require_server_address(self.args.url).url, self.args.namespace)
        self.print_result(settings, FORMATS[self.args.format](settings))
        return EXIT_OK


def build_agent_settings(url: str, namespace: str) -> dict[str, str]:
    """Return the agent's settings. The path is a separate setting: the agent ignores that of the URL."""
    parts = urlsplit(url)
    transport = "spark.openlineage.transport"
    return {
        "spark.jars.packages": AGENT,
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": namespace,
        f"{transport}.type": "http",
        f"{transport}.url": f"{parts.scheme}://{parts.netloc}",
        f"{transport}.endpoint": f"{parts.path.rstrip('/')}/colophon/openlineage/api/v1/lineage",
        f"{transport}.auth.type": "api_key",
        f"{transport}.auth.apiKey": PLACEHOLDER,
    }


def _format_properties(settings: Mapping[str, str]) -> str:
    return "\n".join([f"# {TOKEN_HINT}.", *(f"{key} {value}" for key, value in settings.items())])


def _format_submit_options(settings: Mapping[str, str]) -> str:
    return " \\\n".join(f"--conf {shlex.quote(f'{key}={value}')}" for key, value in settings.items())


def _format_python_code(settings: Mapping[str, str]) -> str:
    calls = [f"    .config({key!r}, {value!r})" for key, value in settings.items()]
    return "\n".join(["(", "    SparkSession.builder", *calls, "    .getOrCreate()", f")  # {TOKEN_HINT}."])


FORMATS: Mapping[str, Callable[[Mapping[str, str]], str]] = {
    "properties": _format_properties,
    "conf": _format_submit_options,
    "code": _format_python_code,
}
