"""All verbs together, on one catalog."""

import os
from pathlib import Path

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.edits import Writing
from jupyter_colophon.client.api.queries import Reading
from jupyter_colophon.client.problems import NotFound, RequestFailed
from jupyter_colophon.client.save_export import kept_lines


class Verbs(Reading, Writing):
    """What `%metadata` and `metadata.*` do."""

    def export(self, namespace: str, file: str | os.PathLike[str]) -> Result:
        """Export the metadata of a namespace to a file atomically, one line per aspect. Raises NotFound, OSError."""
        place = Path(file).expanduser()
        try:
            count = kept_lines(self.catalog.export_namespace(namespace), place, lambda _: None)
        except RequestFailed as refusal:
            if refusal.is_absence:
                raise NotFound(str(refusal)) from None
            raise
        document = {"namespace": namespace, "file": str(place), "lines": count}
        return Result("export", document, tuple(document), [tuple(document.values())])
