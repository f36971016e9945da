"""Commits drive the index: what webhooks, polls and the DAG ``watch`` share."""

from pipeline.commits.fanning import start_all
from pipeline.commits.model import Answer, Change, Outcome
from pipeline.commits.starting import run_id_of, start_commit

__all__ = ["Answer", "Change", "Outcome", "run_id_of", "start_all", "start_commit"]
