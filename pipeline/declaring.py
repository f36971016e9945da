"""Brings the catalog to what the file of sources declares, and shows both beside each other.

What the file declares wins over what the catalog knows. A source that is taken out of the file stays
known, and so do its documents: only ``rubrica forget`` removes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.globs import is_exact
from rubrica.errors import ConfigurationError, RubricaError, SourceError
from rubrica.log import get_logger
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.declared import DeclaredSource, declared_sources, sources_file, webhook_secrets
from sources.factory import open_source

if TYPE_CHECKING:
    from indexing.catalog.sources import Source
    from pipeline.services import Services

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Synced:
    """What registering the declared sources did, by name.

    Attributes:
        added: New to the catalog.
        changed: Known, and declared otherwise now.
        unchanged: Known as declared.
        undeclared: Known, but not in the file; nothing was done about them.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """A source as the file and the catalog know it.

    Attributes:
        spec: As it is declared, else as it is known.
        declared: Its declaration; ``None``: the file does not name it.
        known: The catalog's row; ``None``: it never ran.
        indexed: Documents in the live index.
        failed: Documents that failed.
        webhook: Whether webhooks are accepted: it is a git repository, and a secret is set.
        asked: Whether the catalog was asked; what it knows is unknown otherwise.
    """

    spec: SourceSpec
    declared: DeclaredSource | None
    known: Source | None
    indexed: int = 0
    failed: int = 0
    webhook: bool = False
    asked: bool = True

    @property
    def state(self) -> str:
        """``declared`` (not registered yet), ``changed``, ``in sync``, ``not in the file`` or ``unknown``."""
        if not self.asked:
            return "unknown"
        if self.declared is None:
            return "not in the file"
        if self.known is None:
            return "declared"
        return "in sync" if self.known.spec == self.declared.spec else "changed"


@dataclass(frozen=True, slots=True)
class Checked:
    """What trying one source found.

    Attributes:
        spec: The source.
        documents: How many it has; ``None`` where it cannot be read.
        skipped: Paths that are no documents.
        error: Why it cannot be read.
    """

    spec: SourceSpec
    documents: int | None = None
    skipped: int = 0
    error: RubricaError | None = None


def sync_declared(services: Services) -> Synced:
    """Register what the file declares.

    Raises:
        ConfigurationError: The file is not valid; nothing was registered.
    """
    names: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    declared = declared_sources(services.settings)
    for item in declared:
        names[_register(services, item.spec)].append(item.spec.name)
    known = {source.spec.name for source in services.catalog.sources.all()}
    undeclared = known - {item.spec.name for item in declared}
    return Synced(
        tuple(names["added"]), tuple(names["changed"]), tuple(names["unchanged"]), tuple(sorted(undeclared))
    )


def declared_by_name(settings: Settings) -> Mapping[str, DeclaredSource]:
    """What the file declares, by name.

    Raises:
        ConfigurationError: The file is not valid.
    """
    return {item.spec.name: item for item in declared_sources(settings)}


def register_declared(services: Services, name: str) -> SourceSpec | None:
    """Bring one source's row to what is declared; ``None`` where the file does not name it.

    Raises:
        ConfigurationError: The file is not valid.
    """
    item = declared_by_name(services.settings).get(name)
    if item is not None:
        _register(services, item.spec)
    return None if item is None else item.spec


def refuse_other_declaration(settings: Settings, name: str) -> None:
    """Refuse to change by a command what the file declares.

    Raises:
        ConfigurationError: The file names that source.
    """
    if name in declared_by_name(settings):
        raise ConfigurationError(
            f"The source {name!r} is declared in {sources_file(settings)}.", hint="Change it there."
        )


def overview(services: Services) -> list[Overview]:
    """All sources, declared and known, by name.

    Raises:
        ConfigurationError: The file is not valid.
        ServiceUnavailableError: PostgreSQL does not answer.
    """
    declared = declared_by_name(services.settings)
    generation = services.catalog.generations.live(services.settings.indexing.alias)
    rows = services.catalog.sources.all(generation.id if generation else None)
    known = {item.spec.name: item for item in rows}
    counts = services.catalog.indexed.counts(generation.id) if generation else {}
    found = []
    for name in sorted({*declared, *known}):
        spec = declared[name].spec if name in declared else known[name].spec
        indexed, failed = (counts.get((name, state), 0) for state in ("indexed", "failed"))
        webhook = _hears_webhooks(services.settings, spec, declared.get(name))
        found.append(Overview(spec, declared.get(name), known.get(name), indexed, failed, webhook))
    return found


def declared_overview(settings: Settings) -> list[Overview]:
    """What the file declares, by name, without the catalog: before ``rubrica up`` there is none.

    Raises:
        ConfigurationError: The file is not valid.
    """
    return [
        Overview(item.spec, item, None, webhook=_hears_webhooks(settings, item.spec, item), asked=False)
        for _, item in sorted(declared_by_name(settings).items())
    ]


def _hears_webhooks(settings: Settings, spec: SourceSpec, declared: DeclaredSource | None) -> bool:
    variable = declared.webhook_secret_env if declared else ""
    return spec.kind == "git" and bool(webhook_secrets(settings, variable))


def check(settings: Settings, specs: Iterable[SourceSpec]) -> Iterable[Checked]:
    """Try sources one by one; the catalog is not asked.

    Yields:
        What was found, in their order.
    """
    for spec in specs:
        try:
            found = open_source(spec, settings).snapshot()
        except RubricaError as error:
            yield Checked(spec, error=error)
        else:
            yield Checked(spec, len(found.files), len(found.skipped))


def try_first(services: Services, spec: SourceSpec, *, guessed: bool) -> None:
    """Read a source's listing before it is on the list of what is watched: a mistyped address fails here.

    Args:
        services: Open services.
        spec: The source.
        guessed: Whether its kind was told from its address.

    Raises:
        SourceError: It cannot be read.
        SourceUnavailableError: It does not answer.
    """
    if spec.kind == "folder" or services.catalog.sources.get(spec.name) == spec:
        return
    try:
        open_source(spec, services.settings).snapshot()
    except SourceError as error:
        if guessed and spec.kind == "git" and spec.location.startswith(("http://", "https://")):
            hint = f"{error.hint} If it is a web site and no repository, add --kind http.".strip()
            raise SourceError(error.reason, document=error.document, stage=error.stage, hint=hint) from error
        raise


def _register(services: Services, spec: SourceSpec) -> str:
    known = services.catalog.sources.get(spec.name)
    if known == spec:
        return "unchanged"
    services.catalog.sources.register(spec)
    if known is not None:
        _warn_of_documents_taken_back(known, spec)
    return "changed" if known else "added"


def _warn_of_documents_taken_back(before: SourceSpec, after: SourceSpec) -> None:
    """What was forgotten may come back, for the file wins over what ``rubrica forget --exclude`` noted."""
    taken_back = [glob for glob in before.exclude if is_exact(glob) and glob not in after.exclude]
    if taken_back:
        _log.warning(
            "The file of sources no longer leaves out single documents; add them to `exclude` there.",
            source=after.name,
            documents=taken_back,
        )


EXAMPLE = """\
# The sources that Rubrica follows. Save it as sources.yaml in RUBRICA_HOME (or name it in
# RUBRICA_SOURCES_FILE), then: rubrica sources check, rubrica sources sync.
# A secret never stands here: an environment variable holds it, and its name stands here.

sources:

  norms:                                 # the source's name: a-z, 0-9, hyphens
    git: https://git.example.org/norms.git
    branch: main                         # the repository's default branch, if left out
    include: ["docs/**"]                 # globs as in .gitignore; all files, if left out
    exclude: ["docs/drafts/"]
    poll: 5m                             # 30s, 5m, 1h, 1d or never; RUBRICA_POLL_S, if left out
    auth_env: NORMS_TOKEN                # variable with a token, or with user:password
    webhook_secret_env: NORMS_WEBHOOK    # variable with the webhook's secret; RUBRICA_WEBHOOK_SECRET else

  letters:
    folder: /srv/letters                 # a relative path begins where this file lies
    poll: 1h

  site:
    http: https://example.org/sitemap.xml   # a sitemap, or a listing of files: https://example.org/files/
    poll: 6h
    auth_env: SITE_LOGIN
    options:
      depth: 8                           # folders of a listing that are followed
      mark: auto                         # `content`: do not believe ETag and Last-Modified
      recheck_hours: 24                  # how long an unchanged lastmod of the sitemap is believed

  bucket:
    storage: s3://bucket/norms           # any URL of fsspec: s3, gs, az, sftp, smb, webdav, file ...
    poll: 15m
    options:                             # for the driver (s3fs here)
      key: AKIAEXAMPLE
      secret: env:S3_SECRET              # read from the environment
      client_kwargs: {endpoint_url: "https://s3.example.org"}
"""
"""A file of sources that shows everything."""
