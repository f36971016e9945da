"""The vocabulary that every part of Rubrica shares: data, errors, settings, workspace."""

__version__ = "0.1.0"
