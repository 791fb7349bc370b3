"""What applications read and change in the catalog: topics and proposals, with the rights of the platform or a principal."""

from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_colophon.apps import (
    Access,
    AccessDenied,
    ColumnEdge,
    LogCompacted,
    NotFound,
    Principal,
    Proposal,
    RunConflict,
    RunUpsert,
    Urn,
    make_home_model_urn,
    make_program_urn,
)
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.lineage.graph import LineageRequest
from support.catalog import ADA, build_metadata_value, record_run
from support.system_apps import CONTEXTS, open_apps, prepare_context
from support.urns import NOTEBOOK, build_table_urn

ORDERS, COSTS = build_table_urn("orders"), build_table_urn("costs", "ops")
#: A user whose token may only read, in the namespace `sales`.
READER = Principal("bob", None, frozenset({"read"}), namespaces=frozenset({"sales"}))


@pytest.fixture
def apps(catalog: Catalog, install: Any) -> Iterator[SystemApps]:
    install(CONTEXTS, "contexts", "Contexts")
    opened = open_apps(catalog)
    yield opened
    opened.close()


@pytest.fixture
def sales(apps: SystemApps) -> ServiceContext:
    return prepare_context(apps, "sales")


def tag(urn: str, *tags: str) -> Proposal:
    return Proposal(Urn.parse(urn), "businessMetadata", "upsert", build_metadata_value({}, tags))


def test_topics_are_fetched_from_a_number_on(sales: ServiceContext, apps: SystemApps, catalog: Catalog) -> None:
    begun = sales.fetch("changes")
    assert begun.messages == ()
    admin = sales.run_as(ADA).admin
    admin.apply_proposals([tag(ORDERS, "gold")])
    admin.apply_proposals([tag(COSTS, "secret")])
    record_run(catalog, NOTEBOOK, "r1", ("read", ORDERS), end=2_000)
    assert [topic.name for topic in admin.list_topics()] == ["changes", "runs", "metadata", "audit"]

    def fetch(topic: str, context: ServiceContext = sales, **options: Any) -> list[Any]:
        return list(context.fetch(topic, begun.cursor, **options).messages)

    assert {message["namespace"] for message in fetch("changes")} == {"sales"}
    assert {"sales", "ops"} <= {message["namespace"] for message in fetch("changes", namespace="")}
    assert [message["operation"] for message in fetch("runs", namespace="")] == ["run-start", "run-end"]
    assert [message["updated"]["tags"] for message in fetch("metadata")] == [["gold"]]
    everything = prepare_context(apps)
    written = [message["updated"]["tags"] for message in fetch("metadata", everything) if message["scope"] == "USER"]
    assert written == [["gold"], ["secret"]]
    assert "CREATE" in {message["type"] for message in fetch("audit")}
    # In slices, each once.
    cursor, fetched = begun.cursor, []
    while (part := sales.fetch("changes", cursor, 2)).cursor > cursor:
        cursor, fetched = part.cursor, [*fetched, *part.messages]
    assert fetched == fetch("changes", limit=1_000)


def test_fetched_messages_are_those_that_the_principal_may_read(apps: SystemApps) -> None:
    context = prepare_context(apps)
    after = context.fetch("metadata").cursor
    context.admin.apply_proposals([tag(ORDERS, "gold"), tag(COSTS, "secret")])
    of_reader = context.run_as(READER).fetch("metadata", after)
    assert [message["updated"]["tags"] for message in of_reader.messages] == [["gold"]]
    assert of_reader.cursor == context.fetch("metadata", after).cursor


def test_refused_fetches_name_the_reason(sales: ServiceContext) -> None:
    with pytest.raises(InvalidQuery, match="there is no topic 'orders': use one of changes, runs, metadata, audit"):
        sales.fetch("orders")
    with pytest.raises(InvalidQuery):
        sales.fetch("changes", 0, 1_001)
    with pytest.raises(LogCompacted):
        sales.fetch("changes", 10**9)


def test_what_an_application_creates_carries_the_principal(sales: ServiceContext, catalog: Catalog) -> None:
    for context, user in ((sales.run_as(ADA), "ada"), (sales, "colophon")):
        (result,) = context.admin.apply_proposals([tag(ORDERS, user)])
        (change,) = [
            change for change in catalog.feed.read_visible_changes(0, 1_000, {}, ADA) if change.seq == result.seq
        ]
        assert (change.actor, change.value["tags"]) == (user, [user])
    assert sales.run_as(ADA).files.put("a", b"").created_by == "ada"
    assert catalog.reader.read_entity(Urn.parse(ORDERS), (), ADA).summary.created.actor == "ada"


def test_an_application_records_runs_of_programs(sales: ServiceContext, catalog: Catalog) -> None:
    admin = sales.run_as(ADA).admin
    program = make_program_urn("sales", "shop", "workers", "train")
    orders, model = Urn.parse(ORDERS), make_home_model_urn("sales", "orders")
    running = RunUpsert(program, "r1", start=1_000, arguments={"model": "orders"})
    with pytest.raises(NotFound):
        admin.record_run(running)
    flow = Urn.parse(program.parts[0])
    admin.apply_proposals([Proposal(urn, None, "create", if_absent=True) for urn in (flow, program, orders)])
    assert admin.record_run(running).status == "running"
    accesses = (Access(orders, "read"), Access(model, "write"))
    columns = (ColumnEdge(orders, "id", model, "prediction", "transformation"),)
    end = RunUpsert(program, "r1", end=2_000, status="succeeded", accesses=accesses, columns=columns)
    with pytest.raises(NotFound, match="model 'orders' not found"):
        admin.record_run(end)
    admin.apply_proposals([Proposal(model, None, "create")])
    with pytest.raises(AccessDenied):
        sales.run_as(READER).admin.record_run(end)
    ended = admin.record_run(end)
    assert (ended.status, ended.user, ended.end_ms, ended.arguments) == ("succeeded", "ada", 2_000, {"model": "orders"})
    lineage = catalog.lineage.read_lineage(LineageRequest(model, "upstream", 1, columns=True), ADA)
    assert [(edge.source, edge.target) for edge in lineage.edges] == [
        (str(orders), str(program)),
        (str(program), str(model)),
    ]
    assert [(edge.source_field, edge.target_field) for edge in lineage.columns] == [("id", "prediction")]
    with pytest.raises(RunConflict):
        admin.record_run(RunUpsert(program, "r1", status="running"))


def test_proposals_need_the_rights_of_the_principal_and_the_namespace(sales: ServiceContext, catalog: Catalog) -> None:
    sales.admin.apply_proposals([tag(ORDERS, "gold")])
    with pytest.raises(AccessDenied):
        sales.run_as(READER).admin.apply_proposals([tag(ORDERS, "silver")])
    with pytest.raises(NotFound):
        sales.admin.apply_proposals([tag(ORDERS, "silver"), tag(build_table_urn("orders", "nowhere"), "a")])
    assert not sales.admin.namespace_exists("nowhere")
    assert catalog.metadata.read_scoped_metadata(Urn.parse(ORDERS), "", ADA).user.tags == ("gold",)
