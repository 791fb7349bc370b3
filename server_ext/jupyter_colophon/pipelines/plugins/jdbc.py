"""Tables of databases, by JDBC. A password is in no pipeline: the environment of the run has it."""

import os
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Sink, Source
from jupyter_colophon.pipelines.plugins import shapes
from jupyter_colophon.spark.names import dataset_names

_PLACE = {
    "url": shapes.text("URL", "jdbc:postgresql://host/database, without a password", pattern="^jdbc:"),
    "table": shapes.text("Table", "The table, with its schema where it has one"),
    "user": shapes.text("User", "Who signs in"),
    "password_from": shapes.text(
        "Password from", "The environment variable that has the password", pattern="^[A-Za-z_][A-Za-z0-9_]*$"
    ),
    "driver": shapes.text("Driver", "The driver's class, where Spark does not know it from the URL"),
    "options": shapes.OPTIONS,
}


class JdbcSource(Source):
    """Reads a table of a database."""

    name = "jdbc"
    title = "JDBC"
    description = "A table of a database"
    properties = _PLACE
    required = ("url", "table")

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The table."""
        return _dataset(self.settings)

    def read(self, context: StageContext) -> Any:
        """The table."""
        return context.spark.read.format("jdbc").options(**_options(self.settings)).load()


class JdbcSink(Sink):
    """Writes a table of a database."""

    name = "jdbc"
    title = "JDBC"
    description = "A table of a database. What a failed try has written stays there"
    properties = {**_PLACE, "mode": shapes.MODE}
    required = ("url", "table")

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The table."""
        return _dataset(self.settings)

    def write(self, context: StageContext, data: Any) -> None:
        """The table, which is made where there is none."""
        data.write.format("jdbc").mode(self.settings.get("mode", "error")).options(**_options(self.settings)).save()


def _options(settings: Mapping[str, Any]) -> dict[str, str]:
    """Spark's options. Raises LookupError where the environment has no such variable."""
    found = {"url": settings["url"], "dbtable": settings["table"], **settings.get("options", {})}
    found |= {name: settings[name] for name in ("user", "driver") if name in settings}
    if (variable := settings.get("password_from")) is not None:
        if variable not in os.environ:
            msg = f"the environment has no variable {variable}, which should have the password"
            raise LookupError(msg)
        found["password"] = os.environ[variable]
    return found


def _dataset(settings: Mapping[str, Any]) -> MetadataEntity | None:
    urn = dataset_names.jdbc(settings["url"], settings["table"])
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (JdbcSource, JdbcSink)
