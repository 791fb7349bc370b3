"""Streams of the catalog: their events as rows, and rows as events."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import MetadataUnavailable
from jupyter_colophon.client.programs.running import known_server
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.identity.names import stream
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Sink, Source
from jupyter_colophon.pipelines.plugins import shapes
from jupyter_colophon.spark.names import dataset_names

#: Events go to the server so many at once, and fewer where they are large.
_EVENTS, _BYTES = 5_000, 4 * 1024 * 1024
_NOT_FOUND = 404
_NAME = shapes.text(
    "Name",
    "namespace.stream; without a namespace it is that of the pipeline",
    pattern="^([A-Za-z0-9_]+[.])?[A-Za-z0-9_-]+$",
)
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class StreamSource(Source):
    """Reads the events of a stream."""

    name = "stream"
    title = "Stream"
    description = "The events of a stream of the catalog: timestamp, source, body, day. Spark reads them where the server stores them"
    properties = {
        "name": _NAME,
        "body": shapes.text(
            "Body", "The type of an event, as Spark SQL writes it: STRUCT<page: STRING>", default="STRING"
        ),
        "since": shapes.text("Since", "From this UTC day on: 2026-11-22", pattern=_DAY),
        "until": shapes.text("Until", "Before this UTC day", pattern=_DAY),
    }
    required = ("name",)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The stream."""
        return MetadataEntity(str(stream(*_place(self.settings["name"], namespace))))

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """What is stored of each event."""
        return ("timestamp", "source", "body", "day")

    def read(self, context: StageContext) -> Any:
        """The events. Raises MetadataUnavailable where nobody says where they are."""
        folder = _folder(*_place(self.settings["name"], context.namespace))
        known_as, named = dataset_names.file(folder), self.dataset(context.namespace)
        if known_as is not None and named is not None:
            context.aliases[known_as] = named
        shape = f"timestamp LONG, source STRING, body {self.settings.get('body', 'STRING')}, day DATE"
        # A stream without events has no folder yet.
        reader = context.spark.read.schema(shape).option("ignoreMissingFiles", "true")
        data = reader.json(folder) if _is_there(context.spark, folder) else context.spark.createDataFrame([], shape)
        if "since" in self.settings:
            data = data.filter(data.day >= self.settings["since"])
        return data.filter(data.day < self.settings["until"]) if "until" in self.settings else data


class StreamSink(Sink):
    """Writes rows as events."""

    name = "stream"
    title = "Stream"
    description = "Each row an event of a stream of the catalog, as JSON. What a failed try has written stays there"
    properties = {"name": _NAME}
    required = ("name",)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The stream."""
        return MetadataEntity(str(stream(*_place(self.settings["name"], namespace))))

    def write(self, context: StageContext, data: Any) -> None:
        """The events, in batches; the stream is made where there is none. Raises MetadataUnavailable, RequestFailed, ServerUnavailable."""
        at = _at(*_place(self.settings["name"], context.namespace))
        count = 0
        server = _server()
        try:
            if _read_description(server, at) is None:
                server.request("PUT", at, body={})
            for batch in _batches(row for (row,) in _lines(data)):
                server.request("POST", f"{at}/batch", body=batch, headers={"Content-Type": "application/x-ndjson"})
                count += batch.count(b"\n")
        finally:
            server.close()
        context.log(f"wrote {count} events")


def _place(name: str, namespace: str) -> tuple[str, str]:
    first, dot, last = name.partition(".")
    return (first, last) if dot else (namespace, first)


def _at(namespace: str, name: str) -> str:
    return f"/namespaces/{quote(namespace, safe='')}/streams/{quote(name, safe='')}"


def _server() -> Transport:
    server = known_server()
    if server is None:
        raise MetadataUnavailable("the stream", "no server is known (COLOPHON_URL)")
    return Transport(server, prefix="/colophon/v3")


def _read_description(server: Transport, at: str) -> dict[str, Any] | None:
    """What the server says of a stream; None where there is none."""
    try:
        return dict(server.request("GET", at).body)
    except RequestFailed as refused:
        if refused.status == _NOT_FOUND:
            return None
        raise


def _folder(namespace: str, name: str) -> str:
    server = _server()
    try:
        description = _read_description(server, _at(namespace, name))
    finally:
        server.close()
    if description is None or description.get("events") is None:
        why = "no such stream" if description is None else "its server stores no events (store_stream_events)"
        raise MetadataUnavailable(f"{namespace}.{name}", why)
    return str(description["events"])


def _is_there(spark: Any, folder: str) -> bool:
    """Whether Spark finds the folder: it may be on another machine, or shared."""
    path = spark._jvm.org.apache.hadoop.fs.Path(folder)
    return bool(path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).exists(path))


def _lines(data: Any) -> Iterator[Any]:
    from pyspark.sql import functions

    found: Iterator[Any] = data.select(functions.to_json(functions.struct("*"))).toLocalIterator()
    return found


def _batches(lines: Iterable[str]) -> Iterator[bytes]:
    held, size = [], 0
    for line in lines:
        held.append(line.encode() + b"\n")
        size += len(held[-1])
        if len(held) == _EVENTS or size >= _BYTES:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


PLUGINS = (StreamSource, StreamSink)
