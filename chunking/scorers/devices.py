"""What a network of torch runs on."""

from __future__ import annotations

import torch  # noqa: TID253 - imported only where a network of torch is run

from rubrica.errors import ConfigurationError

_CHOICES = "Use auto, cpu or cuda."


def choose_device(name: str, *, setting: str) -> torch.device:
    """The device that a user names.

    Args:
        name: "auto" (the GPU if there is one), "cpu", "cuda" or "cuda:N".
        setting: What it was named by, for errors.

    Raises:
        ConfigurationError: There is no such device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigurationError(f"{setting} {name!r} is no device.", hint=_CHOICES) from error
    if device.type not in {"cpu", "cuda"}:
        raise ConfigurationError(f"{setting} {name!r} is not supported.", hint=_CHOICES)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigurationError(
            f"{setting} is cuda, but torch finds no GPU.",
            hint="Install a CUDA build of torch or set it to auto.",
        )
    return device
