"""A folder with the name of an instance's file: the instance is shown as unreadable until its owner moves the folder."""

import pytest
from jupyter_colophon.core.errors import InstanceIsDirectory
from jupyter_colophon.core.model.proposal import WriteCondition
from support.catalog import ADA
from support.instance_stores import SPACE, InstanceStoreFixture, build_thing


def test_folder_named_like_an_instance_is_reported_and_kept(files: InstanceStoreFixture) -> None:
    inside = files.get_instance_path("odd") / "mine"
    inside.parent.mkdir(parents=True)
    inside.write_text("kept")
    assert files.instances.get_valid_or_invalid_instance(SPACE, "odd", ADA).reason == "ValueError"
    with pytest.raises(InstanceIsDirectory, match="remove the folder yourself"):
        files.instances.remove_instance(SPACE, "odd", WriteCondition(), ADA)
    with pytest.raises(InstanceIsDirectory):
        files.instances.replace_instance(SPACE, "odd", build_thing("Odd"), WriteCondition(), ADA)
    assert inside.read_text() == "kept"
    assert ["it is a folder" in one.problem for one in files.instances.find_instance_issues()] == [True]
