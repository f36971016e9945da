"""What the lines in brackets above a block say: ``[source,bash]``, ``[%header,cols=2*]``, ``[#id.role]``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAMED = re.compile(r"\s*(?P<key>[\w-]+)\s*=\s*(?P<value>.*)", re.DOTALL)


@dataclass(slots=True)
class Style:
    """A block's style.

    Attributes:
        name: Its style: ``source``, ``NOTE``, ``quote`` …
        options: Its options, without the percent sign.
        named: Its named attributes.
        values: Its other attributes.
    """

    name: str = ""
    options: set[str] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    values: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Take over what stands between brackets."""
        for i, part in enumerate(_parts(text)):
            if named := _NAMED.fullmatch(part):
                self.named[named["key"]] = named["value"].strip("\"' ")
            elif i == 0:
                self.name = re.split(r"[#.%]", part)[0].strip() or self.name
                self.options.update(re.findall(r"%([\w-]+)", part))
            else:
                self.values.append(part.strip("\"' "))
        listed = f"{self.named.get('options', '')},{self.named.get('opts', '')}"
        self.options.update(filter(None, (option.strip() for option in listed.split(","))))


def _parts(text: str) -> list[str]:
    """Values between commas; commas in quotes part nothing."""
    return re.findall(r"(?:\"[^\"]*\"|'[^']*'|[^,\"'])+|(?<=,)(?=,)", text) if text else []
