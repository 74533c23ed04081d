-- One role per service, each with what its statements need and no more. Run as the schema's owner, in one transaction, as
-- often as you like: it first takes back everything, so a right that is not below is gone. No role owns anything, so none can
-- alter a table, drop an index or switch a trigger off. Nobody may update or delete what was observed or audited.

DO $$
DECLARE
    service text;
BEGIN
    FOREACH service IN ARRAY ARRAY['chargeonce_ingest', 'chargeonce_charge', 'chargeonce_retry', 'chargeonce_dlq_reader',
                                   'chargeonce_dlq_operator', 'chargeonce_merchant_admin']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = service) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', service);
        END IF;
        -- A service that hangs in the middle of a transaction must not hold its locks for ever.
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''30s''', service);
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA chargeonce FROM %I', service);
        EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA chargeonce FROM %I', service);
        EXECUTE format('REVOKE ALL ON SCHEMA chargeonce FROM %I', service);
        EXECUTE format('GRANT USAGE ON SCHEMA chargeonce TO %I', service);
        -- Readiness looks at the outbox.
        EXECUTE format('GRANT SELECT ON chargeonce.outbox TO %I', service);
    END LOOP;
END $$;

-- Takes payments and refunds, and relays. It faces the internet: it can make an operation and never change one, and cannot
-- see an attempt's request or key.
GRANT SELECT ON merchant, merchant_token, idempotency_key, operation, operation_state, operation_now, duplicate_guard, attempt_shown,
    capture_failure TO chargeonce_ingest;
GRANT INSERT ON idempotency_key, operation, operation_state, audit_record TO chargeonce_ingest;
GRANT UPDATE (response_headers, response_body) ON idempotency_key TO chargeonce_ingest;
GRANT INSERT, UPDATE, DELETE ON duplicate_guard TO chargeonce_ingest;
GRANT INSERT, UPDATE, DELETE ON outbox TO chargeonce_ingest;
GRANT EXECUTE ON FUNCTION forget_settled_payments(interval, int), forget_dead_letter_runs(interval, int), lock_payment(text),
    take_back_keys(text[], text[])
    TO chargeonce_ingest;

-- Charge; the same for the tiers, which run the same handler. No merchant's token, no stored answer, and no deletion but of
-- what the relay has published.
GRANT SELECT ON operation, operation_state, operation_now, payment_attempt, psp_observation, dead_letter, merchant, retry_budget,
    tier_visit TO chargeonce_charge, chargeonce_retry;
-- What waits is listed by a trigger, and by these for what has not left the usual way.
GRANT SELECT ON waiting, looked_through TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_reader, chargeonce_dlq_operator;
GRANT EXECUTE ON FUNCTION list_late_acceptances(interval, int), list_late_claims(interval, int) TO chargeonce_charge, chargeonce_retry;
-- A reversal is an operation that they accept; what was accepted, no service can change.
GRANT INSERT ON operation TO chargeonce_charge, chargeonce_retry;
GRANT INSERT, UPDATE ON operation_state, payment_attempt, dead_letter, retry_budget TO chargeonce_charge, chargeonce_retry;
GRANT INSERT ON psp_observation, audit_record, tier_visit TO chargeonce_charge, chargeonce_retry;
-- Webhooks that were taken; taken notes older than a PSP repeats are dropped.
GRANT SELECT, INSERT, UPDATE, DELETE ON psp_notice TO chargeonce_charge;
-- Those that match no attempt wait for one.
GRANT SELECT, INSERT, DELETE ON unmatched_notice TO chargeonce_charge;
-- What people found out is executed by the resolver, and looked at when something comes late. It proposes nothing itself.
GRANT SELECT, UPDATE ON hand_settlement TO chargeonce_charge, chargeonce_retry;
-- Webhooks alone tell of a capture that failed later.
GRANT SELECT, INSERT, UPDATE ON capture_failure TO chargeonce_charge;
GRANT INSERT, UPDATE, DELETE ON outbox TO chargeonce_charge, chargeonce_retry;
-- What they tell each other of PSPs; what processes told that are long gone is dropped.
GRANT SELECT, INSERT, UPDATE, DELETE ON psp_health TO chargeonce_charge, chargeonce_retry;

-- Looks at dead letters: list, summary, show, why, runs, audit.
GRANT SELECT ON operation, operation_state, operation_now, payment_attempt, psp_observation, dead_letter, audit_record, dlq_run,
    dlq_run_item, tier_visit, hand_settlement, unmatched_notice
    TO chargeonce_dlq_reader, chargeonce_dlq_operator;

-- Moves them, and can neither make an attempt nor an operation, nor say what became of an attempt: it proposes, and the resolver decides.
GRANT INSERT ON hand_settlement TO chargeonce_dlq_operator;
GRANT UPDATE (step, verdict, psp_reference, evidence, proposed_by, run, proposed_at, approved_by, state, answer, answered_at)
    ON hand_settlement TO chargeonce_dlq_operator;
GRANT UPDATE ON operation_state, dead_letter TO chargeonce_dlq_operator;
GRANT INSERT ON outbox, audit_record, tier_visit TO chargeonce_dlq_operator;
GRANT INSERT, UPDATE ON dlq_run, dlq_run_item TO chargeonce_dlq_operator;

-- Says who may send payments.
GRANT SELECT, INSERT, UPDATE ON merchant, merchant_token TO chargeonce_merchant_admin;
GRANT INSERT ON audit_record TO chargeonce_merchant_admin;
