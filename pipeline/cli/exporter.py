"""``rubrica exporter``: what the catalog knows, as metrics for Prometheus."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.output import JsonOption, emit, stderr
from rubrica.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(exporter)


def exporter(
    *,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on; RUBRICA_EXPORTER_HOST by default.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Port; RUBRICA_EXPORTER_PORT by default, 0: any."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve metrics to Prometheus, at /metrics, until it is interrupted.

    It reads PostgreSQL and nothing else. While PostgreSQL is down it says `rubrica_up 0`.
    """
    from monitoring.exporter import CatalogCollector, MetricsServer, Watched
    from pipeline.recall import RecallRequest

    settings = Settings()
    wanted = settings.monitoring
    watched = Watched(
        postgres_url=settings.services.postgres_url.get_secret_value(),
        alias=settings.indexing.alias,
        search=RecallRequest().search,
        recall_floor=settings.recall.recall_floor,
        labels_floor=settings.recall.recall_labels_floor,
    )
    collector = CatalogCollector(
        watched, cache_s=wanted.exporter_cache_s, quality_s=wanted.exporter_quality_s
    )
    address = (host or wanted.exporter_host, wanted.exporter_port if port is None else port)
    try:
        with MetricsServer(collector, host=address[0], port=address[1]) as server:
            if as_json:
                emit("exporter", {"url": f"{server.url}/metrics"})
            else:
                stderr.print(f"Metrics are served at {server.url}/metrics")
            server.serve()
    finally:
        collector.close()
