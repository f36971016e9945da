"""The YAML block in front of a Markdown file."""

from __future__ import annotations

import yaml

from rubrica.log import get_logger
from rubrica.model import Attributes

_log = get_logger(__name__)


def read_front_matter(text: str) -> Attributes | None:
    """Read front matter.

    Returns:
        Its keys and values as YAML has them; ``None`` where it is no mapping in valid YAML or uses
        aliases, by which a few lines could grow to gigabytes.
    """
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            return None
        values = yaml.safe_load(text)
    # SafeLoader lets ValueError through for dates such as 2024-13-45.
    except (yaml.YAMLError, ValueError) as error:
        _log.warning("front matter is not YAML", reason=str(error))
        return None
    if values is None:
        return {}
    return values if isinstance(values, dict) else None
