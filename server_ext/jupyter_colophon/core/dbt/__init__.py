"""What the artifacts of dbt mean here: entities, lineage and runs (docs/how-to/connect-dbt.md)."""
