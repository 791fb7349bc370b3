"""The files of system applications: their content in a folder, their names in a table."""
