"""Checks that `doctor` and `verify` run."""
