"""Tables of databases, by JDBC. A pipeline contains no password, which is in the environment of the run."""

import os
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import SinkPlugin, SourcePlugin
from jupyter_colophon.pipelines.plugins import property_schemas

_PLACE = {
    "url": property_schemas.define_text("URL", "jdbc:postgresql://host/database, without a password", pattern="^jdbc:"),
    "table": property_schemas.define_text("Table", "The table, with its schema if needed"),
    "user": property_schemas.define_text("User", "The database user"),
    "password_from": property_schemas.define_text(
        "Password from", "The environment variable with the password", pattern="^[A-Za-z_][A-Za-z0-9_]*$"
    ),
    "driver": property_schemas.define_text("Driver", "The driver's class, if Spark cannot derive it from the URL"),
    "options": property_schemas.OPTIONS,
}


class JdbcSource(SourcePlugin):
    """Read a table of a database."""

    name = "jdbc"
    title = "JDBC"
    description = "A table of a database"
    properties = _PLACE
    required = ("url", "table")

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the table."""
        return _resolve_dataset(self.settings)

    def read(self, context: StageContext) -> Any:
        """Return the content of the table."""
        return context.spark.read.format("jdbc").options(**_build_options(self.settings)).load()


class JdbcSink(SinkPlugin):
    """Write a table of a database."""

    name = "jdbc"
    title = "JDBC"
    description = "A table of a database. Rows written by a failed attempt are kept"
    properties = {**_PLACE, "mode": property_schemas.MODE}
    required = ("url", "table")

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the table."""
        return _resolve_dataset(self.settings)

    def write(self, context: StageContext, data: Any) -> None:
        """Write the table; it is created if necessary."""
        data.write.format("jdbc").mode(self.settings.get("mode", "error")).options(
            **_build_options(self.settings)
        ).save()

    def read_written(self, context: StageContext) -> Any:
        """Return the content of the table."""
        return context.spark.read.format("jdbc").options(**_build_options(self.settings)).load()


def _build_options(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return Spark's options. Raises LookupError if the environment variable of the password is not set."""
    options = {"url": settings["url"], "dbtable": settings["table"], **settings.get("options", {})}
    options |= {name: settings[name] for name in ("user", "driver") if name in settings}
    if (variable := settings.get("password_from")) is not None:
        if variable not in os.environ:
            msg = f"the environment variable {variable} for the password is not set"
            raise LookupError(msg)
        options["password"] = os.environ[variable]
    return options


def _resolve_dataset(settings: Mapping[str, Any]) -> MetadataEntity | None:
    urn = dataset_names.build_jdbc_urn(settings["url"], settings["table"])
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (JdbcSource, JdbcSink)
