"""Feature selection methods, one file each (none yet beside CSPCA itself)."""
