"""Watching Rubrica: the exporter of metrics, rules, dashboards and where alerts go."""
