"""What DataHub's clients ask of a catalog. No transport: `http/datahub` is that."""
