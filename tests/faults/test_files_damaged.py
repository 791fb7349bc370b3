"""A thousand damaged files among valid ones: each affects only itself, and is listed with its reason (spec FAULT-3)."""

import json
import random
from pathlib import Path

from faults.damages import DAMAGES
from support.files import build_instance_document, get_user_folder, open_instance_files, write_file

DAMAGED, GOOD = 1_000, 200


def test_damaged_files_are_listed_with_reasons_beside_valid_ones(tmp_path: Path) -> None:
    chance, folder = random.Random(12), get_user_folder(tmp_path)
    for number in range(DAMAGED):
        path = write_file(folder, f"bad-{number}", json.dumps(build_instance_document(number)))
        chance.choice(DAMAGES)(path, chance)
    for number in range(GOOD):
        write_file(folder, f"good-{number}", json.dumps(build_instance_document(number)))
    files = open_instance_files(tmp_path)
    assert files.remove_temporary_files_and_list_backups() == []
    held = {one.name: one for one in files.read_existing_instances(files.list_instance_names())}
    assert len(held) == DAMAGED + GOOD
    for number in range(GOOD):
        assert held[f"good-{number}"].document == build_instance_document(number)
    for number in range(DAMAGED):
        bad = held[f"bad-{number}"]
        assert bad.document is None
        assert bad.problem
        assert bad.resource == str(folder / f"bad-{number}.json")


def test_damaged_files_can_be_overwritten_or_removed(tmp_path: Path) -> None:
    chance, folder = random.Random(13), get_user_folder(tmp_path)
    for number in range(100):
        path = write_file(folder, f"bad-{number}", json.dumps(build_instance_document(number)))
        chance.choice(DAMAGES)(path, chance)
        if path.is_dir():
            path.rmdir()
            path.touch()
    files = open_instance_files(tmp_path)
    for number, name in enumerate(files.list_instance_names()):
        with files.lock_instance(name) as slot:
            if number % 2:
                slot.write_document_atomically(build_instance_document(number), create=False)
            else:
                slot.remove_file_and_return_instance()
    assert len(files.list_instance_names()) == 50
    assert [
        one.problem for one in files.read_existing_instances(files.list_instance_names()) if one.document is None
    ] == []
