"""Reads ``golden.yaml``."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from indexing.recall.entries import Entry, read_question, wrong
from indexing.recall.model import GoldenQuestion

# What PyYAML lets through of dates that are none, tags with values that do not fit, and endless nesting.
_ODD_VALUES = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


def read_yaml(content: str, name: str) -> Iterator[GoldenQuestion]:
    """Questions of a golden.yaml: a list of entries, see ``entries.read_question`` for their fields.

    Args:
        content: The file.
        name: Its name, for messages.

    Raises:
        ConfigurationError: It is not YAML, or an entry is not valid.
    """
    try:
        node = yaml.compose(content, yaml.SafeLoader)
        values = yaml.safe_load(content)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}, line {mark.line + 1}" if mark else name
        raise wrong(where, f"it is not YAML ({getattr(error, 'problem', None) or error})") from error
    except _ODD_VALUES as error:
        raise wrong(name, f"it has a value that YAML cannot read ({error})") from error
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        raise wrong(name, "it must be a list of questions")
    for item, value in zip(node.value, values, strict=True):
        yield read_question(Entry(f"{name}, line {item.start_mark.line + 1}", value))
