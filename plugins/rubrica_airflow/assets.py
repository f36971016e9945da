"""What the DAGs tell each other about."""

from __future__ import annotations

from airflow.sdk import Asset

INDEX = Asset("rubrica-index")
"""The index: updated by every run that ends well and may have changed it."""
