"""Running text: what repeats on page edges, columns, paragraphs."""
