"""``milvus-lite server`` that refuses a port in use, ends cleanly and weighs words collection-wide.

The packaged command shares its port with any other gRPC server (``SO_REUSEPORT``), so two stacks
could answer for each other, and dies of SIGTERM without closing its files. For the weights of words see
``pipeline.stack.bm25``.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import grpc
from milvus_lite.adapter.grpc.servicer import MilvusServicer  # type: ignore[import-untyped]
from milvus_lite.db import MilvusLite  # type: ignore[import-untyped]
from pymilvus.grpc_gen import milvus_pb2_grpc  # type: ignore[import-untyped]  # noqa: TID253  # a program, imported by nobody

from pipeline.stack.bm25 import share_statistics

_MAX_MESSAGE_BYTES = 256 * 1024 * 1024  # as milvus-lite's own command and Milvus standalone
_WORKERS = 10

log = logging.getLogger("milvus-server")


def serve(data_dir: str, address: str) -> None:
    """Serve ``data_dir`` on ``address`` until SIGTERM or SIGINT."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    share_statistics()
    database = MilvusLite(data_dir)
    server = grpc.server(
        ThreadPoolExecutor(_WORKERS),
        options=[
            ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
            ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
            ("grpc.so_reuseport", 0),
            # pymilvus pings every 10 s, also while it embeds; gRPC's default hangs up on that.
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_ping_strikes", 0),
        ],
    )
    milvus_pb2_grpc.add_MilvusServiceServicer_to_server(MilvusServicer(database), server)
    try:
        server.add_insecure_port(address)
        server.start()
        log.info("listening on %s", address)
        stop.wait()
        server.stop(grace=5).wait()
    finally:
        database.close()


def main() -> int:
    """Run the server."""
    parser = argparse.ArgumentParser(prog="milvus-server")
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    serve(options.data_dir, f"{options.host}:{options.port}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
