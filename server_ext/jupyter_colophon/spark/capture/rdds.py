"""Capture of reads and writes through RDDs: `toLocalIterator`, `foreach`, `df.rdd`, `saveAsTextFile` and the like.

Spark does not report them to a `QueryExecutionListener`, so PySpark's own methods are wrapped while a session is captured.
An RDD knows its ancestors: those with the rows of a DataFrame are noted when they are created, and files are in their names.
"""

import functools
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from jupyter_colophon.capture.observation import DataRef, MissingDetail, Observation, merge_refs
from jupyter_colophon.spark.error_messages import get_error_class
from jupyter_colophon.spark.plans.datasets_from_jvm import create_file_ref
from jupyter_colophon.spark.plans.plan import Statement

MAX_REMEMBERED: Final = 256
"""Maximum number of DataFrames remembered for each session."""

_SAVES: Final = {
    "saveAsTextFile": "text",
    "saveAsPickleFile": "pickle",
    "saveAsSequenceFile": "sequence",
    "saveAsHadoopFile": "hadoop",
    "saveAsNewAPIHadoopFile": "hadoop",
}
"""Methods of RDDs that write to the path in their first argument, with the format."""

_ACTIONS: Final = ("foreach", "foreachPartition", "collect", "collectWithJobGroup", "toLocalIterator")
"""Methods of RDDs by which all others return rows to the program, besides `SparkContext.runJob`."""

_ANCESTOR: Final = re.compile(
    r"^[ |+:-]*(?:\(\d+\) )?[ |+:-]*(?:(?P<name>\S.*) )?(?P<kind>\w+)\[(?P<number>\d+)\] at (?P<site>\w*)", re.MULTILINE
)
_OF_FILES: Final = frozenset({"HadoopRDD", "NewHadoopRDD", "WholeTextFileRDD", "BinaryFileRDD"})
_OF_DATA: Final = _OF_FILES | {"FileScanRDD", "DataSourceRDD", "JDBCRDD", "KafkaSourceRDD"}
_NAMED_BY_PATH: Final = frozenset({"wholeTextFiles", "binaryFiles", "binaryRecords"})
_GLOB: Final = re.compile(r"[*?{\[]")


class RddCapture:
    """Capture the RDDs of a session, on the threads of the program that uses them."""

    def __init__(
        self,
        session: Any,
        statements_of: Callable[[Any], tuple[Statement, ...]],
        sink: Callable[[Observation], None],
    ) -> None:
        """Create a capture; `statements_of` returns what a DataFrame reads, given its query execution."""
        self.session, self._statements_of, self._sink = session, statements_of, sink
        self._frames: OrderedDict[int, Any] = OrderedDict()

    def start_capturing(self) -> None:
        """Start capturing; wrap PySpark's methods for the first session."""
        _followers.append(self)
        if not _originals:
            _wrap_pyspark_methods()

    def stop_capturing(self) -> None:
        """Stop capturing; restore PySpark's methods after the last session."""
        if self in _followers:
            _followers.remove(self)
        if not _followers:
            _restore_pyspark_methods()

    def remember_dataframe_of_rdd(self, frame: Any, rdd: Any) -> None:
        """Remember that an RDD has the rows of a DataFrame."""
        self._frames[rdd.id()] = frame._jdf.queryExecution()
        while len(self._frames) > MAX_REMEMBERED:
            self._frames.popitem(last=False)

    def report_dataframe(self, label: str, frame: Any, started_ms: int, error: BaseException | None) -> None:
        """Report that a DataFrame was read."""
        statements = self._statements_of(frame._jdf.queryExecution())
        self._report_access(label, statements, None, started_ms, error)

    def report_rdd(
        self, label: str, rdd: Any, target: tuple[str, str] | None, started_ms: int, error: BaseException | None
    ) -> None:
        """Report that an RDD was computed, and the path and format that its rows were written to."""
        ancestors = list(_ANCESTOR.finditer(rdd._jrdd.rdd().toDebugString()))
        executions = [self._frames.get(int(each["number"])) for each in ancestors]
        statements = [
            each for execution in executions if execution is not None for each in self._statements_of(execution)
        ]
        paths = dict.fromkeys(
            path for each in ancestors if _is_named_after_path(each) for path in (each["name"] or "").split(",") if path
        )
        statements += [_describe_read(rdd, path) for path in paths]
        if not statements and not any(executions) and any(each["kind"] in _OF_DATA for each in ancestors):
            statements = [Statement(label, missing=(MissingDetail.SOURCE,))]
        self._report_access(
            label,
            statements,
            _create_path_ref(rdd, *target) if target else None,
            started_ms,
            error,
            has_target=bool(target),
        )

    def _report_access(
        self,
        label: str,
        source_statements: Iterable[Statement],
        target: DataRef | None,
        started_ms: int,
        error: BaseException | None,
        *,
        has_target: bool = False,
    ) -> None:
        statements = list(source_statements)
        reads = merge_refs(ref for each in statements for ref in each.reads)
        missing = dict.fromkeys(word for each in statements for word in each.missing)
        if has_target and target is None:
            missing[MissingDetail.SINK] = None
        if has_target and not statements:
            missing[MissingDetail.MEMORY] = None
        if not (reads or missing or target):
            return
        writes = (target,) if target else ()
        seen = Observation(started_ms, _read_time_ms(), label, reads=reads, writes=writes, missing=tuple(missing))
        if error is not None:
            seen = replace(seen, failed=True, error=get_error_class(error), writes=(), intended=writes)
        self._sink(seen)


def _is_named_after_path(ancestor: re.Match[str]) -> bool:
    """Return whether the name of an RDD is the path that it reads; other names are chosen by the program."""
    return ancestor["kind"] in _OF_FILES or ancestor["site"] in _NAMED_BY_PATH


def _describe_read(rdd: Any, path: str) -> Statement:
    ref = None if _GLOB.search(path) else _create_path_ref(rdd, path, "text")
    return Statement("rdd", (ref,)) if ref else Statement("rdd", missing=(MissingDetail.SOURCE,))


def _create_path_ref(rdd: Any, path: str, format_: str) -> DataRef | None:
    """Return the dataset at a path, which may omit its file system."""
    place = rdd.ctx._jvm.org.apache.hadoop.fs.Path(path)
    system = place.getFileSystem(rdd.ctx._jsc.hadoopConfiguration())
    return create_file_ref(system.makeQualified(place).toString(), format_)


def _read_time_ms() -> int:
    return time.time_ns() // 1_000_000


_followers: list[RddCapture] = []
_originals: dict[tuple[Any, str], Any] = {}


class _CallNesting(threading.local):
    """Whether a thread is inside a wrapped method: `foreach` calls `collect`, which is not a separate action."""

    is_inside = False


_nesting = _CallNesting()


@contextmanager
def _report_outermost(context: Any, report: Callable[[RddCapture, int, BaseException | None], None]) -> Iterator[None]:
    """Report the outermost wrapped call of a thread when it ends. Errors of the report do not reach the program."""
    if _nesting.is_inside:
        yield
        return
    started_ms, error = _read_time_ms(), None
    _nesting.is_inside = True
    try:
        yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        follower = next((each for each in _followers if each.session.sparkContext is context), None)
        if follower is not None:
            try:
                report(follower, started_ms, error)
            except Exception:  # noqa: BLE001 - the program must continue; its run reports missing lineage
                with suppress(Exception):
                    follower._sink(Observation(started_ms, _read_time_ms(), "rdd", missing=(MissingDetail.EXECUTION,)))
        _nesting.is_inside = False


def _wrap_pyspark_methods() -> None:
    from pyspark.core.context import SparkContext
    from pyspark.core.rdd import RDD
    from pyspark.sql.classic.dataframe import DataFrame

    for name in _ACTIONS:
        _replace_method(RDD, name, _wrap_action)
    for name, format_ in _SAVES.items():
        _replace_method(RDD, name, functools.partial(_wrap_save, format_))
    _replace_method(SparkContext, "runJob", _wrap_job)
    _replace_method(DataFrame, "toLocalIterator", _wrap_iteration)
    _replace_method(DataFrame, "toJSON", lambda original: functools.wraps(original)(_wrap_conversion(original)))
    _replace_method(DataFrame, "rdd", _wrap_attribute)


def _replace_method(owner: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
    original = vars(owner).get(name)
    if original is not None:
        _originals[owner, name] = original
        setattr(owner, name, wrapper(original))


def _restore_pyspark_methods() -> None:
    for (owner, name), original in _originals.items():
        setattr(owner, name, original)
    _originals.clear()


def _wrap_action(original: Any) -> Any:
    @functools.wraps(original)
    def act(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _report_outermost(self.ctx, lambda rdds, *when: rdds.report_rdd(original.__name__, self, None, *when)):
            return original(self, *args, **kwargs)

    return act


def _wrap_save(format_: str, original: Any) -> Any:
    @functools.wraps(original)
    def save(self: Any, path: str, *args: Any, **kwargs: Any) -> Any:
        target = (path, format_)
        with _report_outermost(self.ctx, lambda rdds, *when: rdds.report_rdd(original.__name__, self, target, *when)):
            return original(self, path, *args, **kwargs)

    return save


def _wrap_job(original: Any) -> Any:
    @functools.wraps(original)
    def run_job(self: Any, rdd: Any, *args: Any, **kwargs: Any) -> Any:
        with _report_outermost(self, lambda rdds, *when: rdds.report_rdd(original.__name__, rdd, None, *when)):
            return original(self, rdd, *args, **kwargs)

    return run_job


def _wrap_iteration(original: Any) -> Any:
    @functools.wraps(original)
    def iterate(self: Any, *args: Any, **kwargs: Any) -> Any:
        context = self.sparkSession.sparkContext
        with _report_outermost(context, lambda rdds, *when: rdds.report_dataframe(original.__name__, self, *when)):
            return original(self, *args, **kwargs)

    return iterate


def _wrap_conversion(original: Any) -> Any:
    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        rdd = original(self, *args, **kwargs)
        context = self.sparkSession.sparkContext
        for follower in _followers:
            if follower.session.sparkContext is context:
                # If this fails, the sources of the RDD are reported as missing.
                with suppress(Exception):
                    follower.remember_dataframe_of_rdd(self, rdd)
        return rdd

    return convert


def _wrap_attribute(original: Any) -> Any:
    """Wrap a property or cached property; both are descriptors."""
    return property(_wrap_conversion(lambda self: original.__get__(self, type(self))), doc=original.__doc__)
