"""`jupyter colophon spark conf`: the settings with which OpenLineage's Spark agent reports to a server (docs/spark-lineage.md)."""

import shlex
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.cli.servers import add_server_url, server_named

#: The agent that the oracle test runs, of the Scala of Spark 4.
AGENT = "io.openlineage:openlineage-spark_2.13:1.53.0"
#: Stands for the token, which is a secret: what is printed ends in files, histories and tickets.
PLACEHOLDER = "<token>"
HOW = f"{PLACEHOLDER} is a token of that server: `jupyter server list` shows one on its machine, a hub's page of tokens makes one"


class Spark(Command):
    """Prints settings."""

    description = "Print the settings with which OpenLineage's Spark agent reports here."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the only subcommand."""
        conf = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True).add_parser(
            "conf",
            help="Print the settings of the agent.",
            description="Print the settings with which OpenLineage's Spark agent tells a server what clusters, spark-submit and"
            f" Spark Connect servers read and write. {HOW}.",
        )
        add_server_url(conf)
        conf.add_argument(
            "--format",
            choices=tuple(FORMATS),
            default="properties",
            help="properties: lines of spark-defaults.conf; conf: options of spark-submit; code: calls of a session's builder.",
        )
        conf.add_argument("--namespace", default="default", metavar="NAME", help="The namespace of the agent's jobs.")

    def run(self) -> int:
        """Print them."""
        settings = agent_settings(server_named(self.args.url).url, self.args.namespace)
        self.answer(settings, FORMATS[self.args.format](settings))
        return EXIT_OK


def agent_settings(url: str, namespace: str) -> dict[str, str]:
    """The settings. The agent drops the path of its URL, so the path stands by itself."""
    at = urlsplit(url)
    transport = "spark.openlineage.transport"
    return {
        "spark.jars.packages": AGENT,
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": namespace,
        f"{transport}.type": "http",
        f"{transport}.url": f"{at.scheme}://{at.netloc}",
        f"{transport}.endpoint": f"{at.path.rstrip('/')}/colophon/openlineage/api/v1/lineage",
        f"{transport}.auth.type": "api_key",
        f"{transport}.auth.apiKey": PLACEHOLDER,
    }


def _properties(settings: Mapping[str, str]) -> str:
    return "\n".join([f"# {HOW}.", *(f"{key} {value}" for key, value in settings.items())])


def _conf(settings: Mapping[str, str]) -> str:
    return " \\\n".join(f"--conf {shlex.quote(f'{key}={value}')}" for key, value in settings.items())


def _code(settings: Mapping[str, str]) -> str:
    calls = [f"    .config({key!r}, {value!r})" for key, value in settings.items()]
    return "\n".join(["(", "    SparkSession.builder", *calls, "    .getOrCreate()", f")  # {HOW}."])


FORMATS: Mapping[str, Callable[[Mapping[str, str]], str]] = {
    "properties": _properties,
    "conf": _conf,
    "code": _code,
}
