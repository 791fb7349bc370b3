"""The Tornado side: the server extension, its doors and its kernels' tokens."""
