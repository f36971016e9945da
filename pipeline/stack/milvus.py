"""Milvus: milvus-lite behind gRPC, the one process that owns its files."""

from __future__ import annotations

import os
import sys

from pipeline.stack.home import checkout_root
from pipeline.stack.ports import LOOPBACK
from pipeline.stack.processes import Launch, ProcessId
from pipeline.stack.service import BaseService, NotReadyError

_SHOW_COLLECTIONS = "/milvus.proto.milvus.MilvusService/ShowCollections"


class Milvus(BaseService):
    """Milvus on loopback."""

    name = "milvus"
    preferred_port = 19530
    _scheme = "http://"

    def prepare(self) -> None:
        """Make the data folder. Its file LOCK needs no cleaning: the lock dies with its process."""
        self.home.milvus.mkdir(mode=0o700, exist_ok=True)

    def launch(self) -> Launch:
        """The server of this package; see :mod:`pipeline.stack.milvus_server`."""
        module = ["-m", "pipeline.stack.milvus_server"]
        options = ["--host", LOOPBACK, "--port", str(self.port), "--data-dir", str(self.home.milvus)]
        env = {"PYTHONPATH": str(checkout_root()), "PYTHONUTF8": "1"}
        return Launch([sys.executable, *module, *options], env=env, cwd=self.home.milvus)

    def check(self, process: ProcessId) -> None:
        """List the collections."""
        del process
        if reason := _list_collections(f"{LOOPBACK}:{self.port}"):
            raise NotReadyError(f"listing the collections failed: {reason}")


def _list_collections(address: str) -> str:
    """Ask a server for its collections and return what went wrong.

    The request is an empty message, sent without pymilvus, which takes a second to import.
    """
    # Else grpc tells the terminal about every process that is started while it is in use.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    import grpc  # it reads that variable when it is imported

    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(_SHOW_COLLECTIONS)
        try:
            ask(b"", timeout=2)
        except grpc.RpcError as error:
            return error.details() or "no answer" if isinstance(error, grpc.Call) else str(error)
    return ""
