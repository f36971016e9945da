"""Which text is to be trusted: the text layer, its repair, or text recognition."""
