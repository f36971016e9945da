"""Push webhooks of git hosts: who sent one, what it tells, and what is done about it."""
