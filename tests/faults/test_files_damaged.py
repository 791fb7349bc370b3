"""A thousand damaged files among good ones: each harms only itself, and is named with its reason (spec FAULT-3)."""

import json
import random
from pathlib import Path

from faults.damages import DAMAGES
from support.files import document, files_of, put, user_folder

DAMAGED, GOOD = 1_000, 200


def test_every_good_instance_is_served_and_every_bad_one_is_named_with_its_reason(tmp_path: Path) -> None:
    chance, folder = random.Random(12), user_folder(tmp_path)
    for number in range(DAMAGED):
        path = put(folder, f"bad-{number}", json.dumps(document(number)))
        chance.choice(DAMAGES)(path, chance)
    for number in range(GOOD):
        put(folder, f"good-{number}", json.dumps(document(number)))
    files = files_of(tmp_path)
    assert files.sweep() == []
    held = {one.name: one for one in files.read_many(files.names())}
    assert len(held) == DAMAGED + GOOD
    for number in range(GOOD):
        assert held[f"good-{number}"].document == document(number)
    for number in range(DAMAGED):
        bad = held[f"bad-{number}"]
        assert bad.document is None
        assert bad.problem
        assert bad.resource == str(folder / f"bad-{number}.json")


def test_every_bad_one_can_be_repaired_or_removed_unless_it_is_a_folder(tmp_path: Path) -> None:
    chance, folder = random.Random(13), user_folder(tmp_path)
    for number in range(100):
        path = put(folder, f"bad-{number}", json.dumps(document(number)))
        chance.choice(DAMAGES)(path, chance)
        if path.is_dir():
            path.rmdir()
            path.touch()
    files = files_of(tmp_path)
    for number, name in enumerate(files.names()):
        with files.slot(name) as slot:
            if number % 2:
                slot.write(document(number), create=False)
            else:
                slot.remove()
    assert len(files.names()) == 50
    assert [one.problem for one in files.read_many(files.names()) if one.document is None] == []
