"""Pure values and functions: no input or output."""
