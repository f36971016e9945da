"""Source code, cut at its definitions."""
