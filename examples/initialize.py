"""Copy metadata in a step of a pipeline before it processes data: read, propagate and emit.

    python examples/initialize.py --source sales.employee --sink sales.staff --fields empName,salary

COLOPHON_URL is the server, COLOPHON_TOKEN its token. Without a server, the example succeeds as well: it reads nothing,
and the emitted metadata waits for `jupyter colophon outbox flush`.
"""

import argparse

from jupyter_colophon import metadata


@metadata.uses("{source}", access="in")
@metadata.uses("{sink}", access="out")
def initialize(context: metadata.RunContext) -> list[str]:
    """Propagate metadata from source to sink, and return the confidential fields."""
    source, sink = context.entity_from("source"), context.entity_from("sink")
    context.metadata.add_tags(sink, "copied")
    try:
        context.metadata.propagate(source, sink)
        context.metadata.propagate(source.append("field", "empName"), sink.append("field", "empName"))
        return [field.name for field in list_fields(context) if is_confidential(context, source, field)]
    except metadata.MetadataUnavailable as away:
        print(away)
        return []


def list_fields(context: metadata.RunContext) -> tuple[metadata.RecordField, ...]:
    """Return the fields of the input records."""
    return context.input_schema.fields if context.input_schema else ()


def is_confidential(context: metadata.RunContext, source: metadata.MetadataEntity, field: metadata.RecordField) -> bool:
    """Return whether users tagged a field as confidential; if so, mark the field of the sink as masked."""
    if "confidential" not in context.metadata.get(source.append("field", field.name), "USER").tags:
        return False
    context.metadata.add_properties(context.entity_from("sink").append("field", field.name), {"masked": "yes"})
    return True


def main() -> None:
    """Parse the arguments, and run the step."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("source", "sink"):
        parser.add_argument(f"--{name}", required=True, help="a dataset, such as sales.employee")
    parser.add_argument("--fields", default="empName", help="names of the fields of the records, with commas between")
    options = parser.parse_args()
    arguments = {"source": options.source, "sink": options.sink}
    with metadata.run(
        "payroll.spark.copy", arguments=arguments, input_schema=options.fields.split(","), code=initialize
    ) as context:
        print("run", context.urn)
        print("confidential:", ", ".join(initialize(context)) or "nothing")
    waiting = context.metadata.flush()
    print(f"{waiting} reports waiting, {context.metadata.dropped} dropped")


if __name__ == "__main__":
    main()
