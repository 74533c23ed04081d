-- A merge of dead letters as a durable run: what was meant, what was done with it, and what became of it.

CREATE TABLE dlq_run (
    run_id              text PRIMARY KEY CHECK (run_id ~ '^run_[0-9a-f]{10}$'),
    planned_by          text NOT NULL,
    reason              text,
    planned_at          timestamptz NOT NULL DEFAULT now(),
    -- Equal for equal sets of dead letters, whoever plans them; shown to the person who confirms.
    fingerprint         text NOT NULL,
    items               int NOT NULL CHECK (items >= 0),
    -- So many payments go first, and the rest only once these have ended well.
    canary              int NOT NULL CHECK (canary >= 0),
    -- Dead letters a second to begin with; NULL is as fast as it goes. It doubles up to max_rate while all goes well.
    rate                int CHECK (rate >= 1),
    max_rate            int CHECK (max_rate >= rate),
    abort_above_percent int NOT NULL CHECK (abort_above_percent BETWEEN 0 AND 100),
    -- Whether payments that were merged too often already are merged once more.
    even_capped         boolean NOT NULL,
    state               text NOT NULL CHECK (state IN ('planned', 'running', 'finished', 'aborted', 'cancelled')),
    -- Why it was aborted or cancelled.
    verdict             text,
    -- Who leads it. A leader whose token is not here any more stops at its next batch.
    leader              text,
    leader_token        uuid,
    -- The leader's last sign of life, by this database's clock.
    led_at              timestamptz,
    -- Items up to this position are judged no more: an aborted run that is resumed begins with a canary of its own.
    judged_after        int NOT NULL DEFAULT 0,
    ended_at            timestamptz,
    CONSTRAINT a_leader_has_a_token CHECK ((leader IS NULL) = (leader_token IS NULL)),
    CONSTRAINT only_what_runs_is_led CHECK (leader IS NULL OR state = 'running')
);
CREATE INDEX dlq_run_newest ON dlq_run (planned_at);

-- The frozen set. No foreign key: a million items are written in one statement, by the one that writes their run.
CREATE TABLE dlq_run_item (
    run_id         text NOT NULL,
    -- The order of moving: the canary first, then the oldest first. There may be gaps.
    position       int NOT NULL CHECK (position >= 1),
    dead_letter_id text NOT NULL,
    -- Which failure of it was meant: one that died again meanwhile is not moved.
    generation     int NOT NULL,
    died_at        timestamptz NOT NULL,
    standing       text NOT NULL,
    amount         bigint,
    currency       text,
    -- What the run did with it; NULL while it has not come to it.
    fate           text CHECK (fate IN ('reentered', 'settled', 'asked', 'resent', 'refused', 'gone')),
    moved_at       timestamptz,
    -- What became of it afterwards; 'unresolved' may still become another one.
    outcome        text CHECK (outcome IN ('succeeded', 'declined', 'failed_again', 'unresolved')),
    PRIMARY KEY (run_id, position),
    CHECK ((fate IS NULL) = (moved_at IS NULL)),
    CHECK (outcome IS NULL OR fate IN ('reentered', 'asked'))
);
-- What has moved and not ended: small while a run goes, empty after it.
CREATE INDEX dlq_run_item_open ON dlq_run_item (run_id, position)
    WHERE fate IN ('reentered', 'asked') AND (outcome IS NULL OR outcome = 'unresolved');

-- What can still be restored.
CREATE INDEX dead_letter_purged ON dead_letter (died_at, dead_letter_id) WHERE state = 'purged';

-- Whose purge may come to its end: its outcome is told then, once.
CREATE INDEX operation_purged ON operation (operation_id) WHERE state = 'purged' AND settled_at IS NULL;
-- Records that left the queue: no payment takes them along when it is forgotten.
CREATE INDEX dead_letter_poison_left ON dead_letter (changed_at) WHERE operation_id IS NULL AND state <> 'dead';

-- What people did, among everything that happened to payments.
CREATE INDEX audit_record_dlq ON audit_record (at) WHERE action LIKE 'dlq.%';

-- Each wait in a retry tier, for people who ask how a payment came to be dead. Append-only. Only failures come here.
CREATE TABLE tier_visit (
    operation_id text NOT NULL,
    step         int NOT NULL,
    generation   int NOT NULL,
    tier         int NOT NULL,
    -- 'scheduled' waits for its next counted attempt, 'parked' for a PSP to be well.
    state        text NOT NULL,
    cause        text,
    staged_at    timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    PRIMARY KEY (operation_id, step)
);

-- A trigger and no statement of the services: whatever sends an operation to a tier is recorded, and success pays nothing.
CREATE FUNCTION record_tier_visit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chargeonce.tier_visit (operation_id, step, generation, tier, state, cause, staged_at, due_at)
    VALUES (NEW.operation_id, NEW.step, NEW.generation, NEW.tier, NEW.state, NEW.failure_cause, NEW.staged_at, NEW.not_before)
    ON CONFLICT (operation_id, step) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER operation_enters_a_tier AFTER UPDATE ON operation
    FOR EACH ROW WHEN (NEW.state IN ('scheduled', 'parked') AND NEW.step <> OLD.step)
    EXECUTE FUNCTION record_tier_visit();
