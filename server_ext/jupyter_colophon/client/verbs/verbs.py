"""All verbs together, on one catalog."""

import os
from pathlib import Path

from jupyter_colophon.client.keeping import kept_lines
from jupyter_colophon.client.problems import NotThere, Refused
from jupyter_colophon.client.verbs.answer import Answer
from jupyter_colophon.client.verbs.reading import Reading
from jupyter_colophon.client.verbs.writing import Writing


class Verbs(Reading, Writing):
    """What `%metadata` and `metadata.*` do."""

    def export(self, namespace: str, file: str | os.PathLike[str]) -> Answer:
        """Writes all that is said in a namespace to a file, a line an aspect, all at once or not at all. Raises NotThere, OSError."""
        place = Path(file).expanduser()
        try:
            count = kept_lines(self.catalog.export(namespace), place, lambda _: None)
        except Refused as refusal:
            if refusal.is_absence:
                raise NotThere(str(refusal)) from None
            raise
        document = {"namespace": namespace, "file": str(place), "lines": count}
        return Answer("export", document, tuple(document), [tuple(document.values())])
