"""`jupyter colophon proposals`: list changes that wait for review, show their differences, apply or reject them."""

from functools import partial
from typing import Any, Final

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.entities.request_options import add_about_option, add_list_option
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_choice_type
from jupyter_colophon.core.model.owner_request import CHANGE, PROPOSAL_STATES
from jupyter_colophon.rendering.proposals import build_proposal_page, build_proposals_page

_HELP: Final = {
    "apply": "Apply a proposal, with its author as the author of the change.",
    "reject": "Reject a proposal.",
    "withdraw": "Withdraw a proposal of your own.",
    "rebase": "Bring a proposal up to date after its entity has changed.",
}
_EXAMPLE_ID: Final = "1795190400000000"


class ProposalsCommand(CatalogCommand):
    """Changes that wait for review."""

    description = "List changes that wait for review, show their differences, and apply or reject them."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        verbs = parser.add_group_of_subcommands()
        cls._add_list(verbs)
        show = verbs.add_parser(
            "show",
            help="Show a proposal.",
            description="Show a proposal with its differences from the present values.",
            examples=(_EXAMPLE_ID,),
        )
        super().add_arguments(show)
        show.add_argument("proposal", metavar="PROPOSAL", help="The id of the proposal.")
        for verb, help_ in _HELP.items():
            subparser = verbs.add_parser(verb, help=help_, description=help_, examples=(_EXAMPLE_ID,))
            super().add_arguments(subparser)
            subparser.add_argument("proposal", metavar="PROPOSAL", help="The id of the proposal.")
            subparser.add_argument("text", metavar="TEXT", nargs="?", help="A comment for the author.")

    @classmethod
    def _add_list(cls, verbs: Any) -> None:
        parser = verbs.add_parser(
            "list",
            help="List proposals.",
            description="List proposals that wait for review, the last changed first.",
            examples=("", "--list=assigned", "--about=sales.orders --state=rejected"),
        )
        super().add_arguments(parser)
        add_list_option(parser, "made")
        parser.add_argument(
            "--state",
            choices=tuple(PROPOSAL_STATES.values()),
            type=build_choice_type(tuple(PROPOSAL_STATES.values())),
            default="waiting",
            help="Those that wait (the default), were applied, or were rejected.",
        )
        add_about_option(parser)

    def run(self) -> int:
        """Run the subcommand."""
        if self.args.verb == "list":
            return self._list_proposals()
        with self.connect_to_catalog() as client:
            if self.args.verb == "show":
                review = client.read_proposal(self.args.proposal)
                self.print_result(review, str(build_proposal_page(review)))
                return EXIT_OK
            decision = {"decision": self.args.verb, **({"text": self.args.text} if self.args.text else {})}
            request = client.decide_proposal(self.args.proposal, decision)
        self.print_result(request, f"{PROPOSAL_STATES[request['state']]}: {request['text']}")
        return EXIT_OK

    def _list_proposals(self) -> int:
        about = self.resolve_urn(self.args.about) if self.args.about else None
        with self.connect_to_catalog() as client:
            state = next(state for state, name in PROPOSAL_STATES.items() if name == self.args.state)
            list_page = partial(
                client.list_requests, list=self.args.list or None, kind=CHANGE, state=state, about=about
            )
            requests = read_all_pages(list_page, "requests")
        self.print_result({"proposals": requests}, str(build_proposals_page({"requests": requests})))
        return EXIT_OK
