"""Capture of the data that programs read and write, whatever library they use."""
