-- All paths that a document ever had: texts of its earlier versions are found by them when it is forgotten.

CREATE TABLE document_paths (
    document_id  text NOT NULL REFERENCES documents ON DELETE CASCADE,
    path         text NOT NULL,
    PRIMARY KEY (document_id, path)
);
CREATE INDEX document_paths_path ON document_paths (path);

-- What is known of documents of before. A failure keeps the path at which it was resolved; '/' and the id stand in
-- for one while a document moves.
INSERT INTO document_paths (document_id, path)
SELECT id, first_path FROM documents
UNION SELECT id, path FROM documents WHERE path IS NOT NULL
UNION SELECT document_id, path FROM failures WHERE document_id IS NOT NULL AND path <> '/' || document_id;

-- A trigger, so that nothing gives a document a path that is not noted in the same transaction.
CREATE FUNCTION note_document_path() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO document_paths (document_id, path) VALUES (NEW.id, NEW.path) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER documents_note_path AFTER INSERT OR UPDATE OF path ON documents
    FOR EACH ROW WHEN (NEW.path IS NOT NULL) EXECUTE FUNCTION note_document_path();
