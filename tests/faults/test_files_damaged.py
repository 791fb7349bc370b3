"""A thousand damaged files among valid ones: each affects only itself, and is listed with its reason (spec FAULT-3)."""

import json
import random
from pathlib import Path

from faults.damages import DAMAGES
from support.files import document, open_files, put, user_folder

DAMAGED, GOOD = 1_000, 200


def test_damaged_files_are_listed_with_reasons_beside_valid_ones(tmp_path: Path) -> None:
    chance, folder = random.Random(12), user_folder(tmp_path)
    for number in range(DAMAGED):
        path = put(folder, f"bad-{number}", json.dumps(document(number)))
        chance.choice(DAMAGES)(path, chance)
    for number in range(GOOD):
        put(folder, f"good-{number}", json.dumps(document(number)))
    files = open_files(tmp_path)
    assert files.sweep() == []
    held = {one.name: one for one in files.read_many(files.list_names())}
    assert len(held) == DAMAGED + GOOD
    for number in range(GOOD):
        assert held[f"good-{number}"].document == document(number)
    for number in range(DAMAGED):
        bad = held[f"bad-{number}"]
        assert bad.document is None
        assert bad.problem
        assert bad.resource == str(folder / f"bad-{number}.json")


def test_damaged_files_can_be_overwritten_or_removed(tmp_path: Path) -> None:
    chance, folder = random.Random(13), user_folder(tmp_path)
    for number in range(100):
        path = put(folder, f"bad-{number}", json.dumps(document(number)))
        chance.choice(DAMAGES)(path, chance)
        if path.is_dir():
            path.rmdir()
            path.touch()
    files = open_files(tmp_path)
    for number, name in enumerate(files.list_names()):
        with files.lock_instance(name) as slot:
            if number % 2:
                slot.write(document(number), create=False)
            else:
                slot.remove()
    assert len(files.list_names()) == 50
    assert [one.problem for one in files.read_many(files.list_names()) if one.document is None] == []
