from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extraction.worker import ExtractionJob, ExtractionOutcome, extract_isolated
from rubrica.errors import CorruptDocumentError, EmptyDocumentError, FatalError, LimitExceededError
from rubrica.log import configure_logging
from rubrica.settings import ExtractionSettings
from tests.support.faults import misbehave, warn
from tests.support.zips import zipped

ROOT = Path(__file__).parents[3]
SETTINGS = ExtractionSettings(extract_timeout_s=15, extract_memory_mb=256)


def run(*contents: bytes, workers: int = 1) -> list[ExtractionOutcome]:
    jobs = [ExtractionJob(f"{i}.txt", content) for i, content in enumerate(contents)]
    return list(extract_isolated(jobs, SETTINGS, workers=workers, extractor=misbehave))


def test_outcomes_come_in_the_order_of_the_jobs() -> None:
    jobs = [ExtractionJob(f"{n}.md", f"# Раздел {n}\n\nТекст {n}.".encode()) for n in range(12)]
    outcomes = list(extract_isolated(jobs, ExtractionSettings(), workers=2))
    assert [outcome.path for outcome in outcomes] == [job.path for job in jobs]
    assert [outcome.document.title for outcome in outcomes if outcome.document] == [
        f"Раздел {n}" for n in range(12)
    ]


def test_poison_documents_keep_their_error() -> None:
    jobs = [ExtractionJob("empty.txt", b""), ExtractionJob("good.txt", b"text")]
    empty, good = extract_isolated(jobs, ExtractionSettings())
    assert isinstance(empty.error, EmptyDocumentError)
    assert (empty.error.document, empty.error.stage) == ("empty.txt", "extract")
    assert good.document is not None
    assert good.document.text == "text"


def test_workers_log_as_their_parent_does_and_never_to_standard_output(
    capfd: pytest.CaptureFixture[str],
) -> None:
    configure_logging(json_lines=True)
    list(extract_isolated([ExtractionJob("a.txt", b"text")], SETTINGS, extractor=warn))
    out, err = capfd.readouterr()
    assert out == ""
    event = json.loads(err)
    assert (event["event"], event["api_key"]) == ("something is lost", "***")


FAULTS = {
    b"hang": (LimitExceededError, "more than 15 seconds", "RUBRICA_EXTRACT_TIMEOUT_S"),
    b"devour": (LimitExceededError, "more than 256 MiB", "RUBRICA_EXTRACT_MEMORY_MB"),
    b"afford": (LimitExceededError, "No memory", "RUBRICA_EXTRACT_MEMORY_MB"),
    b"killed": (LimitExceededError, "more than 256 MiB", "RUBRICA_EXTRACT_MEMORY_MB"),
    b"crash": (CorruptDocumentError, "SIGSEGV", None),
    b"exit": (CorruptDocumentError, "exit status 3", None),
    b"bug": (CorruptDocumentError, "ZeroDivisionError: division by zero", None),
}


def test_a_missing_library_is_not_the_documents_fault() -> None:
    with pytest.raises(FatalError, match="No module named 'pdfplumber'"):
        run(b"missing")


def test_what_the_settings_ask_for_and_the_machine_lacks_ends_the_run() -> None:
    with pytest.raises(FatalError, match="A program is missing"):
        run(b"text", b"setup", b"text")


def test_a_fault_costs_one_document_and_says_why() -> None:
    outcomes = run(b"first", *[content for fault in FAULTS for content in (fault, b"next")])
    for index, (error, reason, limit) in enumerate(FAULTS.values()):
        bad, after = outcomes[2 * index + 1 : 2 * index + 3]
        assert after.document is not None
        assert after.document.text == "next"
        assert bad.error is not None
        assert type(bad.error) is error
        assert reason in bad.error.reason
        assert bad.error.hint
        assert (bad.error.document, bad.error.stage) == (f"{2 * index + 1}.txt", "extract")
        assert getattr(bad.error, "limit", None) == limit


@pytest.mark.parametrize("path", ["a.docx", "a.xml", "a.xhtml"])
def test_e13_a_want_of_memory_inside_libxml2_is_no_damage(path: str) -> None:
    body = b"<p>text</p>" * 3_000_000
    content = (
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>' + body + b"</body></html>"
    )
    if path == "a.docx":
        content = zipped({"word/document.xml": content})
    (outcome,) = extract_isolated([ExtractionJob(path, content)], SETTINGS)
    assert isinstance(outcome.error, LimitExceededError)
    assert outcome.error.limit == "RUBRICA_EXTRACT_MEMORY_MB"


def test_faults_among_many_documents_on_two_workers() -> None:
    outcomes = run(*[b"text", b"crash", b"bug", b"exit"] * 3, workers=2)
    assert [outcome.document is not None for outcome in outcomes] == [True, False, False, False] * 3


def test_jobs_are_drawn_only_as_fast_as_they_are_read() -> None:
    drawn = 0

    def jobs() -> Iterator[ExtractionJob]:
        nonlocal drawn
        for n in range(100):
            drawn += 1
            yield ExtractionJob(f"{n}.txt", b"text")

    outcomes = extract_isolated(jobs(), ExtractionSettings(), workers=1)
    next(outcomes)
    assert drawn <= 3
    outcomes.close()


def test_works_where_the_main_script_cannot_be_imported_again() -> None:
    script = (
        "from extraction.worker import *\n"
        "from rubrica.settings import ExtractionSettings\n"
        "(o,) = extract_isolated([ExtractionJob('a.txt', b'text')], ExtractionSettings())\n"
        "print(o.document.text)\n"
    )
    done = subprocess.run(
        [sys.executable, "-"],
        input=script,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=120,
    )
    assert done.stdout == "text\n", done.stderr
