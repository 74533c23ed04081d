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
        SELECT old.merchant_id, old.idempotency_key, resource_id
          FROM idempotency_key AS old JOIN operation ON operation_id = resource_id
         WHERE response_body IS NULL AND old.created_at < now() - retention
           AND state IN ('succeeded', 'declined', 'purged')
         ORDER BY old.created_at
         LIMIT most
           FOR UPDATE SKIP LOCKED
    ), observation AS (
        DELETE FROM psp_observation USING payment_attempt, due
         WHERE psp_observation.psp_key = payment_attempt.psp_key AND payment_attempt.payment_id = due.resource_id
    ), attempt AS (
        DELETE FROM payment_attempt USING due WHERE payment_attempt.payment_id = due.resource_id
    ), payment AS (
        DELETE FROM operation USING due WHERE operation.operation_id = due.resource_id
    )
    DELETE FROM idempotency_key AS key USING due
     WHERE key.merchant_id = due.merchant_id AND key.idempotency_key = due.idempotency_key;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
REVOKE EXECUTE ON FUNCTION forget_settled_payments(interval, int) FROM PUBLIC;
