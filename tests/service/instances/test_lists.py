"""Lists of instances: filtered, counted, sorted and paged; values in use; export and import."""

import json
from typing import Any

import pytest
from jupyter_colophon.core.errors import InstanceNotFound, InvalidQuery
from jupyter_colophon.core.instances.instance_query import ExportSelection, InstancePage, InstanceQuery
from jupyter_colophon.core.model.proposal import WriteCondition
from support.catalog import ADA
from support.instance_stores import KERNEL, SPACE, InstanceStoreFixture, build_thing


@pytest.fixture
def many(files: InstanceStoreFixture) -> InstanceStoreFixture:
    """Store five instances, of which one is invalid and one is unreadable."""
    documents = {
        "alpha": build_thing("Zürich", size=1, tags=["city", "big"], description="on the lake"),
        "beta": build_thing("apple", size=2, tags=["fruit"]),
        "gamma": build_thing("Banana", "open", tags=["fruit", "big"]),
        "wrong": build_thing("Wrong", size="x"),
    }
    for name, document in documents.items():
        files.get_instance_path(name).parent.mkdir(parents=True, exist_ok=True)
        files.get_instance_path(name).write_text(json.dumps(document))
    files.get_instance_path("torn").write_text("{")
    return files


def page(many: InstanceStoreFixture, **query: Any) -> InstancePage:
    return many.instances.list_matching_page(SPACE, InstanceQuery(**query), ADA)


def names(many: InstanceStoreFixture, **query: Any) -> list[str]:
    return [one.name for one in page(many, **query).instances]


class TestPages:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({}, ["beta", "gamma", "torn", "wrong", "alpha"]),
            ({"valid": True}, ["beta", "gamma", "alpha"]),
            ({"valid": False}, ["torn", "wrong"]),
            ({"text": "ZÜR"}, ["alpha"]),
            ({"text": "lake city"}, ["alpha"]),
            ({"text": "fruit"}, ["beta", "gamma"]),
            ({"text": "gamm"}, ["gamma"]),
            ({"tags": ("city", "fruit")}, ["beta", "gamma", "alpha"]),
            ({"schema": "open"}, ["gamma"]),
            ({"schema": "{unknown}"}, ["torn"]),
            ({"sort": "-name"}, ["wrong", "torn", "gamma", "beta", "alpha"]),
            ({"sort": "schema_name", "valid": True}, ["gamma", "beta", "alpha"]),
            ({"text": "nothing"}, []),
        ],
    )
    def test_page_has_matches_in_requested_order(
        self, many: InstanceStoreFixture, query: Any, found: list[str]
    ) -> None:
        assert names(many, **query) == found
        assert page(many, **query).total == len(found)

    def test_tag_and_schema_counts_ignore_their_own_filter(self, many: InstanceStoreFixture) -> None:
        found = page(many, tags=("city",), schema="thing")
        assert found.tags == (("big", 1), ("city", 1), ("fruit", 1))
        assert found.schemas == (("thing", 1),)

    @pytest.mark.parametrize("sort", ["display_name", "-display_name", "name", "time", "-schema_name"])
    def test_pages_have_no_gap_or_overlap(self, many: InstanceStoreFixture, sort: str) -> None:
        found, cursor = [], ""
        while True:
            one = page(many, sort=sort, limit=2, cursor=cursor)
            found += [instance.name for instance in one.instances]
            if one.cursor is None:
                break
            cursor = one.cursor
        assert found == names(many, sort=sort)

    def test_next_page_continues_after_removed_instance(self, many: InstanceStoreFixture) -> None:
        first = page(many, sort="name", limit=2)
        many.instances.remove_instance(SPACE, "beta", WriteCondition(), ADA)
        assert names(many, sort="name", limit=2, cursor=first.cursor) == ["gamma", "torn"]

    def test_page_has_versions_and_problems(self, many: InstanceStoreFixture) -> None:
        found = {one.name: one for one in page(many).instances}
        assert {one.version for one in found.values()} == {1}
        assert found["alpha"].reason == ""
        assert found["wrong"].reason == "ValidationError"
        assert [one.pointer for one in found["wrong"].problems] == ["/metadata/size"]
        assert found["torn"].reason == "ValueError"

    def test_page_refuses_unknown_sort_and_foreign_cursor(self, many: InstanceStoreFixture) -> None:
        cursor = page(many, limit=1).cursor
        for query in ({"sort": "size"}, {"cursor": "x"}, {"cursor": cursor, "text": "other"}):
            with pytest.raises(InvalidQuery):
                page(many, **query)

    def test_page_shows_file_change_at_once(self, many: InstanceStoreFixture) -> None:
        assert names(many, text="pear") == []
        many.get_instance_path("beta").write_text(json.dumps(build_thing("pear")))
        assert names(many, text="pear") == ["beta"]


class TestValues:
    @pytest.mark.parametrize("pointer", ["/tags", "/metadata/tags"])
    def test_values_are_sorted_by_frequency(self, many: InstanceStoreFixture, pointer: str) -> None:
        found = many.instances.count_values_at_pointer(SPACE, "", pointer, ADA).values
        assert [(one.value, one.count) for one in found] == [("big", 2), ("fruit", 2), ("city", 1)]
        assert [one.value for one in many.instances.count_values_at_pointer(SPACE, "open", pointer, KERNEL).values] == [
            "big",
            "fruit",
        ]

    def test_values_of_different_types_are_counted_separately(self, many: InstanceStoreFixture) -> None:
        many.instances.create_instance(SPACE, "text", build_thing("Text", "open", size="1"), ADA)
        found = many.instances.count_values_at_pointer(SPACE, "", "/size", ADA).values
        assert sorted((type(one.value).__name__, one.value) for one in found) == [
            ("int", 1),
            ("int", 2),
            ("str", "1"),
            ("str", "x"),
        ]

    def test_missing_location_has_no_values(self, many: InstanceStoreFixture) -> None:
        assert many.instances.count_values_at_pointer(SPACE, "", "/none/at/all", ADA).values == ()
        with pytest.raises(InvalidQuery):
            many.instances.count_values_at_pointer(SPACE, "", "tags", ADA)


class TestBundles:
    def test_export_and_import_round_trip(self, kept: InstanceStoreFixture) -> None:
        documents = [{"name": f"n{number}", **build_thing(f"N {number}", size=number)} for number in range(5)]
        done = kept.instances.import_instances(SPACE, documents, ADA)
        assert [one.kind for one in done] == ["created"] * 5
        assert kept.instances.export_instances(SPACE, ExportSelection(), ADA) == documents
        assert [one.kind for one in kept.instances.import_instances(SPACE, documents, ADA)] == ["unchanged"] * 5

    def test_import_returns_an_outcome_per_document(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "there", build_thing("There", size=1), ADA)
        documents = [
            {"name": "new", **build_thing("New", size=1)},
            build_thing("By its name", size=1),
            {"name": "there", **build_thing("Other", size=2)},
            {"name": "wrong", **build_thing("Wrong", size="x")},
            {"name": "strange", **build_thing("Strange", "none")},
            {"name": "No Name", **build_thing("No name")},
        ]
        expected = ["created", "created", "conflict", "invalid", "invalid", "invalid"]
        assert [one.kind for one in kept.instances.import_instances(SPACE, documents, ADA, dry_run=True)] == expected
        assert [one.name for one in kept.instances.list_visible_instances(SPACE)] == ["there"]
        done = kept.instances.import_instances(SPACE, documents, ADA)
        assert [one.kind for one in done] == expected
        assert [one.pointer for one in done[2].problems] == ["/display_name", "/metadata/size"]
        assert [one.pointer for one in done[3].problems] == ["/metadata/size"]
        assert [one.name for one in kept.instances.list_visible_instances(SPACE)] == ["by_its_name", "new", "there"]
        assert kept.instances.import_instances(SPACE, documents[2:3], ADA, overwrite=True)[0].kind == "updated"
        assert kept.instances.get_valid_instance(SPACE, "there", ADA).display_name == "Other"

    def test_import_conflict_names_locations_without_secrets(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(
            SPACE, "there", build_thing("There", password="kept", items=[1, 2], size=1), ADA
        )
        new = {"name": "there", **build_thing("There", password={"inner": "other"}, items=[2, 3], extra={"a": 1})}
        (done,) = files.instances.import_instances(SPACE, [new], ADA)
        assert {one.pointer: one.message for one in done.problems} == {
            "/metadata/extra": "not in the stored instance",
            "/metadata/items": "differs from the stored instance",
            "/metadata/password": "differs from the stored instance",
            "/metadata/size": "only in the stored instance",
        }
        files.get_instance_path("there").write_text("{")
        (done,) = files.instances.import_instances(SPACE, [{"name": "there", **build_thing("There")}], ADA)
        assert [(one.pointer, one.message) for one in done.problems] == [("", "the stored instance cannot be read")]

    def test_import_refuses_mask_without_secret(self, kept: InstanceStoreFixture) -> None:
        mask = {"$secret": True}
        kept.instances.create_instance(SPACE, "there", build_thing("There", password="kept"), ADA)
        kept.instances.create_instance(SPACE, "bare", build_thing("Bare"), ADA)
        documents = [
            {"name": "new", **build_thing("New", password=mask)},
            {"name": "bare", **build_thing("Bare", password=mask)},
            {"name": "there", **build_thing("Other", password=mask)},
        ]
        for dry_run in (True, False):
            done = kept.instances.import_instances(SPACE, documents, ADA, overwrite=True, dry_run=dry_run)
            assert [one.kind for one in done] == ["invalid", "invalid", "updated"]
            for one in done[:2]:
                reported = [(problem.pointer, problem.message) for problem in one.problems]
                assert reported == [("/metadata/password", "no secret is stored here: enter it again")]
                assert "/metadata/password: no secret is stored here" in one.reason
        assert [one.name for one in kept.instances.list_visible_instances(SPACE)] == ["bare", "there"]
        assert kept.instances.create_object_api(SPACE).load_instance("there").metadata["password"] == "kept"
        again = kept.instances.import_instances(SPACE, documents[1:2], ADA)
        assert [one.kind for one in again] == ["conflict"]

    def test_export_contains_selected_instances(self, many: InstanceStoreFixture) -> None:
        def chosen(**choice: Any) -> list[str]:
            return [one["name"] for one in many.instances.export_instances(SPACE, ExportSelection(**choice), ADA)]

        assert chosen() == ["alpha", "beta", "gamma"]
        assert chosen(include_invalid=True) == ["alpha", "beta", "gamma", "wrong"]
        assert chosen(schema="open") == ["gamma"]
        assert chosen(names=("gamma", "alpha")) == ["gamma", "alpha"]
        with pytest.raises(InstanceNotFound):
            chosen(names=("alpha", "none"))

    def test_instances_move_between_stores_and_back(self, many: InstanceStoreFixture) -> None:
        before = many.instances.export_instances(SPACE, ExportSelection(include_invalid=True), ADA)
        planned = many.instances.move_to_other_store(SPACE, "file", "catalog", ADA, dry_run=True)
        assert len(many.instances.list_visible_instances(SPACE, invalid=True)) == 5
        done = many.instances.move_to_other_store(SPACE, "file", "catalog", ADA)
        assert planned == done
        assert {one.name: one.kind for one in done} == {
            "alpha": "created",
            "beta": "created",
            "gamma": "created",
            "torn": "failed",
            "wrong": "created",
        }
        assert [one.name for one in many.instances.list_visible_instances(SPACE, invalid=True)] == ["torn"]
        many.get_instance_path("beta").write_text(json.dumps(build_thing("in the way")))
        back = many.instances.move_to_other_store(SPACE, "catalog", "file", ADA)
        assert {one.name: one.kind for one in back}["beta"] == "conflict"
        many.get_instance_path("beta").unlink()
        assert [one.kind for one in many.instances.move_to_other_store(SPACE, "catalog", "file", ADA)] == ["created"]
        assert many.instances.export_instances(SPACE, ExportSelection(include_invalid=True), ADA) == before


def test_issues_contain_no_content(many: InstanceStoreFixture) -> None:
    many.get_instance_path("beta").write_text(json.dumps(build_thing("apple", "gone", password="SECRET")))
    (many.get_instance_path("beta").parent / "beta.json1700000000.25").write_text(json.dumps(build_thing("apple")))
    found = many.instances.find_instance_issues()
    assert [(one.subject.rpartition(",")[2], one.problem.partition(":")[0]) for one in found] == [
        ("beta)", "SchemaNotFoundError"),
        ("torn)", "cannot be read"),
        ("wrong)", "ValidationError"),
        ("beta)", "an interrupted save left beta.json1700000000.25"),
    ]
    assert "SECRET" not in repr(found)
