"""The dashboards of Grafana, as code: ``python -m monitoring.dashboards`` writes their JSON.

They need ``grafana-foundation-sdk``, which only developers have: Grafana reads the JSON, which is committed.
"""
