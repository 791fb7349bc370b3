"""Entry points of packages that are installed and removed while the process runs."""

import shutil
from pathlib import Path

import pytest
from jupyter_colophon.system.entry_points import find_entry_points
from support.packages import install_package


def list_values(group: str, name: str | None = None) -> list[str]:
    return [point.value for point in find_entry_points(group, name)]


def test_installed_and_removed_packages_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert list_values("shop.parts") == []
    install_package(tmp_path, "shop", "", "[shop.parts]\na = shop:A\nb = shop:B\n")
    assert list_values("shop.parts") == ["shop:A", "shop:B"]
    assert list_values("shop.parts", "b") == ["shop:B"]
    assert list_values("shop.others") == []
    (about,) = tmp_path.glob("*.dist-info")
    shutil.rmtree(about)
    assert list_values("shop.parts") == []
