"""Pipelines that start by themselves: at their times, and by changes (docs/pipelines.md)."""
