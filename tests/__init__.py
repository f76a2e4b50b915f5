"""The tests: a package, so that they share oracles, data and the printed algorithm."""
