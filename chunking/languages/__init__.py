"""Where sentences end, by language: rules and word lists beside the libraries that do the most of it."""
