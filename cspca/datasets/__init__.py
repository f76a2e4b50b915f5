"""Image sets: the Dataset record, built-in sets and readers."""
