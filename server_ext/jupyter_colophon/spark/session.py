"""A local Spark session for notebooks: with little output, and a warehouse in a separate folder.

Two notebooks, or two runs of one, never see each other's tables: the catalog is in memory, and the warehouse is a folder below
the Jupyter data directory that is removed when the process ends. The next session removes the folders of killed processes.
"""

import atexit
import os
import shutil
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.spark.java import ensure_java
from jupyter_colophon.spark.silence_pyspark import silence_loggers
from jupyter_colophon.system.private_folders import create_private_folder
from jupyter_colophon.system.process_files import ProcessFile, has_creator_ended

LOG = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
# Spark prints the log level for interactive use if this one differs.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
# The exception that Python raises reports failed tasks.
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = off
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
# No stack traces: the exception that Python raises contains them.
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex{none}
"""

_locks: list[ProcessFile] = []  # Held while this process uses its folders.


def get_session(name: str = "colophon", **conf: object) -> Any:
    """Return the running Spark session, or start one on this machine.

    `conf` are Spark settings, `get_session(**{"spark.driver.memory": "4g"})`; they override ours. Raises JavaMissing.
    """
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    if SparkContext._active_spark_context is None:
        for key, value in _build_settings(conf).items():
            builder = builder.config(key, value)
        silence_loggers()
    for key, setting in conf.items():
        builder = builder.config(key, setting)
    return builder.getOrCreate()


def get_or_start_active_session() -> Any:
    """Return the active session of this process, or a new one. Raises ValueError if none can be started."""
    try:
        from pyspark.sql import SparkSession

        return SparkSession.getActiveSession() or get_session()
    except ImportError:
        msg = "PySpark is not installed: pip install jupyter-colophon[spark]"
        raise ValueError(msg) from None
    except RuntimeError as error:
        # Java is missing or does not start: the message explains what to do.
        raise ValueError(str(error)) from None


def _build_settings(conf: dict[str, object]) -> dict[str, str]:
    """Return the settings of a new session."""
    folder = _remove_abandoned_and_create_folder()
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_write_log_settings(folder).as_uri()}",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.session.timeZone": "UTC",
    }
    if "spark.remote" not in conf and "MASTER" not in os.environ:
        settings["spark.master"] = "local[*]"
    return settings


def _write_log_settings(folder: Path) -> Path:
    """Write log settings that limit output to errors: notebooks show all output of the JVM."""
    settings = folder / "log4j2.properties"
    settings.write_text(LOG, encoding="utf-8")
    return settings


def _remove_abandoned_and_create_folder() -> Path:
    root = Path(jupyter_data_dir()) / "colophon" / "spark"
    create_private_folder(root, root.parent)
    _remove_abandoned_folders(root)
    folder = root / f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
    _locks.append(ProcessFile.create_locked(_get_lock_path(folder)))
    folder.mkdir(mode=0o700)
    atexit.register(_remove_folder_and_lock, folder)
    return folder


def _get_lock_path(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _remove_folder_and_lock(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _get_lock_path(folder).unlink(missing_ok=True)


def _remove_abandoned_folders(root: Path) -> None:
    """Remove the folders of processes that ended without removing them."""
    for lock in root.glob("*.lock"):
        # Another session may remove it at the same time.
        with suppress(OSError):
            if has_creator_ended(lock):
                _remove_folder_and_lock(lock.with_suffix(""))
