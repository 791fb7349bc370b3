"""Find problems of stored instances, for health and `doctor`, without their content."""

from collections.abc import Iterator

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.service.instances.presentation import InstancePresenter
from jupyter_colophon.service.instances.schemas import SchemaLookup
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from jupyter_colophon.service.instances.stores.instance_stores import InstanceStores


def iterate_instance_issues(
    schemas: SchemaLookup, stores: InstanceStores, presenter: InstancePresenter
) -> Iterator[IntegrityIssue]:
    """Yield unreadable and invalid instances of all schemaspaces, and files left by killed saves; changes nothing."""
    for space in schemas.list_names(deprecated=True):
        try:
            store = stores.get_or_create_store(space)
            for stored in store.read_existing_instances(store.list_instance_names()):
                instance = presenter.build_presented_instance(space, stored)
                if stored.document is None:
                    yield IntegrityIssue(
                        str(make_instance_urn(space, stored.name)), f"cannot be read: {stored.problem}"
                    )
                elif instance.reason:
                    places = sorted({problem.pointer or "the document" for problem in instance.problems})
                    yield IntegrityIssue(
                        str(make_instance_urn(space, stored.name)), f"{instance.reason}: {', '.join(places)}"
                    )
            yield from _iterate_issues_of_orphaned_files(space, store) if isinstance(store, FileInstanceStore) else ()
        except MetadataError as error:
            yield IntegrityIssue(space, error.detail)


def _iterate_issues_of_orphaned_files(space: str, store: FileInstanceStore) -> Iterator[IntegrityIssue]:
    for leftover in store.files.list_elyra_backups():
        could = "can replace the instance, which is missing or unreadable" if leftover.missing else "not used"
        yield IntegrityIssue(
            str(make_instance_urn(space, leftover.name)),
            f"an interrupted save left {leftover.file}: {leftover.problem or could}",
        )
