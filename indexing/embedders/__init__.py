"""Models that turn text into vectors. Importing this package loads none of them."""
