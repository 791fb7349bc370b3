"""The names of the columns in a schema as Spark SQL writes it, without Spark."""


def names(schema: str) -> tuple[str, ...]:
    """`id BIGINT, who STRUCT<a: INT, b: INT>` are `id` and `who`."""
    return tuple(_name(part) for part in _parts(schema) if part.strip())


def _parts(schema: str) -> list[str]:
    """The parts between commas that are in no brackets and no quotes."""
    parts, depth, quoted = [""], 0, False
    for character in schema:
        quoted ^= character == "`"
        depth += 0 if quoted else (character in "<(") - (character in ">)")
        if character == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _name(part: str) -> str:
    text = part.strip()
    if text.startswith("`"):
        return text[1:].partition("`")[0]
    return text.replace(":", " ").split()[0]
