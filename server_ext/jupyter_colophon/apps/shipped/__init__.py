"""What several applications of this package use: the bodies of requests, permitted folders, and samples of files."""
