"""The application dataprep: connections to files, databases and Kafka, and workspaces with a sample and a recipe (docs/how-to/prepare-data.md).

It uses nothing of the platform but the interface for authors of applications.
"""
