"""Rendering of documents, especially with malicious content."""

import json
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.vocabulary import list_descriptors_of_value
from jupyter_colophon.rendering.elements import EntityName, Preformatted, TableElement, TagList, TextLine, Title
from jupyter_colophon.rendering.lineage import LINEAGE_MIME, build_lineage_page
from jupyter_colophon.rendering.page import PAGE_MIME, Page
from jupyter_colophon.rendering.renderers import render_document_page
from jupyter_colophon.rendering.style import make_command_style

SCHEMAS = Path(__file__).parents[2] / "schemas" / "api"
PICTURES = Path(__file__).parent / "pictures"
HOSTILE = """<img src=x onerror=alert(1)>"'&</style><script>alert(2)</script>\x1b[31mred\x07"""
PROGRAM = "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.nb.ipynb#{})"


def table(name):
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,db.{name},PROD)"


def example(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text())["examples"][0]


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attributes)

    def handle_data(self, data):
        self.words += data


def every_block(text):
    return Page(
        (
            Title(text, text),
            TextLine(text),
            TextLine(text, quiet=True),
            TagList(text, (text,)),
            Preformatted(text),
            Preformatted(text, text),
            TableElement(text, (text, "b"), ((text, text),)),
        )
    )


def test_user_text_is_escaped_in_html():
    page = every_block(HOSTILE)._repr_mimebundle_()["text/html"]
    elements = Elements(page)
    assert elements.tags <= {"div", "strong", "span", "pre", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert elements.attributes <= {"class", "style", "scope"}
    assert HOSTILE in elements.words


def test_control_characters_are_escaped_in_terminals():
    text = repr(every_block(HOSTILE))
    assert all(char.isprintable() or char == "\n" for char in text)


def test_colours_use_theme_variables_with_fallbacks():
    page = every_block("x")._repr_mimebundle_()["text/html"]
    assert page.count("var(--jp-") == page.count("var(--jp-ui-font-color2,#") + page.count("var(--jp-border-color")
    assert "var(--jp-ui-font-color2,#" in page


def test_table_is_aligned_and_long_values_are_truncated():
    text = repr(Page((TableElement("t", ("key", "value"), (("a", "x" * 500), ("longer", "y"))),)))
    assert text.splitlines() == [
        "t",
        "  key     value",
        "  ------  " + "-" * 64,
        "  a       " + "x" * 63 + "…",
        "  longer  y",
    ]


def entity_page(document, runs):
    return render_document_page("show", {**document, "runs": runs})


def entity(**aspects):
    whole = example("entity")
    whole["aspects"] = {
        name: {
            "name": name,
            "scope": "USER",
            "version": 1,
            "value": value,
            "actor": "a",
            "via": None,
            "time": whole["created"]["time"],
        }
        for name, value in aspects.items()
    }
    whole["descriptors"] = [
        {**one._asdict(), "name": one.text, "urn": one.urn or None, "column": one.column or None}
        for name, value in aspects.items()
        for one in list_descriptors_of_value(name, "USER" if name == "businessMetadata" else "SYSTEM", value)
        if one.kind != "field"
    ]
    return whole


def test_entity_page_separates_user_and_system_metadata():
    text = repr(
        entity_page(
            entity(
                businessMetadata={"properties": {"owner": "ops"}, "tags": ["faa"]},
                technicalMetadata={"properties": {"format": "parquet"}, "tags": []},
                schemaMetadata={"fields": [{"fieldPath": "x", "nativeDataType": "bigint", "nullable": True}]},
            ),
            [example("run")],
        )
    )
    people, machines = text.index("user properties"), text.index("system properties")
    assert (
        text.index("faa") < people < text.index("owner  ops") < machines < text.index("parquet") < text.index("bigint")
    )


@pytest.mark.parametrize(("names", "words"), [("a", "schema, 1 field"), ("ab", "schema, 2 fields")])
def test_field_count_is_singular_for_one(names, words):
    fields = [{"fieldPath": name, "nativeDataType": "int", "nullable": True} for name in names]
    assert words in repr(entity_page(entity(schemaMetadata={"fields": fields}), [])).splitlines()


def test_columns_align_with_wide_characters():
    rows = (("顧客 リスト", "7"), ("cafe\N{COMBINING ACUTE ACCENT}", "8"), ("plain", "9"))
    text = repr(Page((TableElement("", ("name", "rows"), rows),)))
    assert text.splitlines() == [
        "name         rows",
        "-----------  ----",
        "顧客 リスト  7",
        "cafe\N{COMBINING ACUTE ACCENT}         8",
        "plain        9",
    ]


def test_crawl_errors_are_not_truncated():
    why = "Spark has no Avro: start it with spark.jars.packages=org.apache.spark:spark-avro_2.13:4.0.0"
    datasets = [{"name": "x.avro", "status": "failed", "reason": why}, {"name": "y.csv", "status": "same"}]
    counts = {"new": 0, "failed": 1, "same": 1}
    report = {"counts": counts, "datasets": datasets, "dry": False, "reason": "", "left": 0, "run": "urn:li:x:1"}
    lines = repr(render_document_page("crawl", report)).splitlines()
    assert f"x.avro: {why}" in lines
    assert not any("y.csv" in line for line in lines)


def test_profile_shows_figures_of_each_column():
    columns = [
        {"fieldPath": "pay", "nullCount": 1_200, "uniqueCount": 3, "min": "5.5", "max": "7", "mean": "6.3333333333"},
        {"fieldPath": HOSTILE, "nullCount": 0, "mean": "none"},
        *({"fieldPath": f"c{at}"} for at in range(60)),
    ]
    profile = {"time": "2026-11-22T12:00:00Z", "value": {"rowCount": 4_000, "fieldProfiles": columns}}
    page = entity_page({**entity(), "profile": profile}, [])
    lines = [line.split() for line in repr(page).splitlines()]
    assert ["pay", "1,200", "3", "5.5", "7", "6.33333"] in lines
    assert ["column", "nulls", "distinct", "min", "median", "max", "mean", "standard", "deviation"] in lines
    assert "4,000 rows" in repr(page)
    assert "12 more columns: use --json to see all." in repr(page)
    assert "<img" not in page._repr_mimebundle_()["text/html"]
    bare = entity_page({**entity(), "profile": {"time": "2026-11-22T12:00:00Z", "value": {"rowCount": 4_000}}}, [])
    assert ": 4,000 rows" in repr(bare)


@pytest.mark.parametrize(("head", "words"), [(0, "0 changes"), (1, "1 change"), (2, "2 changes")])
def test_change_count_is_singular_for_one(head, words):
    health = {**example("health"), "changeLog": {**example("health")["changeLog"], "head": head}}
    assert any(line.endswith(f" {words}") for line in repr(render_document_page("health", health)).splitlines())


def test_entity_without_metadata_is_rendered():
    assert "tags (USER): none" in repr(entity_page(entity(), []))


def hit(**more):
    return {**example("entity-summary"), "description": "", "tags": [], "owner": None, "matches": [], **more}


def test_search_page_shows_hits_and_reasons():
    answer = {
        **example("search-results"),
        "total": 30,
        "hits": [hit(owner="ops", matches=[{"key": "owner", "value": "ops", "scope": "USER"}])],
    }
    text = repr(render_document_page("search", answer))
    assert "30 found" in text
    assert "flights.daily_delays" in text
    assert "owner:ops" in text
    assert "29 more" in text


def test_search_page_of_filters_alone_has_no_query_in_its_title():
    answer = {**example("search-results"), "query": "*", "total": 1, "hits": [hit()]}
    assert repr(render_document_page("search", answer)).splitlines()[0] == "1 found"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (render_document_page("search", example("search-results")), "nothing found"),
        (render_document_page("keys", {"keys": [], "cursor": None}), "no keys yet"),
        (render_document_page("keys", {"prefix": "zz", "keys": [], "cursor": None}), "no keys begin with zz"),
    ],
)
def test_empty_page_shows_a_message(page, words):
    assert words in repr(page)


def node(urn, level=0, **more):
    kind = "dataset" if "dataset" in urn else "dataJob"
    return {
        "urn": urn,
        "type": kind,
        "namespace": "db",
        "name": shorten_urn(urn).removeprefix("db."),
        "platform": None,
        "level": level,
        "deleted": False,
        "notShown": {"upstream": 0, "downstream": 0},
        **more,
    }


def edge(source, target, access, runs=1):
    time = "2026-11-20T12:00:00.000Z"
    return {
        "source": source,
        "target": target,
        "access": access,
        "runs": [],
        "runCount": runs,
        "start": time,
        "end": time,
        "components": [],
        "declared": access == "declared",
        "statements": [],
    }


def lineage(nodes, edges, focus, **more):
    return {**example("lineage"), "urn": focus, "nodes": nodes, "edges": edges, **more}


def chain():
    a, b, made = table("a"), table("b"), PROGRAM.format("make")
    return lineage([node(b), node(a, -1), node(made)], [edge(a, made, "read"), edge(made, b, "write", 3)], b)


def test_lineage_page_has_data_svg_and_tree():
    bundle = build_lineage_page(chain())._repr_mimebundle_()
    assert bundle[LINEAGE_MIME] == chain()
    assert set(bundle) == {LINEAGE_MIME, "image/svg+xml", "text/plain"}
    lines = bundle["text/plain"].splitlines()
    assert lines[0] == "db.b  lineage, both, 1 level"
    assert lines[1:3] == [table("b"), "upstream"]
    assert lines[3].startswith("└─ written by nb.ipynb#make  (3 runs, last ")
    assert lines[4:] == ["   └─ from db.a", "downstream", "└─ nothing"]


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("2026-11-19T12:00:00", "2026-11-20T12:00:00", "between 2026-11-19 12:00:00 and 2026-11-20 12:00:00"),
        ("2026-11-19T12:00:00", None, "since 2026-11-19 12:00:00"),
        (None, "2026-11-20T12:00:00", "until 2026-11-20 12:00:00"),
    ],
)
def test_lineage_page_names_its_interval(start, end, words):
    bundle = build_lineage_page({**chain(), "start": start, "end": end})._repr_mimebundle_()
    lines = bundle["text/plain"].splitlines()
    assert lines[0] == f"db.b  lineage, both, 1 level, {words}"
    assert lines[-1] == f"└─ nothing {words}"
    assert f"<title>Lineage of db.b {words}</title>" in bundle["image/svg+xml"]


def test_svg_is_well_formed_and_complete():
    root = ElementTree.fromstring(build_lineage_page(chain())._repr_mimebundle_()["image/svg+xml"])
    svg = "{http://www.w3.org/2000/svg}"
    names = [text.text for text in root.iter(f"{svg}text") if text.get("font-weight")]
    assert names == ["a", "b", "→ db.b"]
    assert len([path for path in root.iter(f"{svg}path") if path.get("marker-end")]) == 2


def test_wide_svg_labels_are_truncated():
    wide, narrow = (table(letter * 40) for letter in "Wi")
    document = lineage([node(wide), node(narrow, 1)], [edge(wide, narrow, "declared")], wide)
    root = ElementTree.fromstring(build_lineage_page(document)._repr_mimebundle_()["image/svg+xml"])
    texts = root.iter("{http://www.w3.org/2000/svg}text")
    names = [text.text for text in texts if text.get("font-weight")]
    assert sorted(names) == [f"{'W' * 4}…{'W' * 5}", f"{'i' * 19}…{'i' * 5}"]


@pytest.mark.parametrize("name", ["chain", "fan", "cycle", "split"])
def test_svg_equals_the_drawing_that_jupyterlab_exports(name):
    """labextension/test/lineage/svg.spec.ts compares the exported drawings with the same files."""
    document = json.loads((PICTURES / f"{name}.json").read_text())
    assert build_lineage_page(document)._repr_mimebundle_()["image/svg+xml"] == (PICTURES / f"{name}.svg").read_text()


def test_hostile_names_are_escaped_in_svg():
    name = HOSTILE.replace("(", "%28").replace(")", "%29").replace("\x1b", "").replace("\x07", "")
    urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{name},PROD)"
    root = ElementTree.fromstring(
        build_lineage_page(lineage([node(urn)], [], urn))._repr_mimebundle_()["image/svg+xml"]
    )
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg",
        "title",
        "style",
        "defs",
        "marker",
        "path",
        "rect",
        "g",
        "text",
    }


def test_tree_stops_at_a_cycle():
    a, b, there, back = table("a"), table("b"), PROGRAM.format("there"), PROGRAM.format("back")
    edges = [edge(a, there, "read"), edge(there, b, "write"), edge(b, back, "read"), edge(back, a, "write")]
    page = build_lineage_page(lineage([node(a), node(b), node(there), node(back)], edges, a))
    assert repr(page).count("see above") == 2
    ElementTree.fromstring(page._repr_mimebundle_()["image/svg+xml"])


def test_cell_reading_its_own_output_is_shown():
    a, cell = table("a"), PROGRAM.format("c")
    assert "see above" in repr(
        build_lineage_page(lineage([node(a), node(cell)], [edge(a, cell, "read"), edge(cell, a, "write")], a))
    )


def test_large_lineage_is_a_truncated_tree():
    made, focus = PROGRAM.format("c"), table("focus")
    others = [table(f"t{number}") for number in range(600)]
    # A chain; a fan would be drawn as a cluster.
    edges = [edge(made, focus, "write"), edge(others[0], made, "read")]
    edges += [edge(after, before, "declared") for before, after in pairwise(others)]
    bundle = build_lineage_page(
        lineage([node(focus), node(made), *map(node, others)], edges, focus, truncated=True)
    )._repr_mimebundle_()
    assert "image/svg+xml" not in bundle
    assert "text/html" in bundle
    assert "more lines" in bundle["text/plain"]
    assert "is truncated" in bundle["text/plain"]


def test_hidden_and_deleted_nodes_are_marked():
    b, made = table("b"), PROGRAM.format("m")
    nodes = [node(b), node(made), node(table("a"), deleted=True, notShown={"upstream": 4, "downstream": 0})]
    text = repr(build_lineage_page(lineage(nodes, [edge(table("a"), made, "read"), edge(made, b, "write")], b)))
    assert "from db.a  (deleted, 4 more)" in text


def test_table_cells_fit_their_longest_word():
    # With `anywhere` a browser may make a column as narrow as a letter.
    page = every_block("x")._repr_mimebundle_()["text/html"]
    assert "overflow-wrap:break-word" in page
    assert "overflow-wrap:anywhere" not in page


def test_line_breaks_in_title_are_escaped():
    document = chain()
    document["nodes"][2]["title"] = "step\ndownstream\x1b[31m"
    lines = repr(build_lineage_page(document)).splitlines()
    assert lines.count("downstream") == 1
    assert lines[3].startswith("└─ written by step⏎downstream\N{REPLACEMENT CHARACTER}[31m (nb.ipynb#make)  (")


def test_unknown_access_is_on_both_sides_and_not_followed():
    a, made = table("a"), PROGRAM.format("m")
    document = lineage([node(a), node(made, 1)], [edge(a, made, "unknown")], a)
    lines = [line.partition("  (")[0] for line in repr(build_lineage_page(document)).splitlines()]
    assert lines[2:] == ["upstream", "└─ accessed by nb.ipynb#m", "downstream", "└─ accessed by nb.ipynb#m"]


def test_undirected_tree_follows_all_accesses_of_a_program():
    a, b, made = table("a"), table("b"), PROGRAM.format("m")
    edges = [edge(a, made, "read"), edge(b, made, "read")]
    document = lineage([node(a), node(b, 2), node(made, 1)], edges, a, direction="undirected")
    lines = [line.partition("  (")[0] for line in repr(build_lineage_page(document)).splitlines()]
    assert lines[2:] == ["undirected", "└─ read by nb.ipynb#m", "   └─ from db.b"]


def test_command_output_has_full_reusable_names():
    foreign = "urn:li:dataset:(urn:li:dataPlatform:postgres,db.b,PROD)"
    run = {**example("run"), "accesses": []}
    hits = [hit(urn=urn, description="x" * 100) for urn in (table("a"), foreign)]
    found = {**example("search-results"), "total": 2, "hits": hits}
    text = str(render_document_page("search", found, make_command_style(IdentityRules())))
    assert [line.split()[0] for line in text.splitlines()[4:]] == ["db.a", foreign]
    assert text.count("x" * 100) == 2
    listed = str(render_document_page("runs", {"runs": [run], "cursor": None}, make_command_style(IdentityRules())))
    assert {run["start"], run["urn"]} <= set(listed.split())


def test_page_with_names_or_tags_has_a_document_that_links_them():
    name = EntityName("sales.orders", "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)")
    link = {"text": "sales.orders", "urn": name.urn}
    page = Page((Title(name), TagList("tags", ("gold",)), TableElement("", ("name", "n"), ((name, [name, 1]),))))
    bundle = page._repr_mimebundle_()
    title, tags, table = bundle[PAGE_MIME]["elements"]
    assert (title["text"], tags["words"], tags["key"]) == (link, ["gold"], "tags")
    assert table["rows"] == [[link, [link, "1"]]]
    # Frontends without the lab extension show the names as plain text.
    assert Elements(bundle["text/html"]).attributes <= {"class", "style", "scope"}
    assert "sales.orders" in bundle["text/plain"]
    json.dumps(bundle)


def test_page_without_names_and_tags_has_no_document():
    page = Page((Title(HOSTILE), TextLine("x"), TagList("terms", ("a",), ""), TagList("tags", ())))
    assert set(page._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_programs_are_named_by_their_titles():
    cell = PROGRAM.format("a1b2")
    hit = {"urn": cell, "type": "dataJob", "tags": [], "owner": None, "matches": [], "description": ""}
    found = {
        "query": "cancelled",
        "total": 1,
        "isLowerBound": False,
        "hits": [hit | {"displayName": "Remove cancelled"}],
    }
    page = render_document_page("search", found)
    assert "Remove cancelled (nb.ipynb)" in repr(page)
    assert "nb.ipynb#a1b2" not in repr(page)
    in_terminal = render_document_page("search", found, make_command_style(IdentityRules()))
    assert "Remove cancelled (urn:li:dataJob:" in repr(in_terminal)
    run = example("run") | {
        "program": cell,
        "facts": {"cellId": "a1b2", "executionCount": 8},
        "title": "Remove cancelled",
    }
    runs = {"runs": [run], "cursor": None}
    assert "Remove cancelled (nb.ipynb [8])" in repr(render_document_page("runs", runs))
    accesses = [{"data": table("orders"), "mode": "write", "component": ""}]
    assert "→ db.orders (nb.ipynb [8])" in repr(
        render_document_page("runs", {**runs, "runs": [run | {"title": "", "accesses": accesses}]})
    )
