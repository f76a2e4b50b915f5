"""The paper on one data set: its numbers as data, which of its sets some data are, its claims."""
