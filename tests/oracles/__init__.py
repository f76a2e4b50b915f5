"""Independent answers: the same problem written a second time, plainly, from the mathematics."""
