"""`remove`."""

from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.space_command import SpaceCommand


class Remove(SpaceCommand):
    """Removes an instance, also one that cannot be read."""

    description = "Remove a metadata instance from a given schemaspace."
    about = "Remove a metadata instance from schemaspace '{space}'."
    declared = (
        Option("name", "The name of the metadata instance to remove", is_required=True),
        flag("json", "Answer in JSON"),
    )

    def work(self) -> bool:
        """Remove it."""
        name = self.args.name
        self.client.delete_instance(self.space, name)
        document = {"schemaspace": self.space, "removed": name}
        self.tell(document, f"Metadata instance '{name}' removed from schemaspace '{self.space}'.")
        return True
