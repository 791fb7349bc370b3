"""Complete arguments with names from the catalog that the options already typed select."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from jupyter_colophon.cli.catalog.client import CatalogClient, open_catalog_client, read_all_pages
from jupyter_colophon.cli.config import read_settings
from jupyter_colophon.cli.parser import Completer
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import InvalidName, MetadataError
from jupyter_colophon.core.identity.names import IdentityRules, parse_dataset_name
from jupyter_colophon.core.identity.urn import PREFIX

_Finder = Callable[[CatalogClient, IdentityRules, str], Iterable[str]]


def _create_completer(find: _Finder) -> Completer:
    """Return a completer. It finds nothing if the catalog cannot be read; the command itself will print the error."""

    def complete(prefix: str, parsed_args: Namespace, **_: object) -> list[str]:
        try:
            settings = read_settings(parsed_args)
            with open_catalog_client(getattr(parsed_args, "url", ""), settings) as client:
                names = find(client, settings.build_identity(), prefix)
                return sorted({name for name in names if name.startswith(prefix) and name.isprintable()})
        except (MetadataError, ClientError, OSError):
            return []

    return complete


def _find_namespaces(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from (entity["namespace"] for entity in _list_first_page(client, "namespace", "", prefix))


def _find_datasets(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    """Yield names of datasets that resolve to them, or namespaces if the prefix has no dot."""
    for name, urn in _find_qualified_names(client, "dataset", prefix):
        try:
            if not urn or str(parse_dataset_name(name, identity)) == urn:
                yield name
        except InvalidName:
            continue


def _find_applications(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from (name for name, _ in _find_qualified_names(client, "dataFlow", prefix))


def _find_qualified_names(client: CatalogClient, type_: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield `<namespace>.<name>` with its URN, or `<namespace>.` with an empty one if the prefix has no dot."""
    if prefix.startswith(PREFIX):
        return
    namespace, dot, name = prefix.partition(".")
    if not dot:
        yield from ((f"{entity['namespace']}.", "") for entity in _list_first_page(client, "namespace", "", namespace))
        return
    yield from (
        (f"{entity['namespace']}.{entity['name']}", entity["urn"])
        for entity in _list_first_page(client, type_, namespace, name)
    )


def _find_tags(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from _list_keys_of_kind(client, "tag", prefix)


def _find_keys(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from _list_keys_of_kind(client, "property", prefix)


def _find_key_prefixes(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from (f"{key}=" for key in _find_keys(client, identity, prefix))


def _find_service_tokens(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from (token["name"] for token in client.list_service_tokens()["serviceTokens"])


def _find_policies(client: CatalogClient, identity: IdentityRules, prefix: str) -> Iterator[str]:
    yield from (policy["name"] for policy in client.list_policies()["policies"] if policy["origin"] == "catalog")


def _list_first_page(client: CatalogClient, type_: str, namespace: str, prefix: str) -> list[Document]:
    """Return the first page of entities of a type whose names begin with a prefix."""
    page = client.list_entities(type=type_, namespace=namespace or None, prefix=prefix or None)
    entities: list[Document] = page["entities"]
    return entities


def _list_keys_of_kind(client: CatalogClient, kind: str, prefix: str) -> Iterator[str]:
    rows = read_all_pages(partial(client.list_keys, prefix=prefix or None), "keys")
    yield from (row["key"] for row in rows if row["kind"] == kind)


complete_namespaces = _create_completer(_find_namespaces)
complete_datasets = _create_completer(_find_datasets)
complete_applications = _create_completer(_find_applications)
complete_tags = _create_completer(_find_tags)
complete_keys = _create_completer(_find_keys)
complete_policies = _create_completer(_find_policies)
complete_service_tokens = _create_completer(_find_service_tokens)
complete_pairs = _create_completer(_find_key_prefixes)
