"""Which tests run in one process when several run tests."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

_TOGETHER = {
    # Each starts a whole local stack, and two at a time would choose the same ports.
    "tests/integration/pipeline/test_stack.py": "stack",
    "tests/integration/pipeline/test_scheduler.py": "stack",
    "tests/integration/plugins/test_commits.py": "stack",
    # They share a whole Milvus server, and two at a time hardly start on two cores.
    "tests/integration/indexing/test_search_filters.py": "milvus",
    "tests/integration/indexing/test_search_pages.py": "milvus",
    "tests/integration/indexing/test_store.py": "milvus",
    "tests/integration/indexing/test_writer.py": "milvus",
    "tests/integration/monitoring/test_other_programs.py": "milvus",
    # They share a pipeline with a history, which takes long to make.
    "tests/integration/monitoring/test_exporter.py": "monitoring",
    "tests/integration/monitoring/test_prometheus.py": "monitoring",
    "tests/integration/monitoring/test_recall_ticket.py": "monitoring",
}


class SharedServers(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Hands out files, and some of them together."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return _TOGETHER.get(file, file)
