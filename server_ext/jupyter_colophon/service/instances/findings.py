"""What is wrong with what is kept of instances, for health and `doctor`; nothing of their content is told."""

from collections.abc import Iterator

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import instance
from jupyter_colophon.core.integrity_issue import Finding
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.presentation import Shown
from jupyter_colophon.service.instances.schemas import Schemas
from jupyter_colophon.service.instances.stores import Stores


def findings(schemas: Schemas, stores: Stores, shown: Shown) -> Iterator[Finding]:
    """Broken and invalid instances of all schemaspaces, and what killed saves left behind; nothing is changed."""
    for space in schemas.names(deprecated=True):
        try:
            store = stores.of(space)
            for held in store.read_many(store.names()):
                found = shown.instance(space, held)
                if held.document is None:
                    yield Finding(str(instance(space, held.name)), f"it cannot be read: {held.problem}")
                elif found.reason:
                    places = sorted({one.pointer or "the whole" for one in found.problems})
                    yield Finding(str(instance(space, held.name)), f"{found.reason}: {', '.join(places)}")
            yield from _left(space, store) if isinstance(store, FileInstances) else ()
        except MetadataError as error:
            yield Finding(space, error.detail)


def _left(space: str, store: FileInstances) -> Iterator[Finding]:
    for one in store.files.leftovers():
        could = (
            "it could take the place of the instance, which is missing or broken" if one.missing else "nobody uses it"
        )
        yield Finding(
            str(instance(space, one.name)), f"a save was cut short and left {one.file}: {one.problem or could}"
        )
