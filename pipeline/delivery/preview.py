"""What a channel would be sent, for people to read."""

from __future__ import annotations

import json

from indexing.catalog.deliveries import Event
from pipeline.delivery.channels import ChannelName
from pipeline.delivery.facts import Facts
from pipeline.delivery.jira_text import comment, ticket
from pipeline.delivery.mail_text import letter
from pipeline.delivery.slack_text import message


def preview(name: ChannelName, said: Facts) -> str:
    """The text, as the channel would get it."""
    if name is ChannelName.SLACK:
        slack = message(said)
        return json.dumps({"text": slack.text, "blocks": slack.blocks}, ensure_ascii=False, indent=2)
    if name is ChannelName.MAIL:
        mail = letter(said)
        headers = {"Subject": mail.subject, **mail.headers}
        return "\n".join([*(f"{key}: {value}" for key, value in headers.items()), "", mail.html])
    if said.event is not Event.OPENED:
        return comment(said)
    new = ticket(said)
    return f"{new.summary}\nlabels: {', '.join(new.labels)}\n\n{new.description}"
