"""What programs and pipelines read and write of metadata while they run, behind `jupyter_colophon.metadata`."""
