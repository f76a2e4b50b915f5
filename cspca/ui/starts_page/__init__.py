"""The parts of the Convergence page: both solvers from the paper's seven starts."""
