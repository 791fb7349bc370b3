"""`%metadata` in a real kernel of a real server, as JupyterLab drives it."""

import getpass
import hashlib
import json

import pytest
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import edit_aspect_with_retries, read_stored_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.rendering.lineage import LINEAGE_MIME
from jupyter_colophon.rendering.page import PAGE_MIME
from live import run_live_kernel


def urn(database, table="t"):
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{database}.{table},PROD)"


def people(catalog, database, table="t"):
    return read_stored_aspect(catalog, urn(database, table), "businessMetadata").value


def test_the_magics_are_there_without_any_action(kernel):
    outcome = kernel.run("%metadata health", "health")
    assert outcome.succeeded
    assert "http://" in outcome.text
    assert "no Spark session yet" in outcome.text


def test_kernel_has_its_notebook_and_its_own_token(kernel, server):
    digest = hashlib.sha256(server.token.encode()).hexdigest()
    outcome = kernel.run(
        "import hashlib, os\n"
        "print([n for n, v in os.environ.items() if hashlib.sha256(v.encode()).hexdigest() == '" + digest + "'])\n"
        "print(os.environ['COLOPHON_NOTEBOOK'], len(os.environ['COLOPHON_TOKEN']) >= 22)",
        "environment",
    )
    assert outcome.text.splitlines()[0] == "[]"
    assert outcome.text.splitlines()[1].startswith("live-")
    assert outcome.text.splitlines()[1].endswith("True")


def test_restarted_kernel_gets_a_new_token(server, catalog, database):
    show = "import hashlib, os\nprint(hashlib.sha256(os.environ['COLOPHON_TOKEN'].encode()).hexdigest())"
    with run_live_kernel(server, "restarted.ipynb") as kernel:
        before = kernel.run(show, "c").text
        kernel.restart()
        after = kernel.run(show, "c")
        assert after.execution_count == 1
        assert after.text != before
        assert kernel.run(f"%metadata tag {database}.t again", "c").succeeded
    assert people(catalog, database)["tags"] == ["again"]


#: Opens the comm of a frontend in the kernel: `seen` has what the kernel sends to it.
OPEN_COMM = """
class Frontend:
    seen = []
    def send(self, data): self.seen.append((data["state"], data["waiting"]))
    def on_close(self, callback): self.close = callback
get_ipython().kernel.comm_manager.targets["jupyter-colophon.recording"](Frontend(), {})
"""


def test_kernel_reports_whether_it_records(server):
    with run_live_kernel(server, "status.ipynb") as kernel:
        assert kernel.run(OPEN_COMM, "c").succeeded
        assert kernel.run("print(Frontend.seen)", "c").text == "[('on', 0)]\n"
        assert kernel.run("%unload_ext jupyter_colophon", "c").succeeded
        assert kernel.run("print(Frontend.seen)", "c").text == "[('on', 0), ('off', 0)]\n"
        gone = kernel.run("print('jupyter-colophon.recording' in get_ipython().kernel.comm_manager.targets)", "c")
        assert gone.text == "False\n"
        assert kernel.run("%load_ext jupyter_colophon", "c").succeeded
        assert kernel.run(OPEN_COMM + "print(Frontend.seen)", "c").text == "[('on', 0)]\n"


def test_loading_adds_no_names_and_imports_no_large_module(kernel):
    outcome = kernel.run(
        "import sys\nprint([n for n in globals() if 'colophon' in n], [m for m in ('pyspark', 'py4j', 'jsonschema_rs', 'tornado.httpserver') if m in sys.modules])",
        "names",
    )
    assert outcome.text == "[] []\n"


def test_tags_and_properties_are_added_and_removed(kernel, catalog, database):
    assert kernel.run(f"%metadata tag {database}.t faa raw-data", "c").succeeded
    assert kernel.run(f'%metadata set {database}.t owner=ops "refresh=every morning"', "c").succeeded
    assert people(catalog, database) == {
        "tags": ["faa", "raw-data"],
        "properties": {"owner": "ops", "refresh": "every morning"},
    }
    assert kernel.run(f"%metadata untag {database}.t faa absent", "c").succeeded
    outcome = kernel.run(f"%metadata unset {database}.t owner absent", "c")
    assert people(catalog, database) == {"tags": ["raw-data"], "properties": {"refresh": "every morning"}}
    assert "every morning" in outcome.text


def test_writes_have_the_user_as_actor_and_the_kernel_as_via(kernel, catalog, database):
    kernel.run(f"%metadata tag {database}.t x", "c")
    aspect = find_entity(catalog, urn(database))["aspects"]["businessMetadata"]
    assert aspect["scope"] == "USER"
    assert aspect["actor"] == catalog.read_me()["user"]["username"]
    assert aspect["via"] == kernel.id


def test_every_command_of_a_cell_answers_in_text_and_html(kernel, database):
    outcome = kernel.run(f"%metadata tag {database}.t x\n%metadata show {database}.t\n%metadata search tag:x", "c")
    assert len(outcome.outputs) == 3
    assert all(set(output) - {PAGE_MIME} == {"text/plain", "text/html"} for output in outcome.outputs)


def test_show_search_and_keys_find_written_metadata(kernel, database):
    kernel.run(f"%metadata set {database}.t zz-{database}=seen", "c")
    shown = kernel.run(f"%metadata show {database}.t", "c").text
    assert (
        shown.index("user properties") < shown.index("seen") < shown.index("system properties") < shown.index("parquet")
    )
    assert f"{database}.t" in kernel.run(f"%metadata search zz-{database}:se*", "c").text
    assert f"zz-{database}" in kernel.run(f"%metadata keys zz-{database}", "c").text


def test_check_shows_and_records_the_quality_of_a_dataframe(kernel, catalog, database):
    expected = {"id-filled": {"kind": "notNull", "column": "id"}}
    catalog.write_aspect(urn(database), "expectations", {"expectations": expected})
    frame = "import pandas\norders = pandas.DataFrame({'id': [1, None]})"
    outcome = kernel.run(f"{frame}\n%metadata check {database}.t orders", "c")
    assert "failing, 1 of 1 expectation failed" in outcome.text
    result = find_entity(catalog, urn(database))["aspects"]["quality"]["value"]["results"]["id-filled"]
    assert (result["status"], result["failing"], result["source"]["kind"]) == ("failed", 1, "cell")
    missing = kernel.run(f"%metadata check {database}.t absent", "c")
    assert not missing.succeeded


def test_lineage_has_data_svg_and_text(kernel, database):
    (output,) = kernel.run(f"%metadata lineage {database}.t --levels 2", "c").outputs
    assert set(output) == {LINEAGE_MIME, "image/svg+xml", "text/plain"}
    assert output[LINEAGE_MIME]["urn"] == urn(database)


def test_empty_interval_is_named(kernel, database):
    line = f"%metadata lineage {database}.t --start 2026-01-02T03:04:05 --end '2026-02-03 04:05'"
    lines = kernel.run(line, "c").text.splitlines()
    words = "between 2026-01-02 03:04:05 and 2026-02-03 04:05:00"
    assert lines[0].endswith(f", {words}")
    assert lines[2:] == ["upstream", f"└─ nothing {words}", "downstream", f"└─ nothing {words}"]
    assert "nothing since 20" in kernel.run(f"%metadata lineage {database}.t --start now-1d", "c").text


def test_unknown_entity_is_reported(kernel, database):
    for line in (f"show {database}.none", f"lineage {database}.none"):
        outcome = kernel.run(f"%metadata {line}", "c")
        assert outcome.succeeded
        assert outcome.text == f"dataset '{database}.none' not found\n"


def test_unknown_name_is_created_and_reported_as_new(kernel, catalog, database):
    news = f"Created {database}.new, which was not in the catalog before."
    (output,) = kernel.run(f"%metadata tag {database}.new x", "c").outputs
    assert news in output["text/plain"]
    assert news in output["text/html"]
    assert people(catalog, database, "new")["tags"] == ["x"]
    assert "Did you mean" not in output["text/plain"]
    undo = f"jupyter colophon dataset delete {database}.newx"
    mistyped = kernel.run(f"%metadata tag {database}.newx x", "c").text
    assert f"Did you mean {database}.new? In a terminal, `{undo}` deletes the new one." in mistyped
    for line in (f"set {database}.new k=v", f"tag {database}.t x"):
        assert "Created" not in kernel.run(f"%metadata {line}", "c").text


@pytest.mark.parametrize("requested", ["show {}", "tag {} x", "untag {} x", "history {}"])
def test_unknown_type_lists_known_types(kernel, requested):
    outcome = kernel.run(f"%metadata {requested.format('urn:li:bogus:1')}", "c")
    assert not outcome.succeeded
    assert len(outcome.text.strip().splitlines()) == 1
    assert "entity type 'bogus' not found: expected dataset, dataFlow, dataJob, namespace" in outcome.text
    near = kernel.run(f"%metadata {requested.format('urn:li:Datasets:1')}", "c").text
    assert near.strip() == "UsageError: %metadata: entity type 'Datasets' not found: did you mean dataset?"


def test_untag_of_unknown_entity_creates_nothing(kernel, catalog, database):
    for line in (f"untag {database}.none x", f"unset {database}.none x"):
        assert kernel.run(f"%metadata {line}", "c").text == f"dataset '{database}.none' not found\n"
    assert find_entity(catalog, urn(database, "none")) is None


def test_unknown_namespace_is_an_error_with_a_hint(kernel, catalog, database):
    outcome = kernel.run(f"%metadata tag x{database}.t x", "c")
    assert not outcome.succeeded
    assert outcome.text.strip() == (
        f"UsageError: %metadata: namespace 'x{database}' not found: create it with jupyter colophon namespace create"
        f" 'x{database}', or use the namespace default; is 'x{database}.t' spelled correctly?"
    )
    assert find_entity(catalog, urn(f"x{database}")) is None


def test_usage_error_is_one_line_and_fails_the_cell(kernel):
    for line in (
        "frobnicate",
        "tag nodot x",
        "tag no_such_namespace.t x",
        "lineage db.t --start nonsense",
        "lineage db.t --levels 0",
    ):
        outcome = kernel.run(f"%metadata {line}", "c")
        assert not outcome.succeeded
        assert outcome.text.startswith("UsageError: %metadata")
        assert len(outcome.text.strip().splitlines()) == 1
        assert "Traceback" not in outcome.text


def test_connecting_elsewhere_wants_a_person_to_give_the_token(kernel):
    outcome = kernel.run("%metadata connect http://127.0.0.1:9/", "c")
    assert outcome.text.startswith("UsageError: %metadata: a token is required")
    assert "ok" in kernel.run("%metadata health", "c").text


def test_help_is_the_same_from_everywhere(kernel):
    lines = ("%metadata", "%metadata help", "%metadata --help", "%metadata -h")
    texts = [kernel.run(line, "c").text for line in lines]
    assert len(set(texts)) == 1
    assert "%metadata lineage NAME" in texts[0]


def test_command_shows_its_own_help(kernel):
    for line in ("lineage --help", "lineage -h", "help lineage"):
        outcome = kernel.run(f"%metadata {line}", "c")
        assert outcome.succeeded
        assert [row.split("  ")[0] for row in outcome.text.splitlines() if row.startswith("%")] == [
            "%metadata lineage NAME"
        ]
        assert "--levels N" in outcome.text
        assert "NAME is database.table" in outcome.text
        assert "T is 2026" in outcome.text


def test_help_describes_valid_tags_and_keys(kernel):
    words = "Tags and keys are letters (A to Z, a to z), digits, _ and -"
    for line in ("help", "tag --help", "untag --help", "set --help", "unset --help"):
        assert words in kernel.run(f"%metadata {line}", "c").text
    assert words not in kernel.run("%metadata show --help", "c").text


def test_concurrent_edits_of_two_notebooks_are_kept(kernel, catalog, database):
    code = f"for n in range(15):\n    get_ipython().run_line_magic('metadata', f'tag {database}.t kernel-{{n}}')"
    request = kernel.begin(code, "c")
    for number in range(15):
        edit_aspect_with_retries(
            catalog,
            urn(database),
            "businessMetadata",
            lambda value, number=number: {
                "properties": {},
                **value,
                "tags": [*value.get("tags", []), f"person-{number}"],
            },
        )
    assert kernel.finish(request).succeeded
    assert set(people(catalog, database)["tags"]) == {f"{who}-{n}" for who in ("kernel", "person") for n in range(15)}


def test_a_document_or_a_frame_is_answered_on_request(kernel, database):
    kernel.run(f"%metadata set {database}.t key-{database}=v", "c")
    (output,) = kernel.run(f"%metadata search key-{database}:v --json", "c").outputs
    assert set(output) == {"application/json", "text/plain"}
    assert output["application/json"]["hits"][0]["urn"] == urn(database)
    assert json.loads(output["text/plain"]) == output["application/json"]
    for line in (f"search key-{database}:v", f"history {database}.t", f"keys key-{database}"):
        outcome = kernel.run(
            f"found = %metadata {line} --dataframe\nprint(type(found).__module__.split('.')[0], len(found))", "c"
        )
        assert outcome.text == "pandas 1\n"
    assert not kernel.run("%metadata search x --json --dataframe", "c").succeeded
    for line in (
        f"show {database}.t",
        "keys",
        f"lineage {database}.t",
        "runs",
        "health",
        "use",
        "help",
        "pipeline list",
    ):
        (output,) = kernel.run(f"%metadata {line} --json", "c").outputs
        assert isinstance(output["application/json"], dict)


def test_the_python_api_and_the_magic_are_one(kernel, database):
    kernel.run(f"%metadata use {database}", "c")
    outcome = kernel.run("from jupyter_colophon import metadata\nmetadata.tag('t', 'both')", "c")
    assert [set(output) for output in outcome.outputs] == [{"text/plain", "text/html", PAGE_MIME}]
    assert outcome.text == kernel.run("%metadata tag t both", "c").text.replace("  nothing to change", "")
    assert f"names without a dot belong to {database}" in kernel.run("metadata.use()", "c").text
    kernel.run("metadata.use('')", "c")
    assert not kernel.run("%metadata show t", "c").succeeded


def test_history_and_diff_are_shown(kernel, database):
    kernel.run(f"%metadata tag {database}.t a\n%metadata set {database}.t owner=ops", "c")
    lines = kernel.run(f"%metadata history {database}.t", "c").text.splitlines()
    assert lines[0] == f"{database}.t  businessMetadata"
    assert [line.split()[0] for line in lines[3:]] == ["-------", "2", "1"]
    assert "+ /properties/owner ops" in lines[4]
    assert "+ /properties/owner ops" in kernel.run(f"%metadata diff {database}.t 1 2", "c").text
    assert "Nothing differs." in kernel.run(f"%metadata diff {database}.t 2 2", "c").text
    assert f"{database}.t" in kernel.run(f"%metadata search --tag a --namespace {database}", "c").text
    kernel.run(f"%metadata set {database}.t owner=dev\n%metadata unset {database}.t owner", "c")
    text = kernel.run(f"%metadata history {database}.t", "c").text
    assert ("~ /properties/owner ops → dev" in text, "- /properties/owner dev" in text) == (True, True), text
    assert "Nothing differs." in kernel.run(f"%metadata diff {database}.t --lineage", "c").text
    assert "no version" in kernel.run(f"%metadata diff {database}.t 1 77", "c").text


def test_runs_are_listed_and_one_is_shown_completely(kernel, catalog, database):
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,default),spark.load)"
    start = {"program": program, "runId": database, "start": "2026-11-20T12:00:00Z", "arguments": {"day": "monday"}}
    start["facts"] = {"log": f"first\nsecond {'word ' * 30}end"}
    run = catalog.start_run(start)["urn"]
    catalog.record_accesses(
        run, {"accesses": [{"data": urn(database), "mode": "write", "time": "2026-11-20T12:00:01Z"}]}
    )
    assert f"write {database}.t" in kernel.run(f"%metadata runs {database}.t", "c").text
    assert "No runs." in kernel.run(f"%metadata runs {database}.t --status failed", "c").text
    reported = kernel.run(f"%metadata runs {run}", "c").text
    assert "monday" in reported
    assert f"log\n  first\n  second {'word ' * 30}end" in reported
    assert f"{database}.t" in reported
    assert not kernel.run(
        "%metadata runs urn:li:dataProcessInstance:0b0f7f6e-0000-4c0e-9a6e-1f3a0f6f7a10", "c"
    ).succeeded


def test_metadata_is_propagated_and_exported(kernel, catalog, database):
    kernel.run(f"%metadata tag {database}.t hr raw\n%metadata tag {database}.t confidential --field ssn", "c")
    reported = kernel.run(f"%metadata propagate {database}.t {database}.copy --tags h* --fields same", "c").text
    assert f"Created {database}.copy, which was not in the catalog" in reported
    assert people(catalog, database, "copy") == {"tags": ["hr"], "properties": {}}
    assert "No matches" in kernel.run(f"%metadata propagate {database}.t {database}.copy --properties no*", "c").text
    outcome = kernel.run(
        f"%metadata export {database} out-{database}.jsonl\nprint(len(open('out-{database}.jsonl').readlines()))", "c"
    )
    assert "aspects of" in outcome.text
    for line in (f"export {database} /nowhere/at/all", "export nobody_has_this x.jsonl"):
        outcome = kernel.run(f"%metadata {line}", "c")
        assert len(outcome.text.strip().splitlines()) == 1


def test_command_sees_entries_emitted_by_the_previous_cell(kernel, database):
    """The outbox is sent, and the inbox applied, before the command runs."""
    for number in range(10):
        code = (
            "from jupyter_colophon import metadata\n"
            f"with metadata.run('shop.spark.load') as run: run.metadata.add_tags('{database}.t', 'said-{number}')"
        )
        assert kernel.run(code, "says").succeeded
        outcome = kernel.run(f"%metadata show {database}.t", "shows")
        assert f"said-{number}" in outcome.text
        assert "not been applied" not in outcome.text


def test_pipelines_are_listed_and_checked(kernel, catalog, tmp_path):
    stages = [
        {"name": "a", "type": "source", "plugin": "file", "properties": {"path": "${source}"}},
        {"name": "b", "type": "sink", "plugin": "file", "properties": {"path": "/b"}},
    ]
    metadata = {"namespace": "default", "stages": stages, "connections": [{"from": "a", "to": "b"}]}
    document = {"display_name": "Copies", "schema_name": "pipeline", "metadata": metadata}
    catalog.create_instance("pipelines", document)
    assert "a subcommand is required: list" in kernel.run("%metadata pipeline", "c").text
    assert "Copies" in kernel.run("%metadata pipeline list", "c").text
    valid = kernel.run("%metadata pipeline validate copies source=/a", "c")
    assert ("is valid" in valid.text, "a > b" in valid.text) == (True, True)
    wrong = kernel.run("%metadata pipeline validate copies", "c")
    assert "the run was started without the argument source" in wrong.text
    (tmp_path / "ok.json").write_text(json.dumps(document), "utf-8")
    assert "a > b" in kernel.run(f"%metadata pipeline validate {tmp_path}/ok.json source=/a", "c").text
    kernel.run("from jupyter_colophon import metadata", "c")
    assert kernel.run("metadata.pipeline('validate', 'copies', source='/a')", "c").text == valid.text
    assert kernel.run("metadata.pipeline('validate', 'copies')", "c").text == wrong.text
    for call, recorded in (
        ("'run', 'copies'", "InvalidInstance: "),
        ("'run'", "ValueError: the name of the pipeline is missing"),
        ("'fly', 'copies'", "ValueError: unknown subcommand 'fly': use one of list, preview, run, validate"),
    ):
        outcome = kernel.run(f"metadata.pipeline({call})", "c")
        assert (outcome.succeeded, outcome.text.startswith(recorded)) == (False, True), outcome.text
    notes = "try: metadata.pipeline('run', 'copies')\nexcept Exception as error: print(error.__notes__)"
    assert (
        "/metadata/stages/0/properties/path: the run was started without the argument source"
        in kernel.run(notes, "c").text
    )
    assert "No such file" in kernel.run(f"%metadata pipeline validate {tmp_path}/nosuch.json", "c").text
    assert not kernel.run("%metadata pipeline validate nosuch", "c").succeeded
    assert not kernel.run("%metadata pipeline run", "c").succeeded
    run = kernel.run("%metadata pipeline run copies", "c")
    assert (run.succeeded, "copies is not valid and was not run" in run.text) == (False, True), run.text
    assert not kernel.run("%metadata pipeline fly copies", "c").succeeded


def test_proposed_changes_are_listed_shown_and_decided(kernel, server, catalog, database):
    table, policy = urn(database), f"urn:li:accessPolicy:{database}"
    owned = {"properties": {"owner": getpass.getuser(), "unit": "euro"}, "tags": []}
    catalog.write_aspect(table, "businessMetadata", owned)
    catalog.write_aspect(table, "certification", {"certifiedBy": "urn:li:corpuser:sue"})
    rules = [{"role": "contributor", "to": ["*"]}, {"review": ["annotate"], "to": ["*"], "on": {"certified": True}}]
    catalog.write_aspect(policy, "accessRules", {"rules": rules})
    token = catalog.create_service_token({"name": database, "scopes": ["read", "annotate"]})["token"]
    author = Operations(Transport(ServerAddress(server.url, token)))
    try:
        numbers = []
        for unit in ("dollar", "pound"):
            with pytest.raises(RequestFailed) as held:
                author.write_aspect(table, "businessMetadata", owned | {"properties": {"unit": unit}})
            numbers.append(held.value.problem["proposal"])
        listed = kernel.run("%metadata proposals", "c").text
        assert all(number in listed for number in numbers)
        assert "User metadata" in listed
        shown = kernel.run(f"%metadata proposals {numbers[0]}", "c").text
        assert "~ /properties/unit euro → dollar" in shown
        applied = kernel.run(f"%metadata proposals {numbers[0]} apply Thank you.", "c").text
        assert ("applied: User metadata" in applied, "Thank you." in applied) == (True, True)
        assert people(catalog, database)["properties"] == {"unit": "dollar"}
        assert "outdated" in kernel.run(f"%metadata proposals {numbers[1]}", "c").text
        assert "rejected: " in kernel.run(f"%metadata proposals {numbers[1]} reject", "c").text
        again = kernel.run(f"%metadata proposals {numbers[1]} apply", "c")
        assert (again.succeeded, "does not wait for review" in again.text) == (False, True)
    finally:
        author.close()
        catalog.delete_entity(policy)


def test_dry_run_crawl_lists_what_it_would_read(kernel, tmp_path):
    (tmp_path / "days.csv").write_text("a\n1\n", "utf-8")
    reported = kernel.run(f"%metadata crawl {tmp_path} --dry-run", "c")
    assert ("1 new" in reported.text, "days.csv" in reported.text) == (True, True), reported.text
    call = f"from jupyter_colophon import metadata\nmetadata.crawl({str(tmp_path)!r}, include='*.csv', dry_run=True)"
    assert kernel.run(call, "c").outputs[-1] == reported.outputs[-1]
    refused = kernel.run(f"metadata.crawl({str(tmp_path)!r}, jobs=0)", "c")
    assert refused.text == "ValueError: jobs must be from 1 to 64, not 0\n"
    assert not kernel.run(f"%metadata crawl {tmp_path}/nosuch", "c").succeeded
    assert not kernel.run("%metadata crawl s3a://bucket/x", "c").succeeded
