"""OpenDocument: texts and presentations, zipped or flat."""
