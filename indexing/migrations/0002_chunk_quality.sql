-- How good the chunks of each document version are: what every run measured, one row a document, so that a
-- retried task writes the same rows again.
-- `counts` holds whole numbers by name (see chunking/quality.py), all of them additive: sums over rows are
-- exact, in whatever order they are added.

CREATE TABLE chunk_quality (
    run_id       text NOT NULL REFERENCES runs ON DELETE CASCADE,
    document_id  text NOT NULL REFERENCES documents ON DELETE CASCADE,
    mark         text NOT NULL,
    config_sig   text NOT NULL,
    counts       jsonb NOT NULL CHECK (jsonb_typeof(counts) = 'object'),
    measured_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, document_id)
);
-- A document version is (document, content, settings): the same in every generation that holds it.
CREATE INDEX chunk_quality_version ON chunk_quality (document_id, mark, config_sig, measured_at DESC);

-- Equal texts are found by digest, in one document or in many.
CREATE INDEX chunks_text ON chunks (generation_id, md5(text));
