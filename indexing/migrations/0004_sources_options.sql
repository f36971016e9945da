-- Sources of more kinds: web sites and object storage, with options of their own.
-- `options` holds no secret, only names of environment variables.

ALTER TABLE sources ADD COLUMN options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(options) = 'object');
