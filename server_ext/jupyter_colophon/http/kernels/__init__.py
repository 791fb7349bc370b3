"""Kernels of this server: their registration, environment and tokens."""
