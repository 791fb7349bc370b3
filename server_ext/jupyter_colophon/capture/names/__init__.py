"""Names of the datasets that programs read and write, by the naming specification of OpenLineage."""
