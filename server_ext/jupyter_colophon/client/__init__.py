"""Small synchronous HTTP client of the native API, on the standard library; kernels and Spark drivers use it."""
