"""The parts of the Sensitivity page: a value over a grid of α and β."""
