"""The application analytics: experiments, splits of their data, and models of Spark ML (docs/how-to/train-models.md).

It uses nothing of the platform but the interface for authors of applications.
"""
