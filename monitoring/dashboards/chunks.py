"""*Chunk quality*: sizes, cuts, faults and recall by generation, before and after a switch."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from monitoring.dashboards import look
from monitoring.dashboards.look import GREEN, ORANGE, RED, choice, query
from monitoring.dashboards.panels import Column, Text, bars, lines, rows

_SHARES = ((None, GREEN), (0.02, ORANGE), (0.05, RED))
_OF_CHUNKS = 'source=~"$source", generation=~"$generation"'
_OF_SETS = 'set=~"$set", generation=~"$generation"'
_STATES = {1: ("building", look.YELLOW), 2: ("live", GREEN), 3: ("soaking", look.BLUE), 4: ("refused", RED)}
_STATE = """
sum by (generation) (
  rubrica_generation_state{state="building"} or 2 * rubrica_generation_state{state="live"}
  or 3 * rubrica_generation_state{state="soaking"} or 4 * rubrica_generation_state{state="refused"}
)
"""


def build() -> Dashboard:
    """The dashboard."""
    made = (
        look.new_dashboard(
            "rubrica-chunks",
            "Rubrica: chunk quality",
            "How documents are cut and what that does to the answers, of each generation of the index.",
            since="now-30d",
        )
        .with_variable(choice("source", "Source", "label_values(rubrica_documents, source)"))
        .with_variable(choice("set", "Golden set", "label_values(rubrica_golden_questions, set)"))
        .with_variable(
            choice("generation", "Generation", "label_values(rubrica_generation_state, generation)")
        )
    )
    return _faults(_cuts(_sizes(_recall(_switch(made)))))


def _switch(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Before and after a switch"))
    return made.with_panel(
        rows(
            Text(
                "Generations",
                "One line each, newest first. Compare the live one with the one that soaks: `rubrica"
                " rollback`"
                " goes back to it. Scores compare only where the scorer is the same.",
                "nothing is indexed yet",
            ),
            [
                query(_STATE, instant=True, table=True),
                query(
                    "time() - max by (generation) (rubrica_generation_state_timestamp_seconds)",
                    instant=True,
                    table=True,
                ),
                query("sum by (generation) (rubrica_chunks)", instant=True, table=True),
                query('min by (generation) (rubrica_recall_at_k{k="5"})', instant=True, table=True),
                query('min by (generation) (rubrica_ranking{metric="mrr"})', instant=True, table=True),
                query(
                    "histogram_quantile(0.5, sum by (generation, le) (rubrica_chunk_tokens_bucket))",
                    instant=True,
                    table=True,
                ),
                query("rubrica:boundary_score:mean", instant=True, table=True),
                query("rubrica:cohesion:mean", instant=True, table=True),
                query(
                    'sum by (generation) (rubrica_chunk_faults{fault=~"oversized|fragment|duplicate"})',
                    instant=True,
                    table=True,
                ),
            ],
            [
                Column("generation", "Generation", width=110),
                Column("Value #A", "State", names=tuple(look.mappings(_STATES)), width=110),
                Column("Value #B", "Since", unit="s", width=120),
                Column("Value #C", "Chunks", unit="short"),
                Column("Value #D", "recall@5, worst set", unit="percentunit", steps=look.RECALL, decimals=1),
                Column("Value #E", "MRR, worst set", unit="none", decimals=3),
                Column("Value #F", "Tokens, median", unit="none", decimals=0),
                Column("Value #G", "Boundary score", unit="none", decimals=2),
                Column("Value #H", "Cohesion", unit="none", decimals=2),
                Column("Value #I", "Faults", unit="short", steps=look.ANY_IS_NOTED),
            ],
            height=6,
            sort="Generation",
        )
    )


def _recall(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Recall by set and generation"))
    for depth in (1, 5, 10):
        made = made.with_panel(
            lines(
                Text(
                    f"recall@{depth}",
                    f"Share of golden questions whose passages are among the first {depth} chunks.",
                    "not measured yet",
                ),
                [
                    query(
                        f'max by (set, generation) (rubrica_recall_at_k{{k="{depth}", {_OF_SETS}}})',
                        "{{set}}, generation {{generation}}",
                    )
                ],
                unit="percentunit",
                width=6,
                low=0,
                high=1,
            )
        )
    return made.with_panel(
        lines(
            Text(
                "Ranking",
                "How high right chunks stand: MRR and nDCG@10. They move before recall does.",
                "not measured yet",
            ),
            [
                query(
                    f'max by (set, generation, metric) (rubrica_ranking{{metric=~"mrr|ndcg@10",'
                    f" {_OF_SETS}}})",
                    "{{set}} {{metric}}, generation {{generation}}",
                )
            ],
            width=6,
            low=0,
            high=1,
        )
    )


def _sizes(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Sizes"))
    made = made.with_panel(
        bars(
            Text(
                "Sizes of chunks",
                "Chunks by their tokens, as the embedder counts them; under each bar its upper bound. A good"
                " index has one hill; a wall at the end means that the limit cuts.",
                "nothing is indexed yet",
            ),
            [
                query(
                    f"sum by (le) (rubrica_chunk_tokens_bucket{{{_OF_CHUNKS}}})",
                    "{{le}}",
                    instant=True,
                    heatmap=True,
                )
            ],
            width=12,
            upright=True,
        )
    )
    return made.with_panel(
        lines(
            Text(
                "Sizes over time",
                "Median and 95th percentile of the chunks' tokens by generation, and its limits (dashed).",
                "nothing is indexed yet",
            ),
            [
                query(
                    f"histogram_quantile({share}, sum by (generation, le)"
                    f" (rubrica_chunk_tokens_bucket{{{_OF_CHUNKS}}}))",
                    f"{name}, generation {{{{generation}}}}",
                )
                for share, name in ((0.5, "median"), (0.95, "p95"))
            ]
            + [
                query(
                    'rubrica_chunk_size_limit{generation=~"$generation"}',
                    "limit: {{limit}}, generation {{generation}}",
                )
            ],
            low=0,
            dashed="/^limit/",
        )
    )


def _cuts(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Cuts"))
    made = made.with_panel(
        bars(
            Text(
                "Scores at the cuts made",
                "Similarity of the text on both sides of each cut; the lower, the sharper the turn."
                " Under each"
                " bar its upper bound.",
                "no scored cuts: only the strategy smart and a few others score",
            ),
            [
                query(
                    f"sum by (le) (rubrica_boundary_score_bucket{{{_OF_CHUNKS}}})",
                    "{{le}}",
                    instant=True,
                    heatmap=True,
                )
            ],
            width=12,
            upright=True,
        )
    )
    return made.with_panel(
        lines(
            Text(
                "Boundary score and cohesion",
                "Mean score of the cuts made (boundary score) and of those not made (cohesion). The"
                " wider apart,"
                " the better: chunks turn where the text turns and hold together inside.",
                "no scored cuts",
            ),
            [
                query(
                    'rubrica:boundary_score:mean{generation=~"$generation"}',
                    "boundary score, generation {{generation}}",
                ),
                query(
                    'rubrica:cohesion:mean{generation=~"$generation"}', "cohesion, generation {{generation}}"
                ),
            ],
        )
    )


def _faults(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Faults"))
    made = made.with_panel(
        bars(
            Text(
                "Torn units",
                "Tables and clauses in more than one chunk, and headings parted from what follows,"
                " although they"
                " would have fitted. The page *Document* shows where.",
                "no tables, clauses or headings",
            ),
            [
                query(
                    f"sum by (unit) (rubrica_units_torn{{{_OF_CHUNKS}}})"
                    f" / (sum by (unit) (rubrica_units{{{_OF_CHUNKS}}}) > 0)",
                    "{{unit}}s",
                    instant=True,
                )
            ],
            unit="percentunit",
            steps=_SHARES,
            high=0.2,
            decimals=1,
        )
    )
    made = made.with_panel(
        bars(
            Text(
                "Faulty chunks",
                "Share of chunks that are over the limit (never right), under the least size, begin inside a"
                " sentence, or say what another says.",
                "nothing is indexed yet",
            ),
            [
                query(
                    f"sum by (fault) (rubrica_chunk_faults{{{_OF_CHUNKS}}})"
                    f" / on () group_left () (sum(rubrica_chunks_measured{{{_OF_CHUNKS}}}) > 0)",
                    "{{fault}}",
                    instant=True,
                )
            ],
            unit="percentunit",
            steps=_SHARES,
            high=0.2,
            decimals=1,
        )
    )
    return made.with_panel(
        lines(
            Text("Faulty chunks over time", "The same by generation.", "nothing is indexed yet"),
            [
                query(
                    'rubrica:chunk_faults:share{generation=~"$generation"}',
                    "{{fault}}, generation {{generation}}",
                )
            ],
            unit="percentunit",
            width=8,
            low=0,
        )
    )
