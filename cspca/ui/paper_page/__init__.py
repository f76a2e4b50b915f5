"""The parts of the Paper page: its tables, figures and claims, ours beside."""
