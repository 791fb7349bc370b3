"""Any sequence of calls behaves like a plain dictionary, on every store (spec FAULT-6)."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from faults import choice
from faults.size import sized
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, NotFound, PatchFailed
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Operation, Proposal, ProposalResult, WriteCondition
from jupyter_colophon.storage.commit.commit import CommitBuilder
from support.catalog import ADA, build_metadata_value, search_catalog
from support.stores import READY
from support.urns import build_table_urn

NAMES = [build_table_urn(f"m{number}") for number in range(3)]
ASPECTS = ["technicalMetadata", "datasetProperties"]
VALUES = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["x", "y", "é", "0"]), max_size=2)
PLACES = st.tuples(st.sampled_from(NAMES), st.sampled_from(ASPECTS))


class Model(RuleBasedStateMachine):
    """A catalog beside a dictionary of (value, versions so far, first version of this life)."""

    provider = "sqlite"
    written = Bundle("written")

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._store = READY[self.provider](Path(self._folder.name))
        self._choice = choice.format_choice(self._store.__enter__())
        self.catalog = choice.open_choice(self._choice)
        self.values: dict[tuple[str, str], Any] = {}
        self.versions: dict[tuple[str, str], int] = {}
        self.alive: set[str] = set()
        self.last = 0

    def teardown(self) -> None:
        self.catalog.close()
        self._store.__exit__(None, None, None)
        self._folder.cleanup()

    def _value(self, aspect: str, pairs: dict[str, str]) -> Any:
        return build_metadata_value(pairs) if aspect == "technicalMetadata" else {"customProperties": pairs}

    def _expected(self, place: tuple[str, str]) -> int:
        return self.versions[place] if place in self.values else ABSENT

    def _note(self, place: tuple[str, str], value: Any) -> None:
        if self.values.get(place) != value:
            self.versions[place] = self.versions.get(place, 0) + 1
        self.values[place] = value
        self.alive.add(place[0])

    def _propose(self, place: tuple[str, str], operation: Operation, value: Any, condition: WriteCondition) -> int:
        proposal = Proposal(Urn.parse(place[0]), place[1], operation, value, condition)
        return self.catalog.write_path.apply_proposals_atomically([proposal], ADA)[0].version

    @rule(place=PLACES, pairs=VALUES)
    def put(self, place: tuple[str, str], pairs: dict[str, str]) -> None:
        value = self._value(place[1], pairs)
        self._note(place, value)
        assert self._propose(place, "upsert", value, WriteCondition()) == self.versions[place]

    @rule(place=PLACES, pairs=VALUES)
    def create(self, place: tuple[str, str], pairs: dict[str, str]) -> None:
        value = self._value(place[1], pairs)
        if place in self.values:
            with pytest.raises(AlreadyExists):
                self._propose(place, "create", value, WriteCondition())
            return
        self._note(place, value)
        assert self._propose(place, "create", value, WriteCondition()) == self.versions[place]

    @rule(place=PLACES, pairs=VALUES, off=st.sampled_from([0, 0, 1, -1]))
    def put_if(self, place: tuple[str, str], pairs: dict[str, str], off: int) -> None:
        value, expected = self._value(place[1], pairs), self._expected(place)
        requested = max(expected + off, -1) if expected != ABSENT else (ABSENT if off == 0 else 1)
        if requested != expected:
            with pytest.raises(ConditionFailed):
                self._propose(place, "upsert", value, WriteCondition(version=requested))
            return
        self._note(place, value)
        assert self._propose(place, "upsert", value, WriteCondition(version=requested)) == self.versions[place]

    @rule(place=PLACES)
    def remove(self, place: tuple[str, str]) -> None:
        if place[0] not in self.alive or place not in self.values:
            assert self._propose(place, "delete", None, WriteCondition()) == ABSENT
            return
        assert self._propose(place, "delete", None, WriteCondition()) == ABSENT
        self.versions[place] += 1
        del self.values[place]

    @rule(name=st.sampled_from(NAMES))
    def remove_entity(self, name: str) -> None:
        proposal = Proposal(Urn.parse(name), None, "delete")
        if name not in self.alive:
            with pytest.raises(NotFound):
                self.catalog.write_path.apply_proposals_atomically([proposal], ADA)
            return
        self.catalog.write_path.apply_proposals_atomically([proposal], ADA)
        self.alive.remove(name)
        for place in [place for place in self.values if place[0] == name]:
            self.versions[place] += 1
            del self.values[place]

    @rule(place=PLACES, pairs=VALUES)
    def a_batch_with_a_mistake_changes_nothing(self, place: tuple[str, str], pairs: dict[str, str]) -> None:
        good = Proposal(Urn.parse(place[0]), place[1], "upsert", self._value(place[1], pairs))
        bad = Proposal(Urn.parse(place[0]), place[1], "patch", [{"op": "remove", "path": "/nothing"}])
        with pytest.raises(PatchFailed):
            self.catalog.write_path.apply_proposals_atomically([good, bad], ADA)

    @rule()
    def open_again(self) -> None:
        self.catalog.close()
        self.catalog = choice.open_choice(self._choice)

    @invariant()
    def everything_is_as_in_the_dictionary(self) -> None:
        for name in NAMES:
            selected = {aspect: value for (of, aspect), value in self.values.items() if of == name}
            try:
                found = self.catalog.reader.read_entity(Urn.parse(name), None, ADA).aspects
            except NotFound:
                assert name not in self.alive
                continue
            assert name in self.alive
            assert {aspect: found[aspect].value for aspect in found.keys() & set(ASPECTS)} == selected
            assert all(found[aspect].version == self.versions[name, aspect] for aspect in selected), json.dumps(
                selected
            )

    @invariant()
    def search_finds_what_there_is(self) -> None:
        for key in "abc":
            selected = {
                name
                for (name, aspect), value in self.values.items()
                if aspect == "technicalMetadata" and key in value["properties"]
            }
            assert {hit.summary.urn for hit in search_catalog(self.catalog, f"{key}:*").hits} >= selected

    @invariant()
    def the_log_goes_on(self) -> None:
        head = self.catalog.feed.read_newest_change_number()
        assert head >= self.last
        self.last = head


@pytest.mark.parametrize("provider", sorted(READY))
def test_catalog_behaves_like_a_dictionary(provider: str) -> None:
    machine = type("Model", (Model,), {"provider": provider})
    small = 8 if provider == Model.provider else 3
    size = settings(max_examples=sized(small, 1_000), stateful_step_count=sized(25, 50), deadline=None)
    run_state_machine_as_test(machine, settings=size)


def _forgets_a_version(write: Any) -> Any:
    def forgetful(self: CommitBuilder, entity: Any, spec: Any, *rest: Any) -> int:
        row = entity.aspects.get(spec.name)
        if row is not None and row["version"] == 2:
            entity.aspects[spec.name] = row | {"version": 1}
        return int(write(self, entity, spec, *rest))

    return forgetful


def _keeps_aspects(remove: Any) -> Any:
    def keeping(self: CommitBuilder, urn: Urn, spec: Any, *rest: Any) -> Any:
        return (
            ProposalResult(urn, spec.name, ABSENT, None) if spec.name == ASPECTS[1] else remove(self, urn, spec, *rest)
        )

    return keeping


def _ignores_conditions(require_condition: Any) -> Any:
    return lambda self, proposal: None


@pytest.mark.parametrize(
    ("method", "bug"),
    [
        ("_write_aspect_version_and_log", _forgets_a_version),
        ("delete_aspect", _keeps_aspects),
        ("require_condition", _ignores_conditions),
    ],
)
def test_model_detects_faulty_catalog(method: str, bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CommitBuilder, method, bug(getattr(CommitBuilder, method)))
    size = settings(max_examples=60, stateful_step_count=25, deadline=None, phases=[Phase.generate])
    with pytest.raises(BaseException):  # noqa: B017, PT011  an assertion, or a group of them
        run_state_machine_as_test(Model, settings=size)
