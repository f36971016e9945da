"""The file: opened, repaired, one page at a time in memory."""
