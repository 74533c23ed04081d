-- The front door: what a merchant may do, which purchases were just made, and how long answers are kept.

ALTER TABLE merchant
    -- The most requests a second that one ingest process takes from this merchant; NULL is no limit.
    ADD requests_per_second int CHECK (requests_per_second BETWEEN 1 AND 1000000),
    -- How long the same purchase under another key counts as a second click; 0 lets every one pass.
    ADD duplicate_window_ms int NOT NULL DEFAULT 10000 CHECK (duplicate_window_ms BETWEEN 0 AND 86400000);

-- The purchase that was made last, so that a second click under a new key is seen. A lock with a short life:
-- whoever finds the row alive is the second.
CREATE TABLE duplicate_guard (
    merchant_id text NOT NULL,
    -- Of customer, payment method, amount, currency and reference.
    purchase    bytea NOT NULL CHECK (length(purchase) = 32),
    payment_id  text NOT NULL,
    until       timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, purchase)
) WITH (fillfactor = 80);
CREATE INDEX duplicate_guard_over ON duplicate_guard (until);

-- A second click leaves nothing behind, and the role that faces the internet deletes no key: this takes back only what the
-- very same transaction has put in.
CREATE FUNCTION take_back_keys(merchants text[], keys text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    DELETE FROM idempotency_key USING unnest(merchants, keys) AS ask (merchant_id, idempotency_key)
     WHERE idempotency_key.merchant_id = ask.merchant_id AND idempotency_key.idempotency_key = ask.idempotency_key
       AND idempotency_key.xmin = pg_current_xact_id()::xid
$$;
REVOKE EXECUTE ON FUNCTION take_back_keys(text[], text[]) FROM PUBLIC;

-- The reaper removes an answer after a day; the row stays, so that a late repeat never charges again.
ALTER TABLE idempotency_key
    ALTER response_headers DROP NOT NULL,
    ALTER response_body DROP NOT NULL,
    ADD CONSTRAINT an_answer_is_kept_whole_or_not_at_all CHECK ((response_headers IS NULL) = (response_body IS NULL));
-- Each row is in one of the two: answers to reap, and rows to forget when their retention is over.
CREATE INDEX idempotency_key_answered ON idempotency_key (created_at) WHERE response_body IS NOT NULL;
CREATE INDEX idempotency_key_reaped ON idempotency_key (created_at) WHERE response_body IS NULL;

-- A merchant looks for payments by its own reference, the newest first.
CREATE INDEX operation_by_reference ON operation (merchant_id, reference, accepted_at, operation_id)
    WHERE reference IS NOT NULL;
