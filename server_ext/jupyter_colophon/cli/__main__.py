"""`python -m jupyter_colophon.cli`, for environments without the script."""

from jupyter_colophon.cli.app import main

main()
