"""Explicit migration: a schemaspace calls its providers to migrate its instances."""

from typing import Any

import pytest
from support.third_party_packages import GivenSchemasProvider, build_thing_schema, load_things_schemaspace


class Migrating(GivenSchemasProvider):
    """A provider that migrates, without a dry run."""

    def __init__(self, *schemas: Any) -> None:
        super().__init__(*schemas)
        self.calls: list[dict[str, Any]] = []

    def migrate(self, **options: Any) -> list[str]:
        self.calls.append(options)
        return [f"{options['schema_name']}-1"]


class Foretelling(Migrating):
    """A provider that supports a dry run."""

    def migrate(self, *, dry_run: bool = False, **options: Any) -> list[str]:
        return super().migrate(**options, dry_run=dry_run)


class Failing(GivenSchemasProvider):
    """A provider whose migration fails."""

    def migrate(self, **options: Any) -> list[str]:
        raise RuntimeError("there is no way from here\nreally")


def test_failed_provider_does_not_stop_migration_of_others() -> None:
    migrating = Migrating(build_thing_schema(), build_thing_schema("old", deprecated=True))
    report = load_things_schemaspace(Failing(build_thing_schema("bad")), migrating).migrate_instances("things")
    assert report.migrated == ("thing-1", "old-1")
    assert report.failed == (("bad", "RuntimeError: there is no way from here"),)
    assert migrating.calls == [
        {"schemaspace_name": "Things", "schema_name": "thing"},
        {"schemaspace_name": "Things", "schema_name": "old"},
    ]


def test_dry_run_calls_only_providers_that_support_it() -> None:
    migrating, foretelling = Migrating(build_thing_schema("one")), Foretelling(build_thing_schema("two"))
    report = load_things_schemaspace(
        migrating, foretelling, GivenSchemasProvider(build_thing_schema("three"))
    ).migrate_instances("things", dry_run=True)
    assert (report.migrated, report.untold, report.dry_run) == (("two-1",), ("one",), True)
    assert migrating.calls == []
    assert [one["dry_run"] for one in foretelling.calls] == [True]


def test_migrating_unknown_schemaspace_raises() -> None:
    with pytest.raises(ValueError, match="not in the list of valid schemaspaces"):
        load_things_schemaspace().migrate_instances("nope")
