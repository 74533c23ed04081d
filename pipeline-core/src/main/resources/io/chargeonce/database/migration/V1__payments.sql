-- Everything that decides about money. Kafka only carries; these rows are the truth.

CREATE TABLE merchant (
    merchant_id text PRIMARY KEY CHECK (merchant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- Who may send payments as which merchant. The token itself is shown once and never stored.
CREATE TABLE merchant_token (
    token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
    merchant_id  text NOT NULL REFERENCES merchant,
    created_at   timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz
);

-- One row per (merchant, idempotency key), for as long as the payment's row lives: a late repeat never charges again.
CREATE TABLE idempotency_key (
    merchant_id         text NOT NULL,
    -- Two plain checks: one bounded repetition would cost more than the rest of the row.
    idempotency_key     text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255 AND idempotency_key !~ '[^!-~]'),
    fingerprint         bytea NOT NULL CHECK (length(fingerprint) = 32),
    fingerprint_version smallint NOT NULL,
    request_method      text NOT NULL CHECK (length(request_method) <= 10),
    request_path        text NOT NULL CHECK (length(request_path) <= 200),
    -- The canonical command, to name the fields that differ when a key is reused. json keeps it byte for byte.
    request_params      json NOT NULL,
    recovery_point      text NOT NULL CHECK (recovery_point IN ('accepted')),
    response_status     smallint NOT NULL CHECK (response_status BETWEEN 200 AND 299),
    response_headers    json NOT NULL,
    response_body       bytea NOT NULL,
    resource_id         text NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, idempotency_key)
);

-- What moves money. A charge's id is its payment's id.
CREATE TABLE operation (
    operation_id     text PRIMARY KEY,
    payment_id       text NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('charge')),
    merchant_id      text NOT NULL,
    idempotency_key  text NOT NULL,
    amount           bigint NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
    currency         text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- The accepted request, unchanged for ever; every attempt is made from it.
    payment_method   text NOT NULL CHECK (length(payment_method) BETWEEN 1 AND 500),
    customer         text CHECK (length(customer) <= 500),
    reference        text CHECK (length(reference) <= 500),
    description      text CHECK (length(description) <= 500),
    receipt_email    text CHECK (length(receipt_email) <= 500),
    accepted_at      timestamptz NOT NULL DEFAULT now(),

    state            text NOT NULL CHECK (state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved',
                                                    'succeeded', 'declined', 'dead', 'purged')),
    -- Raised by every transaction that stages work; a record with another step is superseded.
    step             int NOT NULL CHECK (step >= 1),
    -- One more for each merge out of the dead-letter queue.
    generation       int NOT NULL DEFAULT 1 CHECK (generation >= 1),
    -- Attempts of this generation that reached a PSP and definitely failed.
    counted_attempts int NOT NULL DEFAULT 0 CHECK (counted_attempts >= 0),
    -- The tier waited in last; parking climbs it without counting an attempt.
    tier             int NOT NULL DEFAULT 0 CHECK (tier >= 0),
    -- The last attempt's number. It never restarts: the PSP keys are derived from it.
    sequence         int NOT NULL DEFAULT 0 CHECK (sequence >= 0),
    -- Where the last attempt went; pinned there while that attempt has not definitely failed.
    psp              text,
    psp_reference    text,
    failure_cause    text,
    failure_message  text CHECK (length(failure_message) <= 500),
    -- By this database's clock: no claim before it, whatever a consumer's clock says.
    not_before       timestamptz NOT NULL DEFAULT now(),
    -- The payment's own deadline for a new attempt.
    charge_before    timestamptz NOT NULL,
    staged_at        timestamptz NOT NULL DEFAULT now(),
    -- How often the sweeper has staged this step again.
    swept            int NOT NULL DEFAULT 0,
    -- Chosen by whoever claims, so that an answer to COMMIT that got lost can be read back.
    lease_token      uuid,
    -- When the resolver has to look: the lease's end while processing, the next question while unresolved.
    resolve_at       timestamptz,
    resolve_tries    int NOT NULL DEFAULT 0,
    -- Since when the outcome of the last attempt is unknown.
    unresolved_since timestamptz,
    settled_at       timestamptz,
    -- W3C's, of the span that accepted it; every record about it carries this on. For people only.
    traceparent      text CHECK (length(traceparent) = 55),
    CONSTRAINT resolver_watches_every_open_attempt
        CHECK ((state IN ('processing', 'unresolved')) = (resolve_at IS NOT NULL)),
    CONSTRAINT only_the_claimed_hold_a_lease
        CHECK (state <> 'processing' OR lease_token IS NOT NULL)
) WITH (fillfactor = 50);

CREATE INDEX operation_to_resolve ON operation (resolve_at) WHERE resolve_at IS NOT NULL;
-- What should be on its way in Kafka: the sweeper's, and small, for settled operations are not in it.
CREATE INDEX operation_staged ON operation (staged_at) WHERE state IN ('accepted', 'scheduled', 'parked');

-- One row per key that was ever sent to a PSP, committed before its first byte.
CREATE TABLE payment_attempt (
    psp_key         text PRIMARY KEY,
    operation_id    text NOT NULL,
    payment_id      text NOT NULL,
    operation       text NOT NULL CHECK (operation IN ('charge')),
    operation_ref   text NOT NULL DEFAULT '',
    generation      int NOT NULL,
    sequence        int NOT NULL CHECK (sequence >= 1),
    psp             text NOT NULL,
    state           text NOT NULL CHECK (state IN ('in_flight', 'unknown', 'succeeded', 'failed_definite')),
    -- Set by a definite failure alone, never cleared, so that success leaves every index untouched.
    failed_definite boolean NOT NULL DEFAULT false,
    -- The exact bytes, for a repeat must be a repeat for the PSP too.
    request         bytea NOT NULL,
    request_sha256  bytea NOT NULL CHECK (length(request_sha256) = 32),
    sends           int NOT NULL DEFAULT 1 CHECK (sends >= 1),
    sent_at         timestamptz NOT NULL,
    key_valid_until timestamptz NOT NULL,
    psp_reference   text,
    cause           text,
    message         text,
    decided_at      timestamptz,
    CHECK (failed_definite = (state = 'failed_definite'))
) WITH (fillfactor = 50);

-- The invariant: over all PSPs at most one attempt of an operation has not definitely failed.
-- A second charge is refused here, whoever asks for it.
CREATE UNIQUE INDEX one_open_attempt ON payment_attempt (payment_id, operation, operation_ref) WHERE NOT failed_definite;
-- History for people; success never touches it.
CREATE INDEX payment_attempt_failed ON payment_attempt (payment_id) WHERE failed_definite;

-- Everything a PSP ever told us about an attempt, late answers included. Append-only.
CREATE TABLE psp_observation (
    psp_key       text NOT NULL,
    observed_at   timestamptz NOT NULL DEFAULT now(),
    source        text NOT NULL CHECK (source IN ('call', 'question', 'webhook')),
    outcome       text NOT NULL CHECK (outcome IN ('charged', 'declined', 'failed', 'unknown')),
    cause         text,
    detail        text,
    psp_reference text
);
CREATE INDEX psp_observation_by_attempt ON psp_observation (psp_key);

-- What must enter Kafka, written by the transaction that decided it.
CREATE TABLE outbox (
    outbox_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    shard      smallint NOT NULL,
    topic      text NOT NULL,
    record_key text NOT NULL,
    -- NULL is a tombstone.
    value      bytea,
    headers    json NOT NULL,
    staged_at  timestamptz NOT NULL DEFAULT now(),
    -- Why the broker will never take this record; it holds back its own key only.
    refusal    text
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX outbox_refused ON outbox (record_key) WHERE refusal IS NOT NULL;

-- The dead-letter queue. The compacted topic shows the same set to any Kafka tool.
CREATE TABLE dead_letter (
    -- An operation's id; for poison a hash of topic, partition, offset and bytes, which touches no operation.
    dead_letter_id text PRIMARY KEY,
    operation_id   text,
    payment_id     text,
    merchant_id    text,
    amount         bigint,
    currency       text,
    psp            text,
    state          text NOT NULL CHECK (state IN ('dead', 'merged', 'settled', 'purged')),
    cause          text NOT NULL,
    message        text NOT NULL CHECK (length(message) <= 500),
    generation     int NOT NULL,
    -- The tier waited in last; 0 for none.
    tier           int NOT NULL DEFAULT 0,
    -- The payment's own deadline as it was when it died. Poison has none.
    charge_before  timestamptz,
    -- Whether an attempt was open when it died, or was still asked about. Only then can one have taken the money, for nothing
    -- is claimed while dead: whoever lists a million need not look for the attempts of those that had none.
    had_open_attempt boolean NOT NULL DEFAULT true,
    -- Raised by every change, so that a late copy on the topic never hides a newer one.
    revision       int NOT NULL DEFAULT 1,
    died_at        timestamptz NOT NULL DEFAULT now(),
    changed_at     timestamptz NOT NULL DEFAULT now(),
    source_topic     text,
    source_partition int,
    source_offset    bigint,
    raw_key          bytea,
    raw_value        bytea,
    raw_headers      bytea,
    -- What a person made of a poison record's value; a merge sends this one. The record as it was found stays.
    edited_value     bytea,
    CONSTRAINT only_poison_is_edited CHECK (edited_value IS NULL OR operation_id IS NULL),
    CONSTRAINT a_dead_letter_is_an_operation_or_a_record
        CHECK ((operation_id IS NULL) <> (source_topic IS NULL))
);
CREATE INDEX dead_letter_live ON dead_letter (died_at, dead_letter_id) WHERE state = 'dead';

-- Who did what, when and why. Append-only.
CREATE TABLE audit_record (
    audit_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at            timestamptz NOT NULL DEFAULT now(),
    merchant_id   text,
    actor         text NOT NULL,
    action        text NOT NULL,
    resource_type text NOT NULL,
    resource_id   text NOT NULL,
    reason        text,
    data          json,
    origin        text
);
CREATE INDEX audit_record_by_resource ON audit_record (resource_id);
