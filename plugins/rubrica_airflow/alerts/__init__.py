"""Alarms at Airflow's edge: who tells them, and where Alertmanager brings its own."""
