"""Options of the Java processes that tests start for Spark: in this process, in notebooks and in commands.

They run for seconds, so thorough compilation does not pay. An archive of the classes that Spark loads halves the start;
`make test` creates it (`python tests/support/java.py`), and without it everything works.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ARCHIVE = Path(__file__).parents[2] / "build" / "spark-classes.jsa"
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

#: Loads the classes that tests need.
_LOADER = """
from jupyter_colophon.spark.session import get_session
spark = get_session("classes", **{"spark.master": "local[1]", "spark.sql.shuffle.partitions": "1"})
spark.sql("CREATE DATABASE shop")
spark.sql("CREATE TABLE shop.orders USING parquet AS SELECT id, id % 3 AS customer FROM range(9)")
spark.sql("CREATE VIEW shop.named AS SELECT o.customer, count(*) AS n FROM shop.orders o GROUP BY o.customer")
spark.table("shop.orders").join(spark.table("shop.named"), "customer").orderBy("n").collect()
for kind in ("csv", "json", "orc"):
    spark.table("shop.orders").write.mode("overwrite").format(kind).save(kind)
    spark.read.format(kind).load(kind).count()
spark.udf.register("twice", lambda number: 2 * number, "long")
spark.sql("SELECT twice(id) FROM shop.orders").collect()
"""


def set_fast_java_options() -> None:
    """Let Spark start fast Java processes, here and in each child process."""
    archive = f'"-XX:SharedArchiveFile={ARCHIVE}" -Xlog:disable' if ARCHIVE.exists() else ""
    os.environ["SPARK_SUBMIT_OPTS"] = f"{_SHORT_LIVED} {archive} {os.environ.get('SPARK_SUBMIT_OPTS', '')}"
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _SHORT_LIVED)


def _create_class_archive() -> None:
    """Let Java write the archive at its exit, under a temporary name first so that no partial archive is used."""
    folder = ARCHIVE.with_suffix(".work")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = f'{_SHORT_LIVED} "-XX:ArchiveClassesAtExit={folder / ARCHIVE.name}" -Xlog:disable'
    environment = {**os.environ, "SPARK_SUBMIT_OPTS": options, "JUPYTER_DATA_DIR": str(folder)}
    # Java outlives the process that started it: its output ends when Java ends.
    done = subprocess.run([sys.executable, "-c", _LOADER], capture_output=True, text=True, cwd=folder, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    (folder / ARCHIVE.name).replace(ARCHIVE)
    shutil.rmtree(folder)


if __name__ == "__main__":
    _create_class_archive()
