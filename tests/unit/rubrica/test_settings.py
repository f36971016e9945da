from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from rubrica.errors import ConfigurationError
from rubrica.settings import SECTIONS, Settings


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path))


def test_an_argument_beats_the_environment_beats_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stack.env").write_text("RUBRICA_MAX_TOKENS=100\nRUBRICA_MILVUS_URI=http://127.0.0.1:1\n")
    assert Settings().chunking.max_tokens == 100
    (tmp_path / "settings.env").write_text("RUBRICA_MAX_TOKENS=200\n")
    assert Settings().chunking.max_tokens == 200
    monkeypatch.setenv("RUBRICA_MAX_TOKENS", "300")
    assert Settings().chunking.max_tokens == 300
    assert Settings(max_tokens=400).chunking.max_tokens == 400
    assert Settings().services.milvus_uri == "http://127.0.0.1:1"


def test_the_workspace_lies_in_the_home(tmp_path: Path) -> None:
    assert Settings().workspace == str(tmp_path.resolve() / "workspace")


@pytest.mark.parametrize(
    ("name", "value"),
    [("MAX_TOKENS", "many"), ("MAX_TOKENS", "3"), ("MODE", "fast"), ("ALIAS", "a-b"), ("MIN_TOKENS", "900")],
)
def test_a_wrong_value_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"RUBRICA_{name}", value)
    with pytest.raises(ConfigurationError, match=name):
        Settings()


def test_passwords_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", "postgresql://u:hunter2@h/d")
    assert "hunter2" not in repr(Settings().services)


def test_no_two_sections_share_a_name_and_every_setting_is_described() -> None:
    names = [name for section in SECTIONS for name in section.model_fields]
    assert len(names) == len(set(names))
    assert all(field.description for section in SECTIONS for field in section.model_fields.values())


def test_a_misspelt_name_in_the_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text("RUBRICA_MAX_TOKNES=200\n")
    with pytest.raises(ConfigurationError, match=r"RUBRICA_MAX_TOKNES.*RUBRICA_MAX_TOKENS"):
        Settings()


def test_a_misspelt_variable_is_told_once_and_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_STRATGEY", "fixed")
    monkeypatch.setenv("RUBRICA_IMAGE", "registry/rubrica:1")
    with capture_logs() as logs:
        Settings()
        Settings()
    told = [(entry["variable"], entry["hint"]) for entry in logs if entry["event"] == "setting_unknown"]
    assert told == [("RUBRICA_STRATGEY", "Did you mean RUBRICA_STRATEGY?")]


@pytest.mark.parametrize("file", ["settings.env", "stack.env"])
def test_a_line_that_is_no_setting_is_named_with_its_file(
    file: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = ["# remark", "RUBRICA_MAX_TOKENS=200", "", 'RUBRICA_MILVUS_TOKEN="hunter2', "RUBRICA_ALIAS=docs"]
    (tmp_path / file).write_text("\n".join(lines))
    with pytest.raises(ConfigurationError, match=rf"{file}, line 4: this is no setting") as caught:
        Settings()
    assert "hunter2" not in str(caught.value)
    assert caplog.records == []


def test_a_settings_file_in_another_encoding_is_named_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_bytes("RUBRICA_ALIAS=docs\n# моё замечание\n".encode("cp1251"))
    with pytest.raises(ConfigurationError, match=r"settings\.env, line 2: this is not UTF-8"):
        Settings()


def test_a_settings_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "settings.env").mkdir()
    with pytest.raises(ConfigurationError, match=r"settings\.env cannot be read: Is a directory"):
        Settings()


@pytest.mark.parametrize(
    "value",
    ["", "a@here.test", "a@here.test, b@mail.local,", "Анна <a@here.test>", '"Ли, Анна" <a@localhost>'],
)
def test_addresses_of_mail_are_taken(value: str) -> None:
    assert Settings(mail_to=value).notify.mail_to == value


@pytest.mark.parametrize(
    "value", ["nonsense", "a@here.test, nonsense", "Анна <nonsense>", "a@here.test b@c", "<>"]
)
def test_what_is_no_address_of_mail_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_MAIL_TO", value)
    with pytest.raises(ConfigurationError, match=r"RUBRICA_MAIL_TO: .* is no e-mail address"):
        Settings()


def test_a_letter_has_one_sender() -> None:
    assert Settings(mail_from="Rubrica <r@here.test>").notify.mail_from
    with pytest.raises(ConfigurationError, match=r"RUBRICA_MAIL_FROM: a letter has one sender"):
        Settings(mail_from="a@here.test, b@here.test")
