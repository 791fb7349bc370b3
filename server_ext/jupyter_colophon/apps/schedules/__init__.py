"""Schedules of system applications."""
