"""The parts that pages are made of; each draws one thing from a fit or a data set."""
