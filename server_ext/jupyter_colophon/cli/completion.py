"""`jupyter colophon completion bash|zsh|fish`: the script that completes commands in a shell (decision 0031)."""

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser

#: `jupyter` delegates the completion of its subcommands to them.
_PROGRAMS = ("jupyter-colophon", "jupyter")


class CompletionCommand(CliCommand):
    """Print the completion script of a shell."""

    description = (
        'Print the script that completes commands. Load it when the shell starts: eval "$(jupyter colophon completion'
        ' bash)".'
    )
    examples = ("bash", "fish")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the shell."""
        parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="The name of the shell.")

    def run(self) -> int:
        """Print the script."""
        from argcomplete.shell_integration import shellcode

        script = shellcode(_PROGRAMS, shell=self.args.shell)
        self.print_result({"script": script}, script.rstrip())
        return EXIT_OK
