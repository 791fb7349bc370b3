"""Accesses that a cell or a script declares, because no adapter sees them: a library of one's own, a command, a device."""

import os
from pathlib import Path
from typing import Final

from jupyter_colophon.capture.calls import CallContext, DeferredFlows, Flow, LibraryCall
from jupyter_colophon.capture.data_capture import get_active_capture
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.identity.urn import PREFIX

FUNCTION: Final = "declare"


def reads(*names: str | os.PathLike[str], into: object = None) -> None:
    """Declare that this cell or script reads data. Without capture (docs/magic.md) it has no effect.

    A name is a path, a URL, a dataset as in `%metadata` (`sales.orders`), or a URN. `into` is the value that the data was read
    into: what is computed from it and written is then lineage. Raises InvalidName.
    """
    datasets = [resolve_declared_name(name) for name in names]
    capture = get_active_capture()
    if capture is not None:
        call = LibraryCall(capture.context, FUNCTION, (), {})
        call.record_reads(datasets, into)
        if into is None:
            capture.context.declared.add_reads(call.execution, datasets)
        capture.add_flows(call.flows)


def writes(*names: str | os.PathLike[str], value: object = None) -> None:
    """Declare that this cell or script writes data. Without capture (docs/magic.md) it has no effect.

    Names are those of `reads`. What `value` was computed from flows into the data; without a value, what this cell declared by
    `reads` does. Raises InvalidName.
    """
    datasets = [resolve_declared_name(name) for name in names]
    capture = get_active_capture()
    if capture is None:
        return
    call = LibraryCall(capture.context, FUNCTION, (), {})
    for dataset in datasets:
        if value is None:
            call.record_flow(capture.context.declared.list_reads(call.execution), dataset)
        else:
            call.record_write(dataset, (value,))
    capture.add_flows(call.flows)


def declare_flow(
    context: CallContext, execution: object, read: list[Dataset], written: list[Dataset]
) -> list[Flow | DeferredFlows]:
    """Return the flows of a cell that declares as a whole what it reads and writes."""
    call = LibraryCall(context, FUNCTION, (), {})
    call.execution = execution
    call.record_reads(read)
    for dataset in written:
        call.record_flow(read, dataset)
    return call.flows


def resolve_declared_name(name: str | os.PathLike[str]) -> Dataset:
    """Return the dataset of a path, a URL, a dataset's name or a URN. Raises InvalidName.

    A text without a separator is a path if such a file or folder exists.
    """
    text = os.fspath(name)
    if not isinstance(name, str) or "/" in text or os.sep in text or Path(text).exists():
        location = None if text.startswith(PREFIX) else find_location(text)
        if location is not None:
            return Dataset(location=location)
    return Dataset(DatasetKind.TABLE, urn=MetadataEntity.of_dataset(text).urn)
