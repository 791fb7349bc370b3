"""A model of MLlib as one entity, though Spark saves it as several folders with random names.

Each part of a model has a folder `metadata` with a line of JSON that names its class. Its sibling folders, and the parts
below `stages`, belong to the model.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from py4j.java_gateway import JVMView
from py4j.protocol import DEFAULT_JVM_ID, DEFAULT_JVM_NAME

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DataRef, DatasetKind, MissingDetail, merge_refs
from jupyter_colophon.spark.plans.plan import Statement

FORMAT: Final = "mllib"
MAX_REMEMBERED: Final = 256
"""Maximum number of remembered models."""

_METADATA: Final = "/metadata"
_PART: Final = re.compile(r"/(?:stages/\d+_[^/]+|bestModel|subModels|estimator|evaluator)(?:/.*)?$")
_MAX_CHARS: Final = 65_536


class ModelFolders:
    """The models that a session saved or loaded. Only for the listener's thread."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._places: OrderedDict[str, None] = OrderedDict()

    def replace_model_folders(self, statement: Statement) -> Statement:
        """Return a statement with the folders of a model replaced by the model."""
        reads, writes = self._replace_model_refs(statement.reads), self._replace_model_refs(statement.writes)
        if (reads, writes) == (statement.reads, statement.writes):
            return statement
        missing = statement.missing
        if writes != statement.writes:
            missing = (*(word for word in missing if word != MissingDetail.MEMORY), MissingDetail.MODEL)
        return replace(statement, reads=reads, writes=writes, edges=(), missing=missing)

    def _replace_model_refs(self, refs: Iterable[DataRef]) -> tuple[DataRef, ...]:
        refs = tuple(refs)
        if all(ref.kind is not DatasetKind.FILE or ref.location is None for ref in refs):
            return refs
        return merge_refs(self._find_model(ref) or ref for ref in refs)

    def _find_model(self, ref: DataRef) -> DataRef | None:
        location = ref.location or ""
        folder = location.rpartition("/")[0]
        if ref.kind is not DatasetKind.FILE or not folder:
            return None
        place = _PART.sub("", folder)
        if place not in self._places:
            if not (ref.format == "text" and location.endswith(_METADATA) and self._is_model_metadata_folder(location)):
                return None
            self._places[place] = None
            while len(self._places) > MAX_REMEMBERED:
                self._places.popitem(last=False)
        urn = dataset_names.build_model_urn(place)
        return DataRef(urn, DatasetKind.MODEL, format=FORMAT, location=place) if urn else None

    def _is_model_metadata_folder(self, location: str) -> bool:
        """Return whether a text folder is the metadata of a model's part."""
        jvm = JVMView(self._session._gateway_client, DEFAULT_JVM_NAME, DEFAULT_JVM_ID)  # type: ignore[no-untyped-call]
        folder = jvm.org.apache.hadoop.fs.Path(location)
        system = folder.getFileSystem(self._session.sparkContext().hadoopConfiguration())
        for status in system.listStatus(folder):
            if status.getPath().getName().startswith("part-") and 0 < status.getLen() <= _MAX_CHARS:
                stream = system.open(status.getPath())
                try:
                    return _is_model_metadata(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
                finally:
                    stream.close()
        return False


def _is_model_metadata(text: str) -> bool:
    try:
        document = json.loads(text)
    except ValueError:
        return False
    return isinstance(document, dict) and {"class", "uid", "sparkVersion"} <= set(document)
