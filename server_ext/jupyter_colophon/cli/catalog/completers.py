"""The names of a catalog that complete arguments. The catalog is the one of the options that are typed already."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from jupyter_colophon.cli.catalog.client import CatalogClient, collect_pages, open_client
from jupyter_colophon.cli.config import read_settings
from jupyter_colophon.cli.parser import Completer
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import InvalidName, MetadataError
from jupyter_colophon.core.identity.names import Identity, parse_data_name
from jupyter_colophon.core.identity.urn import PREFIX

_Finder = Callable[[CatalogClient, Identity, str], Iterable[str]]


def _completer(find: _Finder) -> Completer:
    """Make a completer that finds nothing where the catalog cannot be read: the command itself will print why."""

    def complete(prefix: str, parsed_args: Namespace, **_: object) -> list[str]:
        try:
            settings = read_settings(parsed_args)
            with open_client(getattr(parsed_args, "url", ""), settings) as client:
                names = find(client, settings.identity(), prefix)
                return sorted({name for name in names if name.startswith(prefix) and name.isprintable()})
        except (MetadataError, ClientError, OSError):
            return []

    return complete


def _namespaces(client: CatalogClient, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (one["namespace"] for one in _first(client, "namespace", "", prefix))


def _datasets(client: CatalogClient, identity: Identity, prefix: str) -> Iterator[str]:
    """Datasets by the names that mean them; before a dot, their namespaces."""
    for name, urn in _members(client, "dataset", prefix):
        try:
            if not urn or str(parse_data_name(name, identity)) == urn:
                yield name
        except InvalidName:
            continue


def _applications(client: CatalogClient, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (name for name, _ in _members(client, "dataFlow", prefix))


def _members(client: CatalogClient, type_: str, prefix: str) -> Iterator[tuple[str, str]]:
    """`<namespace>.<name>` with its URN; before a dot `<namespace>.` without one."""
    if prefix.startswith(PREFIX):
        return
    namespace, dot, name = prefix.partition(".")
    if not dot:
        yield from ((f"{one['namespace']}.", "") for one in _first(client, "namespace", "", namespace))
        return
    yield from ((f"{one['namespace']}.{one['name']}", one["urn"]) for one in _first(client, type_, namespace, name))


def _tags(client: CatalogClient, identity: Identity, prefix: str) -> Iterator[str]:
    yield from _keys_of(client, "tag", prefix)


def _keys(client: CatalogClient, identity: Identity, prefix: str) -> Iterator[str]:
    yield from _keys_of(client, "property", prefix)


def _pairs(client: CatalogClient, identity: Identity, prefix: str) -> Iterator[str]:
    yield from (f"{key}=" for key in _keys(client, identity, prefix))


def _first(client: CatalogClient, type_: str, namespace: str, prefix: str) -> list[Document]:
    """Return the first entities of a type whose names begin with a prefix."""
    page = client.list_entities(type=type_, namespace=namespace or None, prefix=prefix or None)
    found: list[Document] = page["entities"]
    return found


def _keys_of(client: CatalogClient, kind: str, prefix: str) -> Iterator[str]:
    rows = collect_pages(partial(client.list_keys, prefix=prefix or None), "keys")
    yield from (one["key"] for one in rows if one["kind"] == kind)


complete_namespaces = _completer(_namespaces)
complete_datasets = _completer(_datasets)
complete_applications = _completer(_applications)
complete_tags = _completer(_tags)
complete_keys = _completer(_keys)
complete_pairs = _completer(_pairs)
