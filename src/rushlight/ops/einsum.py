"""Einstein summation and tensor contractions."""
