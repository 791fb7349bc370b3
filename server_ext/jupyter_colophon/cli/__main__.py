"""`python -m jupyter_colophon.cli`, where the script is not installed."""

from jupyter_colophon.cli.app import main

main()
