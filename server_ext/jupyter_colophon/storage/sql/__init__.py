"""What the SQL dialects share: structured tables as statements that are built once and run on the driver."""
