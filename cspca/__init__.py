"""Convex sparse PCA with a certificate of global optimality (Chang, Nie, Yang, Huang, arXiv 1411.6233)."""
