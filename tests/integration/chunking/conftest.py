"""Servers for the chunking tests."""

from tests.fixtures.redis import redis_server, redis_url

__all__ = ["redis_server", "redis_url"]
