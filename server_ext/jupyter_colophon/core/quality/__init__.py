"""Expectations of the data of datasets, and the results of their checks."""
