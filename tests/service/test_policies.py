"""Random policies: what is listed, found, counted, faceted, drawn, streamed, exported and written is what a model allows.

200 policies on SQLite and 20 on other stores, which answer the same queries; 10,000 on each with COLOPHON_TEST_SIZE=full (`make long-policies`).
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jupyter_colophon.composition import Catalog, open_or_create_catalog, read_time_ms
from jupyter_colophon.core.access import INTERNAL, Permission, Principal, Resource
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.errors import AccessDenied, NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_namespace_urn, make_program_urn
from jupyter_colophon.core.lineage.graph import LineageRequest, RunListing
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.policies.rights import AccessRights
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.changes.feed import ChangeFeed
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.lineage.runs import RunReader
from jupyter_colophon.service.policy import open_access_control
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.search import visible_search
from jupyter_colophon.service.search.visible_search import _VisibleSearch, restrict_search
from jupyter_colophon.service.write_authorization import WriteAuthorization
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.search.index import EVERYTHING
from jupyter_colophon.storage.spi import TextQuery
from support.access_model import Person, Thing, may, walk_downstream
from support.stores import STORES
from support.urns import build_file_urn, build_table_urn

CASES = 10_000 if os.environ.get("COLOPHON_TEST_SIZE") == "full" else 200
SPACES, TAGS, DOMAINS = ("sales", "hr", "default"), ("pii", "gold"), ("finance",)
PERSONS = (Person("ada"), Person("grace", frozenset({"etl"})), Person("joan", frozenset({"etl", "stewards"})))
POLICY = Urn.parse("urn:li:accessPolicy:random")
NAMES = ("orders", "people", "plans", "secret")


@dataclass(frozen=True)
class World:
    catalog: Catalog
    things: tuple[Thing, ...]
    edges: frozenset[tuple[str, str]]
    runs: dict[str, str]
    #: The newest change before the first random policy.
    head: int
    #: URN of each change up to then.
    changes: tuple[str, ...]


def _build_things() -> list[Thing]:
    """Build datasets with all combinations of namespace, tag and owner, programs, and an external dataset."""
    things = []
    for at, (space, name) in enumerate((space, name) for space in SPACES for name in NAMES):
        things.append(
            Thing(
                build_table_urn(name, space),
                "dataset",
                space,
                tags=frozenset({TAGS[at % 2]} if at % 3 else ()),
                domains=frozenset({DOMAINS[0], "urn:li:domain:finance"} if at % 4 == 0 else ()),
                owners=frozenset(
                    ({"ada", "urn:li:corpuser:ada"}, {"etl", "urn:li:corpGroup:etl"}, {"grace"}, set())[at % 4]
                ),
            )
        )
    things.append(Thing(build_file_urn("/data/x.csv"), "dataset", "default", tags=frozenset({"gold"})))
    things += [Thing(str(make_program_urn(space, "app", "flows", "f")), "dataJob", space) for space in SPACES]
    return things


def _write_thing(catalog: Catalog, thing: Thing) -> None:
    urn, proposals = Urn.parse(thing.urn), []
    properties = {"owner": "grace"} if thing.owners == {"grace"} else {}
    metadata = {"properties": properties, "tags": sorted(thing.tags)}
    proposals.append(Proposal(urn, "businessMetadata", "upsert", metadata))
    if thing.domains:
        proposals.append(Proposal(urn, "domains", "upsert", {"domains": ["urn:li:domain:finance"]}))
    owners = [owner for owner in thing.owners if owner.startswith("urn:")]
    if owners:
        entries = [{"owner": owner, "type": "DATAOWNER"} for owner in owners]
        stamp = {"time": 0, "actor": "urn:li:corpuser:x"}
        proposals.append(Proposal(urn, "ownership", "upsert", {"owners": entries, "lastModified": stamp}))
    catalog.write_path.apply_proposals_atomically(proposals, INTERNAL)


@pytest.fixture(scope="module")
def world(store_name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Create a catalog with policies in force: no user of the tests is an admin."""
    folder = tmp_path_factory.mktemp(store_name)
    with STORES[store_name](folder) as store:
        access = open_access_control("", ["root"], {}, None)
        catalog = open_or_create_catalog(store, IdentityRules(), authorizer=access)
        try:
            yield _fill_world(catalog)
        finally:
            catalog.close()


def _fill_world(catalog: Catalog) -> World:
    for space in SPACES[:2]:
        catalog.write_path.apply_proposals_atomically([Proposal(make_namespace_urn(space), None, "create")], INTERNAL)
    things = _build_things()
    for thing in things:
        _write_thing(catalog, thing)
    edges, runs = set[tuple[str, str]](), {}
    for at, space in enumerate(SPACES):
        program = str(make_program_urn(space, "app", "flows", "f"))
        source, target = build_table_urn("orders", space), build_table_urn("people", SPACES[(at + 1) % 3])
        run = catalog.write_path.start_run(RunStart(Urn.parse(program), "1", 1_000), INTERNAL).urn
        accesses = [Access(Urn.parse(source), "read"), Access(Urn.parse(target), "write")]
        catalog.write_path.record_run_accesses(run, accesses, [], INTERNAL)
        runs[run] = program
        edges |= {(source, program), (program, target)}
    _store_policy(catalog, {"rules": []})
    known = {thing.urn for thing in things}
    listed, _ = catalog.reader.list_visible_entities(EntityListing(limit=1_000), INTERNAL)
    things += [Thing(summary.urn, summary.type, summary.namespace) for summary in listed if summary.urn not in known]
    changes = catalog.feed.read_visible_changes(0, 10_000, {}, INTERNAL)
    return World(
        catalog,
        tuple(things),
        frozenset(edges),
        runs,
        catalog.feed.read_newest_change_number(),
        tuple(change.urn for change in changes),
    )


def _store_policy(catalog: Catalog, document: dict[str, Any]) -> None:
    catalog.write_path.apply_proposals_atomically(
        [Proposal(POLICY, "accessRules", "upsert", document)], Principal("root")
    )


def _choose(*values: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)


CONDITIONS = {
    "namespace": _choose(*SPACES, "system"),
    "type": _choose("dataset", "dataJob", "dataFlow", "namespace", "accessPolicy"),
    "urnPrefix": _choose(
        "urn:li:dataset:(urn:li:dataPlatform:spark,sales.", "urn:li:dataset:(urn:li:dataPlatform:file", "urn:li:data"
    ),
    "tag": _choose(*TAGS, "PII"),
    "domain": _choose("finance"),
    "owner": _choose("ada", "urn:li:corpGroup:etl", "grace"),
}
ON = st.dictionaries(st.sampled_from([*CONDITIONS]), st.none(), max_size=2).flatmap(
    lambda names: st.fixed_dictionaries({name: CONDITIONS[name] for name in names})
)
TO = _choose("*", "owner", "user:ada", "user:grace", "group:etl", "group:stewards")
GRANTS = st.fixed_dictionaries(
    {"role": st.sampled_from(["viewer", "contributor", "steward", "admin", "agent"]), "to": TO, "on": ON}
)
DENIALS = st.fixed_dictionaries({"deny": _choose("read", "annotate", "emit", "govern", "delete"), "to": TO, "on": ON})
DOCUMENTS = st.fixed_dictionaries(
    {"rules": st.lists(st.one_of(GRANTS, GRANTS, DENIALS), max_size=5)},
    optional={"enabled": st.sampled_from([True, True, False])},
)


def test_every_reader_and_writer_allows_what_the_model_allows(world: World, store_name: str) -> None:
    cases = CASES if store_name == "sqlite" or CASES > 200 else 20

    @settings(max_examples=cases, deadline=None, database=None, suppress_health_check=[*HealthCheck])
    @given(document=DOCUMENTS, person=st.sampled_from(PERSONS), many=st.sampled_from([1, visible_search._MANY]))
    def check_any_policy(document: dict[str, Any], person: Person, many: int) -> None:
        # From this number of matches on, terms are looked up by queries.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(visible_search, "_MANY", many)
            _check_policy(world, document, person)

    check_any_policy()


def _decide_without_denials(
    self: AccessRights, permission: Permission, resource: Resource, terms: frozenset[str] | None = None
) -> bool | None:
    return {"yes": True, "no": False, "perhaps": None}[self._grants[permission].find_fit(resource, terms)]


HOLES: dict[str, tuple[type, str, Any]] = {
    "lists": (
        EntityReader,
        "_list_urns_of_type",
        lambda self, tx, pair, listing, after, limit, principal: aspects.list_entity_urns(
            tx, *pair, listing.prefix, after, limit
        ),
    ),
    "search": (_VisibleSearch, "_filter", lambda self, matches: list(matches)),
    "lineage": (NodeCache, "filter_visible_nodes", lambda self, urns: set(urns)),
    "streams": (ChangeFeed, "filter_visible_changes", lambda self, changes, where, principal: list(changes)),
    "runs": (RunReader, "_may_read_run", lambda self, tx, run, principal: True),
    "accesses of runs": (RunReader, "_remove_hidden_accesses", lambda self, run, principal: run),
    "single entities": (ReadPolicy, "filter_visible_entities", lambda self, principal, urns: list(urns)),
    "rows": (ReadPolicy, "filter_visible", lambda self, tx, principal, items, get_entity: list(items)),
    "writes": (WriteAuthorization, "_may", lambda self, principal, permission, resource, tx: True),
    "denials": (AccessRights, "decide", _decide_without_denials),
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch, hole: str) -> None:
    documents: list[dict[str, Any]] = [
        {"rules": [{"role": "viewer", "to": ["*"], "on": {"namespace": ["sales"]}}]},
        {"rules": [{"role": "steward", "to": ["*"]}, {"deny": ["read"], "to": ["*"], "on": {"tag": ["pii"]}}]},
        {"rules": [{"role": "viewer", "to": ["*"], "on": {"type": ["dataset"], "owner": ["ada"]}}]},
    ]
    for document in documents:
        _check_policy(world, document, PERSONS[0])
    monkeypatch.setattr(*HOLES[hole])

    def check_all() -> None:
        for document in documents:
            _check_policy(world, document, PERSONS[0])

    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_all()


def _check_policy(world: World, document: dict[str, Any], person: Person) -> None:
    _store_policy(world.catalog, document)
    principal = Principal(person.user, groups=person.groups)
    readable = {thing.urn for thing in world.things if may(person, "read", thing, [document])}
    _check_lists(world, principal, readable)
    _check_search(world, principal, readable)
    _check_lineage_and_runs(world, principal, readable)
    _check_feed_and_exports(world, principal, readable)
    _check_single_entities(world, person, principal, document)


def _check_lists(world: World, principal: Principal, readable: set[str]) -> None:
    listed: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page, cursor = world.catalog.reader.list_visible_entities(EntityListing(limit=4, cursor=cursor), principal)
        listed += [summary.urn for summary in page]
    assert sorted(listed) == sorted(readable)
    datasets = {thing.urn for thing in world.things if thing.type == "dataset"} & readable
    page_of_type = world.catalog.datahub.finder.list_urns_of_type("dataset", 0, 3, principal)
    assert (page_of_type.total, len(page_of_type.urns)) == (len(datasets), min(3, len(datasets)))
    found = world.catalog.datahub.finder.search_entities("*", "dataset", (), 0, 100, principal)
    assert set(found.urns) == datasets
    tagged = {thing.urn for thing in world.things if thing.type in ("dataset", "dataJob")} & readable
    number = world.catalog.datahub.finder.count_entities_with_aspect("businessMetadata", "urn:li:data%", principal)
    assert number == len(tagged)


def _check_search(world: World, principal: Principal, readable: set[str]) -> None:
    catalog = world.catalog
    facets = ("namespace", "type", "tag", "owner", "domain")
    answer = catalog.searcher.search_page_of_hits(SearchRequest("*", limit=100, facets=facets), principal)
    assert {hit.summary.urn for hit in answer.hits} == readable
    assert (answer.total, answer.at_least) == (len(readable), False)
    things = [thing for thing in world.things if thing.urn in readable]
    assert dict(answer.facets.get("namespace", ())) == Counter(thing.namespace for thing in things)
    assert dict(answer.facets.get("type", ())) == Counter(thing.type for thing in things)
    assert dict(answer.facets.get("tag", ())) == Counter(tag for thing in things for tag in thing.tags)
    texts = Counter(owner for thing in things for owner in thing.owners if not owner.startswith("urn:"))
    assert dict(answer.facets.get("owner", ())) == texts
    for text in ("orders", "p*", "tags:pii", "orders people"):
        found = catalog.searcher.search_page_of_hits(SearchRequest(text, limit=100), principal)
        everything = catalog.searcher.search_page_of_hits(SearchRequest(text, limit=100), INTERNAL)
        assert [hit.summary.urn for hit in found.hits] == [
            hit.summary.urn for hit in everything.hits if hit.summary.urn in readable
        ]
        assert found.total == len(found.hits)
    past = SearchRequest("*", limit=100, as_of=read_time_ms())
    then = catalog.searcher.search_page_of_hits(past, principal)
    assert {hit.summary.urn for hit in then.hits} == readable

    def find_newest(tx: Any) -> tuple[list[str], list[str]]:
        query = TextQuery(terms=(EVERYTHING,))
        restricted = restrict_search(tx, catalog.searcher.read_policy, principal).search.find_matches(query, 3)
        every = sorted(tx.search.find_matches(query, 1_000), key=lambda match: -match.number)
        return [match.urn for match in restricted], [match.urn for match in every if match.urn in readable][:3]

    newest, expected = catalog.provider.tx_runner.run(find_newest, read_only=True)
    assert sorted(newest) == sorted(expected)


def _check_lineage_and_runs(world: World, principal: Principal, readable: set[str]) -> None:
    start = build_table_urn("orders", "sales")
    request = LineageRequest(Urn.parse(start), "downstream", 9)
    if start in readable:
        drawn = {node.urn for node in world.catalog.lineage.read_lineage(request, principal).nodes}
        assert drawn == walk_downstream(start, world.edges, readable)
    else:
        with pytest.raises(NotFound):
            world.catalog.lineage.read_lineage(request, principal)
    runs, _ = world.catalog.runs.list_visible_runs(RunListing(), principal)
    assert {run.urn for run in runs} == {run for run, program in world.runs.items() if program in readable}
    for run in runs:
        shown = {str(access.data) for access in run.accesses}
        ends = {end for edge in world.edges if world.runs[run.urn] in edge for end in edge} - {world.runs[run.urn]}
        assert shown == ends & readable


def _check_feed_and_exports(world: World, principal: Principal, readable: set[str]) -> None:
    changes = world.catalog.feed.read_visible_changes(0, 10_000, {}, principal)
    streamed = [change.urn for change in changes if change.seq <= world.head and change.operation != "access"]
    runs = {run for run, program in world.runs.items() if program in readable}
    assert {urn for urn in streamed if urn not in world.runs} <= readable
    assert {urn for urn in world.changes if urn in readable} <= {change.urn for change in changes}
    assert {change.urn for change in changes} <= readable | runs | {str(POLICY)}
    for space in SPACES:
        try:
            lines = [*world.catalog.transfer.export_namespace_lines(space, principal)]
        except NotFound:
            assert str(make_namespace_urn(space)) not in readable
        else:
            exported = {json.loads(line).get("urn") for line in lines} - {None}
            assert exported <= readable
            written = {thing.urn for thing in _build_things() if thing.namespace == space}
            assert written & readable <= exported


def _check_single_entities(world: World, person: Person, principal: Principal, document: dict[str, Any]) -> None:
    writes = {
        "annotate": ("businessMetadata", {"properties": {}, "tags": []}),
        "emit": ("technicalMetadata", {"properties": {}, "tags": []}),
        "govern": ("globalTags", {"tags": []}),
    }
    for thing in world.things:
        urn = Urn.parse(thing.urn)
        readable = may(person, "read", thing, [document])
        if readable:
            world.catalog.reader.read_entity(urn, None, principal)
        else:
            with pytest.raises(NotFound):
                world.catalog.reader.read_entity(urn, None, principal)
        for permission, (aspect, value) in writes.items():
            if thing.type not in ("dataset", "dataJob"):
                continue
            proposal = Proposal(urn, aspect, "upsert", value)
            _check_write(world, principal, proposal, readable, may(person, permission, thing, [document]))
        deletion = Proposal(urn, None, "delete")
        _check_write(world, principal, deletion, readable, may(person, "delete", thing, [document]))


def _check_write(world: World, principal: Principal, proposal: Proposal, readable: bool, allowed: bool) -> None:
    try:
        world.catalog.write_path.authorize_and_validate([proposal], principal)
    except NotFound:
        assert not readable
    except AccessDenied:
        assert readable
        assert not allowed
    else:
        assert readable
        assert allowed


def test_a_policy_takes_effect_in_another_process_within_a_second(store_name: str, tmp_path: Path) -> None:
    with STORES[store_name](tmp_path) as store:
        first, second = (
            open_or_create_catalog(store, IdentityRules(), authorizer=open_access_control("", ["root"], {}, None))
            for _ in range(2)
        )
        try:
            orders = Urn.parse(build_table_urn("orders"))
            first.write_path.apply_proposals_atomically(
                [Proposal(orders, "technicalMetadata", "upsert", {"properties": {}, "tags": []})], INTERNAL
            )
            ada = Principal("ada")
            with pytest.raises(NotFound):
                second.reader.read_entity(orders, None, ada)
            _store_policy(first, {"rules": [{"role": "viewer", "to": ["user:ada"]}]})
            _wait_until(lambda: not _is_hidden(second, orders, ada))
            _store_policy(first, {"rules": []})
            _wait_until(lambda: _is_hidden(second, orders, ada))
        finally:
            first.close()
            second.close()


def _is_hidden(catalog: Catalog, urn: Urn, principal: Principal) -> bool:
    try:
        catalog.reader.read_entity(urn, None, principal)
    except NotFound:
        return True
    return False


def _wait_until(holds: Any) -> None:
    end = read_time_ms() + 1_000
    while not holds():
        assert read_time_ms() < end
