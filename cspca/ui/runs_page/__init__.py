"""The parts of the Runs page: everything that was computed here and kept."""
