"""An erased person is named nowhere in the store, and the store stays valid: its chain, its search, its cursors."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.audit import AuditRules, AuditSelection
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_notebook_program_urn
from jupyter_colophon.core.identity.user_namespace import make_user_namespace
from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.owner_request import RequestSelection
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.privacy.erasure import Erasure
from jupyter_colophon.core.privacy.person import PersonNames
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.core.service_token import hash_token
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.service.admin.log_truncation import delete_changes_older_than_days
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.service.stewardship.requests import NewRequest, RequestResponse
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.privacy import erasures, person_logs, person_rows
from jupyter_colophon.storage.spi import Range, TableContext
from support.catalog import build_metadata_value, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.stores import CATALOGS, READY, STORES
from support.urns import ORDERS, REPORT

NAME = "grace.h0pper-canary"
TITLE = "Amazing Gr4ce Canary"
GRACE, BEN = Principal(NAME, "kernel-1"), Principal("ben")
USER = f"urn:li:corpuser:{NAME}"
#: Another user, whose name begins with that of the person.
OTHER = f"{NAME}2"
NOTEBOOK = str(make_notebook_program_urn(make_user_namespace(NAME), "shop.ipynb"))
WAIT_S = 60
ONE_STORE = pytest.mark.parametrize("choice", ["sqlite"], indirect=True)


@pytest.fixture(params=[*CATALOGS, "toy"])
def choice(request: Any, tmp_path: Path) -> Iterator[StorageChoice]:
    with (READY if request.param in READY else STORES)[request.param](tmp_path) as made:
        yield made


def open_catalog(choice: StorageChoice) -> Catalog:
    return open_or_create_catalog(choice, IdentityRules(), audit=AuditRules("on"))


def upsert(catalog: Catalog, urn: str, aspect: str, value: Any, principal: Principal = GRACE) -> None:
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), aspect, "upsert", value)], principal)


def fill(catalog: Catalog) -> None:
    """Let the person do and own everything that has the name of a person."""
    stamp = {"time": 0, "actor": USER}
    upsert(catalog, USER, "corpUserInfo", {"active": True, "displayName": TITLE, "email": f"{NAME}@example.org"})
    upsert(catalog, USER, "corpUserEditableInfo", {"aboutMe": TITLE})
    for number in range(4):
        write_metadata(catalog, properties={"n": str(number)}, principal=GRACE if number % 2 else BEN)
    write_metadata(catalog, REPORT, {"owner": NAME}, aspect="businessMetadata", principal=GRACE)
    owners = [{"owner": owner, "type": "DATAOWNER"} for owner in (USER, f"urn:li:corpuser:{OTHER}")]
    upsert(catalog, ORDERS, "ownership", {"owners": owners, "lastModified": stamp})
    upsert(catalog, ORDERS, "certification", {"certifiedBy": USER, "until": "2099-01-01"})
    upsert(catalog, ORDERS, "datasetProfile", {"timestampMillis": 1_700_000_000_000, "rowCount": 1})
    rules = {"rules": [{"role": "viewer", "to": [f"user:{NAME}", "*"]}]}
    upsert(catalog, "urn:li:accessPolicy:open", "accessRules", rules, BEN)
    upsert(catalog, "urn:li:accessPolicy:open", "accessRules", {"rules": [{"role": "admin", "to": ["*"]}]}, BEN)
    requests = catalog.stewardship.requests
    request = requests.create(NewRequest(Urn.parse(ORDERS), "other", "Complete?", (NAME,)), GRACE, None)
    requests.update(Urn.parse(request.urn), RequestResponse("Yes.", "answered", (USER,)), GRACE, None)
    program = Urn.parse(NOTEBOOK)
    start = RunStart(program, "r1", 1_000, 2_000, "succeeded", arguments={"user": NAME})
    run = catalog.write_path.start_run(start, GRACE).urn
    accesses = [Access(Urn.parse(ORDERS), "read"), Access(Urn.parse(REPORT), "write")]
    catalog.write_path.record_run_accesses(run, accesses, [], GRACE)
    tag = Proposal(Urn.parse(ORDERS), "globalTags", "upsert", {"tags": [{"tag": "urn:li:tag:x", "context": USER}]})
    catalog.write_path.apply_proposals_atomically([tag], GRACE, idempotency_key=IdempotencyKey(NAME, "k", "f"))
    catalog.service_tokens.create_token("etl", ("read",), None, None, 90, GRACE)
    catalog.loads.open_or_resume_load("night", GRACE)
    refused = Proposal(Urn.parse(f"{ORDERS[:-6]}x,PROD)"), "technicalMetadata", "update", build_metadata_value())
    catalog.inbox.check_and_store_batch([refused], GRACE)
    upsert(catalog, "urn:li:dataset:(urn:li:dataPlatform:hive,d.gone,PROD)", "status", {"removed": False})
    gone = Proposal(Urn.parse("urn:li:dataset:(urn:li:dataPlatform:hive,d.gone,PROD)"), None, "delete")
    catalog.write_path.apply_proposals_atomically([gone], GRACE)
    # The audit has who reads a marked entity, and the person as a marked entity.
    for urn in (ORDERS, USER):
        write_metadata(catalog, urn, {}, ["confidential"], aspect="businessMetadata", principal=BEN)
        catalog.reader.read_entity(Urn.parse(urn), None, GRACE)
    catalog.audit.recorder.store_now()
    until = time.monotonic() + WAIT_S
    while not catalog.dead_letters.list_visible_page("", 10, "", GRACE)[0] and time.monotonic() < until:
        time.sleep(0.02)


def erase(catalog: Catalog, person: str = NAME) -> Erasure:
    return wait_for_end(catalog, catalog.eraser.start(person, BEN).pseudonym)


def wait_for_end(catalog: Catalog, pseudonym: str) -> Erasure:
    until = time.monotonic() + WAIT_S
    while not (erasure := catalog.eraser.read_erasure(pseudonym)).is_finished and not erasure.problem:
        assert time.monotonic() < until, erasure
        time.sleep(0.02)
    return erasure


def find_names(choice: StorageChoice, catalog: Catalog) -> list[str]:
    """Return where the store has a name of the person: in the files of SQLite, and in all rows of other stores."""
    words = [NAME, make_user_namespace(NAME), TITLE]
    if choice.provider == "sqlite":
        folder = Path(choice.options["path"]).parent
        data = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        return [
            f"{name}: {word}: {content[at - 80 : at + 80]!r}"
            for name, content in data.items()
            for word in words
            for at in [content.replace(OTHER.encode(), b"").find(word.encode())]
            if at >= 0
        ]
    texts: list[tuple[str, str]] = []
    if choice.provider == "postgresql":
        with psycopg.connect(choice.options["dsn"]) as connection:
            schema = choice.options.get("schema", "colophon")
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)).fetchall()
            for (table,) in rows:
                found = connection.execute(f'SELECT t::text FROM "{schema}"."{table}" AS t').fetchall()
                texts += [(table, text) for (text,) in found]
            assert len(rows) > 30
    else:
        read = catalog.provider.tx_runner.run
        for spec in tables.ALL:
            found_rows = read(lambda tx, spec=spec: list(tx.get_table(spec.id).scan(Range())), read_only=True)  # type: ignore[misc]
            texts += [(spec.id, str(row)) for row in found_rows]
        texts += [("log", str(row)) for row in read(lambda tx: tx.log.read_changes(0, 10_000, {}), read_only=True)]
    return [f"{table}: {text}" for table, text in texts if any(word in text.replace(OTHER, "") for word in words)]


def list_issues_of_change_log(catalog: Catalog) -> list[IntegrityIssue]:
    """Return the problems of the chain; that versions differ from their changes is another problem."""
    issues = create_maintenance(catalog).create_integrity_checker().find_issues_of_log(signed_chain.CHANGE_LOG)
    return [issue for issue in issues if issue.subject == "the change log"]


def seal(catalog: Catalog) -> None:
    seal_unsealed_rows(catalog.provider, catalog.sealer.key, catalog.eraser.now)


def test_name_of_an_erased_person_is_nowhere(choice: StorageChoice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 7)
    monkeypatch.setattr(person_rows, "_AT_ONCE", 3)
    catalog = open_catalog(choice)
    try:
        fill(catalog)
        seal(catalog)
        cursor = catalog.feed.read_newest_change_number() - 3
        before = catalog.feed.read_visible_changes(0, 500, {}, BEN)
        assert find_names(choice, catalog)
        erasure = erase(catalog)
        assert (erasure.problem, erasure.requested_by) == ("", "ben")
        places = {"aspects", "aspect_versions", "change log", "runs", "service_tokens", "loads", "audit", "audit names"}
        assert places <= erasure.changed.keys()
        assert list_integrity_issues(create_maintenance(catalog)) == []
        assert create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows() == 0
        assert find_names(choice, catalog) == []
        # Changes keep their numbers, so the cursors of clients stay valid.
        after = catalog.feed.read_visible_changes(0, len(before), {}, BEN)
        assert [change.seq for change in after] == [change.seq for change in before]
        assert [change.actor for change in after] == [
            erasure.pseudonym if change.actor == NAME else change.actor for change in before
        ]
        assert catalog.feed.read_visible_changes(cursor, 3, {}, BEN)[0].seq == cursor + 1
        require_pseudonym_has_everything(catalog, erasure.pseudonym)
    finally:
        catalog.close()


def require_pseudonym_has_everything(catalog: Catalog, pseudonym: str) -> None:
    user = f"urn:li:corpuser:{pseudonym}"

    def read(urn: str, aspect: str) -> Any:
        return catalog.reader.read_current_aspect(Urn.parse(urn), aspect, BEN).value

    assert [owner["owner"] for owner in read(ORDERS, "ownership")["owners"]] == [user, f"urn:li:corpuser:{OTHER}"]
    assert read(ORDERS, "certification")["certifiedBy"] == user
    assert read(REPORT, "businessMetadata")["properties"] == {"owner": pseudonym}
    assert read(user, "corpUserInfo") == {"active": False, "displayName": "Erased person"}
    (request,) = catalog.stewardship.requests.list_page(RequestSelection(), BEN)[0]
    assert [request.author.owner, request.assignees[0].owner, request.comments[0].author.owner] == [user, user, user]
    notebook = NOTEBOOK.replace(make_user_namespace(NAME), make_user_namespace(pseudonym))
    assert catalog.reader.read_entity(Urn.parse(notebook), [], BEN).summary.created.actor == pseudonym
    found = catalog.searcher.search_page_of_hits(SearchRequest(f"created-by:{pseudonym}"), BEN)
    assert notebook in [hit.summary.urn for hit in found.hits]
    assert catalog.searcher.search_page_of_hits(SearchRequest(TITLE.split()[1]), BEN).total == 0
    entries = catalog.audit.list_page(AuditSelection(user=pseudonym), 50, "")[0]
    assert {ORDERS, user} <= {entry.urn for entry in entries}
    # The erasure itself is the newest change, by the one who requested it.
    newest = catalog.feed.read_visible_changes(catalog.feed.read_newest_change_number() - 1, 1, {}, BEN)[0]
    assert (newest.urn, newest.actor) == (user, "ben")


@ONE_STORE
def test_erasing_again_changes_nothing(choice: StorageChoice) -> None:
    catalog = open_catalog(choice)
    fill(catalog)
    first, second = erase(catalog), erase(catalog)
    assert first.changed
    assert (second.changed, second.problem) == ({}, "")
    assert [one.pseudonym for one in catalog.eraser.list_erasures()] == [second.pseudonym, first.pseudonym]
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.close()


@ONE_STORE
def test_what_is_not_a_person_is_not_erased(choice: StorageChoice) -> None:
    catalog = open_catalog(choice)
    for name in ("", "colophon", "service:etl", "erased-0123456789ab"):
        with pytest.raises(InvalidName):
            catalog.eraser.start(name, BEN)
        with pytest.raises(InvalidName):
            catalog.person_exporter.export_lines(name)
    assert catalog.eraser.list_erasures() == []
    catalog.close()


_CHILD = """
import sys, time
from pathlib import Path
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.privacy import person_rows
signed_chain.SEAL_ROWS = person_rows._AT_ONCE = 2
catalog = open_or_create_catalog(choose_sqlite_store(Path(sys.argv[1])), IdentityRules())
started = catalog.eraser.list_erasures()
erasure = started[0] if started else catalog.eraser.start(sys.argv[2], Principal("ben"))
step = ""
while not (erasure := catalog.eraser.read_erasure(erasure.pseudonym)).is_finished:
    if erasure.step != step:
        print(step := erasure.step, flush=True)
    time.sleep(0.001)
"""


@ONE_STORE
def test_killed_erasure_is_continued_by_the_next_process(choice: StorageChoice) -> None:
    catalog = open_catalog(choice)
    fill(catalog)
    for number in range(60):
        write_metadata(catalog, properties={"n": f"more {number}"}, principal=GRACE)
    catalog.close()
    for step in ("aspect_versions", "change log"):
        command = [sys.executable, "-c", _CHILD, choice.options["path"], NAME]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        any(line.strip() == step for line in child.stdout)
        child.kill()
        child.communicate()
    catalog = open_catalog(choice)
    (erasure,) = catalog.eraser.list_erasures()
    done = wait_for_end(catalog, erasure.pseudonym)
    assert (done.pseudonym, done.problem, bool(done.changed)) == (erasure.pseudonym, "", True)
    assert list_integrity_issues(create_maintenance(catalog)) == []
    assert find_names(choice, catalog) == []
    catalog.close()


def test_chain_is_valid_at_every_step_and_after_a_compaction(
    choice: StorageChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 5)
    catalog = open_catalog(choice)
    fill(catalog)
    seal(catalog)
    provider, key = catalog.provider, catalog.sealer.key
    names = PersonNames(NAME, "erased-0123456789ab")
    erasure = Erasure(names.pseudonym, "ben", 0, person_logs.get_step_of_log(signed_chain.CHANGE_LOG), NAME)
    provider.tx_runner.run(lambda tx: erasures.add_erasure(tx, erasure))
    changed = steps = 0
    position: Any = None
    while True:

        def replace(tx: TableContext) -> Any:
            nonlocal changed
            count, following = person_logs.replace_names_in_next_seal(
                tx, signed_chain.CHANGE_LOG, key, 0, names, erasures.read_position(tx, names.pseudonym)
            )
            if following is not None:
                erasures.record_progress(
                    tx, erasure, count, person_logs.get_step_of_log(signed_chain.CHANGE_LOG), following
                )
            changed += count
            return following

        position = provider.tx_runner.run(replace)
        if position is None:
            break
        steps += 1
        if steps == 2:
            write_metadata(catalog, properties={"late": "x"}, principal=GRACE)
        if steps == 4:
            # Everything but the last seal is removed, with the part that was changed and a part that was not.
            compact(catalog)
        assert list_issues_of_change_log(catalog) == []
    assert steps > 4
    assert changed
    provider.tx_runner.run(lambda tx: erasures.record_end(tx, names.pseudonym, 0))
    assert list_issues_of_change_log(catalog) == []
    catalog.close()


def compact(catalog: Catalog) -> None:
    """Remove all seals but the newest ones, as if they were old."""
    delete_changes_older_than_days(
        catalog.provider,
        catalog.sealer.key,
        lambda: catalog.eraser.now() + 10 * 86_400_000,
        1,
        lambda what, steps: None,
    )


@ONE_STORE
def test_damaged_log_stops_the_erasure(choice: StorageChoice) -> None:
    catalog = open_catalog(choice)
    fill(catalog)
    seal(catalog)

    def damage(tx: TableContext) -> None:
        row = tx.log.read_changes(3, 1, {})[0]
        tx.log.replace_changes([row | {"time": 1}])

    catalog.provider.tx_runner.run(damage)
    stopped = erase(catalog)
    assert "differs from its seals" in stopped.problem
    assert stopped.step == person_logs.get_step_of_log(signed_chain.CHANGE_LOG)
    # The damage is still reported.
    assert [issue.subject for issue in list_issues_of_change_log(catalog)][:1] == ["the change log"]
    catalog.close()


@ONE_STORE
def test_export_has_what_names_the_person_and_no_values(choice: StorageChoice) -> None:
    catalog = open_catalog(choice)
    fill(catalog)
    secret = catalog.service_tokens.create_token("second", ("read",), None, None, 90, GRACE).secret
    write_metadata(catalog, properties={"password": "value-canary"}, principal=GRACE)
    text = "\n".join(catalog.person_exporter.export_lines(NAME))
    header, *lines = map(json.loads, text.splitlines())
    assert header == {"format": "jupyter-colophon-person", "person": NAME, "version": 1}
    kinds = Counter(line["kind"] for line in lines)
    assert {"entities", "aspects", "runs", "service_tokens", "dead_letters", "change log", "audit"} <= kinds.keys()
    mentions = [mention for line in lines if line["kind"] == "aspects" for mention in line["mentions"]]
    assert {"field": "value", "pointer": "/owners/0/owner", "value": USER} in mentions
    own = [line for line in lines if line["kind"] == "aspects" and line["record"]["aspect"] == "corpUserInfo"]
    assert [line["value"]["displayName"] for line in own] == [TITLE]
    (request,) = [line for line in lines if line["kind"] == "aspects" and line["record"]["aspect"] == "request"]
    assert request["value"]["text"] == "Complete?"
    assert [word for word in ("value-canary", secret, hash_token(secret)) if word in text] == []
    assert OTHER not in [line["record"].get("actor") for line in lines]
    catalog.close()
