"""Start a run of a program: find the server, the program and its arguments."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.entity import MetadataEntity, resolve_entity
from jupyter_colophon.client.programs.outbox_sender import DiscardingSender, get_or_create_outbox_sender
from jupyter_colophon.client.programs.reading import MetadataSnapshot, MetadataUnavailable
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import (
    DEFAULT_NAMESPACE,
    NO_NOTEBOOK,
    Urn,
    make_notebook_program_urn,
    make_program_urn,
)
from jupyter_colophon.core.identity.urn import PREFIX

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.client.transport import ServerAddress


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
    server = get_configured_server()
    value = snapshot if snapshot is not None else os.environ.get("COLOPHON_SNAPSHOT") or None
    return RunContext(
        _resolve_program(named, namespace),
        catalog=None if server is None else _create_operations(server),
        sender=DiscardingSender() if dry_run else get_or_create_outbox_sender(server),
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
    expected = [resolve_entity(item) for item in entities]
    server = get_configured_server()
    if server is None:
        raise MetadataUnavailable(", ".join(map(str, expected)), "no server is configured: set COLOPHON_URL")
    catalog = _create_operations(server)
    try:
        return MetadataSnapshot.read(catalog, expected, fields=fields)
    finally:
        catalog.close()


def get_configured_server() -> "ServerAddress | None":
    """Return the server from the environment, or None. Raises ValueError if COLOPHON_URL is invalid."""
    url = os.environ.get("COLOPHON_URL")
    if not url:
        return None
    from jupyter_colophon.client.transport import ServerAddress

    return ServerAddress(url, os.environ.get("COLOPHON_TOKEN", ""))


def _create_operations(server: "ServerAddress") -> "Operations":
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.client.transport import Transport

    return Operations(Transport(server))


def _resolve_program(named: str | None, namespace: str | None) -> Urn:
    if named is None:
        return _get_notebook_program()
    if named.startswith(PREFIX):
        return Urn.parse(named)
    application, _, rest = named.partition(".")
    kind, dot, name = rest.partition(".")
    if not dot:
        raise InvalidName("program", named, "write <application>.<type>.<program>, such as shop.spark.load")
    return make_program_urn(namespace or DEFAULT_NAMESPACE, application, kind, name)


def _get_notebook_program() -> Urn:
    # The same name as in the lineage capture (kernel/settings.py): a shell not started by a server has no path.
    path = os.environ.get("COLOPHON_NOTEBOOK") or (NO_NOTEBOOK if _is_in_ipython() else "")
    if not path:
        raise InvalidName("program", "", "a program name is required outside a notebook")
    return make_notebook_program_urn(os.environ.get("COLOPHON_NAMESPACE") or DEFAULT_NAMESPACE, path)


def _is_in_ipython() -> bool:
    """Return whether this process is an IPython shell or kernel."""
    shells = sys.modules.get("IPython")
    return shells is not None and shells.get_ipython() is not None
