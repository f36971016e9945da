"""Rubrica's edge to Airflow: what DAGs need and no command does."""
