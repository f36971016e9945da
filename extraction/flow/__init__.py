"""What word processors' formats have in common: a flow of paragraphs, tables and notes."""
