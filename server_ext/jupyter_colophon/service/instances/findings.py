"""Find problems of stored instances, for health and `doctor`, without their content."""

from collections.abc import Iterator

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import instance
from jupyter_colophon.core.integrity_issue import Finding
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.presentation import Shown
from jupyter_colophon.service.instances.schemas import Schemas
from jupyter_colophon.service.instances.stores import Stores


def findings(schemas: Schemas, stores: Stores, shown: Shown) -> Iterator[Finding]:
    """Yield unreadable and invalid instances of all schemaspaces, and files left by killed saves; changes nothing."""
    for space in schemas.names(deprecated=True):
        try:
            store = stores.of(space)
            for held in store.read_many(store.names()):
                found = shown.instance(space, held)
                if held.document is None:
                    yield Finding(str(instance(space, held.name)), f"cannot be read: {held.problem}")
                elif found.reason:
                    places = sorted({one.pointer or "the document" for one in found.problems})
                    yield Finding(str(instance(space, held.name)), f"{found.reason}: {', '.join(places)}")
            yield from _left(space, store) if isinstance(store, FileInstances) else ()
        except MetadataError as error:
            yield Finding(space, error.detail)


def _left(space: str, store: FileInstances) -> Iterator[Finding]:
    for one in store.files.leftovers():
        could = "can replace the instance, which is missing or unreadable" if one.missing else "not used"
        yield Finding(str(instance(space, one.name)), f"an interrupted save left {one.file}: {one.problem or could}")
