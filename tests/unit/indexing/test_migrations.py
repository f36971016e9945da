from __future__ import annotations

from indexing.catalog.migrations import Migration, bundled_migrations


def test_bundled_migrations_are_numbered_without_gaps() -> None:
    versions = [migration.version for migration in bundled_migrations()]
    assert [int(version.split("_")[0]) for version in versions] == list(range(1, len(versions) + 1))


def test_checksum_follows_the_text() -> None:
    assert Migration("1", "SELECT 1").checksum == Migration("2", "SELECT 1").checksum
    assert Migration("1", "SELECT 1").checksum != Migration("1", "SELECT 2").checksum
