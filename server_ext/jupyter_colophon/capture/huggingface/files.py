"""The files, and the datasets of the hub, that programs load and save. A dataset of the hub is one of the platform `huggingface`."""

import os
import re
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.column_map import ColumnMap, ColumnSource
from jupyter_colophon.capture.huggingface.splits import create_describe, join_columns, list_datasets, list_names
from jupyter_colophon.capture.locations import MAX_FILES, find_location, list_locations
from jupyter_colophon.capture.names.dataset_names import build_dataset_urn
from jupyter_colophon.capture.origins import Dataset, get_file

PLATFORM: Final = "huggingface"
#: The formats that `load_dataset` names instead of a dataset, with whether files have the columns of what is loaded.
_FORMATS: Final = {
    "csv": True,
    "json": True,
    "parquet": True,
    "arrow": True,
    "text": False,
    "xml": False,
    "webdataset": False,
    "imagefolder": False,
    "audiofolder": False,
    "videofolder": False,
}
#: The methods that write, by the format.
_WRITERS: Final = {"save_to_disk": "arrow", "to_csv": "csv", "to_json": "json", "to_parquet": "parquet"}
_TARGETS: Final = ("dataset_path", "dataset_dict_path", "path_or_buf")
#: Arguments that give columns other names than the file has.
_RENAMING: Final = frozenset({"names", "column_names", "header", "features"})
_HUB_NAME: Final = re.compile(r"[\w.-]+(/[\w.-]+)?")


def observe_files(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions and methods that load and save datasets."""
    adapter.observe_function(module, "load_dataset", _report_load, hides_inner=True)
    adapter.observe_function(module, "load_from_disk", _report_load_from_disk, hides_inner=True)
    for owner in (module.Dataset, module.DatasetDict):
        adapter.observe_method(owner, "load_from_disk", _report_load_from_disk_of_class, hides_inner=True)
        for format_ in ("csv", "json", "parquet", "text"):
            adapter.observe_method(owner, f"from_{format_}", _create_read_report(format_), hides_inner=True)
        for name, format_ in _WRITERS.items():
            adapter.observe_method(owner, name, _create_write_report(format_), hides_inner=True)
        adapter.observe_method(owner, "push_to_hub", _report_push, hides_inner=True)
    adapter.observe_method(module.Dataset, "to_sql", _report_written_table)


def _report_load(call: LibraryCall) -> None:
    path, files = call.get_argument(0, "path"), call.get_argument(3, "data_files")
    folder = call.get_argument(2, "data_dir")
    if not isinstance(path, str):
        return
    if path in _FORMATS and not os.path.isdir(path):
        _record_files(call, path, folder if files is None else files)
    elif os.path.exists(path):
        within = os.path.join(path, folder) if folder else path
        _record_files(call, None, within if files is None else _join_folder(within, files))
    elif _HUB_NAME.fullmatch(path):
        _record_datasets(call, [_create_hub_dataset(path)], list_datasets(call.result), has_columns=True)


def _create_hub_dataset(name: str) -> Dataset:
    return Dataset(urn=build_dataset_urn(PLATFORM, name) or "")


def _join_folder(folder: str, files: Any) -> Any:
    """Return names of files, each below a folder."""
    if isinstance(files, Mapping):
        return {split: _join_folder(folder, each) for split, each in files.items()}
    return os.path.join(folder, files) if isinstance(files, str) else [os.path.join(folder, each) for each in files]


def _record_files(call: LibraryCall, format_: str | None, files: Any) -> None:
    """Record the read of files, or of those of each split, into the result."""
    if files is None or call.error is not None:
        return
    has_columns = _FORMATS.get(format_ or "", True) and not _RENAMING & call.kwargs.keys()
    results = call.result if isinstance(call.result, dict) else dict(enumerate(list_datasets(call.result)))
    for split, value in results.items():
        chosen = _select_files(files, str(split if isinstance(call.result, dict) else getattr(value, "split", "")))
        datasets = [get_file(location, format_) for location in list_locations(chosen)]
        _record_datasets(call, datasets, [value], has_columns=has_columns)
    _record_dictionary(call)


def _select_files(files: Any, split: str) -> Any:
    """Return the files of a split, such as `train` or `train[:10%]+test`."""
    if not isinstance(files, Mapping):
        return files
    words = re.findall(r"\w+", split)
    chosen = [files[name] for name in files if str(name) in words] or list(files.values())
    return [each for part in chosen for each in ([part] if isinstance(part, str | os.PathLike) else part)]


def _record_datasets(call: LibraryCall, datasets: list[Dataset], values: Iterable[Any], *, has_columns: bool) -> None:
    for value in values:
        columns = ColumnMap(datasets[0]) if has_columns and len(datasets) == 1 else None
        names = list_names(value)
        if has_columns and 1 < len(datasets) <= MAX_FILES and names is not None:
            sources = {name: frozenset(ColumnSource(each, name) for each in datasets) for name in names}
            columns = ColumnMap(None, sources)
        call.record_reads(datasets, value, columns)


def _record_dictionary(call: LibraryCall) -> None:
    """Record that a dictionary that was loaded has what its splits have."""
    if isinstance(call.result, dict) and call.error is None:
        datasets = list_datasets(call.result)
        call.record_derived(call.result, datasets, join_columns(call, datasets))


def _report_load_from_disk(call: LibraryCall) -> None:
    _record_saved(call, call.get_argument(0, "dataset_path"))


def _report_load_from_disk_of_class(call: LibraryCall) -> None:
    _record_saved(call, call.find_argument(0 if isinstance(call.args[0], str) else 1, _TARGETS))


def _record_saved(call: LibraryCall, path: Any) -> None:
    location = find_location(path)
    if location is not None:
        _record_datasets(call, [get_file(location, "arrow")], list_datasets(call.result), has_columns=True)
        _record_dictionary(call)


def _create_read_report(format_: str) -> Report:
    def report(call: LibraryCall) -> None:
        # A static method has no class before it.
        position = 0 if isinstance(call.args[0], str | list | dict | os.PathLike) else 1
        _record_files(call, format_, call.get_argument(position, "path_or_paths"))

    return report


def _create_write_report(format_: str) -> Report:
    def report(call: LibraryCall) -> None:
        location = find_location(call.find_argument(1, _TARGETS))
        if location is not None:
            _record_write(call, get_file(location, format_))

    return report


def _report_push(call: LibraryCall) -> None:
    name = call.get_argument(1, "repo_id")
    if isinstance(name, str) and _HUB_NAME.fullmatch(name):
        _record_write(call, _create_hub_dataset(name))


def _report_written_table(call: LibraryCall) -> None:
    """Record the table that an inner call wrote, and that it has the rows of the dataset."""
    for target in call.list_inner_targets():
        _record_write(call, target)


def _record_write(call: LibraryCall, target: Dataset) -> None:
    value = call.receiver
    # A dictionary that the program created has no origin of its own.
    values = [value] if call.find_origin(value) is not None else list_datasets(value)
    columns = join_columns(call, values) if len(values) > 1 else None
    call.record_write(target, values, columns=columns, describe=create_describe(value))
