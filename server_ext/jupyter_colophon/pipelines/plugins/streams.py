"""Streams of the catalog: read events as rows, and write rows as events."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import MetadataUnavailable
from jupyter_colophon.client.programs.running import get_configured_server
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.identity.names import make_stream_urn
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, SinkPlugin, SourcePlugin
from jupyter_colophon.pipelines.plugins import property_schemas

#: Maximum number of events and bytes of a batch.
_EVENTS, _BYTES = 5_000, 4 * 1024 * 1024
_NOT_FOUND = 404
_NAME = property_schemas.define_text(
    "Name",
    "namespace.stream; the default namespace is that of the pipeline",
    pattern="^([A-Za-z0-9_]+[.])?[A-Za-z0-9_-]+$",
)
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class StreamSource(SourcePlugin):
    """Read the events of a stream."""

    name = "stream"
    title = "Stream"
    description = "The events of a stream of the catalog: timestamp, source, body, day. Spark reads them from the folder of the server"
    properties = {
        "name": _NAME,
        "body": property_schemas.define_text(
            "Body", "The Spark SQL type of an event, such as STRUCT<page: STRING>", default="STRING"
        ),
        "since": property_schemas.define_text("Since", "The first UTC day, such as 2026-11-22", pattern=_DAY),
        "until": property_schemas.define_text(
            "Until", "The UTC day after the last day to read, such as 2026-11-23", pattern=_DAY
        ),
    }
    required = ("name",)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the stream."""
        return MetadataEntity(str(make_stream_urn(*_split_name(self.settings["name"], namespace))))

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of an event."""
        return ("timestamp", "source", "body", "day")

    def read(self, context: StageContext) -> Any:
        """Return the events. Raises MetadataUnavailable if the server does not provide their folder."""
        folder = _find_folder(*_split_name(self.settings["name"], context.namespace))
        known_as, named = dataset_names.build_file_urn(folder), self.get_dataset(context.namespace)
        if known_as is not None and named is not None:
            context.aliases[known_as] = named
        shape = f"timestamp LONG, source STRING, body {self.settings.get('body', 'STRING')}, day DATE"
        # A stream without events has no folder yet.
        reader = context.spark.read.schema(shape).option("ignoreMissingFiles", "true")
        data = (
            reader.json(folder)
            if _is_folder_visible(context.spark, folder)
            else context.spark.createDataFrame([], shape)
        )
        if "since" in self.settings:
            data = data.filter(data.day >= self.settings["since"])
        return data.filter(data.day < self.settings["until"]) if "until" in self.settings else data


class StreamSink(SinkPlugin):
    """Write rows as events."""

    name = "stream"
    title = "Stream"
    description = "Each row becomes an event of the stream, as JSON. Events of a failed attempt are kept"
    properties = {"name": _NAME}
    required = ("name",)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the stream."""
        return MetadataEntity(str(make_stream_urn(*_split_name(self.settings["name"], namespace))))

    def write(self, context: StageContext, data: Any) -> None:
        """Write the events in batches; the stream is created if necessary. Raises MetadataUnavailable, RequestFailed, ServerUnavailable."""
        at = _build_path(*_split_name(self.settings["name"], context.namespace))
        count = 0
        server = _connect_to_server()
        try:
            if _read_description(server, at) is None:
                server.request("PUT", at, body={})
            for batch in _split_batches(row for (row,) in _iterate_json_lines(data)):
                server.request("POST", f"{at}/batch", body=batch, headers={"Content-Type": "application/x-ndjson"})
                count += batch.count(b"\n")
        finally:
            server.close()
        context.log(f"wrote {count} events")


def _split_name(name: str, namespace: str) -> tuple[str, str]:
    first, dot, last = name.partition(".")
    return (first, last) if dot else (namespace, first)


def _build_path(namespace: str, name: str) -> str:
    return f"/namespaces/{quote(namespace, safe='')}/streams/{quote(name, safe='')}"


def _connect_to_server() -> Transport:
    server = get_configured_server()
    if server is None:
        raise MetadataUnavailable("the stream", "no server is configured: set COLOPHON_URL")
    return Transport(server, prefix="/colophon/v3")


def _read_description(server: Transport, path: str) -> dict[str, Any] | None:
    """Return the server's description of a stream; None if there is none."""
    try:
        return dict(server.request("GET", path).body)
    except RequestFailed as refused:
        if refused.status == _NOT_FOUND:
            return None
        raise


def _find_folder(namespace: str, name: str) -> str:
    server = _connect_to_server()
    try:
        description = _read_description(server, _build_path(namespace, name))
    finally:
        server.close()
    if description is None or description.get("events") is None:
        why = "no such stream" if description is None else "its server stores no events (store_stream_events)"
        raise MetadataUnavailable(f"{namespace}.{name}", why)
    return str(description["events"])


def _is_folder_visible(spark: Any, folder: str) -> bool:
    """Return whether Spark finds the folder, which may be on another machine, or shared."""
    path = spark._jvm.org.apache.hadoop.fs.Path(folder)
    return bool(path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).exists(path))


def _iterate_json_lines(data: Any) -> Iterator[Any]:
    from pyspark.sql import functions

    rows: Iterator[Any] = data.select(functions.to_json(functions.struct("*"))).toLocalIterator()
    return rows


def _split_batches(lines: Iterable[str]) -> Iterator[bytes]:
    batch, size = [], 0
    for line in lines:
        batch.append(line.encode() + b"\n")
        size += len(batch[-1])
        if len(batch) == _EVENTS or size >= _BYTES:
            yield b"".join(batch)
            batch, size = [], 0
    if batch:
        yield b"".join(batch)


PLUGINS = (StreamSource, StreamSink)
