"""Results of checks of the data of datasets."""
