"""What programs and pipelines read and write of metadata while they run (catalog.md 8), behind `jupyter_colophon.metadata`."""
