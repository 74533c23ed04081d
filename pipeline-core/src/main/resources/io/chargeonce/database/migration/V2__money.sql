-- Refunds, reversals, late answers, several PSPs, re-presentment and a chained audit.

-- A refund gives back what a merchant asks for; a reversal what we took twice, outside the sum of refunds.
ALTER TABLE operation
    DROP CONSTRAINT operation_kind_check,
    ADD CONSTRAINT operation_kind_check CHECK (kind IN ('charge', 'refund', 'reversal')),
    -- Which refund or reversal of its payment this is; '' for the charge and for the refund without a reference.
    ADD COLUMN operation_ref text NOT NULL DEFAULT '' CHECK (length(operation_ref) <= 100),
    -- The capture to give back: always at the PSP that took it.
    ADD COLUMN capture_psp text,
    ADD COLUMN capture_reference text,
    -- PSPs that said they do not do this payment, with commas between: never asked again.
    ADD COLUMN refused_by text,
    -- An attempt that was failed for good and turned out to have captured, while another one is still open.
    ADD COLUMN late_capture text,
    -- How often a soft decline has been presented again.
    ADD COLUMN represented int NOT NULL DEFAULT 0 CHECK (represented >= 0),
    -- When the next presentation is due. Until then nothing of it is in Kafka.
    ADD COLUMN represent_at timestamptz,
    ADD CONSTRAINT a_capture_has_a_place_and_a_name CHECK ((capture_psp IS NULL) = (capture_reference IS NULL)),
    ADD CONSTRAINT only_charges_are_their_payment CHECK ((kind = 'charge') = (operation_id = payment_id)),
    ADD CONSTRAINT only_waiting_operations_are_presented_again CHECK (represent_at IS NULL OR state = 'scheduled');

-- Refunds have keys too; a payment's is found by itself.
CREATE INDEX idempotency_key_of_refund ON idempotency_key (resource_id) WHERE request_path <> '/v1/payments';
CREATE INDEX operation_given_back ON operation (payment_id) WHERE kind <> 'charge';
CREATE INDEX operation_to_present_again ON operation (represent_at) WHERE represent_at IS NOT NULL;

-- Who accepts a refund must hold its payment's row and may not change it; so it asks for this and no more.
CREATE FUNCTION lock_payment(payment text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT FROM operation WHERE operation_id = payment FOR UPDATE
$$;
REVOKE EXECUTE ON FUNCTION lock_payment(text) FROM PUBLIC;

ALTER TABLE merchant
    -- Opt-in, for subscriptions: soft declines are presented again by the network's advice.
    ADD COLUMN represent_declines boolean NOT NULL DEFAULT false;

ALTER TABLE payment_attempt
    DROP CONSTRAINT payment_attempt_operation_check,
    ADD CONSTRAINT payment_attempt_operation_check CHECK (operation IN ('charge', 'refund', 'reversal')),
    DROP CONSTRAINT payment_attempt_check,
    -- A success that comes after a definite failure is the truth; the flag stays, for a later attempt may exist.
    ADD CONSTRAINT failed_for_good_unless_a_success_came_late
        CHECK (state <> 'failed_definite' OR failed_definite),
    -- How often in a row the PSP has said that it knows of no such attempt.
    ADD COLUMN not_found int NOT NULL DEFAULT 0 CHECK (not_found >= 0);

-- Knowledge only grows: in flight, unknown, failed for good, succeeded; a further unknown says why. Planned into its statement.
CREATE FUNCTION knows_more(heard text, before text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT array_position('{in_flight,unknown,failed_definite,succeeded}'::text[], heard)
         > array_position('{in_flight,unknown,failed_definite,succeeded}'::text[], before)
        OR heard = 'unknown' AND before = 'unknown'
$$;

-- An attempt as its merchant may see it: without the request, the PSP's key and what the PSP said word for word.
CREATE VIEW attempt_shown AS
    SELECT payment_id, operation, failed_definite, sequence, psp, state, cause, sends, sent_at, decided_at FROM payment_attempt;

-- What PSPs sent by themselves and was taken, for they send it again and again.
CREATE TABLE psp_notice (
    psp         text NOT NULL,
    notice_id   text NOT NULL CHECK (length(notice_id) <= 500),
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (psp, notice_id)
);
CREATE INDEX psp_notice_old ON psp_notice (received_at);

-- Presentations again of one credential and amount, over all PSPs: card networks fine the excess.
CREATE TABLE retry_budget (
    credential_sha256 bytea NOT NULL CHECK (length(credential_sha256) = 32),
    amount            bigint NOT NULL,
    currency          text NOT NULL,
    day               date NOT NULL,
    presented         int NOT NULL CHECK (presented >= 1),
    PRIMARY KEY (credential_sha256, amount, currency, day)
);

-- What is overdue, found by when it was due: work that waits for an hour is not looked at until then.
DROP INDEX operation_staged;
CREATE INDEX operation_overdue ON operation (not_before)
    WHERE state IN ('accepted', 'scheduled', 'parked') AND represent_at IS NULL;

-- Each record carries the hash of the one before it about the same resource, so that a changed or missing one shows.
-- Per resource and under its lock: one chain over everything would let only one payment at a time be on record.
ALTER TABLE audit_record
    ADD COLUMN prev_hash bytea CHECK (length(prev_hash) = 32),
    ADD COLUMN hash bytea CHECK (length(hash) = 32);
DROP INDEX audit_record_by_resource;
CREATE INDEX audit_record_by_resource ON audit_record (resource_id, audit_id);

CREATE FUNCTION audit_record_hash(entry audit_record) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(coalesce(entry.prev_hash, '') || convert_to(json_build_array(entry.resource_type, entry.resource_id,
               entry.merchant_id, extract(epoch FROM entry.at), entry.actor, entry.action, entry.reason, entry.data::text,
               entry.origin)::text, 'UTF8'))
$$;

-- As its owner, for who may append to the audit log need not be able to read it. Planned once, whatever the session has
-- its own statements planned by: it runs for every row. A plan that was made while the log was empty must not read all of it
-- when it is full, neither by a scan nor along the primary key, which the sum in ORDER BY rules out.
CREATE FUNCTION chain_audit_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = chargeonce, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    SELECT hash INTO NEW.prev_hash FROM audit_record
     WHERE resource_id = NEW.resource_id ORDER BY audit_id + 0 DESC LIMIT 1;
    NEW.hash := audit_record_hash(NEW);
    RETURN NEW;
END
$$;
CREATE TRIGGER chained BEFORE INSERT ON audit_record FOR EACH ROW EXECUTE FUNCTION chain_audit_record();
