"""What a program reads and writes through RDDs: `toLocalIterator`, `foreach`, `df.rdd`, `saveAsTextFile` and their kin.

Spark tells no `QueryExecutionListener` of them, so PySpark's own methods are wrapped while a session is captured. An RDD
knows its ancestors: which of them has the rows of a DataFrame was noted when it was made, and files are in their names.
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

from jupyter_colophon.spark.error_messages import kind
from jupyter_colophon.spark.plans.datasets_from_jvm import file
from jupyter_colophon.spark.plans.observation import DataRef, Observation, Unseen, united
from jupyter_colophon.spark.plans.plan import Statement

REMEMBERED: Final = 256
"""DataFrames whose RDDs are known, of each session."""

_SAVES: Final = {
    "saveAsTextFile": "text",
    "saveAsPickleFile": "pickle",
    "saveAsSequenceFile": "sequence",
    "saveAsHadoopFile": "hadoop",
    "saveAsNewAPIHadoopFile": "hadoop",
}
"""Methods of RDDs that write to the path that is their first argument, and the format of it."""

_ACTIONS: Final = ("foreach", "foreachPartition", "collect", "collectWithJobGroup", "toLocalIterator")
"""Methods of RDDs through which all others bring rows to the program, beside `SparkContext.runJob`."""

_ANCESTOR: Final = re.compile(
    r"^[ |+:-]*(?:\(\d+\) )?[ |+:-]*(?:(?P<name>\S.*) )?(?P<kind>\w+)\[(?P<number>\d+)\] at (?P<site>\w*)", re.MULTILINE
)
_OF_FILES: Final = frozenset({"HadoopRDD", "NewHadoopRDD", "WholeTextFileRDD", "BinaryFileRDD"})
_OF_DATA: Final = _OF_FILES | {"FileScanRDD", "DataSourceRDD", "JDBCRDD", "KafkaSourceRDD"}
_NAMED_BY_PATH: Final = frozenset({"wholeTextFiles", "binaryFiles", "binaryRecords"})
_GLOB: Final = re.compile(r"[*?{\[]")


class Rdds:
    """Follows the RDDs of a session, on the threads of the program that uses them."""

    def __init__(
        self,
        session: Any,
        statements_of: Callable[[Any], tuple[Statement, ...]],
        sink: Callable[[Observation], None],
    ) -> None:
        """`statements_of` returns what a DataFrame reads, from its query execution."""
        self.session, self._statements_of, self._sink = session, statements_of, sink
        self._frames: OrderedDict[int, Any] = OrderedDict()

    def open(self) -> None:
        """Follow from now on; the first session has PySpark's methods wrapped."""
        _followers.append(self)
        if not _originals:
            _wrap_all()

    def close(self) -> None:
        """Follow no more; with the last session PySpark's methods are restored."""
        if self in _followers:
            _followers.remove(self)
        if not _followers:
            _restore_all()

    def note(self, frame: Any, rdd: Any) -> None:
        """Remember that an RDD has the rows of a DataFrame."""
        self._frames[rdd.id()] = frame._jdf.queryExecution()
        while len(self._frames) > REMEMBERED:
            self._frames.popitem(last=False)

    def report_frame(self, label: str, frame: Any, started_ms: int, error: BaseException | None) -> None:
        """Report that a DataFrame was read."""
        found = self._statements_of(frame._jdf.queryExecution())
        self._report(label, found, None, started_ms, error)

    def report_rdd(
        self, label: str, rdd: Any, target: tuple[str, str] | None, started_ms: int, error: BaseException | None
    ) -> None:
        """Report that an RDD was computed, and the path and format that its rows were written to."""
        ancestors = list(_ANCESTOR.finditer(rdd._jrdd.rdd().toDebugString()))
        executions = [self._frames.get(int(each["number"])) for each in ancestors]
        found = [each for one in executions if one is not None for each in self._statements_of(one)]
        paths = dict.fromkeys(
            path for each in ancestors if _is_of_path(each) for path in (each["name"] or "").split(",") if path
        )
        found += [_read(rdd, path) for path in paths]
        if not found and not any(executions) and any(each["kind"] in _OF_DATA for each in ancestors):
            found = [Statement(label, unseen=(Unseen.SOURCE,))]
        self._report(label, found, _ref(rdd, *target) if target else None, started_ms, error, has_target=bool(target))

    def _report(
        self,
        label: str,
        found: Iterable[Statement],
        target: DataRef | None,
        started_ms: int,
        error: BaseException | None,
        *,
        has_target: bool = False,
    ) -> None:
        statements = list(found)
        reads = united(ref for each in statements for ref in each.reads)
        unseen = dict.fromkeys(word for each in statements for word in each.unseen)
        if has_target and target is None:
            unseen[Unseen.SINK] = None
        if has_target and not statements:
            unseen[Unseen.MEMORY] = None
        if not (reads or unseen or target):
            return
        writes = (target,) if target else ()
        seen = Observation(started_ms, _now_ms(), label, reads=reads, writes=writes, unseen=tuple(unseen))
        if error is not None:
            seen = replace(seen, failed=True, error=kind(error), writes=(), intended=writes)
        self._sink(seen)


def _is_of_path(ancestor: re.Match[str]) -> bool:
    """Whether the name of an RDD is the path that it reads; other names are the program's."""
    return ancestor["kind"] in _OF_FILES or ancestor["site"] in _NAMED_BY_PATH


def _read(rdd: Any, path: str) -> Statement:
    ref = None if _GLOB.search(path) else _ref(rdd, path, "text")
    return Statement("rdd", (ref,)) if ref else Statement("rdd", unseen=(Unseen.SOURCE,))


def _ref(rdd: Any, path: str, format_: str) -> DataRef | None:
    """Return the dataset at a path, which may leave out its file system."""
    place = rdd.ctx._jvm.org.apache.hadoop.fs.Path(path)
    system = place.getFileSystem(rdd.ctx._jsc.hadoopConfiguration())
    return file(system.makeQualified(place).toString(), format_)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


_followers: list[Rdds] = []
_originals: dict[tuple[Any, str], Any] = {}


class _Nesting(threading.local):
    """Whether a thread is in a wrapped method: `foreach` calls `collect`, and is one action."""

    is_inside = False


_nesting = _Nesting()


@contextmanager
def _reported(context: Any, report: Callable[[Rdds, int, BaseException | None], None]) -> Iterator[None]:
    """Report the outermost wrapped call of a thread when it is over; what goes wrong with that is the capture's alone."""
    if _nesting.is_inside:
        yield
        return
    started_ms, error = _now_ms(), None
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
            except Exception:  # noqa: BLE001 - the program goes on, and its run says that something is missing
                with suppress(Exception):
                    follower._sink(Observation(started_ms, _now_ms(), "rdd", unseen=(Unseen.EXECUTION,)))
        _nesting.is_inside = False


def _wrap_all() -> None:
    from pyspark.core.context import SparkContext
    from pyspark.core.rdd import RDD
    from pyspark.sql.classic.dataframe import DataFrame

    for name in _ACTIONS:
        _wrap(RDD, name, _action)
    for name, format_ in _SAVES.items():
        _wrap(RDD, name, functools.partial(_save, format_))
    _wrap(SparkContext, "runJob", _job)
    _wrap(DataFrame, "toLocalIterator", _iteration)
    _wrap(DataFrame, "toJSON", lambda original: functools.wraps(original)(_conversion(original)))
    _wrap(DataFrame, "rdd", _attribute)


def _wrap(owner: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
    original = vars(owner).get(name)
    if original is not None:
        _originals[owner, name] = original
        setattr(owner, name, wrapper(original))


def _restore_all() -> None:
    for (owner, name), original in _originals.items():
        setattr(owner, name, original)
    _originals.clear()


def _action(original: Any) -> Any:
    @functools.wraps(original)
    def act(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _reported(self.ctx, lambda rdds, *when: rdds.report_rdd(original.__name__, self, None, *when)):
            return original(self, *args, **kwargs)

    return act


def _save(format_: str, original: Any) -> Any:
    @functools.wraps(original)
    def save(self: Any, path: str, *args: Any, **kwargs: Any) -> Any:
        target = (path, format_)
        with _reported(self.ctx, lambda rdds, *when: rdds.report_rdd(original.__name__, self, target, *when)):
            return original(self, path, *args, **kwargs)

    return save


def _job(original: Any) -> Any:
    @functools.wraps(original)
    def run_job(self: Any, rdd: Any, *args: Any, **kwargs: Any) -> Any:
        with _reported(self, lambda rdds, *when: rdds.report_rdd(original.__name__, rdd, None, *when)):
            return original(self, rdd, *args, **kwargs)

    return run_job


def _iteration(original: Any) -> Any:
    @functools.wraps(original)
    def iterate(self: Any, *args: Any, **kwargs: Any) -> Any:
        context = self.sparkSession.sparkContext
        with _reported(context, lambda rdds, *when: rdds.report_frame(original.__name__, self, *when)):
            return original(self, *args, **kwargs)

    return iterate


def _conversion(original: Any) -> Any:
    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(self, *args, **kwargs)
        context = self.sparkSession.sparkContext
        for follower in _followers:
            if follower.session.sparkContext is context:
                # Where that fails, the RDD's data are reported as unseen.
                with suppress(Exception):
                    follower.note(self, found)
        return found

    return convert


def _attribute(original: Any) -> Any:
    """Wrap a property, or what computes it once: either is a descriptor."""
    return property(_conversion(lambda self: original.__get__(self, type(self))), doc=original.__doc__)
