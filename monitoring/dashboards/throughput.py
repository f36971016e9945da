"""*Throughput and cost*: what time goes into, what the caches save, what the machines do."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from monitoring.dashboards import look
from monitoring.dashboards.look import GREEN, ORANGE, RED, choice, query
from monitoring.dashboards.panels import Text, bars, lines, number

_SOURCE = 'source=~"$source"'
_HITS: look.Steps = ((None, RED), (0.3, ORANGE), (0.7, GREEN))


def build() -> Dashboard:
    """The dashboard."""
    made = look.new_dashboard(
        "rubrica-throughput",
        "Rubrica: throughput and cost",
        "What runs did, where the time went, what the caches saved and how busy the GPU was.",
        since="now-7d",
    ).with_variable(choice("source", "Source", "label_values(rubrica_documents, source)"))
    return _stores(_gpu(_caches(_stages(_runs(made)))))


def _total(name: str, labels: str = "") -> str:
    by = f" by ({labels})" if labels else ""
    return f"sum{by} (increase(rubrica_{name}_total{{{_SOURCE}}}[$__range]))"


def _amount(name: str, labels: str) -> str:
    return f"sum by ({labels}) (increase(rubrica_{name}_total{{{_SOURCE}}}[$__interval]))"


def _runs(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Runs in the chosen time"))
    panels = (
        number(
            Text("Runs", "Ingestions that ended.", "0"),
            query(_total("runs_finished"), instant=True),
            decimals=0,
            graph=False,
        ),
        number(
            Text("Documents", "Documents that were added, changed, moved or removed.", "0"),
            query(
                f"sum(increase(rubrica_document_changes_total{{{_SOURCE},"
                f' change=~"added|changed|moved|removed"}}'
                "[$__range]))",
                instant=True,
            ),
            decimals=0,
            graph=False,
        ),
        number(
            Text("Work", "Time of all tasks together; parallel tasks count each.", "0"),
            query(_total("stage_seconds"), instant=True),
            unit="s",
            graph=False,
        ),
        number(
            Text(
                "Chunks embedded",
                "Chunks that went through the embedder. Those that did not change are kept.",
                "0",
            ),
            query(_total("chunks_embedded"), instant=True),
            decimals=0,
            graph=False,
        ),
        number(
            Text(
                "Pairs from the cache",
                "Share of the pairs of texts whose score was known. A second run of the same documents should"
                " be near 100 %.",
                "no pairs",
            ),
            query(
                f"{_total('pair_cache_hits')} / ({_total('pair_cache_hits')} + {_total('pairs_scored')} > 0)",
                instant=True,
            ),
            unit="percentunit",
            steps=_HITS,
            decimals=0,
            graph=False,
        ),
        number(
            Text("Cache failures", "Pairs and texts for which a cache failed: `rubrica status`.", "0"),
            query(f"{_total('pair_cache_errors')} + {_total('embed_cache_errors')}", instant=True),
            steps=look.ANY_IS_NOTED,
            decimals=0,
            graph=False,
        ),
    )
    for panel in panels:
        made = made.with_panel(panel)
    return made


def _stages(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Where the time goes"))
    made = made.with_panel(
        lines(
            Text(
                "Work by stage",
                "Seconds of work, counted when its run ends.",
                "no run ended in this time",
            ),
            [query(_amount("stage_seconds", "stage"), "{{stage}}")],
            unit="s",
            low=0,
            stacked=True,
            bars=True,
        )
    )
    made = made.with_panel(
        bars(
            Text(
                "Last run by stage",
                "Work of each source's last finished run. `chunk` long: a GPU, or a warmer cache."
                " `index` long:"
                " the embedder. `extract` long: OCR or large PDFs.",
                "no run yet",
            ),
            [
                query(
                    f"max by (source, stage) (rubrica_last_run_stage_seconds{{{_SOURCE}}})",
                    "{{source}}: {{stage}}",
                    instant=True,
                )
            ],
            unit="s",
            width=6,
        )
    )
    return made.with_panel(
        lines(
            Text("Length of the last run", "From its beginning to its verdict.", "no run yet"),
            [query(f"max by (source) (rubrica_last_run_seconds{{{_SOURCE}}})", "{{source}}")],
            unit="s",
            width=6,
            low=0,
        )
    )


def _caches(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("What was saved"))
    made = made.with_panel(
        lines(
            Text(
                "Pairs",
                "Pairs of texts that the scorer read, and those whose score was in the cache.",
                "no run ended in this time",
            ),
            [
                query(f"sum(increase(rubrica_pairs_scored_total{{{_SOURCE}}}[$__interval]))", "scored"),
                query(
                    f"sum(increase(rubrica_pair_cache_hits_total{{{_SOURCE}}}[$__interval]))",
                    "from the cache",
                ),
                query(
                    f"sum(increase(rubrica_pair_cache_errors_total{{{_SOURCE}}}[$__interval]))",
                    "cache failed",
                ),
            ],
            width=8,
            low=0,
            stacked=True,
            bars=True,
        )
    )
    made = made.with_panel(
        lines(
            Text(
                "Vectors",
                "Texts whose vector was in the cache, was not, or could not be asked for.",
                "no run ended in this time",
            ),
            [
                query(f"sum(increase(rubrica_embed_cache_{name}_total{{{_SOURCE}}}[$__interval]))", name)
                for name in ("hits", "misses", "errors")
            ],
            width=8,
            low=0,
            stacked=True,
            bars=True,
        )
    )
    return made.with_panel(
        lines(
            Text(
                "Chunks",
                "Chunks that were written, kept as they were, or removed.",
                "no run ended in this time",
            ),
            [query(_amount("chunk_writes", "action"), "{{action}}")],
            width=8,
            low=0,
            stacked=True,
            bars=True,
        )
    )


def _gpu(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("GPU"))
    made = made.with_panel(
        lines(
            Text(
                "The pool gpu",
                "Tasks that run in it, wait for a worker (queued) or for a free slot (scheduled)."
                " Queued without"
                " running: no worker takes the queue.",
                "Airflow sends no metrics",
            ),
            [
                query(f'max(airflow_pool_{state}_slots{{pool_name="gpu"}})', state)
                for state in ("running", "queued", "scheduled")
            ],
            width=8,
            low=0,
            stacked=True,
        )
    )
    made = made.with_panel(
        lines(
            Text(
                "GPU in use",
                "Share of the time in which the GPU worked. Low while tasks wait: batches are too small, see"
                " RUBRICA_SCORER_BATCH_TOKENS.",
                "no GPU is watched: docker compose --profile gpu",
            ),
            [query("max by (gpu) (DCGM_FI_DEV_GPU_UTIL)", "GPU {{gpu}}")],
            unit="percent",
            width=8,
            low=0,
            high=100,
        )
    )
    return made.with_panel(
        lines(
            Text("GPU memory", "Memory in use.", "no GPU is watched: docker compose --profile gpu"),
            [query("max by (gpu) (DCGM_FI_DEV_FB_USED) * 1024 * 1024", "GPU {{gpu}}")],
            unit="bytes",
            width=8,
            low=0,
        )
    )


def _stores(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Stores"))
    made = made.with_panel(
        lines(
            Text(
                "Redis memory",
                "Memory in use; the dashed line is the limit from which on old scores and vectors"
                " are dropped.",
                "Redis is not watched",
            ),
            [
                query("max by (instance) (redis_memory_used_bytes)", "{{instance}}"),
                query("max by (instance) (redis_memory_max_bytes > 0)", "limit of {{instance}}"),
            ],
            unit="bytes",
            width=8,
            low=0,
            dashed="/^limit of/",
        )
    )
    made = made.with_panel(
        lines(
            Text(
                "Redis evictions",
                "Keys dropped for want of memory, a second. Many during a run: RUBRICA_PAIR_CACHE_MB.",
                "Redis is not watched",
            ),
            [query("sum by (instance) (rate(redis_evicted_keys_total[5m]))", "{{instance}}")],
            unit="ops",
            width=8,
            low=0,
        )
    )
    return made.with_panel(
        lines(
            Text(
                "Milvus: time of a search",
                "95th percentile of searches and queries, in Milvus alone.",
                "Milvus is not watched, or was not asked",
            ),
            [
                query(
                    "histogram_quantile(0.95, sum by (le, query_type)"
                    " (rate(milvus_proxy_sq_latency_bucket[5m])))",
                    "{{query_type}}",
                )
            ],
            unit="ms",
            width=8,
            low=0,
        )
    )
