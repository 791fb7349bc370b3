"""Start a run of a program: find the server, the program and its arguments."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.entity import MetadataEntity, entity
from jupyter_colophon.client.programs.outbox_sender import DiscardingSender, outbox_sender_for
from jupyter_colophon.client.programs.reading import MetadataSnapshot, MetadataUnavailable
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, NO_NOTEBOOK, Urn, notebook_program, program
from jupyter_colophon.core.identity.urn import PREFIX

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.client.transport import Server


def run(
    named: str | None = None,
    *,
    namespace: str | None = None,
    arguments: Mapping[str, str] | None = None,
    input_schema: Any = None,
    output_schema: Any = None,
    prefetch: Iterable[MetadataEntity | str] = (),
    snapshot: "MetadataSnapshot | str | os.PathLike[str] | None" = None,
    code: Any = None,
    run_id: str | None = None,
    parent: str | None = None,
    dry_run: bool = False,
) -> RunContext:
    """Start a run of a program, `<application>.<type>.<program>` of a namespace; by default the current notebook.

    `prefetch` is read at once. With a `snapshot` (or its file, also in COLOPHON_SNAPSHOT) nothing is read from the server:
    entities missing in it raise MetadataUnavailable. The uses that `code` declares by `@uses` are recorded. A `dry_run`
    reads metadata, but records and emits nothing. The server is that of COLOPHON_URL and COLOPHON_TOKEN. Raises
    InvalidName, ValueError.
    """
    server = known_server()
    value = snapshot if snapshot is not None else os.environ.get("COLOPHON_SNAPSHOT") or None
    return RunContext(
        _program(named, namespace),
        catalog=None if server is None else _catalog(server),
        sender=DiscardingSender() if dry_run else outbox_sender_for(server),
        namespace=namespace,
        run_id=run_id,
        parent=parent,
        arguments=arguments,
        input_schema=input_schema,
        output_schema=output_schema,
        prefetch=prefetch,
        snapshot=MetadataSnapshot.load(value) if isinstance(value, str | os.PathLike) else value,
        code=code,
    )


def prefetch(entities: Iterable[MetadataEntity | str], *, fields: bool = False) -> MetadataSnapshot:
    """Return a snapshot of the metadata of these entities, for runs without a server. Raises MetadataUnavailable."""
    wanted = [entity(item) for item in entities]
    server = known_server()
    if server is None:
        raise MetadataUnavailable(", ".join(map(str, wanted)), "no server is known (COLOPHON_URL)")
    catalog = _catalog(server)
    try:
        return MetadataSnapshot.read(catalog, wanted, fields=fields)
    finally:
        catalog.close()


def known_server() -> "Server | None":
    """Return the server from the environment, or None. Raises ValueError if COLOPHON_URL is invalid."""
    url = os.environ.get("COLOPHON_URL")
    if not url:
        return None
    from jupyter_colophon.client.transport import Server

    return Server(url, os.environ.get("COLOPHON_TOKEN", ""))


def _catalog(server: "Server") -> "Operations":
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.client.transport import Transport

    return Operations(Transport(server))


def _program(named: str | None, namespace: str | None) -> Urn:
    if named is None:
        return _notebook()
    if named.startswith(PREFIX):
        return Urn.parse(named)
    application, _, rest = named.partition(".")
    kind, dot, name = rest.partition(".")
    if not dot:
        raise InvalidName("program", named, "write <application>.<type>.<program>, such as shop.spark.load")
    return program(namespace or DEFAULT_NAMESPACE, application, kind, name)


def _notebook() -> Urn:
    # The same name as in the lineage capture (kernel/settings.py): a shell not started by a server has no path.
    path = os.environ.get("COLOPHON_NOTEBOOK") or (NO_NOTEBOOK if _is_shell() else "")
    if not path:
        raise InvalidName("program", "", "a program name is required outside a notebook")
    return notebook_program(os.environ.get("COLOPHON_NAMESPACE") or DEFAULT_NAMESPACE, path)


def _is_shell() -> bool:
    """Return whether this process is an IPython shell or kernel."""
    shells = sys.modules.get("IPython")
    return shells is not None and shells.get_ipython() is not None
