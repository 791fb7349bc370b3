"""The operations of every API: plain functions, each with its declaration, below HTTP and the command line."""
