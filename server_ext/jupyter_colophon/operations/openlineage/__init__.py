"""The OpenLineage API: takes events of OpenLineage, and answers reads as Marquez does."""
