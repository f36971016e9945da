"""Reads YAML that people write, without what makes it dangerous or ambiguous."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from rubrica.errors import ConfigurationError

_LARGEST_BYTES = 1 << 20
_DEEPEST = 32
_LONGEST_NUMBER_BITS = 64


class _StrictLoader(yaml.SafeLoader):
    """Plain values only: no references, which could grow without bound, and no key twice."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Count the depth, and refuse references."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _fault("references (& and *) are not allowed", event)
        if self._depth >= _DEEPEST:
            raise _fault("it is nested too deep", event)
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Tell where a value stands that is not what its tag, or its look, says."""
        try:
            value = super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError):
            raise _fault("the value is not valid", node) from None
        if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER_BITS:
            raise _fault("the number is too large", node)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Refuse a key that stands twice: the first one would be dropped in silence."""
        if not isinstance(node, yaml.MappingNode):
            raise _fault("it is not a mapping", node)
        seen = set()
        for key, _ in node.value:
            value = key.value if isinstance(key, yaml.ScalarNode) else None
            if value is None:
                raise _fault("a key is not a plain word", key)
            if value in seen:
                raise _fault(f"{value!r} stands twice", key)
            seen.add(value)
        return super().construct_mapping(node, deep=deep)


def _fault(problem: str, place: yaml.Event | yaml.Node) -> yaml.MarkedYAMLError:
    mark: Any = place.start_mark
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file; ``None`` of an empty one.

    Raises:
        ConfigurationError: The file cannot be read, is too large, or is not valid.
    """
    return parse_yaml(_read(path), str(path))


def parse_yaml(content: bytes, name: str) -> Any:
    """The content of YAML; ``None`` of an empty one.

    Args:
        content: UTF-8.
        name: What errors call it.

    Raises:
        ConfigurationError: It is not valid.
    """
    try:
        return yaml.load(content.decode("utf-8-sig"), Loader=_StrictLoader)  # noqa: S506 — a safe loader
    except UnicodeDecodeError:
        raise ConfigurationError(f"{name}: it is not UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigurationError(f"{name}{line}: {error.problem or 'it is not valid YAML'}.") from None
    except (yaml.YAMLError, ValueError):
        raise ConfigurationError(f"{name}: it is not valid YAML.") from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            f"The file {path} cannot be read: {error.strerror}.", hint="Check the path."
        ) from None
    if len(content) > _LARGEST_BYTES:
        raise ConfigurationError(f"{path}: it is larger than 1 MiB.")
    return content
