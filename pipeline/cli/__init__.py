"""The command line: ``rubrica``, also ``python -m pipeline.cli``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    # Loading takes a second or two: Ctrl-C meanwhile must not end in a traceback.
    try:
        from pipeline.cli.app import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


__all__ = ["main"]
