"""`jupyter colophon completion bash|zsh|fish`: the script with which a shell completes commands (decision 0031)."""

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser

#: `jupyter` hands the completion of a command to the command.
_PROGRAMS = ("jupyter-colophon", "jupyter")


class Completion(Command):
    """Prints the script of a shell."""

    description = (
        'Print the script that completes commands, to be read when the shell starts, as with eval "$(jupyter colophon'
        ' completion bash)".'
    )

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the shell."""
        parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="The shell.")

    def run(self) -> int:
        """Print the script."""
        from argcomplete.shell_integration import shellcode

        script = shellcode(_PROGRAMS, shell=self.args.shell)
        self.answer({"script": script}, script.rstrip())
        return EXIT_OK
