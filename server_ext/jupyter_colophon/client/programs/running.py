"""Begin a run of a program: its server, its program and its arguments."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.entity import MetadataEntity, entity
from jupyter_colophon.client.programs.outbox_sender import Nowhere, shipper_for
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
    """Begin a run of a program, `<application>.<type>.<program>` of a namespace; in a notebook, of the notebook.

    The metadata of `prefetch` is read immediately. With a `snapshot` (or its file, also in COLOPHON_SNAPSHOT), the server
    is not queried: entities that are not in it raise MetadataUnavailable. Accesses that `code` declares by `@uses` are recorded.
    A `dry_run` only reads: nothing is recorded or emitted. The server is that of COLOPHON_URL and COLOPHON_TOKEN. Raises InvalidName, ValueError.
    """
    server = known_server()
    told = snapshot if snapshot is not None else os.environ.get("COLOPHON_SNAPSHOT") or None
    return RunContext(
        _program(named, namespace),
        catalog=None if server is None else _catalog(server),
        shipper=Nowhere() if dry_run else shipper_for(server),
        namespace=namespace,
        run_id=run_id,
        parent=parent,
        arguments=arguments,
        input_schema=input_schema,
        output_schema=output_schema,
        prefetch=prefetch,
        snapshot=MetadataSnapshot.load(told) if isinstance(told, str | os.PathLike) else told,
        code=code,
    )


def prefetch(entities: Iterable[MetadataEntity | str], *, fields: bool = False) -> MetadataSnapshot:
    """Return the current metadata of entities, for a run without a server. Raises MetadataUnavailable."""
    wanted = [entity(one) for one in entities]
    server = known_server()
    if server is None:
        raise MetadataUnavailable(", ".join(map(str, wanted)), "no server is known (COLOPHON_URL)")
    catalog = _catalog(server)
    try:
        return MetadataSnapshot.read(catalog, wanted, fields=fields)
    finally:
        catalog.close()


def known_server() -> "Server | None":
    """The server that the environment names. Raises ValueError where COLOPHON_URL is no URL of one."""
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
    # As the record of cells has it (kernel/settings.py): in a shell that no server started it has no path.
    path = os.environ.get("COLOPHON_NOTEBOOK") or (NO_NOTEBOOK if _is_shell() else "")
    if not path:
        raise InvalidName("program", "", "only a notebook need not say which program it is")
    return notebook_program(os.environ.get("COLOPHON_NAMESPACE") or DEFAULT_NAMESPACE, path)


def _is_shell() -> bool:
    """Whether this is IPython, or a kernel of it."""
    shells = sys.modules.get("IPython")
    return shells is not None and shells.get_ipython() is not None
