"""`jupyter colophon spark conf`: the settings with which OpenLineage's Spark agent reports to a server (docs/spark-lineage.md)."""

import os
import shlex
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from traitlets import Enum, Unicode

from jupyter_colophon.cli.command import FINE, WRONG_USAGE, Command
from jupyter_colophon.client.transport import Server
from jupyter_colophon.core.errors import InvalidConfiguration

#: The agent that the oracle test runs, of the Scala of Spark 4.
AGENT = "io.openlineage:openlineage-spark_2.13:1.53.0"
#: Stands for the token, which is a secret: what is printed ends in files, histories and tickets.
PLACEHOLDER = "<token>"
HOW = f"{PLACEHOLDER} is a token of that server: `jupyter server list` shows one on its machine, a hub's page of tokens makes one"


class Spark(Command):
    """Prints settings."""

    name = "jupyter-colophon-spark"
    description = (
        "conf: print the settings with which OpenLineage's Spark agent tells a server what clusters, spark-submit and Spark Connect"
        f" servers read and write. {HOW}."
    )
    arguments: tuple[str, ...] = ("conf",)
    aliases: dict[str, str] = Command.aliases | {
        "url": "Spark.url",
        "format": "Spark.format",
        "namespace": "Spark.namespace",
    }

    url = Unicode("", config=True, help="The server, with its base path. Default: COLOPHON_URL.")
    format = Enum(
        ("properties", "conf", "code"),
        "properties",
        config=True,
        help="properties: lines of spark-defaults.conf; conf: options of spark-submit; code: calls of a session's builder.",
    )
    namespace = Unicode("default", config=True, help="The namespace of the agent's jobs.")

    def work(self) -> int:
        """Print them."""
        if self.extra_args != ["conf"]:
            return self.told("this command is called so: jupyter colophon spark conf", WRONG_USAGE)
        settings = agent_settings(self._url(), self.namespace)
        self.answer(settings, FORMATS[self.format](settings))
        return FINE

    def _url(self) -> str:
        url = self.url or os.environ.get("COLOPHON_URL", "")
        if not url:
            raise InvalidConfiguration("which server? Say --url=, or set COLOPHON_URL")
        try:
            return Server(url).url
        except ValueError as error:
            raise InvalidConfiguration(f"--url: {error}") from None


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
