"""Plain text: lines, paragraphs, pages, drawn tables."""
