"""Retries by the error taxonomy of ``rubrica.errors``."""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule

from rubrica.errors import ConfigurationError, FatalError, PoisonDocumentError, TransientError

RETRIES = 3
RETRY_DELAY = timedelta(seconds=10)

# The first rule that matches wins. What no rule names (a bug, a killed process) falls through to the
# task's own retries.
TAXONOMY_POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            exception=TransientError,
            action=RetryAction.RETRY,
            retry_delay=RETRY_DELAY,
            reason="It may work when tried again",
        ),
        RetryRule(
            exception=[ConfigurationError, FatalError, PoisonDocumentError],
            action=RetryAction.FAIL,
            reason="A retry would end the same way",
        ),
    ]
)
