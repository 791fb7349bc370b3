"""`move` to the same store, which would remove the copy."""

import pytest
from support.shell import InstanceShell, build_snippet_document


@pytest.mark.parametrize("kind", ["file", "catalog"])
def test_move_to_same_store_is_refused(shell: InstanceShell, kind: str) -> None:
    path = shell.write_instance_file("code-snippets", "one", build_snippet_document("one"))
    done = shell("move", "code-snippets", f"--from={kind}", f"--to={kind}")
    assert (done.status, "the same kind of store" in done.out) == (1, True)
    assert path.exists()
