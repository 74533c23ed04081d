-- A purge ends the dead letter and never the question: while its attempt may have moved money, a purged operation has a next question.
ALTER TABLE operation
    DROP CONSTRAINT resolver_watches_every_open_attempt,
    ADD CONSTRAINT resolver_watches_every_open_attempt
        CHECK (state = 'purged' OR (state IN ('processing', 'unresolved')) = (resolve_at IS NOT NULL));

-- As before, but nothing is forgotten while it is asked about.
CREATE OR REPLACE FUNCTION forget_settled_payments(retention interval, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    forgotten int;
BEGIN
    -- As long as a dead letter may wait on its topic: merged later, it would meet a key that is free again.
    IF retention < interval '14 days' THEN
        RAISE EXCEPTION 'a retention of % is too short: payments are kept for at least 14 days', retention;
    END IF;
    WITH due AS (
        SELECT old.merchant_id, old.idempotency_key, resource_id AS payment_id
          FROM idempotency_key AS old JOIN operation AS charge ON operation_id = resource_id AND kind = 'charge'
         WHERE response_body IS NULL AND old.created_at < now() - retention
           -- A purge is settled once it can be undone no more and its outcome was told.
           AND state IN ('succeeded', 'declined', 'purged') AND (state <> 'purged' OR settled_at IS NOT NULL)
           -- Nor one whose PSP is still asked whether it moved money.
           AND resolve_at IS NULL
           -- Money that still goes back, or went back lately, keeps its payment.
           AND NOT EXISTS (SELECT FROM operation AS back
                            WHERE back.payment_id = charge.operation_id AND back.kind <> 'charge'
                              AND (back.state NOT IN ('succeeded', 'declined', 'purged') OR back.resolve_at IS NOT NULL
                                   OR back.accepted_at > now() - retention))
         ORDER BY old.created_at
         LIMIT most
           FOR UPDATE OF old SKIP LOCKED
    ), back AS (
        SELECT operation_id FROM operation JOIN due USING (payment_id) WHERE kind <> 'charge'
    ), gone AS (
        SELECT payment_id AS operation_id FROM due UNION ALL SELECT operation_id FROM back
    ), known AS (
        -- Both halves have an index of their own.
        SELECT psp_key FROM payment_attempt JOIN due USING (payment_id) WHERE failed_definite
         UNION ALL
        SELECT psp_key FROM payment_attempt JOIN due USING (payment_id) WHERE NOT failed_definite
    ), observation AS (
        DELETE FROM psp_observation USING known WHERE psp_observation.psp_key = known.psp_key
    ), attempt AS (
        DELETE FROM payment_attempt USING known WHERE payment_attempt.psp_key = known.psp_key
    ), visit AS (
        DELETE FROM tier_visit USING gone WHERE tier_visit.operation_id = gone.operation_id
    ), letter AS (
        DELETE FROM dead_letter USING gone WHERE dead_letter.dead_letter_id = gone.operation_id
    ), money AS (
        DELETE FROM operation USING gone WHERE operation.operation_id = gone.operation_id
    ), key_of_refund AS (
        DELETE FROM idempotency_key AS key USING back WHERE key.resource_id = back.operation_id AND request_path <> '/v1/payments'
    )
    DELETE FROM idempotency_key AS key USING due
     WHERE key.merchant_id = due.merchant_id AND key.idempotency_key = due.idempotency_key;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;

-- A PSP's messages keep no order: the newest of a capture is the one that it dates last. One that says that the money came is kept
-- too, for a failure which happened before may come after it; then nothing has failed, and there is no reason.
ALTER TABLE capture_failure
    ALTER COLUMN reason DROP NOT NULL,
    ALTER COLUMN failed_at DROP NOT NULL,
    -- When the newest of its messages says that it happened, by the PSP's clock.
    ADD COLUMN told_at timestamptz,
    ADD CONSTRAINT what_failed_has_a_reason CHECK ((reason IS NULL) = (failed_at IS NULL));
ALTER TABLE unmatched_notice
    -- When it happened, by the PSP's clock, where that matters.
    ADD COLUMN happened_at timestamptz;
