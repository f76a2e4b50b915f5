"""Metrics and the clustering protocol (none yet)."""
