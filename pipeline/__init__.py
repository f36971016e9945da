"""The steps that DAGs and commands share, the local stack and the command line."""
