"""The names by which people know programs, in hits, lists and answers, and search by them (spec SEARCH-25)."""

from dataclasses import replace

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.identity.names import Urn, make_program_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.service.entities.display_names import DisplayNameService
from jupyter_colophon.service.read_policy import ReadPolicy
from support.catalog import ADA, record_run, search_catalog
from support.urns import ORDERS, REPORT, build_cell_urn, build_table_urn

LOAD = str(make_program_urn("sales", "app", "flows", "load"))
TITLED, UNNAMED, OTHER = build_cell_urn("a1"), build_cell_urn("b2"), build_cell_urn("clean")


class AllBut:
    """An authorizer that hides one namespace."""

    def may(self, _principal: Principal, _action: Action, namespace: str) -> bool:
        return namespace != "secret"


def name_program(catalog: Catalog, urn: str, name: str) -> None:
    value = {"name": name, "type": {"string": "COMMAND"}}
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), "dataJobInfo", "upsert", value)], ADA)


def read_hit_names(catalog: Catalog, text: str) -> list[tuple[str, str | None]]:
    return [(hit.summary.urn, hit.display_name) for hit in search_catalog(catalog, text, type="dataJob").hits]


def test_program_is_found_and_shown_by_its_title(catalog: Catalog) -> None:
    record_run(catalog, TITLED, "1", ("read", ORDERS), ("write", REPORT))
    name_program(catalog, TITLED, "Remove cancelled flights")
    for query in ("cancelled", "cancel*", '"remove cancelled flights"', "name:cancelled"):
        assert read_hit_names(catalog, query) == [(TITLED, "Remove cancelled flights")]
    listed, _ = catalog.reader.list_visible_entities(EntityListing("default", "dataJob"), ADA)
    assert {summary.urn: summary.display_name for summary in listed}[TITLED] == "Remove cancelled flights"
    entity = catalog.reader.read_entity(Urn.parse(TITLED), None, ADA)
    assert entity.summary.display_name == "Remove cancelled flights"


def test_words_of_a_title_rank_like_words_of_a_name(catalog: Catalog) -> None:
    described = build_cell_urn("z9")
    record_run(catalog, TITLED, "1", ("read", ORDERS))
    record_run(catalog, OTHER, "2", ("read", ORDERS))
    record_run(catalog, described, "3", ("read", ORDERS))
    name_program(catalog, TITLED, "a title of many words that has clean among them so that its score is low")
    note = {"properties": {"note": "clean"}, "tags": []}
    catalog.write_path.apply_proposals_atomically(
        [Proposal(Urn.parse(described), "businessMetadata", "upsert", note)], ADA
    )
    for query in ("clean", "cl*"):
        assert [urn for urn, _ in read_hit_names(catalog, query)][-1] == described


def test_cell_without_a_name_is_named_by_what_it_writes(catalog: Catalog) -> None:
    record_run(catalog, UNNAMED, "1", ("read", ORDERS), ("write", REPORT))
    record_run(catalog, LOAD, "2", ("read", ORDERS), ("write", REPORT))
    names = catalog.display_names.read_display_names([*map(Urn.parse, (UNNAMED, LOAD, REPORT))], ADA)
    assert names == {UNNAMED: "→ sales.report"}
    record_run(catalog, UNNAMED, "3", ("write", build_table_urn("a")), ("write", build_table_urn("b")))
    names = catalog.display_names.read_display_names([Urn.parse(UNNAMED)], ADA)
    assert names == {UNNAMED: "→ sales.a, sales.b, …"}


def test_name_does_not_reveal_data_that_may_not_be_read(catalog: Catalog) -> None:
    record_run(catalog, UNNAMED, "1", ("write", build_table_urn("plans", "secret")))
    hidden = str(make_program_urn("secret", "app", "flows", "f"))
    name_program(catalog, hidden, "Secret plans")
    policy = ReadPolicy(AllBut(), catalog.identity, catalog.provider)
    service: DisplayNameService = replace(catalog.display_names, read_policy=policy)
    urns = [Urn.parse(UNNAMED), Urn.parse(hidden)]
    assert service.read_display_names(urns, ADA) == {}
    assert catalog.display_names.read_display_names(urns, ADA) == {
        UNNAMED: "→ secret.plans",
        hidden: "Secret plans",
    }


def test_other_entities_have_the_names_of_their_aspects(catalog: Catalog) -> None:
    flow, container = Urn.parse("urn:li:dataFlow:(airflow,daily,default)"), Urn.parse("urn:li:container:4f3a")
    catalog.write_path.apply_proposals_atomically(
        [
            Proposal(flow, "dataFlowInfo", "upsert", {"name": "Daily loads", "customProperties": {}}),
            Proposal(container, "containerProperties", "upsert", {"name": "Warehouse", "customProperties": {}}),
        ],
        ADA,
    )
    names = catalog.display_names.read_display_names([flow, container], ADA)
    assert names == {str(flow): "Daily loads", str(container): "Warehouse"}
