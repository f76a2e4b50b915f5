"""The Outliers page, one file a section."""
