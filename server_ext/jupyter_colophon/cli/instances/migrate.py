"""`migrate`."""

from jupyter_colophon.cli.instances.client import BULK_TIMEOUT_S
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
        done = self.client.migrate_instances(self.space, dry_run=self.args.dry_run, timeout_s=BULK_TIMEOUT_S)
        migrated, failed, unknown = done["migrated"], done["failed"], done["withoutDryRun"]
        document = {
            "schemaspace": self.space,
            "dry_run": done["dryRun"],
            "migrated": migrated,
            "failed": failed,
            "withoutDryRun": unknown,
        }
        lines = [f"Migration of schema {one['schema']} failed: {one['reason']}" for one in failed]
        if unknown:
            lines.append(f"What migrates {', '.join(unknown)} cannot say beforehand what it would do.")
        verb = "would be" if done["dryRun"] else "were"
        if migrated:
            lines.insert(0, f"The following {self.space} instances {verb} migrated: {migrated}")
        else:
            lines.insert(0, f"No instances of schemaspace {self.space} {verb} migrated.")
        self.tell(document, *lines)
        return not failed
