"""Telling of alarms: what is due, to whom, in which words; ``docs/alarms.md`` has the concept.

Whoever speaks to a channel (Jira, Slack, a mail server) is handed in: Airflow holds the connections.
"""
