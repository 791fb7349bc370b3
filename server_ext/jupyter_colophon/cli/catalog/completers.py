"""The names of a catalog that complete arguments. The catalog is the one of the options that are typed already."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource
from jupyter_colophon.cli.config import read_settings
from jupyter_colophon.cli.parser import Completer
from jupyter_colophon.core.errors import InvalidName, MetadataError
from jupyter_colophon.core.identity.names import Identity, parse_data_name
from jupyter_colophon.core.identity.urn import PREFIX

_Finder = Callable[[CatalogSource, Identity, str], Iterable[str]]


def _completer(find: _Finder) -> Completer:
    """Make a completer that finds nothing where the catalog cannot be read: the command itself will print why."""

    def complete(prefix: str, parsed_args: Namespace, **_: object) -> list[str]:
        from jupyter_colophon.cli.catalog.open_catalog import opened

        try:
            settings = read_settings(parsed_args)
            source = opened(getattr(parsed_args, "url", ""), settings)
            try:
                names = find(source, settings.identity(), prefix)
                return sorted({name for name in names if name.startswith(prefix) and name.isprintable()})
            finally:
                source.close()
        except (MetadataError, OSError):
            return []

    return complete


def _namespaces(source: CatalogSource, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (one.namespace for one in source.begun("namespace", "", prefix))


def _datasets(source: CatalogSource, identity: Identity, prefix: str) -> Iterator[str]:
    """Datasets by the names that mean them; before a dot, their namespaces."""
    for name, urn in _members(source, "dataset", prefix):
        try:
            if not urn or str(parse_data_name(name, identity)) == urn:
                yield name
        except InvalidName:
            continue


def _applications(source: CatalogSource, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (name for name, _ in _members(source, "dataFlow", prefix))


def _members(source: CatalogSource, type_: str, prefix: str) -> Iterator[tuple[str, str]]:
    """`<namespace>.<name>` with its URN; before a dot `<namespace>.` without one."""
    if prefix.startswith(PREFIX):
        return
    namespace, dot, name = prefix.partition(".")
    if not dot:
        yield from ((f"{one.namespace}.", "") for one in source.begun("namespace", "", namespace))
        return
    yield from ((f"{one.namespace}.{one.name}", one.urn) for one in source.begun(type_, namespace, name))


def _tags(source: CatalogSource, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (one.text for one in source.keys(prefix) if one.kind == "tag")


def _keys(source: CatalogSource, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (one.text for one in source.keys(prefix) if one.kind == "property")


def _pairs(source: CatalogSource, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (f"{key}=" for key in _keys(source, identity, prefix))


complete_namespaces = _completer(_namespaces)
complete_datasets = _completer(_datasets)
complete_applications = _completer(_applications)
complete_tags = _completer(_tags)
complete_keys = _completer(_keys)
complete_pairs = _completer(_pairs)
