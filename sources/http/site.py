"""Which addresses belong to a site."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx

from sources.location import is_sitemap

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Site:
    """A site, as it was declared.

    Attributes:
        base: The declared address.
        scheme: ``http`` or ``https``.
        host: In small letters; an internationalised one as the name system has it (``xn--…``).
        port: The port, the scheme's own one included.
    """

    base: str
    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, base: str) -> Site:
        """The site of an address that ``sources.location.check_site`` let pass."""
        parts = urlsplit(base)
        host = _plain_host(parts)
        return cls(base, parts.scheme, host, parts.port or _PORTS[parts.scheme])

    @property
    def origin(self) -> str:
        """``scheme://host:port``, the port only where it is not the scheme's own one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def target(self) -> str:
        """Path and query of the declared address."""
        return _target(urlsplit(self.base))

    @property
    def root(self) -> str:
        """The folder that documents' paths begin at, a slash at its end.

        The top of the site for a sitemap, else the folder of the declared address.
        """
        return "/" if is_sitemap(self.base) else self.target.partition("?")[0].rpartition("/")[0] + "/"

    def locate(self, link: str, *, page: str = "/") -> str | None:
        """Path and query of a link that leads to this site; ``None`` of one that does not.

        A site that speaks both http and https on their own ports is one site.

        Args:
            link: As a sitemap, page or redirect has it.
            page: Path of the page that it stands on.
        """
        try:
            parts = urlsplit(urljoin(self.origin + page, link.strip()))
            host, port = _plain_host(parts), parts.port or _PORTS.get(parts.scheme)
        except ValueError:
            return None
        if parts.username is not None or host != self.host or parts.scheme not in _PORTS:
            return None
        both_default = self.port == _PORTS[self.scheme] and port == _PORTS[parts.scheme]
        if not both_default and (parts.scheme, port) != (self.scheme, self.port):
            return None
        return _target(parts)

    def allows(self, url: str) -> bool:
        """Whether a redirect may lead there: to the same site, and never from https back to http."""
        return self.locate(url) is not None and (self.scheme == "http" or url.startswith("https:"))


def _plain_host(parts: SplitResult) -> str:
    """The host as the client asks for it, so that ``пример.рф`` and its ``xn--`` form are one."""
    host = parts.hostname or ""
    if not host.isascii():
        with suppress(httpx.InvalidURL):
            host = httpx.URL(scheme="https", host=host).raw_host.decode("ascii")
    return host.rstrip(".")


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
