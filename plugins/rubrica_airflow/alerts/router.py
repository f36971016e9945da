"""Receives the alerts of Alertmanager: ``POST /alertmanager``, mounted by the webhooks' app.

See https://prometheus.io/docs/alerting/latest/configuration/#webhook_config for what is sent.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Request, status
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rubrica.errors import RubricaError, TransientError
from rubrica.log import get_logger
from rubrica.settings import Settings

if TYPE_CHECKING:
    from pipeline.alerting import Alert

MAX_BODY = 1 << 20
"""Most bytes of a message."""

_log = get_logger(__name__)

router = APIRouter()


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class ReceivedAlert(_Part):
    """One alert of a message."""

    status: Literal["firing", "resolved"]
    labels: dict[str, str]
    annotations: dict[str, str] = Field(default_factory=dict)
    fingerprint: str = Field(pattern=r"^[0-9a-f]{1,64}$")
    generator_url: str = Field("", alias="generatorURL")

    def to_alert(self) -> Alert:
        """The same in our words."""
        from pipeline.alerting import Alert

        firing = self.status == "firing"
        return Alert(firing, self.labels, self.annotations, self.fingerprint, self.generator_url)


class Message(_Part):
    """A message of Alertmanager."""

    version: Literal["4"]
    alerts: list[ReceivedAlert]
    truncated: int = Field(0, alias="truncatedAlerts", ge=0)


async def authorized(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))],
) -> None:
    """Refuse whoever does not show the token."""
    wanted = Settings().notify.alertmanager_token.get_secret_value()
    if not wanted:
        raise HTTPException(status.HTTP_403_FORBIDDEN, "RUBRICA_ALERTMANAGER_TOKEN is not set.")
    shown = credentials.credentials if credentials else ""
    # A header's bytes are read as Latin-1; this gives them back.
    if not hmac.compare_digest(shown.encode("latin-1"), wanted.encode()):
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, "Wrong token.", {"WWW-Authenticate": "Bearer"})


@router.post("/alertmanager", dependencies=[Depends(authorized)])
async def receive(request: Request) -> dict[str, Any]:
    """Open and close alarms by the alerts of a message."""
    message = _parsed(await _body(request))
    if message.truncated:
        _log.warning("alertmanager left alerts out", count=message.truncated)
    return await run_in_threadpool(_note, message)


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(status.HTTP_413_CONTENT_TOO_LARGE, f"More than {MAX_BODY} bytes.")
    return bytes(body)


def _parsed(body: bytes) -> Message:
    try:
        return Message.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = f"Not a message of Alertmanager (version 4): {where} {first['msg']}"
        raise HTTPException(status.HTTP_400_BAD_REQUEST, reason) from error


def _note(message: Message) -> dict[str, Any]:
    from pipeline.alerting import note_alerts
    from pipeline.services import Services

    try:
        with Services() as services:
            return dict(note_alerts(services, [alert.to_alert() for alert in message.alerts]))
    except RubricaError as error:
        # Alertmanager tries again after a 5xx, and only then.
        code = status.HTTP_503_SERVICE_UNAVAILABLE if isinstance(error, TransientError) else 500
        _log.warning("alerts were not stored", reason=error.reason)
        raise HTTPException(code, "The alerts could not be stored.") from error
