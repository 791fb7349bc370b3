"""Start pipelines by schedule and by changes (docs/pipelines.md)."""
