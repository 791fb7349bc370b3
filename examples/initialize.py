"""What a step of a pipeline does with metadata before it works: it reads, propagates and emits.

    python examples/initialize.py --source sales.employee --sink sales.staff --fields empName,salary

The server is that of COLOPHON_URL, its token COLOPHON_TOKEN. Without one the example still ends well: it reads nothing,
and what it says waits for `jupyter colophon outbox flush`.
"""

import argparse

from jupyter_colophon import metadata


@metadata.uses("{source}", access="in")
@metadata.uses("{sink}", access="out")
def initialize(context: metadata.RunContext) -> list[str]:
    """Says of the sink what is said of the source; answers the fields that are confidential."""
    source, sink = context.entity_from("source"), context.entity_from("sink")
    context.metadata.add_tags(sink, "copied")
    try:
        context.metadata.propagate(source, sink)
        context.metadata.propagate(source.append("field", "empName"), sink.append("field", "empName"))
        return [field.name for field in fields(context) if is_confidential(context, source, field)]
    except metadata.MetadataUnavailable as away:
        print(away)
        return []


def fields(context: metadata.RunContext) -> tuple[metadata.RecordField, ...]:
    """The fields of the records that come in."""
    return context.input_schema.fields if context.input_schema else ()


def is_confidential(context: metadata.RunContext, source: metadata.MetadataEntity, field: metadata.RecordField) -> bool:
    """Whether people say so of a field; the sink's is said to be masked then."""
    if "confidential" not in context.metadata.get(source.append("field", field.name), "USER").tags:
        return False
    context.metadata.add_properties(context.entity_from("sink").append("field", field.name), {"masked": "yes"})
    return True


def main() -> None:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("source", "sink"):
        parser.add_argument(f"--{name}", required=True, help="a dataset, such as sales.employee")
    parser.add_argument("--fields", default="empName", help="names of the fields of the records, with commas between")
    asked = parser.parse_args()
    arguments = {"source": asked.source, "sink": asked.sink}
    with metadata.run(
        "payroll.spark.copy", arguments=arguments, input_schema=asked.fields.split(","), code=initialize
    ) as context:
        print("run", context.urn)
        print("confidential:", ", ".join(initialize(context)) or "nothing")
    waiting = context.metadata.flush()
    print(f"{waiting} waiting, {context.metadata.dropped} dropped")


if __name__ == "__main__":
    main()
