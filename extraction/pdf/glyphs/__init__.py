"""Characters of a page, cleaned, and the lines that they make."""
