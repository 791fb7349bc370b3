"""A model of MLlib is one dataset, though Spark saves it as several folders with names that are made by chance.

Each part of a model has a folder `metadata` with a line of JSON that names its class; what is beside that folder, and the
parts below `stages`, are the model's.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from py4j.java_gateway import JVMView
from py4j.protocol import DEFAULT_JVM_ID, DEFAULT_JVM_NAME

from jupyter_colophon.spark.names import dataset_names
from jupyter_colophon.spark.plans.observation import DataRef, Kind, Unseen, united
from jupyter_colophon.spark.plans.plan import Statement

FORMAT: Final = "mllib"
REMEMBERED: Final = 256
"""Models whose places are known."""

_METADATA: Final = "/metadata"
_PART: Final = re.compile(r"/(?:stages/\d+_[^/]+|bestModel|subModels|estimator|evaluator)(?:/.*)?$")
_MOST_CHARS: Final = 65_536


class Models:
    """Knows the models that a session saved or loaded. Used by the listener's thread alone."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._places: OrderedDict[str, None] = OrderedDict()

    def fold(self, statement: Statement) -> Statement:
        """Return a statement with a model in the place of its folders."""
        reads, writes = self._folded(statement.reads), self._folded(statement.writes)
        if (reads, writes) == (statement.reads, statement.writes):
            return statement
        unseen = statement.unseen
        if writes != statement.writes:
            unseen = (*(word for word in unseen if word != Unseen.MEMORY), Unseen.MODEL)
        return replace(statement, reads=reads, writes=writes, edges=(), unseen=unseen)

    def _folded(self, refs: Iterable[DataRef]) -> tuple[DataRef, ...]:
        refs = tuple(refs)
        if all(ref.kind is not Kind.FILE or ref.location is None for ref in refs):
            return refs
        return united(self._model(ref) or ref for ref in refs)

    def _model(self, ref: DataRef) -> DataRef | None:
        location = ref.location or ""
        folder = location.rpartition("/")[0]
        if ref.kind is not Kind.FILE or not folder:
            return None
        place = _PART.sub("", folder)
        if place not in self._places:
            if not (ref.format == "text" and location.endswith(_METADATA) and self._is_metadata(location)):
                return None
            self._places[place] = None
            while len(self._places) > REMEMBERED:
                self._places.popitem(last=False)
        urn = dataset_names.file(place)
        return DataRef(urn, Kind.FILE, format=FORMAT, location=place) if urn else None

    def _is_metadata(self, location: str) -> bool:
        """Whether a folder of text tells of a part of a model."""
        jvm = JVMView(self._session._gateway_client, DEFAULT_JVM_NAME, DEFAULT_JVM_ID)  # type: ignore[no-untyped-call]
        folder = jvm.org.apache.hadoop.fs.Path(location)
        system = folder.getFileSystem(self._session.sparkContext().hadoopConfiguration())
        for status in system.listStatus(folder):
            if status.getPath().getName().startswith("part-") and 0 < status.getLen() <= _MOST_CHARS:
                stream = system.open(status.getPath())
                try:
                    return _tells_of_model(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
                finally:
                    stream.close()
        return False


def _tells_of_model(text: str) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and {"class", "uid", "sparkVersion"} <= set(found)
