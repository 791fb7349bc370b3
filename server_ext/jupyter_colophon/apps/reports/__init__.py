"""The application reports: runs of programs of all namespaces, grouped and measured (docs/how-to/report-on-runs.md).

It uses nothing of the platform but the interface for authors of applications.
"""
