"""The audit: who read or changed what is marked as sensitive, and what was denied."""
