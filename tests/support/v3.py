"""Shared values of the tests of `/colophon/v3`."""

#: A schema as clients of CDAP send it.
AVRO = {
    "type": "record",
    "name": "click",
    "fields": [{"name": "page", "type": "string"}, {"name": "at", "type": ["null", "long"]}],
}
