"""What a sender is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse

RETRY_AFTER_S = 30


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        status: HTTP status.
        outcome: One word for machines.
        reason: One sentence for people; it never holds a secret, nor a name that the sender did not say.
        runs: Per source: ``source``, ``revision``, ``outcome``, ``run_id``.
        log: What the log says besides.
    """

    status: HTTPStatus
    outcome: str
    reason: str = ""
    runs: tuple[Mapping[str, str], ...] = ()
    log: Mapping[str, Any] = field(default_factory=dict)

    def response(self) -> JSONResponse:
        """As HTTP has it."""
        content = {"outcome": self.outcome, "reason": self.reason, "runs": [dict(run) for run in self.runs]}
        again = self.status == HTTPStatus.SERVICE_UNAVAILABLE
        return JSONResponse(
            {name: value for name, value in content.items() if value},
            status_code=self.status,
            headers={"Retry-After": str(RETRY_AFTER_S)} if again else None,
        )


FORBIDDEN = Reply(HTTPStatus.FORBIDDEN, "forbidden", "The signature is missing or wrong.")
UNKNOWN = Reply(
    HTTPStatus.NOT_FOUND,
    "unknown",
    "No source follows this repository with this secret; name the source in the URL, or declare it.",
)
NO_SECRET = Reply(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "no_secret",
    "No webhook secret is set: set RUBRICA_WEBHOOK_SECRET, here and at the git host.",
)
NO_SOURCES = Reply(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "not_set_up",
    "The file of sources cannot be read, so nobody knows whose secret holds: see `rubrica sources check`.",
)
BUSY = Reply(HTTPStatus.SERVICE_UNAVAILABLE, "busy", "Too many deliveries wait; send it again.")
NO_PROVIDER = Reply(
    HTTPStatus.NOT_FOUND, "unknown", "Use /rubrica-hooks/ and github, gitlab, gitea or bitbucket."
)
