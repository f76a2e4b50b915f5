"""The dashboard in real Chromium: what a visitor sees, and how soon."""
