"""The rules of Prometheus: promtool's own tests, and what each alert must say."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from pipeline.delivery import links
from rubrica.settings import NotifySettings
from tests.support.prometheus import MONITORING, RULES, alerts, all_rules, binary

RUNBOOKS = MONITORING.parent / "docs" / "runbooks"
TESTS = MONITORING / "prometheus" / "tests"
FILES = ("healthy.yml", "fires.yml", "fires_after_days.yml")
SECTIONS = ("## What it means", "## See", "## Do", "## Silence")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_accepts_configuration_and_rules() -> None:
    _run(binary("promtool"), "check", "config", str(MONITORING / "prometheus" / "prometheus.yml"))


@pytest.mark.parametrize("name", FILES)
def test_promtool_tests_pass(name: str) -> None:
    _run(binary("promtool"), "test", "rules", str(TESTS / name))


def test_amtool_accepts_the_configuration() -> None:
    _run(binary("amtool"), "check-config", str(MONITORING / "alertmanager" / "alertmanager.yml"))


def test_every_alert_is_tested_to_fire_and_healthy_days_have_its_series() -> None:
    fires = "".join((TESTS / name).read_text() for name in FILES if name.startswith("fires"))
    healthy = (TESTS / "healthy.yml").read_text()
    for name, rule in alerts().items():
        assert f'alertname="{name}", alertstate="firing", severity=' in fires, name
        own = re.findall(r"\b(?:rubrica|airflow|redis|up)[a-z_]*(?=[{\s)>]|$)", rule["expr"])
        assert own == [] or any(series in healthy for series in own), name


def test_the_test_files_load_every_rule() -> None:
    for name in FILES:
        loaded = yaml.safe_load((TESTS / name).read_text())
        assert sorted(Path(path).name for path in loaded["rule_files"]) == sorted(path.name for path in RULES)


@pytest.mark.parametrize("name", sorted(alerts()))
def test_every_alert_says_what_to_do_and_has_a_page(name: str) -> None:
    rule = alerts()[name]
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    annotations = rule["annotations"]
    assert {"summary", "description", "runbook_url"} <= set(annotations)
    assert annotations["runbook_url"] == f"{{{{ $externalLabels.runbooks }}}}/{name}.md"
    page = (RUNBOOKS / f"{name}.md").read_text()
    assert page.startswith(f"# {name}\n")
    assert all(section in page for section in SECTIONS), name


def test_every_page_is_of_an_alert_or_an_alarm_and_is_listed() -> None:
    pages = {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"}
    assert pages == set(alerts()) | set(links.RUNBOOKS.values())
    listed = set(re.findall(r"\| \[(\w+)\]\(\1\.md\)", (RUNBOOKS / "README.md").read_text()))
    assert listed == pages


def test_alerts_about_answers_meet_the_alarms_of_rubrica() -> None:
    for name, kind in (
        ("RecallUnderFloor", "recall"),
        ("RecallDrop", "recall"),
        ("GoldenLabelsStale", "labels"),
    ):
        assert alerts()[name]["labels"]["kind"] == kind


def test_rules_are_named_once() -> None:
    names = [rule.get("alert") or rule["record"] for rule in all_rules()]
    assert len(names) == len(set(names))


def test_alertmanager_repeats_before_rubrica_forgets() -> None:
    loaded = yaml.safe_load((MONITORING / "alertmanager" / "alertmanager.yml").read_text())
    routes = [loaded["route"], *loaded["route"]["routes"]]
    hours = [int(route["repeat_interval"].removesuffix("h")) for route in routes]
    assert max(hours) < NotifySettings().alerts_expire_h


def test_inhibition_names_alerts_that_exist() -> None:
    loaded = yaml.safe_load((MONITORING / "alertmanager" / "alertmanager.yml").read_text())
    for rule in loaded["inhibit_rules"]:
        for matcher in (*rule["source_matchers"], *rule["target_matchers"]):
            pattern = re.search(r'"(.*)"', matcher)
            assert pattern is not None
            assert all(
                any(re.fullmatch(part, name) for name in alerts()) for part in pattern[1].split("|")
            ), matcher
