"""Data files: JSON, YAML, TOML, INI, XML, message catalogues."""
