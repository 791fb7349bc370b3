"""`remove`."""

from jupyter_colophon.cli.instances.arguments import Arguments
from jupyter_colophon.cli.instances.instances_protocol import Source
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.space_command import SpaceCommand


class Remove(SpaceCommand):
    """Removes an instance, also one that cannot be read."""

    description = "Remove a metadata instance from a given schemaspace."
    about = "Remove a metadata instance from schemaspace '{space}'."

    def __init__(self, source: Source, space: str, arguments: Arguments) -> None:
        super().__init__(source, space, arguments)
        self.options = [
            Option("name", "The name of the metadata instance to remove", is_required=True),
            flag("json", "Answer in JSON"),
        ]

    def work(self) -> bool:
        """Remove it."""
        name = self.required("name")
        self.no_more()
        self.source.remove(self.space, name)
        told = {"schemaspace": self.space, "removed": name}
        self.tell(told, f"Metadata instance '{name}' removed from schemaspace '{self.space}'.")
        return True
