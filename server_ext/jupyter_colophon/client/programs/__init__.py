"""Read and write metadata from programs and pipelines while they run, behind `jupyter_colophon.metadata`."""
