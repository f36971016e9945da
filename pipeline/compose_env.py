"""Writes ``.env`` for ``docker-compose.yml``, with passwords of its own.

Run as a script (``make compose-env``); it needs nothing but the standard library. An existing file
is left alone, so that passwords already in use are never lost.
"""

from __future__ import annotations

import base64
import os
import secrets
import sys
from pathlib import Path

_HEAD = """\
# Read by docker compose. Passwords of the services; they are needed as long as the volumes live.
# Settings that docker-compose.yml names can follow, one a line: RUBRICA_SOAK_DAYS=7, say.
"""


def compose_environment() -> dict[str, str]:
    """Fresh secrets by variable name."""
    return {
        "POSTGRES_PASSWORD": secrets.token_hex(16),
        "REDIS_PASSWORD": secrets.token_hex(16),
        "AIRFLOW_PASSWORD": secrets.token_urlsafe(12),
        "AIRFLOW_SECRET_KEY": secrets.token_hex(32),
        "AIRFLOW_JWT_SECRET": secrets.token_hex(32),
        # A Fernet key is 32 random bytes in URL-safe base64.
        "AIRFLOW_FERNET_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    }


def write(path: Path) -> bool:
    """Write the file, readable by its owner only.

    Returns:
        Whether it was written; ``False`` where it exists already.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w") as file:
        file.write(_HEAD)
        file.writelines(f"{name}={value}\n" for name, value in compose_environment().items())
    return True


if __name__ == "__main__":
    target = Path(".env")
    sys.stdout.write(f"{target} {'written' if write(target) else 'exists already, left as it is'}\n")
