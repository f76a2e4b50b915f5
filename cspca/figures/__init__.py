"""Figures: pure functions from arrays to pictures and chart specifications."""
