"""The whole Python API on one catalog."""

import os
from pathlib import Path

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.edits import Edits
from jupyter_colophon.client.api.proposals import Proposals
from jupyter_colophon.client.api.queries import Queries
from jupyter_colophon.client.problems import EntityNotFound, RequestFailed
from jupyter_colophon.client.save_export import save_export_atomically


class MetadataAPI(Queries, Edits, Proposals):
    """The operations of `%metadata` and `metadata.*`."""

    def export(self, namespace: str, file: str | os.PathLike[str]) -> Result:
        """Write the metadata of a namespace atomically to a file, one aspect per line. Raises NotFound, OSError."""
        path = Path(file).expanduser()
        try:
            count = save_export_atomically(self.catalog.export_namespace(namespace), path, lambda _: None)
        except RequestFailed as refusal:
            if refusal.is_absence:
                raise EntityNotFound(str(refusal)) from None
            raise
        document = {"namespace": namespace, "file": str(path), "lines": count}
        return Result("export", document, tuple(document), [tuple(document.values())])
