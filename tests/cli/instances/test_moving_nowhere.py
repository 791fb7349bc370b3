"""A store cannot be moved to itself: what is removed after it was copied would be the copy."""

import pytest
from support.shell import Shell, snippet


@pytest.mark.parametrize("kind", ["file", "catalog"])
def test_a_move_from_a_store_to_itself_is_refused_and_moves_nothing(shell: Shell, kind: str) -> None:
    path = shell.put("code-snippets", "one", snippet("one"))
    done = shell("move", "code-snippets", f"--from={kind}", f"--to={kind}")
    assert (done.status, "to itself" in done.out) == (1, True)
    assert path.exists()
