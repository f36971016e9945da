"""The pages inside Airflow's own API server: its login and its permissions stand before them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrica.settings import Settings

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[4]

# One process, so that Airflow reads this configuration and no other test's.
_SCRIPT = """
import json, sys
from pathlib import Path
from airflow.utils.db import initdb
initdb()
from airflow.api_fastapi.app import create_app
from fastapi.testclient import TestClient

app, told = create_app(), {}
PAGES = ["", "search", "documents", "failures", "recall"]
RETRY = {"documents": [{"source": "norms", "path": "a.pdf"}]}

def client(user=None, **options):
    made = TestClient(app, base_url="http://airflow.test", follow_redirects=False, **options)
    if user:
        login = made.post("/auth/token", json={"username": user, "password": user})
        made.cookies.set("_token", login.json()["access_token"])
    return made

stranger = client()
answers = [stranger.get(f"/rubrica/{page}?q=x") for page in PAGES]
told["stranger"] = [(answer.status_code, answer.headers.get("location")) for answer in answers]
told["stranger_api"] = [stranger.get("/rubrica/api/runs/x").status_code,
    stranger.post("/rubrica/api/retry", json=RETRY, headers={"origin": "http://airflow.test"}).status_code]
follow = stranger.get(told["stranger"][1][1])
told["login"] = [follow.status_code, follow.headers["location"]]
stranger.cookies.set("_token", "forged.token.here")
told["forged"] = stranger.get("/rubrica/search").status_code

with client("boss") as boss:  # runs the lifespan of the server and with it that of the pages
    told["boss"] = [boss.get(f"/rubrica/{page}").status_code for page in PAGES]
    guest = client("guest")
    told["guest"] = [guest.get(f"/rubrica/{page}").status_code for page in PAGES]
    for name, user in (("boss", boss), ("guest", guest)):
        post = lambda **headers: user.post("/rubrica/api/retry", json=RETRY, headers=headers).status_code
        told[name + "_retry"] = [post(origin="http://airflow.test"), post(origin="http://evil.test"), post()]
    token = boss.cookies["_token"]
    bearer = TestClient(app, base_url="http://airflow.test", headers={"authorization": f"Bearer {token}"})
    told["bearer"] = [bearer.get("/rubrica/search").status_code]
    told["bearer"].append(bearer.post("/rubrica/api/retry", json=RETRY).status_code)
    told["headers"] = dict(boss.get("/rubrica/search").headers)
    plugins = boss.get("/api/v2/plugins").json()["plugins"]
    told["views"] = next(p["external_views"] for p in plugins if p["name"] == "rubrica_pages")
    told["errors"] = boss.get("/api/v2/plugins/importErrors").json()

    # Airflow's own database goes away: its login can be checked no more. (Of a cookie Airflow asks before it
    # asks the pages, and answers itself.)
    import os
    from airflow import settings
    from sqlalchemy.exc import ProgrammingError
    from rubrica_airflow.pages import guards
    settings.dispose_orm()
    os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] = "postgresql+psycopg2://me:word@127.0.0.1:1/none"
    settings.configure_vars()
    settings.configure_orm()
    page, script = (bearer.get(f"/rubrica/{path}?lang=en") for path in ("search", "api/runs/x"))
    told["down"] = [page.status_code, page.text, script.status_code, script.json()]
    settings.dispose_orm()
    pages = next(route.app for route in app.routes if getattr(route, "path", "") == "/rubrica")
    def bug():
        raise ProgrammingError("SELECT secret", {}, ValueError())
    pages.dependency_overrides[guards.reader] = bug
    last = client(raise_server_exceptions=False).get("/rubrica/search?lang=en")
    told["bug"] = [last.status_code, "PostgreSQL does not answer" in last.text]
print(json.dumps(told))
"""


@pytest.fixture
def told(make_settings: Callable[..., Settings], tmp_path: Path) -> dict[str, Any]:
    """What the script saw."""
    passwords = tmp_path / "passwords.json"
    passwords.write_text(json.dumps({"boss": "boss", "guest": "guest"}))
    settings = make_settings()
    environment = {
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "boss:admin,guest:viewer",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__API__BASE_URL": "http://airflow.test",
        "AIRFLOW__API_AUTH__JWT_SECRET": "a secret of this test that is long enough for any key",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
        "RUBRICA_HOME": str(settings.home),
        "RUBRICA_POSTGRES_URL": settings.services.postgres_url.get_secret_value(),
        "RUBRICA_ALIAS": settings.indexing.alias,
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        cwd=tmp_path,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


def test_airflow_stands_before_the_pages(told: dict[str, Any]) -> None:
    # Nobody in: pages send to the login, which brings back; scripts are told so.
    assert {status for status, _ in told["stranger"]} == {303}
    back = "/api/v2/auth/login?next=%2Frubrica%2Fsearch%3Fq%3Dx"
    assert told["stranger"][1][1] == back
    assert told["stranger_api"] == [401, 401]
    assert told["login"] == [307, "/auth/login?next=%2Frubrica%2Fsearch%3Fq%3Dx"]
    assert told["forged"] == 403

    # Logged in: everybody who may read the DAG reads, only those who may start it try again.
    assert told["boss"] == told["guest"] == [200] * 5
    assert told["guest_retry"] == [403, 403, 403]
    assert told["boss_retry"] == [503, 403, 403]  # let through to Airflow's client, which has no address here
    assert told["bearer"] == [200, 503]

    status, page, script_status, script = told["down"]
    assert (status, script_status) == (503, 503)
    assert "PostgreSQL does not answer." in page
    assert "Run `rubrica up`" in page
    assert "OperationalError" not in page
    assert "word" not in page
    assert script["reason"] == "PostgreSQL does not answer."
    assert told["bug"] == [500, False]

    assert "frame-ancestors 'self'" in told["headers"]["content-security-policy"]
    assert told["errors"]["import_errors"] == []
    views = {view["url_route"]: view["href"] for view in told["views"]}
    assert views["rubrica-search"] == "/rubrica/search"
    assert len(views) == 5
