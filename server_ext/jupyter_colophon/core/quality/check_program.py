"""The program whose runs are checks of datasets that a server or a command makes."""

from jupyter_colophon.core.identity.names import Urn, make_program_urn


def make_check_program_urn(namespace: str) -> Urn:
    """Return the program of the checks of the datasets of a namespace."""
    return make_program_urn(namespace, "colophon", "spark", "check")
