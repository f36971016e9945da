-- Generations that are built beside each other, golden questions, evaluations, alarms.

-- `settings` are those that decide what a generation holds, by name, so that it is written and read with
-- its own whatever the settings are now. What was live before stays "soaking": written to, and ready for a
-- rollback, until it is dropped.
ALTER TABLE generations ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
ALTER TABLE generations ADD COLUMN live_at timestamptz;
ALTER TABLE generations ADD COLUMN ended_at timestamptz;
ALTER TABLE generations ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE generations DROP CONSTRAINT generations_state_check;
UPDATE generations SET state = 'soaking', ended_at = now() WHERE state = 'retired';
UPDATE generations SET live_at = created_at WHERE state <> 'building';
ALTER TABLE generations ADD CONSTRAINT generations_state_check
    CHECK (state IN ('building', 'live', 'soaking', 'refused', 'dropped'));
CREATE UNIQUE INDEX generations_one_building ON generations (alias) WHERE state = 'building';

-- One rebuild at a time per alias. Like a source's lock it is a row: a rebuild spans many processes.
CREATE TABLE reindex_locks (
    alias         text PRIMARY KEY,
    owner         text NOT NULL,
    acquired_at   timestamptz NOT NULL DEFAULT now(),
    refreshed_at  timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL
);

-- A set belongs to a source whose repository holds it, or to none.
CREATE TABLE golden_sets (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._-]*$'),
    source      text REFERENCES sources ON DELETE CASCADE,
    origin      text NOT NULL CHECK (origin IN ('repository', 'import', 'command', 'bootstrap')),
    digest      text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

-- `spans`: objects with quote, start, end, page; what is not known is null. Where it is known they hold prefix
-- and suffix (the words around the quote) and document (another than the question's) too. They name a passage,
-- never a chunk.
CREATE TABLE golden_questions (
    set_name  text NOT NULL REFERENCES golden_sets ON DELETE CASCADE,
    id        text NOT NULL,
    ordinal   integer NOT NULL,
    question  text NOT NULL CHECK (question <> ''),
    language  text NOT NULL DEFAULT '',
    source    text NOT NULL DEFAULT '',
    document  text NOT NULL,
    spans     jsonb NOT NULL CHECK (jsonb_typeof(spans) = 'array'),
    answer    text NOT NULL DEFAULT '',
    PRIMARY KEY (set_name, id)
);

-- `metrics` and each answer's `outcome` hold numbers by name, as `rubrica evaluate` reports them.
-- `labels`: how many passages the question names, how many still stand in the documents, why not the others.
CREATE TABLE evaluations (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set_name       text NOT NULL REFERENCES golden_sets ON DELETE CASCADE,
    generation_id  bigint NOT NULL REFERENCES generations ON DELETE CASCADE,
    config_sig     text NOT NULL,
    search         jsonb NOT NULL,
    trigger        text NOT NULL,
    revisions      jsonb NOT NULL DEFAULT '{}',
    metrics        jsonb NOT NULL,
    accepted       boolean NOT NULL DEFAULT false,
    started_at     timestamptz NOT NULL DEFAULT now(),
    seconds        double precision NOT NULL DEFAULT 0
);
CREATE INDEX evaluations_set ON evaluations (set_name, generation_id, started_at DESC);

CREATE TABLE evaluation_answers (
    evaluation_id  bigint NOT NULL REFERENCES evaluations ON DELETE CASCADE,
    question_id    text NOT NULL,
    ordinal        integer NOT NULL,
    resolved       boolean NOT NULL,
    outcome        jsonb NOT NULL,
    hits           jsonb NOT NULL,
    labels         jsonb NOT NULL,
    PRIMARY KEY (evaluation_id, question_id)
);

-- `cause` names what is wrong, so that the same alarm is not opened twice. `note`: why it was closed.
CREATE TABLE alarms (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cause          text NOT NULL,
    kind           text NOT NULL,
    set_name       text REFERENCES golden_sets ON DELETE CASCADE,
    generation_id  bigint REFERENCES generations ON DELETE SET NULL,
    evaluation_id  bigint REFERENCES evaluations ON DELETE SET NULL,
    baseline_id    bigint REFERENCES evaluations ON DELETE SET NULL,
    summary        text NOT NULL,
    details        jsonb NOT NULL DEFAULT '{}',
    note           text NOT NULL DEFAULT '',
    opened_at      timestamptz NOT NULL DEFAULT now(),
    last_seen      timestamptz NOT NULL DEFAULT now(),
    closed_at      timestamptz
);
CREATE UNIQUE INDEX alarms_one_open ON alarms (cause) WHERE closed_at IS NULL;
