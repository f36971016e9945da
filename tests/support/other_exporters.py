"""Series of the programs around Rubrica, so that every panel of the dashboards is asked for real ones."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from pymilvus import DataType, MilvusClient  # type: ignore[import-untyped]

from tests.fixtures.databases import free_port
from tests.support.prometheus import binary

# As the DCGM exporter writes them by its default list of counters; there is no GPU here.
GPU_METRICS = """\
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",device="nvidia0",modelName="NVIDIA H200",Hostname="gpu"} 87
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1",device="nvidia0",modelName="NVIDIA H200",Hostname="gpu"} 3412
"""


@contextmanager
def metrics_server(text: Callable[[], str]) -> Iterator[str]:
    """Serves a text; gives its ``host:port``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = text().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def redis_exporter(redis_url: str) -> Iterator[str]:
    """Debian's exporter on a Redis; gives its ``host:port``."""
    address = f"127.0.0.1:{free_port()}"
    command = [binary("prometheus-redis-exporter"), "-redis.addr", redis_url, "-web.listen-address", address]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield address
    finally:
        process.terminate()
        process.wait()


def search_once(milvus_uri: str) -> None:
    """One search in Milvus, so that it has a time to tell."""
    client = MilvusClient(milvus_uri)
    try:
        schema = client.create_schema()
        schema.add_field("id", DataType.INT64, is_primary=True)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
        index = client.prepare_index_params()
        index.add_index("vector", index_type="FLAT", metric_type="IP")
        client.create_collection("watched", schema=schema, index_params=index)
        client.insert("watched", [{"id": 1, "vector": [1.0, 0.0]}])
        client.search("watched", [[1.0, 0.0]], limit=1)
    finally:
        client.close()
