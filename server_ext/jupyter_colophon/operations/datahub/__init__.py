"""`/colophon/datahub`: DataHub's metadata service, for DataHub's own clients."""
