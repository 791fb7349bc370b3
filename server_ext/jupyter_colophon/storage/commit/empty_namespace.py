"""Whether a namespace has no content, so that it can be deleted alone."""

from jupyter_colophon.core.errors import NotEmpty
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.spi import Range
from jupyter_colophon.storage.system_apps import has_rows_of_context


def require_empty_namespace(commit: CommitBuilder, name: str) -> None:
    """Raise NotEmpty if a namespace contains entities, or rows of system applications."""
    urn = str(make_namespace_urn(name))
    if any(row["urn"] != urn for row in commit.get_names_table().scan(Range.prefix(name), limit=2)):
        raise NotEmpty(name)
    if has_rows_of_context(commit.tx, name):
        raise NotEmpty(name, "rows of system applications")
