"""Timings, run by hand with ``python -m tests.benchmarks``; pytest never collects them."""
