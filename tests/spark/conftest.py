"""One Spark session for all tests of this folder, with a few small tables."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from jupyter_colophon.capture.observation import Observation
from jupyter_colophon.spark.capture.attach import Capture, attach_listener
from jupyter_colophon.spark.session import get_session
from pyspark.sql import SparkSession
from support.oracle import create_tables, read_corpus

TIMEOUT_MS = 300_000
#: The drivers of databases (`make .stamps/jdbc` fetches them).
DRIVERS = Path(__file__).parents[2] / "build" / "jdbc"


@dataclass(frozen=True)
class ObservedSession:
    """A Spark session, and the observations captured from it."""

    spark: SparkSession
    capture: Capture
    seen: list[Observation]
    folder: Path
    names: Iterator[str]

    def run_and_observe(self, action: Callable[[], object]) -> list[Observation]:
        """Run an action and return all observations of it."""
        assert self.capture.wait_for_observations(TIMEOUT_MS)
        self.seen.clear()
        action()
        assert self.capture.wait_for_observations(TIMEOUT_MS)
        return list(self.seen)

    def create_table_name(self) -> str:
        return next(self.names)

    def shorten_urn(self, urn: str) -> str:
        """Return `s.t` for a table of the catalog, `/x` for a file below the folder of the tests."""
        platform, name, fabric = urn.removeprefix("urn:li:dataset:(urn:li:dataPlatform:").removesuffix(")").split(",")
        assert fabric == "PROD"
        return name if platform == "spark" else name.removeprefix(str(self.folder))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data").resolve()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(tmp_path_factory.mktemp("jupyter")))
        spark = get_session(
            "tests",
            **{
                "spark.master": "local[1]",
                "spark.driver.memory": "1g",
                "spark.jars": ",".join(map(str, DRIVERS.glob("*.jar"))),
                "spark.sql.shuffle.partitions": "1",
                "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
            },
        )
    create_shop_tables(spark, folder)
    yield spark
    spark.stop()


def create_shop_tables(spark: SparkSession, folder: Path) -> None:
    create_tables(spark, read_corpus("queries")["tables"])
    spark.sql(
        "CREATE VIEW shop.named AS "
        "SELECT o.id, upper(c.name) AS who FROM shop.orders o JOIN shop.customers c ON o.customer = c.id"
    )
    spark.range(5).write.parquet(f"{folder}/numbers")
    spark.range(5).write.option("header", True).csv(f"{folder}/lines")


@pytest.fixture(scope="session")
def watch(spark: SparkSession, folder: Path) -> Iterator[ObservedSession]:
    seen: list[Observation] = []
    capture = attach_listener(spark, seen.append)
    yield ObservedSession(spark, capture, seen, folder, (f"shop.made_{number}" for number in itertools.count()))
    capture.detach()
