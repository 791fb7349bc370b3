"""Explicit migration: a schemaspace has its providers migrate its instances."""

from typing import Any

import pytest
from support.strangers import Provider, schema, spaces


class Migrating(Provider):
    """Migrates, and says so afterwards only."""

    def __init__(self, *schemas: Any) -> None:
        super().__init__(*schemas)
        self.asked: list[dict[str, Any]] = []

    def migrate(self, **options: Any) -> list[str]:
        self.asked.append(options)
        return [f"{options['schema_name']}-1"]


class Foretelling(Migrating):
    """Says beforehand what it would migrate."""

    def migrate(self, *, dry_run: bool = False, **options: Any) -> list[str]:
        return super().migrate(**options, dry_run=dry_run)


class Failing(Provider):
    """Cannot migrate."""

    def migrate(self, **options: Any) -> list[str]:
        raise RuntimeError("there is no way from here\nreally")


def test_each_provider_is_asked_for_each_of_its_schemas_and_one_that_fails_keeps_no_other_back() -> None:
    migrating = Migrating(schema(), schema("old", deprecated=True))
    report = spaces(Failing(schema("bad")), migrating).migrate("things")
    assert report.migrated == ("thing-1", "old-1")
    assert report.failed == (("bad", "RuntimeError: there is no way from here"),)
    assert migrating.asked == [
        {"schemaspace_name": "Things", "schema_name": "thing"},
        {"schemaspace_name": "Things", "schema_name": "old"},
    ]


def test_a_dry_run_asks_only_those_that_can_tell_beforehand() -> None:
    migrating, foretelling = Migrating(schema("one")), Foretelling(schema("two"))
    report = spaces(migrating, foretelling, Provider(schema("three"))).migrate("things", dry_run=True)
    assert (report.migrated, report.untold, report.dry_run) == (("two-1",), ("one",), True)
    assert migrating.asked == []
    assert [one["dry_run"] for one in foretelling.asked] == [True]


def test_what_is_no_schemaspace_cannot_be_migrated() -> None:
    with pytest.raises(ValueError, match="not in the list of valid schemaspaces"):
        spaces().migrate("nope")
