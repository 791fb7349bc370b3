"""Worker processes of system applications: their protocol, their start and end, and how many each server runs."""
