-- Who holds an alarm open, and whom it was told.

-- 'rubrica' is Rubrica's own checks, 'prometheus/<fingerprint>' an alert. The alarm ends with its last holder.
CREATE TABLE alarm_holders (
    alarm_id   bigint NOT NULL REFERENCES alarms ON DELETE CASCADE,
    holder     text NOT NULL,
    since      timestamptz NOT NULL DEFAULT now(),
    last_seen  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (alarm_id, holder)
);
INSERT INTO alarm_holders (alarm_id, holder, since, last_seen)
SELECT id, 'rubrica', opened_at, last_seen FROM alarms WHERE closed_at IS NULL;

-- A golden set that is removed must leave its alarms, or their tickets would stay open for ever.
ALTER TABLE alarms DROP CONSTRAINT alarms_set_name_fkey;
ALTER TABLE alarms ADD CONSTRAINT alarms_set_name_fkey
    FOREIGN KEY (set_name) REFERENCES golden_sets ON DELETE SET NULL;
CREATE FUNCTION close_alarms_of_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE alarms SET closed_at = now(), note = 'Its golden set was removed.'
    WHERE set_name = OLD.name AND closed_at IS NULL;
    RETURN OLD;
END $$;
CREATE TRIGGER golden_sets_close_alarms BEFORE DELETE ON golden_sets
    FOR EACH ROW EXECUTE FUNCTION close_alarms_of_set();

-- One row for each alarm and channel. `said` is the digest of what was told last for certain, `event` what that
-- was (opened, changed, closed; empty: nothing yet), `trying` the digest of what is being told. A row that is
-- found 'sending' was left by a process that died: what it told may have arrived.
CREATE TABLE alarm_deliveries (
    alarm_id     bigint NOT NULL REFERENCES alarms ON DELETE CASCADE,
    channel      text NOT NULL,
    state        text NOT NULL CHECK (state IN ('sending', 'sent', 'failed')),
    event        text NOT NULL DEFAULT '' CHECK (event IN ('', 'opened', 'changed', 'closed')),
    said         text NOT NULL DEFAULT '',
    text         text NOT NULL DEFAULT '',
    trying       text NOT NULL DEFAULT '',
    external_id  text NOT NULL DEFAULT '',
    tries        integer NOT NULL DEFAULT 0,
    error        text NOT NULL DEFAULT '',
    tried_at     timestamptz NOT NULL,
    said_at      timestamptz,
    next_try     timestamptz,
    PRIMARY KEY (alarm_id, channel)
);
