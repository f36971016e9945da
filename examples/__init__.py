"""The example repository, the texts it is built from and the script that builds it."""
