"""Commands that concern Spark: crawls, pipelines, and the settings of OpenLineage's agent."""
