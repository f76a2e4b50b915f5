"""Feature selection methods, one file each, on one base and one neighbour graph."""
