"""Answers, alarms, metrics."""

from __future__ import annotations

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings

from rubrica.mail import mail_addresses
from rubrica.sections.base import CONFIG


class RecallSettings(BaseSettings):
    """Watching the answers."""

    model_config = CONFIG

    recall_floor: float = Field(
        0.90, ge=0, le=1, description="recall@5 under which an alarm is opened and a new index refused."
    )
    recall_alpha: float = Field(
        0.05, gt=0, lt=1, description="A drop is significant when chance alone is less likely than this."
    )
    recall_min_questions: int = Field(
        5, ge=1, description="Questions in common from which on two evaluations are compared."
    )
    recall_labels_floor: float = Field(
        0.90,
        ge=0,
        le=1,
        description="Share of the golden questions whose passages are found in the documents, at least.",
    )
    recall_schedule: str = Field(
        "@daily",
        pattern=r"^(@[a-z]+|\S+( \S+){4})?$",
        description="When recall is checked, besides after each change: cron, or empty for never.",
    )


class NotifySettings(BaseSettings):
    """Telling of alarms."""

    model_config = CONFIG

    jira_project: str = Field(
        "", pattern=r"^([A-Z][A-Z0-9_]+)?$", description="Key of the Jira project of tickets; empty: no Jira."
    )
    jira_connection: str = Field("jira_default", description="Airflow connection of Jira.")
    jira_issue_type: str = Field("Task", min_length=1, description="Type of the tickets.")
    jira_priority: str = Field("", description="Priority of the tickets; empty: the project's own.")
    jira_done_transition: str = Field(
        "", description="Transition that closes a ticket whose alarm has passed; empty: a comment says so."
    )
    slack_connection: str = Field(
        "", description="Airflow connection of a Slack incoming webhook; empty: no Slack."
    )
    mail_to: str = Field("", description="Addresses that get e-mail, parted by commas; empty: no e-mail.")
    mail_from: str = Field("", description="Sender of e-mail; empty: the one of the connection.")
    mail_connection: str = Field("smtp_default", description="Airflow connection of the mail server.")
    alarms_schedule: str = Field(
        "*/5 * * * *",
        pattern=r"^(@[a-z]+|\S+( \S+){4})?$",
        description="When alarms are told, besides after each check: cron, or empty for never.",
    )
    alarms_dry_run: bool = Field(False, description="Log what would be told, and tell nobody.")
    alarms_repeat_h: float = Field(
        6.0, ge=0, description="Hours between two messages about the changes of one open alarm, at least."
    )
    alarms_site: str = Field(
        "",
        max_length=40,
        description="Name of this installation in messages; tells its tickets from those of others.",
    )
    alertmanager_token: SecretStr = Field(
        SecretStr(""), description="Token that Alertmanager shows; empty: its alerts are refused."
    )
    alerts_expire_h: float = Field(
        24.0,
        gt=0,
        description="Hours after which an alert that Alertmanager does not repeat has passed; longer than its"
        " `repeat_interval`.",
    )
    ui_url: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="Airflow's address for the links in messages; empty: RUBRICA_AIRFLOW_URL.",
    )
    runbook_url: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="Address of the folder docs/runbooks for the links in messages; empty: no link.",
    )

    @field_validator("mail_to", "mail_from")
    @classmethod
    def _are_addresses(cls, value: str, info: ValidationInfo) -> str:
        if len(mail_addresses(value)) > 1 and info.field_name == "mail_from":
            raise ValueError("a letter has one sender")
        return value


class MonitoringSettings(BaseSettings):
    """Serving metrics to Prometheus."""

    model_config = CONFIG

    exporter_host: str = Field(
        "127.0.0.1", min_length=1, description="Address that `rubrica exporter` listens on."
    )
    exporter_port: int = Field(9850, ge=0, le=65535, description="Its port; 0 takes any that is free.")
    exporter_cache_s: float = Field(
        5.0, ge=0, description="Seconds for which the exporter gives what it read from PostgreSQL again."
    )
    exporter_quality_s: float = Field(
        60.0, ge=0, description="Least seconds between two readings of the chunks' quality: it takes longer."
    )
