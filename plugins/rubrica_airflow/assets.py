"""What the DAGs tell each other about."""

from __future__ import annotations

from airflow.sdk import Asset, AssetWatcher

from rubrica_airflow.triggers.commits import CommitsTrigger

INDEX = Asset("rubrica-index")
"""The index: updated by every run that ends well and may have changed it."""

ALARMS = Asset("rubrica-alarms")
"""The alarms: updated by every run that ends well and may have opened or closed some."""

_WATCHER = AssetWatcher(name="rubrica-commits", trigger=CommitsTrigger())  # type: ignore[no-untyped-call]

COMMITS = Asset("rubrica-commits", watchers=[_WATCHER])
"""The sources that are polled: an event carries what the index lacks of them."""
