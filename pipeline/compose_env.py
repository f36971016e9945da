"""Writes ``.env`` for ``docker-compose.yml``, with passwords of its own.

Run as a script (``make compose-env``); it needs nothing but the standard library. What an existing file
holds is left alone, so that passwords already in use are never lost; only what it lacks is added.
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
        "GRAFANA_PASSWORD": secrets.token_urlsafe(12),
        "ALERTMANAGER_TOKEN": secrets.token_urlsafe(24),
        "AIRFLOW_SECRET_KEY": secrets.token_hex(32),
        "AIRFLOW_JWT_SECRET": secrets.token_hex(32),
        # A Fernet key is 32 random bytes in URL-safe base64.
        "AIRFLOW_FERNET_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    }


def write(path: Path) -> bool:
    """Write the file, readable by its owner only, or add what an older one lacks.

    Returns:
        Whether anything was written; ``False`` where the file holds all secrets already.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        held = file.read()
        known = {line.partition("=")[0].strip() for line in held.splitlines()}
        lines = [f"{name}={value}\n" for name, value in compose_environment().items() if name not in known]
        if not held:
            lines.insert(0, _HEAD)
        elif lines and not held.endswith("\n"):
            lines.insert(0, "\n")
        file.writelines(lines)
    return bool(lines)


if __name__ == "__main__":
    target = Path(".env")
    sys.stdout.write(f"{target} {'written' if write(target) else 'has all that is needed, left as it is'}\n")
