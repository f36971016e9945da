"""Passwords and keys of the stack: made once, readable by their owner only."""

from __future__ import annotations

import base64
import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pipeline.stack.files import write_private
from rubrica.errors import ConfigurationError


def _password() -> str:
    return secrets.token_urlsafe(24)


def _fernet_key() -> str:
    # 32 random bytes in URL-safe base64, as cryptography's Fernet specification asks.
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


def _signing_key() -> str:
    # HS512 wants at least 64 bytes (RFC 7518, section 3.2).
    return secrets.token_urlsafe(64)


@dataclass(frozen=True, slots=True)
class Secrets:
    """Every secret of a home; all are safe inside URLs and configuration files.

    Attributes:
        postgres: Password of PostgreSQL's superuser.
        catalog: Password of the role that owns the catalog.
        metadata: Password of the role that owns Airflow's metadata.
        redis: Password of Redis.
        airflow: Password of Airflow's user ``admin``.
        fernet: Key that encrypts Airflow's connections.
        jwt: Key that signs Airflow's tokens.
        session: Key that signs Airflow's cookies.
        home_id: No secret: what tells the home from one that was at the same path before.
    """

    postgres: str = field(default_factory=_password, repr=False)
    catalog: str = field(default_factory=_password, repr=False)
    metadata: str = field(default_factory=_password, repr=False)
    redis: str = field(default_factory=_password, repr=False)
    airflow: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)
    fernet: str = field(default_factory=_fernet_key, repr=False)
    jwt: str = field(default_factory=_signing_key, repr=False)
    session: str = field(default_factory=_signing_key, repr=False)
    home_id: str = field(default_factory=lambda: secrets.token_hex(6))

    @classmethod
    def load_or_create(cls, path: Path) -> Secrets:
        """Read the file, or make it.

        Raises:
            ConfigurationError: The file is there and is not what this class wrote.
        """
        if not path.exists():
            made = cls()
            write_private(path, json.dumps(asdict(made), indent=2) + "\n")
            return made
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise ConfigurationError(
                f"The file {path} is damaged.",
                hint="Remove it: the next `rubrica up` makes new passwords and keeps the data.",
            ) from error
