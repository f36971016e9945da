"""What each block is: heading, list item, caption, footnote, title."""
