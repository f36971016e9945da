-- A rebuild measures the chunks that it makes too. It belongs to no source and so to no run: its rows have none,
-- and there is one of them for each document version.

ALTER TABLE chunk_quality DROP CONSTRAINT chunk_quality_pkey;
ALTER TABLE chunk_quality ALTER COLUMN run_id DROP NOT NULL;
CREATE UNIQUE INDEX chunk_quality_of_run ON chunk_quality (run_id, document_id);
CREATE UNIQUE INDEX chunk_quality_of_rebuild ON chunk_quality (document_id, mark, config_sig) WHERE run_id IS NULL;
