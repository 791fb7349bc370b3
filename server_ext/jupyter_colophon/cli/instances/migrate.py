"""`migrate`."""

from jupyter_colophon.cli.instances.option import flag
from jupyter_colophon.cli.instances.space_command import SpaceCommand


class Migrate(SpaceCommand):
    """Has the packages of a schemaspace bring its instances up to date."""

    description = "Migrate metadata instances in a given schemaspace."
    about = "Migrate metadata instance in schemaspace '{space}'."
    declared = (
        flag("dry-run", "Show what would be migrated, and change nothing"),
        flag("json", "Answer in JSON"),
    )

    def work(self) -> bool:
        """Migrate; a provider that fails ends the command with 1, after all others had their turn."""
        done = self.source.migrate(self.space, dry_run=self.args.dry_run)
        told = {
            "schemaspace": self.space,
            "dry_run": done.dry_run,
            "migrated": list(done.migrated),
            "failed": [{"schema": schema, "reason": reason} for schema, reason in done.failed],
            "withoutDryRun": list(done.untold),
        }
        lines = [f"Migration of schema {schema} failed: {reason}" for schema, reason in done.failed]
        if done.untold:
            lines.append(f"What migrates {', '.join(done.untold)} cannot say beforehand what it would do.")
        verb = "would be" if done.dry_run else "were"
        if done.migrated:
            lines.insert(0, f"The following {self.space} instances {verb} migrated: {list(done.migrated)}")
        else:
            lines.insert(0, f"No instances of schemaspace {self.space} {verb} migrated.")
        self.tell(told, *lines)
        return not done.failed
