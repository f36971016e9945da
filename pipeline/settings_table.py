"""Writes the table of settings: ``python -m pipeline.settings_table > docs/settings.md``."""

from __future__ import annotations

import sys
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from rubrica.settings import SECTIONS

_HEAD = """# Settings

Every setting is an environment variable. First found wins: a command's option, the environment, the
file `settings.env` in `RUBRICA_HOME` (yours to write, read by the local Airflow too), the file
`stack.env` there (written by `rubrica up`), the default.

Tasks that Airflow runs see the environment of `rubrica up`, not that of your shell: put what they need
into `settings.env`. It is read anew by every task.

A change of a setting under *Reading files*, *Cutting documents* or *Embedding, storing and searching* does
not touch the index that is live: ingestion and search go on with those that it was built with, and say so,
until `rubrica reindex` (or the DAG `reindex`, weekly) has built a new one beside it; see
`docs/generations.md`. Limits, devices and addresses count at once.
"""


def _default(field: FieldInfo) -> str:
    if isinstance(field.json_schema_extra, dict):
        return str(field.json_schema_extra["default"])
    value: Any = field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    return f"`{value}`" if value != "" else "empty"


def _meaning(field: FieldInfo) -> str:
    text = field.description or ""
    if get_origin(field.annotation) is Literal:
        text += f" One of: {', '.join(f'`{value}`' for value in get_args(field.annotation))}."
    return text.replace("|", r"\|")


def settings_table() -> str:
    """All settings as Markdown."""
    parts = [_HEAD]
    for section in SECTIONS:
        title = (section.__doc__ or "").strip().rstrip(".")
        rows = [
            f"| `RUBRICA_{name.upper()}` | {_default(field)} | {_meaning(field)} |"
            for name, field in section.model_fields.items()
        ]
        parts.append(
            "\n".join([f"## {title}", "", "| setting | default | meaning |", "|---|---|---|", *rows, ""])
        )
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(settings_table())
