"""`remove`: delete an instance."""

from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand


class RemoveInstance(FixedOptionsCommand):
    """Remove an instance, even if it is unreadable."""

    name = "remove"
    description = "Remove a metadata instance from a given schemaspace."
    about = "Remove a metadata instance from schemaspace '{space}'."
    example = "--name=NAME"
    declared = (
        Option("name", "The name of the metadata instance to remove", is_required=True),
        create_flag_option("json", "Print the result as JSON"),
    )

    def execute(self) -> bool:
        """Remove the instance."""
        name = self.args.name
        self.client.delete_instance(self.space, name)
        document = {"schemaspace": self.space, "removed": name}
        self.print_result(document, f"Metadata instance '{name}' removed from schemaspace '{self.space}'.")
        return True
