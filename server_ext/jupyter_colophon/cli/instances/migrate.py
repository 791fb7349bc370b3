"""`migrate`: update instances to the current version of their schemas."""

from jupyter_colophon.cli.instances.client import BULK_TIMEOUT_S
from jupyter_colophon.cli.instances.option import create_flag_option
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand


class MigrateInstances(FixedOptionsCommand):
    """Let the packages of a schemaspace migrate its instances."""

    name = "migrate"
    description = "Migrate metadata instances in a given schemaspace."
    about = "Migrate metadata instance in schemaspace '{space}'."
    example = "--dry-run"
    declared = (
        create_flag_option("dry-run", "Print what would be migrated, and change nothing"),
        create_flag_option("json", "Print the result as JSON"),
    )

    def execute(self) -> bool:
        """Migrate the instances. If a provider fails, the others still run, and the exit code is 1."""
        result = self.client.migrate_instances(self.space, dry_run=self.args.dry_run, timeout_s=BULK_TIMEOUT_S)
        migrated, failed, unknown = result["migrated"], result["failed"], result["withoutDryRun"]
        document = {
            "schemaspace": self.space,
            "dry_run": result["dryRun"],
            "migrated": migrated,
            "failed": failed,
            "withoutDryRun": unknown,
        }
        lines = [f"Migration of schema {failure['schema']} failed: {failure['reason']}" for failure in failed]
        if unknown:
            lines.append(f"The migration of {', '.join(unknown)} does not support --dry-run.")
        verb = "would be" if result["dryRun"] else "were"
        if migrated:
            lines.insert(0, f"The following {self.space} instances {verb} migrated: {migrated}")
        else:
            lines.insert(0, f"No instances of schemaspace {self.space} {verb} migrated.")
        self.print_result(document, *lines)
        return not failed
