"""A catalog for random access policies: datasets, programs, runs, columns, requests and instances, and what they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.identity.names import (
    IdentityRules,
    Urn,
    make_field_urn,
    make_instance_urn,
    make_namespace_urn,
    make_program_urn,
)
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.policy import open_access_control
from jupyter_colophon.settings import Settings
from support.access_model import Thing
from support.stores import STORES
from support.urns import build_file_urn, build_table_urn

SPACES: Final = ("sales", "hr", "default")
#: It differs from another one in case alone, and terms of search are folded.
SIMILAR_SPACE: Final = "SALES"
TAGS: Final = ("pii", "gold")
POLICY: Final = Urn.parse("urn:li:accessPolicy:random")
_NAMES: Final = ("orders", "people", "plans", "secret")
_DOMAIN: Final = "urn:li:domain:finance"
#: The author of the requests.
_AUTHOR: Final = "urn:li:corpuser:root"


@dataclass(frozen=True)
class World:
    """The catalog, and what is in it."""

    services: ProcessServices
    things: tuple[Thing, ...]
    edges: frozenset[tuple[str, str]]
    #: The program of each run.
    runs: dict[str, str]
    #: The newest change before the first random policy.
    head: int
    #: URN of each change up to then.
    changes: tuple[str, ...]

    @property
    def catalog(self) -> Catalog:
        """The catalog of the services."""
        return self.services.get_or_open_catalog()

    def store_policy(self, document: dict[str, Any]) -> None:
        """Replace the only policy."""
        self.catalog.write_path.apply_proposals_atomically(
            [Proposal(POLICY, "accessRules", "upsert", document)], Principal("root")
        )


@contextmanager
def open_world(store_name: str, folder: Path) -> Iterator[World]:
    """Open a catalog with policies in force: no user of the tests is an admin."""
    with STORES[store_name](folder) as store:
        access = open_access_control("", ["root"], {}, None)
        catalog = open_or_create_catalog(store, IdentityRules(), authorizer=access)
        services = ProcessServices(Settings(), store, IdentityRules(), "1.0", _catalog=catalog)
        try:
            yield _fill_catalog(services)
        finally:
            services.close()


def list_written_things() -> list[Thing]:
    """Return what the world consists of, without the entities that come into being with it."""
    tables = [_build_table(at, space, name) for at, (space, name) in enumerate(_list_table_names())]
    orders, people = tables[0], tables[5]
    return [
        *tables,
        Thing(build_table_urn("orders", SIMILAR_SPACE), "dataset", SIMILAR_SPACE, tags=frozenset({"pii"})),
        Thing(build_file_urn("/data/x.csv"), "dataset", "default", tags=frozenset({"gold"})),
        *(Thing(_build_program_urn(space), "dataJob", space) for space in SPACES),
        _build_column(orders, "amount", "gold"),
        _build_column(people, "name", "pii"),
        _build_request(orders, "1"),
        _build_request(_build_column(people, "name", "pii"), "2"),
        Thing(str(make_instance_urn("code-snippets", "hello")), "instance", "", "code-snippets"),
        *(
            Thing(str(make_instance_urn("pipelines", space)), "instance", space, "pipelines")
            for space in ("sales", "hr")
        ),
    ]


def _list_table_names() -> list[tuple[str, str]]:
    return [(space, name) for space in SPACES for name in _NAMES]


def _build_table(at: int, space: str, name: str) -> Thing:
    """Build a dataset: together they have all combinations of namespace, tag and owner."""
    owners: tuple[set[str], ...] = (
        {"ada", "urn:li:corpuser:ada"},
        {"etl", "urn:li:corpGroup:etl"},
        {"grace"},
        set(),
    )
    return Thing(
        build_table_urn(name, space),
        "dataset",
        space,
        tags=frozenset({TAGS[at % 2]} if at % 3 else ()),
        domains=frozenset({"finance", _DOMAIN} if at % 4 == 0 else ()),
        owners=frozenset(owners[at % 4]),
    )


def _build_program_urn(space: str) -> str:
    return str(make_program_urn(space, "app", "flows", "f"))


def _build_column(dataset: Thing, name: str, tag: str) -> Thing:
    urn = make_field_urn(Urn.parse(dataset.urn), name)
    return Thing(str(urn), "schemaField", dataset.namespace, tags=frozenset({tag}), of=dataset)


def _build_request(about: Thing, key: str) -> Thing:
    return Thing(str(Urn("request", (about.urn, key))), "request", about.namespace, of=about)


def _write_thing(catalog: Catalog, thing: Thing) -> None:
    catalog.write_path.apply_proposals_atomically(
        [Proposal(Urn.parse(thing.urn), aspect, "upsert", value) for aspect, value in _list_aspects(thing)],
        INTERNAL,
        api={"instance": "instances", "request": "requests"}.get(thing.type, ""),
    )


def _list_aspects(thing: Thing) -> Iterator[tuple[str, dict[str, Any]]]:
    if thing.type == "instance":
        metadata = {"namespace": thing.namespace} if thing.namespace else {}
        yield "instance", {"display_name": "An instance", "schema_name": thing.schemaspace, "metadata": metadata}
        return
    if thing.type == "request":
        about = thing.of.urn if thing.of is not None else ""
        request = {"about": about, "kind": "check", "text": "Is it right?", "author": _AUTHOR, "assignees": []}
        yield "request", request | {"state": "open", "created": 0, "comments": []}
        return
    properties = {"owner": "grace"} if thing.owners == {"grace"} else {}
    yield "businessMetadata", {"properties": properties, "tags": sorted(thing.tags)}
    if thing.domains:
        yield "domains", {"domains": [_DOMAIN]}
        yield "certification", {"certifiedBy": "urn:li:corpuser:root"}
    owners = [owner for owner in thing.owners if owner.startswith("urn:")]
    if owners:
        entries = [{"owner": owner, "type": "DATAOWNER"} for owner in owners]
        yield "ownership", {"owners": entries, "lastModified": {"time": 0, "actor": "urn:li:corpuser:x"}}


def _fill_catalog(services: ProcessServices) -> World:
    catalog = services.get_or_open_catalog()
    for space in (*SPACES[:2], SIMILAR_SPACE):
        catalog.write_path.apply_proposals_atomically([Proposal(make_namespace_urn(space), None, "create")], INTERNAL)
    things = list_written_things()
    for thing in things:
        _write_thing(catalog, thing)
    edges, runs = set[tuple[str, str]](), {}
    for at, space in enumerate(SPACES):
        program = _build_program_urn(space)
        source, target = build_table_urn("orders", space), build_table_urn("people", SPACES[(at + 1) % 3])
        run = catalog.write_path.start_run(RunStart(Urn.parse(program), "1", 1_000), INTERNAL).urn
        accesses = [Access(Urn.parse(source), "read"), Access(Urn.parse(target), "write")]
        catalog.write_path.record_run_accesses(run, accesses, [], INTERNAL)
        runs[run] = program
        edges |= {(source, program), (program, target)}
    catalog.write_path.apply_proposals_atomically([Proposal(POLICY, "accessRules", "upsert", {"rules": []})], INTERNAL)
    known = {thing.urn for thing in things}
    listed, _ = catalog.reader.list_visible_entities(EntityListing(limit=1_000), INTERNAL)
    things += [Thing(summary.urn, summary.type, summary.namespace) for summary in listed if summary.urn not in known]
    changes = catalog.feed.read_visible_changes(0, 10_000, {}, INTERNAL)
    return World(
        services,
        tuple(things),
        frozenset(edges),
        runs,
        catalog.feed.read_newest_change_number(),
        tuple(change.urn for change in changes),
    )
