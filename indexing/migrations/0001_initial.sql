-- Sources, documents, generations and what each generation knows, runs and failures.
-- Text is stored as it is shown; U+0000 and lone surrogates are taken out by the program.

CREATE TABLE sources (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9-]+$'),
    kind        text NOT NULL,
    location    text NOT NULL,
    branch      text NOT NULL DEFAULT '',
    include     text[] NOT NULL DEFAULT '{}',
    exclude     text[] NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- One Milvus collection each; `config` is kept so that a mismatch can name the setting.
CREATE TABLE generations (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alias       text NOT NULL,
    number      integer NOT NULL CHECK (number > 0),
    collection  text NOT NULL UNIQUE,
    config_sig  text NOT NULL,
    config      jsonb NOT NULL,
    embedder    text NOT NULL,
    dimension   integer NOT NULL CHECK (dimension > 0),
    state       text NOT NULL CHECK (state IN ('building', 'live', 'retired')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (alias, number)
);
CREATE UNIQUE INDEX generations_one_live ON generations (alias) WHERE state = 'live';

-- How far a generation has followed a source.
CREATE TABLE source_progress (
    generation_id    bigint NOT NULL REFERENCES generations ON DELETE CASCADE,
    source           text NOT NULL REFERENCES sources ON DELETE CASCADE,
    last_revision    text NOT NULL,
    last_success_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (generation_id, source)
);

-- Identity only: what a document is called now, and when it was born. Its path is NULL once removed.
CREATE TABLE documents (
    id          text PRIMARY KEY,
    source      text NOT NULL REFERENCES sources ON DELETE CASCADE,
    path        text,
    first_path  text NOT NULL,
    birth       integer NOT NULL CHECK (birth >= 0),
    created_at  timestamptz NOT NULL DEFAULT now(),
    removed_at  timestamptz,
    UNIQUE (source, first_path, birth),
    -- Deferrable, so that one statement can swap the paths of two documents.
    UNIQUE (source, path) DEFERRABLE INITIALLY IMMEDIATE,
    CHECK ((path IS NULL) = (removed_at IS NOT NULL))
);

-- What a generation holds of a document. No row: the document still has to be indexed.
CREATE TABLE indexed_documents (
    generation_id  bigint NOT NULL REFERENCES generations ON DELETE CASCADE,
    document_id    text NOT NULL REFERENCES documents ON DELETE CASCADE,
    state          text NOT NULL CHECK (state IN ('indexed', 'failed')),
    mark           text NOT NULL,
    config_sig     text NOT NULL,
    revision       text NOT NULL DEFAULT '',
    content_hash   text NOT NULL DEFAULT '',
    media_type     text NOT NULL DEFAULT '',
    language       text NOT NULL DEFAULT 'und',
    title          text NOT NULL DEFAULT '',
    attributes     jsonb NOT NULL DEFAULT '{}',
    chunk_count    integer NOT NULL DEFAULT 0 CHECK (chunk_count >= 0),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (generation_id, document_id)
);
CREATE INDEX indexed_documents_document ON indexed_documents (document_id);

CREATE TABLE chunks (
    generation_id   bigint NOT NULL,
    id              text NOT NULL,
    document_id     text NOT NULL,
    ordinal         integer NOT NULL CHECK (ordinal >= 0),
    char_start      integer NOT NULL CHECK (char_start >= 0),
    char_end        integer NOT NULL,
    body            text NOT NULL,
    text            text NOT NULL,
    tokens          integer NOT NULL,
    overlap_start   integer NOT NULL,
    page_from       integer,
    page_to         integer,
    heading_path    text[] NOT NULL,
    clauses         text[] NOT NULL,
    kind            text NOT NULL,
    boundary_score  real,
    PRIMARY KEY (generation_id, id),
    UNIQUE (generation_id, document_id, ordinal),
    FOREIGN KEY (generation_id, document_id) REFERENCES indexed_documents ON DELETE CASCADE,
    CHECK (char_end >= char_start)
);

CREATE TABLE runs (
    id             text PRIMARY KEY,
    source         text NOT NULL REFERENCES sources ON DELETE CASCADE,
    trigger        text NOT NULL,
    dag_run_id     text NOT NULL DEFAULT '',
    from_revision  text NOT NULL DEFAULT '',
    to_revision    text NOT NULL DEFAULT '',
    state          text NOT NULL CHECK (state IN ('running', 'success', 'warning', 'failed')),
    started_at     timestamptz NOT NULL DEFAULT now(),
    finished_at    timestamptz,
    error          text NOT NULL DEFAULT ''
);
CREATE INDEX runs_source ON runs (source, started_at DESC);

-- One row per batch: a retried task writes the same rows again instead of adding to them.
CREATE TABLE run_counters (
    run_id  text NOT NULL REFERENCES runs ON DELETE CASCADE,
    stage   text NOT NULL,
    batch   text NOT NULL,
    name    text NOT NULL,
    value   double precision NOT NULL,
    PRIMARY KEY (run_id, stage, batch, name)
);

CREATE TABLE failures (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source       text NOT NULL REFERENCES sources ON DELETE CASCADE,
    path         text NOT NULL,
    document_id  text REFERENCES documents ON DELETE CASCADE,
    run_id       text REFERENCES runs ON DELETE SET NULL,
    stage        text NOT NULL,
    error        text NOT NULL,
    reason       text NOT NULL CHECK (reason <> ''),
    hint         text NOT NULL DEFAULT '',
    attempts     integer NOT NULL DEFAULT 1,
    first_seen   timestamptz NOT NULL DEFAULT now(),
    last_seen    timestamptz NOT NULL DEFAULT now(),
    resolved_at  timestamptz
);
CREATE UNIQUE INDEX failures_one_open ON failures (source, path) WHERE resolved_at IS NULL;
CREATE INDEX failures_document ON failures (document_id);

-- A run spans many processes, so its lock is a row and not a session's advisory lock.
CREATE TABLE source_locks (
    source        text PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    owner         text NOT NULL,
    acquired_at   timestamptz NOT NULL DEFAULT now(),
    refreshed_at  timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL
);
