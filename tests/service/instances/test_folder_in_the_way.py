"""A folder that is called as an instance's file: it is shown as broken, and its owner has to move it."""

import pytest
from jupyter_colophon.core.errors import InstanceIsDirectory
from jupyter_colophon.core.model.proposal import Condition
from support.catalog import ADA
from support.shelves import SPACE, Shelf, thing


def test_a_folder_is_neither_removed_nor_replaced_and_is_told(files: Shelf) -> None:
    inside = files.file("odd") / "mine"
    inside.parent.mkdir(parents=True)
    inside.write_text("kept")
    assert files.instances.get_any(SPACE, "odd", ADA).reason == "ValueError"
    with pytest.raises(InstanceIsDirectory, match="remove the folder yourself"):
        files.instances.remove(SPACE, "odd", Condition(), ADA)
    with pytest.raises(InstanceIsDirectory):
        files.instances.update(SPACE, "odd", thing("Odd"), Condition(), ADA)
    assert inside.read_text() == "kept"
    assert ["it is a folder" in one.fault for one in files.instances.findings()] == [True]
