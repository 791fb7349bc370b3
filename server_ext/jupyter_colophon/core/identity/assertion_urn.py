"""The URNs by which DataHub's clients name the expectations of datasets.

An assertion has an id, and no dataset in its URN: the id is an encoding of both, so that nothing needs to be stored.
"""

import base64
import binascii
from typing import Final

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import Urn, make_single_key_urn

ASSERTION: Final = "assertion"
_PREFIX: Final = "colophon-"


def make_assertion_urn(dataset: Urn, expectation_id: str) -> Urn:
    """Return the URN of an expectation of a dataset. Raises InvalidName if it would be too long."""
    name = base64.urlsafe_b64encode(f"{expectation_id} {dataset}".encode()).decode().rstrip("=")
    return make_single_key_urn(ASSERTION, _PREFIX + name)


def parse_assertion_urn(urn: Urn) -> tuple[Urn, str] | None:
    """Return the dataset and the id of its expectation; None for any other URN, also of assertions of clients."""
    if urn.type != ASSERTION or not urn.parts[0].startswith(_PREFIX):
        return None
    name = urn.parts[0].removeprefix(_PREFIX)
    try:
        text = base64.b64decode(name + "=" * (-len(name) % 4), altchars=b"-_", validate=True).decode()
        expectation_id, _, dataset_text = text.partition(" ")
        dataset = Urn.parse(dataset_text)
    except (binascii.Error, UnicodeDecodeError, InvalidName):
        return None
    # An entity has one name.
    is_canonical = (
        dataset.type == "dataset" and bool(expectation_id) and make_assertion_urn(dataset, expectation_id) == urn
    )
    return (dataset, expectation_id) if is_canonical else None
