"""Answers of a language model over the services: a golden set in, a report out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from indexing.catalog.generations import Generation
from indexing.recall.answers import AnswerOptions, AnswersReport, evaluate_answers
from indexing.recall.model import GoldenSet
from pipeline.recall import GenerationTexts, RecallRequest, search_of
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.llm import ChatModel, Spent
from rubrica.protocols import Progress

_ANSWER_TOKENS = 500


@dataclass(frozen=True, slots=True)
class AnswersOutcome:
    """What came out, and what it cost.

    Attributes:
        report: The answers, judged.
        spent: Answers and tokens, as the server counts them.
        model: Name of the model.
    """

    report: AnswersReport
    spent: Spent
    model: str


def check_model(services: Services) -> None:
    """Make sure that a language model is configured.

    Raises:
        ConfigurationError: Its address or its name is missing.
    """
    settings = services.settings.llm
    missing = [name for name in ("llm_url", "llm_model") if not getattr(settings, name)]
    if missing:
        raise ConfigurationError(
            f"Answers need a language model, and RUBRICA_{missing[0].upper()} is not set.",
            hint="Name a server with OpenAI's chat API and one of its models.",
        )


def ask_for_answers(
    services: Services,
    golden: GoldenSet,
    request: RecallRequest,
    generation: Generation,
    options: AnswerOptions | None = None,
    *,
    progress: Progress | None = None,
) -> AnswersOutcome:
    """Let the configured model answer a golden set from what the search finds.

    Args:
        services: Open services.
        golden: The set; only its questions with an expert's answer are asked.
        request: How it is searched.
        generation: What is searched.
        options: How the model is asked and judged.
        progress: Hears of every question.

    Raises:
        ConfigurationError: No model is configured, or no question has an expert's answer.
        LlmUnavailableError: The server is away.
        LlmRefusedError: It does not accept the address, the model or the key.
    """
    check_model(services)
    bound = services.at(generation)
    questions = [replace(item, source=item.source or golden.source or "") for item in golden.questions]
    texts = GenerationTexts(bound.catalog, generation.id)
    with ChatModel(services.settings.llm) as model:
        report = evaluate_answers(
            questions,
            search_of(bound, request),
            texts,
            lambda system, user: model.ask(system, user, max_tokens=_ANSWER_TOKENS),
            options,
            progress=progress,
        )
        return AnswersOutcome(report, model.spent, services.settings.llm.llm_model)
