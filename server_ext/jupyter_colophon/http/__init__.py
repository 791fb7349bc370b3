"""The Tornado side: the server extension, its APIs and its kernels' tokens."""
