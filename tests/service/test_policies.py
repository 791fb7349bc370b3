"""Random policies: what is listed, found, counted, faceted, drawn, streamed, exported and written is what a model allows.

200 policies on SQLite and 20 on PostgreSQL; 10,000 and 1,000 with COLOPHON_TEST_SIZE=full (`make long-policies`).
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.composition import Catalog, open_or_create_catalog, read_time_ms
from jupyter_colophon.core.access import INTERNAL, Permission, Principal, Resource
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.errors import AccessDenied, NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_namespace_urn
from jupyter_colophon.core.lineage.graph import LineageRequest, RunListing
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.policies import rights, term_clauses
from jupyter_colophon.core.policies.rights import AccessRights
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.http.changes.change_hub import ChangeHub, Subscriber, SubscriptionSpec
from jupyter_colophon.http.changes.send_queue import SendQueue
from jupyter_colophon.mcp_server.toolbox import Toolbox
from jupyter_colophon.operations.in_process import InProcessCaller
from jupyter_colophon.operations.native.api import NATIVE
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
from support.access_model import Person, may, walk_downstream
from support.access_world import POLICY, SIMILAR_SPACE, SPACES, TAGS, World, list_written_things, open_world
from support.stores import STORES
from support.urns import build_table_urn

CASES = 10_000 if os.environ.get("COLOPHON_TEST_SIZE") == "full" else 200
PERSONS = (Person("ada"), Person("grace", frozenset({"etl"})), Person("joan", frozenset({"etl", "stewards"})))
#: Holds what a principal is shown against what the principal may read.
Check = Callable[[World, Principal, set[str]], None]


@pytest.fixture(scope="module")
def world(store_name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(store_name, tmp_path_factory.mktemp(store_name)) as opened:
        yield opened


def _choose(*values: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)


CONDITIONS = {
    "namespace": _choose(*SPACES, SIMILAR_SPACE, "system"),
    "type": _choose(
        "dataset", "dataJob", "dataFlow", "namespace", "accessPolicy", "instance", "schemaField", "request"
    ),
    "schemaspace": _choose("code-snippets", "pipelines"),
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
    cases = CASES if store_name == "sqlite" else CASES // 10
    others = st.sets(st.sampled_from(CHECKS), min_size=2, max_size=2)
    denied = st.sampled_from([1, visible_search._DENIED_MAX])

    @settings(max_examples=cases, deadline=None, database=None, suppress_health_check=[*HealthCheck])
    @given(DOCUMENTS, st.sampled_from(PERSONS), others, st.sampled_from([2, term_clauses._TERMS_MAX]), denied)
    def check_any_policy(
        document: dict[str, Any], person: Person, checks: set[Check], terms: int, denied_max: int
    ) -> None:
        # With more terms than this, the store does not filter; with more denied documents, by all terms.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(term_clauses, "_TERMS_MAX", terms)
            patch.setattr(visible_search, "_DENIED_MAX", denied_max)
            _check_policy(world, document, person, checks)

    check_any_policy()


def _decide_without_denials(
    self: AccessRights, permission: Permission, resource: Resource, terms: frozenset[str] | None = None
) -> bool | None:
    grants, _ = self._find_candidates(permission, resource)
    return {"yes": True, "no": False, "perhaps": None}[rights._find_fit(grants, resource.urn, terms)]


HOLES: dict[str, tuple[type, str, Any]] = {
    "lists": (
        EntityReader,
        "_list_urns_of_type",
        lambda self, tx, pair, listing, after, limit, principal: aspects.list_entity_urns(
            tx, *pair, listing.prefix, after, limit
        ),
    ),
    "search": (_VisibleSearch, "_decide_found", lambda self, namespace, type_: True),
    "terms of search": (_VisibleSearch, "_add_filter", lambda self, query: query),
    "kinds of entities": (ReadPolicy, "decide_all", lambda self, principal, namespace, type_: True),
    "lineage": (NodeCache, "filter_visible_nodes", lambda self, urns: set(urns)),
    "streams": (ChangeFeed, "filter_visible_changes", lambda self, changes, where, principal: list(changes)),
    "runs": (RunReader, "_may_read_run", lambda self, tx, run, principal: True),
    "accesses of runs": (RunReader, "_remove_hidden_accesses", lambda self, run, principal: run),
    "single entities": (ReadPolicy, "filter_visible_entities", lambda self, principal, urns: list(urns)),
    "rows": (ReadPolicy, "filter_visible", lambda self, tx, principal, items, get_entity: list(items)),
    "writes": (WriteAuthorization, "_may", lambda self, principal, permission, resource, tx: True),
    "denials": (AccessRights, "decide", _decide_without_denials),
}


#: Policies by which each hole is noticed.
NOTICING: tuple[dict[str, Any], ...] = (
    {"rules": [{"role": "viewer", "to": ["*"], "on": {"namespace": ["sales"]}}]},
    {"rules": [{"role": "steward", "to": ["*"]}, {"deny": ["read"], "to": ["*"], "on": {"tag": ["pii"]}}]},
    {"rules": [{"role": "viewer", "to": ["*"], "on": {"type": ["dataset"], "owner": ["ada"]}}]},
)


def _check_noticing_policies(world: World) -> None:
    for document in NOTICING:
        _check_policy(world, document, PERSONS[0], CHECKS)


def test_without_a_hole_all_checks_pass(world: World) -> None:
    _check_noticing_policies(world)


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch, hole: str) -> None:
    monkeypatch.setattr(*HOLES[hole])
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        _check_noticing_policies(world)


def _check_policy(world: World, document: dict[str, Any], person: Person, checks: Collection[Check]) -> None:
    world.store_policy(document)
    principal = Principal(person.user, groups=person.groups)
    readable = {thing.urn for thing in world.things if may(person, "read", thing, [document])}
    for check in sorted(checks, key=lambda check: check.__name__):
        check(world, principal, readable)
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
    # The namespace of a pipeline is a part of its document.
    spaces = Counter("" if thing.type == "instance" else thing.namespace for thing in things)
    assert dict(answer.facets.get("namespace", ())) == spaces
    assert dict(answer.facets.get("type", ())) == Counter(thing.type for thing in things)
    assert dict(answer.facets.get("tag", ())) == Counter(tag for thing in things for tag in thing.tags)
    texts = Counter(owner for thing in things for owner in thing.owners if not owner.startswith("urn:"))
    assert dict(answer.facets.get("owner", ())) == texts
    for text in ("orders", "p*", "tags:pii", "orders people"):
        found = catalog.searcher.search_page_of_hits(SearchRequest(text, limit=100), principal)
        everything = catalog.searcher.search_page_of_hits(SearchRequest(text, limit=100), INTERNAL)
        hits = [hit.summary.urn for hit in found.hits]
        expected = [hit.summary.urn for hit in everything.hits if hit.summary.urn in readable]
        # How much a word counts beside another one depends on how many visible entities have it.
        assert hits == expected if " " not in text else sorted(hits) == sorted(expected)
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
    changes = world.catalog.feed.read_visible_changes(0, world.head, {}, principal)
    streamed = {change.urn for change in changes if change.seq <= world.head}
    runs = {run for run, program in world.runs.items() if program in readable}
    assert streamed <= readable | runs
    assert {urn for urn in world.changes if urn in readable} <= streamed
    for space in SPACES:
        try:
            lines = [*world.catalog.transfer.export_namespace_lines(space, principal)]
        except NotFound:
            assert str(make_namespace_urn(space)) not in readable
        else:
            exported = {json.loads(line).get("urn") for line in lines} - {None}
            assert exported <= readable
            written = {thing.urn for thing in list_written_things() if thing.namespace == space}
            written -= {thing.urn for thing in list_written_things() if thing.type == "instance"}
            assert written & readable <= exported


def _check_streams(world: World, principal: Principal, readable: set[str]) -> None:
    """Follow the change log as a WebSocket and server-sent events do, while everything that was written changes."""
    written = [thing for thing in list_written_things() if thing.type not in ("instance", "request")]
    value = {"properties": {"checked": str(world.catalog.feed.read_newest_change_number())}, "tags": []}
    proposals = [Proposal(Urn.parse(thing.urn), "technicalMetadata", "upsert", value) for thing in written]

    async def follow() -> tuple[set[str], set[str]]:
        hub = ChangeHub()
        own, every = (
            Subscriber(SubscriptionSpec(who, (), "change"), SendQueue(), _fail, _fail) for who in (principal, INTERNAL)
        )

        async def run_query(query: Any) -> Any:
            return query(world.catalog)

        # Changes are distributed to subscribers in their order.
        for subscriber in (own, every):
            await hub.add_subscriber(subscriber, run_query)
        try:
            await asyncio.to_thread(world.catalog.write_path.apply_proposals_atomically, proposals, INTERNAL)
            sent = set[str]()
            while len(sent) < len(written):
                sent |= {json.loads(change.text)["urn"] for change in await every.queue.wait_and_take_message(30)}
            return {json.loads(change.text)["urn"] for change in own.queue.take_ready_message()}, sent
        finally:
            for subscriber in (own, every):
                hub.remove_subscriber(subscriber)

    streamed, sent = asyncio.run(follow())
    assert streamed == sent & readable


def _fail() -> None:
    raise AssertionError("a subscriber was cut off")


def _check_assistant(world: World, principal: Principal, readable: set[str]) -> None:
    """Call the tools of the MCP server."""
    toolbox = Toolbox(InProcessCaller(world.services, principal, NATIVE))

    def call(name: str, **arguments: Any) -> Any:
        return toolbox.call_tool(name, arguments).document

    found = call("colophon_search", query="*", limit=100)
    assert ({hit["urn"] for hit in found["hits"]}, found["total"]) == (readable, len(readable))
    assert {entity["urn"] for entity in toolbox.list_entities("")["entities"]} == readable
    start = build_table_urn("orders", "sales")
    if start not in readable:
        for name in ("colophon_read_entity", "colophon_lineage", "colophon_impact"):
            with pytest.raises(RequestFailed, match=r"not found|no such"):
                call(name, urn=start)
        return
    assert call("colophon_read_entity", urn=start)["urn"] == start
    drawn = walk_downstream(start, world.edges, readable)
    graph = call("colophon_lineage", urn=start, direction="downstream", levels=9)
    assert {node["urn"] for node in graph["nodes"]} == drawn
    impact = call("colophon_impact", urn=start, levels=9)
    assert sum(kind["count"] for kind in impact["byType"]) == len(drawn) - 1
    runs = {run["urn"] for run in call("colophon_runs")["runs"]}
    assert runs == {run for run, program in world.runs.items() if program in readable}
    changed = {change["urn"] for change in call("colophon_changes", after=0, limit=200)["changes"]}
    assert changed <= readable | runs


#: Besides single entities, which are read and written in each case.
CHECKS = (
    _check_lists,
    _check_search,
    _check_lineage_and_runs,
    _check_feed_and_exports,
    _check_streams,
    _check_assistant,
)


def _check_single_entities(world: World, person: Person, principal: Principal, document: dict[str, Any]) -> None:
    writes = [
        ("annotate", "businessMetadata", {"properties": {}, "tags": []}),
        ("emit", "technicalMetadata", {"properties": {}, "tags": []}),
        ("govern", "globalTags", {"tags": []}),
        ("govern", "certification", {"certifiedBy": "urn:li:corpuser:root"}),
    ]
    for thing in world.things:
        urn = Urn.parse(thing.urn)
        readable = may(person, "read", thing, [document])
        if readable:
            world.catalog.reader.read_entity(urn, None, principal)
        else:
            with pytest.raises(NotFound):
                world.catalog.reader.read_entity(urn, None, principal)
        for permission, aspect, value in writes if thing.type in ("dataset", "dataJob") else ():
            proposal = Proposal(urn, aspect, "upsert", value)
            _check_write(world, principal, proposal, readable, may(person, permission, thing, [document]))
        if thing.type != "instance":
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


def test_a_policy_takes_effect_in_another_process_without_a_restart(store_name: str, tmp_path: Path) -> None:
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


def _store_policy(catalog: Catalog, document: dict[str, Any]) -> None:
    proposal = Proposal(POLICY, "accessRules", "upsert", document)
    catalog.write_path.apply_proposals_atomically([proposal], Principal("root"))


def _is_hidden(catalog: Catalog, urn: Urn, principal: Principal) -> bool:
    try:
        catalog.reader.read_entity(urn, None, principal)
    except NotFound:
        return True
    return False


def _wait_until(holds: Any) -> None:
    # Processes look for newer policies four times a second; a busy machine takes longer.
    end = read_time_ms() + 60_000
    while not holds():
        assert read_time_ms() < end
