-- Forgetting is the one deletion of money's history, and the role that faces the internet asks for it. So it may not delete:
-- it may only call this, which runs as the schema's owner and itself refuses what is too young or not settled.
-- What became of the payments that it forgets was published long ago; the audit log stays.
CREATE FUNCTION forget_settled_payments(retention interval, most int) RETURNS int
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
           -- Money that still goes back, or went back lately, keeps its payment.
           AND NOT EXISTS (SELECT FROM operation AS back
                            WHERE back.payment_id = charge.operation_id AND back.kind <> 'charge'
                              AND (back.state NOT IN ('succeeded', 'declined', 'purged') OR back.accepted_at > now() - retention))
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
REVOKE EXECUTE ON FUNCTION forget_settled_payments(interval, int) FROM PUBLIC;

-- The same for what no payment takes along: records that left the dead-letter queue, and runs that are over.
CREATE FUNCTION forget_dead_letter_runs(retention interval, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    -- Never before a purge is beyond undoing.
    until timestamptz := now() - greatest(retention, interval '30 days');
    letters int;
    items int;
BEGIN
    DELETE FROM dead_letter WHERE dead_letter_id IN (
        SELECT dead_letter_id FROM dead_letter WHERE operation_id IS NULL AND state <> 'dead' AND changed_at < until
         LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS letters = ROW_COUNT;
    DELETE FROM dlq_run_item WHERE (run_id, position) IN (
        SELECT run_id, position FROM dlq_run JOIN dlq_run_item USING (run_id)
         WHERE state <> 'running' AND coalesce(ended_at, planned_at) < until
         LIMIT most);
    GET DIAGNOSTICS items = ROW_COUNT;
    DELETE FROM dlq_run WHERE state <> 'running' AND coalesce(ended_at, planned_at) < until
       AND NOT EXISTS (SELECT FROM dlq_run_item WHERE dlq_run_item.run_id = dlq_run.run_id);
    RETURN letters + items;
END $$;
REVOKE EXECUTE ON FUNCTION forget_dead_letter_runs(interval, int) FROM PUBLIC;
