"""Solvers: one file each, all iterators of Iterate records."""
