"""Serves what the catalog knows as metrics: ``rubrica exporter``."""

from monitoring.exporter.collector import CatalogCollector
from monitoring.exporter.facts import Watched
from monitoring.exporter.server import MetricsServer

__all__ = ["CatalogCollector", "MetricsServer", "Watched"]
