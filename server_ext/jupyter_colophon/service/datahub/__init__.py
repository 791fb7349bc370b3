"""Services for DataHub's clients, without transport; `operations/datahub` is the API."""
