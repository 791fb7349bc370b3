"""What DataHub's clients ask of a catalog. No transport: `operations/datahub` is above it."""
