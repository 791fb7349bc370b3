"""`/colophon/datahub`: DataHub's metadata service, as its clients know it."""
