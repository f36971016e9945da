"""Files in, documents out: text, structure and pages."""
