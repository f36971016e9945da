"""reStructuredText, Sphinx's extensions of it included."""
