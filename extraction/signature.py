"""What decides how a file becomes a document."""

from __future__ import annotations

from rubrica.identity import config_sig

EXTRACTION_VERSION = 2
"""Raised whenever the same file may give another document than before."""


def extraction_signature() -> str:
    """Signature of extraction; limits are left out, for they decide whether and not how."""
    return config_sig({"extraction": EXTRACTION_VERSION})
