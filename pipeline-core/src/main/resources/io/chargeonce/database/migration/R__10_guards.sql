-- SPDX-License-Identifier: Apache-2.0
-- What triggers refuse, add and count, in the order of V1__schema.sql, where the triggers are.

-- Accepting an operation writes no state directly: a trigger creates the state together with the operation, never without it. There is no
-- foreign key: the trigger costs nothing beyond the row, but foreign keys in both directions would cost half as much again as both rows.
CREATE OR REPLACE FUNCTION begin_states() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO operation_state (operation_id, charge_before)
    SELECT operation_id, now() + charge_within_s * interval '1 second' FROM accepted;
    RETURN NULL;
END $$;

-- Where the money was captured, with which reference and when, is then known and stays. Only a reference that a person typed may be
-- corrected, because the PSP knows its own better.
CREATE OR REPLACE FUNCTION only_a_typed_reference_is_corrected() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF (NEW.psp, NEW.settled_at) IS DISTINCT FROM (OLD.psp, OLD.settled_at)
       OR NOT EXISTS (SELECT FROM hand_settlement
                       WHERE operation_id = OLD.operation_id AND psp_reference = OLD.psp_reference
                         AND state IN ('settled', 'confirmed')) THEN
        RAISE EXCEPTION 'operation_state: where and when an operation succeeded never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- What had ended otherwise succeeds late only by an attempt that is known to have succeeded, with the PSP and reference of that attempt.
CREATE OR REPLACE FUNCTION a_late_success_has_its_attempt() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM attempt_of_payment AS attempt
                    WHERE attempt.payment_id = (SELECT payment_id FROM operation WHERE operation_id = NEW.operation_id)
                      AND attempt.operation_id = NEW.operation_id
                      AND attempt.state = 'succeeded' AND attempt.psp = NEW.psp AND attempt.psp_reference = NEW.psp_reference) THEN
        RAISE EXCEPTION 'operation_state: no attempt of this operation is known to have succeeded with this PSP and reference'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- A role that makes no attempts decides nothing about money. A person at the dead-letter queue may move what is listed there. The person
-- may not change where or how often it was tried, settles nothing, and may postpone nothing.
CREATE OR REPLACE FUNCTION a_person_moves_what_is_listed() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    legal boolean := CASE OLD.state
        WHEN 'dead' THEN NEW.state IN ('accepted', 'unresolved', 'purged')
        WHEN 'unresolved' THEN NEW.state IN ('unresolved', 'purged')
        WHEN 'purged' THEN OLD.settled_at IS NULL AND NEW.state IN ('purged', 'dead', 'unresolved')
                           OR OLD.resolve_at IS NOT NULL AND NEW.state = 'purged'
        -- What waits in a tier has no open attempt. It is tried now, or stopped. A presentation keeps to the network's advice: it is never
        -- made earlier, and may be stopped.
        WHEN 'scheduled' THEN NEW.state = 'dead' OR OLD.represent_at IS NULL AND NEW.state = 'scheduled'
        WHEN 'parked' THEN NEW.state IN ('parked', 'dead')
        ELSE false END;
BEGIN
    -- Charging roles and the owner are not restricted here.
    IF has_any_column_privilege('payment_attempt', 'INSERT') THEN
        RETURN NULL;
    END IF;
    IF NOT legal THEN
        RAISE EXCEPTION 'permission denied: this role may not move an operation from % to %', OLD.state, NEW.state
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF (NEW.psp, NEW.sequence, NEW.represented, NEW.generation) IS DISTINCT FROM
       (OLD.psp, OLD.sequence, OLD.represented, OLD.generation + (NEW.state = 'accepted')::int)
       OR NEW.swept NOT IN (OLD.swept, 0) OR NEW.tier NOT IN (OLD.tier, 0) OR NEW.counted_attempts NOT IN (OLD.counted_attempts, 0)
       -- Only a merge sets a new schedule: the PSP's answer to a status query would follow that schedule.
       OR NEW.state <> 'accepted' AND (NEW.tier, NEW.counted_attempts, NEW.charge_before, NEW.refused_by)
                                      IS DISTINCT FROM (OLD.tier, OLD.counted_attempts, OLD.charge_before, OLD.refused_by)
       OR NEW.resolve_tries NOT IN (OLD.resolve_tries, 0)
       OR NEW.step NOT BETWEEN OLD.step AND OLD.step + 1 OR NEW.step = OLD.step AND NEW.state = 'accepted' THEN
        RAISE EXCEPTION 'permission denied: this role may not change where or how often an operation was tried'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.resolve_at IS DISTINCT FROM OLD.resolve_at AND NEW.resolve_at > clock_timestamp()
       OR NEW.resolve_at IS NULL AND OLD.resolve_at IS NOT NULL
       OR NEW.lease_token IS DISTINCT FROM OLD.lease_token AND NEW.lease_token IS NOT NULL
       -- Each alone: what was stopped while it waited keeps the time that it waited for, and is purged all the same.
       OR NEW.not_before IS DISTINCT FROM OLD.not_before AND NEW.not_before > clock_timestamp()
       OR NEW.staged_at IS DISTINCT FROM OLD.staged_at AND NEW.staged_at > clock_timestamp() THEN
        RAISE EXCEPTION 'permission denied: this role may neither end a status query to the PSP nor postpone anything'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.state IN ('scheduled', 'parked')
       AND to_jsonb(NEW) - ARRAY['not_before', 'staged_at', 'listed'] <> to_jsonb(OLD) - ARRAY['not_before', 'staged_at', 'listed'] THEN
        RAISE EXCEPTION 'permission denied: this role brings forward what waits in a tier, and changes nothing else of it'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.psp_reference IS DISTINCT FROM OLD.psp_reference OR NEW.settled_at IS DISTINCT FROM OLD.settled_at THEN
        RAISE EXCEPTION 'permission denied: this role settles nothing'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Asking whether an attempt took the money moves none. If all attempts have failed, there is no status query, and the next attempt
    -- follows.
    IF NEW.state <> OLD.state
       AND NOT (OLD.state = 'dead' AND NEW.state = 'unresolved' AND may_have_taken_money(NEW.operation_id)) THEN
        PERFORM moved_by_a_person(NEW.operation_id, CASE WHEN OLD.state = 'purged' THEN 'restore' WHEN NEW.state = 'purged' THEN 'purge'
                                                         WHEN OLD.state IN ('scheduled', 'parked') THEN 'stop' ELSE 'merge' END);
    END IF;
    RETURN NULL;
END $$;

-- A role that inserts no idempotency keys accepts nothing: charging roles only reverse.
CREATE OR REPLACE FUNCTION it_was_asked_for() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('idempotency_key', 'INSERT') THEN
        RAISE EXCEPTION 'permission denied: this role may not accept a %', NEW.kind USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;

-- Money goes back only to the payment's merchant, and never more than was captured, for every writer of the row. The pipeline itself
-- reverses what an attempt took twice and records what a bank took back, up to the payment's amount. This runs as the schema's owner,
-- because the role that accepts refunds cannot read payments.
CREATE OR REPLACE FUNCTION what_goes_back_has_come() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    payment operation;
BEGIN
    IF NEW.kind = 'refund' THEN
        -- Of two simultaneous refunds the second must count the first; an older snapshot would not show it.
        IF current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE EXCEPTION 'operation: a refund is accepted at read committed' USING ERRCODE = 'restrict_violation';
        END IF;
        PERFORM lock_payment(NEW.payment_id);
    END IF;
    SELECT * INTO payment FROM operation WHERE operation_id = NEW.payment_id AND kind = 'charge';
    IF (payment.merchant_id, payment.currency) IS DISTINCT FROM (NEW.merchant_id, NEW.currency)
       OR (CASE WHEN NEW.kind IN ('reversal', 'return') THEN NOT has_any_column_privilege(session_user, 'payment_attempt', 'INSERT') OR NEW.amount > payment.amount
              -- Rows of this statement have no state yet.
              ELSE (SELECT sum(amount) FROM operation LEFT JOIN operation_state USING (operation_id)
                     WHERE payment_id = NEW.payment_id AND kind = 'refund' AND coalesce(state, '') NOT IN ('declined', 'failed'))
                   > payment.amount END) THEN
        RAISE EXCEPTION 'operation: a % pays back at most what its payment has captured', NEW.kind USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- And only to its source: a refund to its payment's capture, a reversal or a return at a PSP where the payment was tried.
CREATE OR REPLACE FUNCTION it_goes_back_to_where_it_came_from() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    back operation;
BEGIN
    SELECT * INTO back FROM operation WHERE operation_id = NEW.operation_id;
    IF (CASE
           -- As in attempt_of_payment, which the session's role may not read.
           WHEN back.kind IN ('reversal', 'return') THEN NOT EXISTS (SELECT FROM (SELECT * FROM payment_attempt WHERE failed_definite
                                                          UNION ALL
                                                         SELECT * FROM payment_attempt WHERE NOT failed_definite) AS tried
                                             WHERE payment_id = back.payment_id AND psp = NEW.capture_psp)
           WHEN back.kind = 'refund' THEN NEW.capture_reference IS NOT NULL
               AND NOT EXISTS (SELECT FROM operation_state
                                WHERE operation_id = back.payment_id AND state = 'succeeded' AND psp = NEW.capture_psp
                                  AND psp_reference = NEW.capture_reference)
               -- The payment is read without a lock before an attempt. Meanwhile the PSP may have corrected a reference that a person gave.
               AND NOT EXISTS (SELECT FROM hand_settlement
                                WHERE operation_id = back.payment_id AND psp_reference = NEW.capture_reference AND state = 'settled')
           ELSE true END) THEN
        RAISE EXCEPTION 'operation_state: money goes back only to where its payment was captured' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- A trigger instead of a statement of the services: every move of an operation to a tier is recorded, and success costs nothing. It runs as
-- the owner, so that no service can write such a row itself.
CREATE OR REPLACE FUNCTION record_tier_visit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF OLD.state = 'parked' AND NEW.state = 'parked' AND NEW.tier = OLD.tier THEN
        UPDATE tier_visit SET step = NEW.step, cause = NEW.failure_cause, waits = waits + 1,
                              staged_at = NEW.staged_at, due_at = NEW.not_before
         WHERE operation_id = NEW.operation_id AND step = OLD.step;
        IF FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO tier_visit (operation_id, step, generation, tier, state, cause, began_at, staged_at, due_at)
    VALUES (NEW.operation_id, NEW.step, NEW.generation, NEW.tier, NEW.state, NEW.failure_cause, NEW.staged_at, NEW.staged_at,
            NEW.not_before)
    ON CONFLICT (operation_id, step) DO NOTHING;
    RETURN NULL;
END $$;

-- What an operation waits for is in the list "waiting" at each moment.
CREATE OR REPLACE FUNCTION list_what_waits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    NEW.listed := true;
    DELETE FROM waiting WHERE operation_id = NEW.operation_id;
    INSERT INTO waiting (list, operation_id, lane, due_at) SELECT list, NEW.operation_id, lane, due_at FROM waits_for(NEW);
    RETURN NEW;
END $$;

-- A finding about another operation's attempt would settle the wrong money.
CREATE OR REPLACE FUNCTION a_finding_is_about_its_operations_attempt() RETURNS trigger
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payment_attempt WHERE psp_key = NEW.psp_key AND operation_id = NEW.operation_id) THEN
        RAISE EXCEPTION 'hand_settlement: a finding is about an attempt of its operation' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- A finding belongs to the session that wrote it, at each change.
CREATE OR REPLACE FUNCTION a_finding_is_its_sessions() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    -- An erasure is no new finding. Only the owner can declare one, because that needs the right to change what was accepted.
    IF current_setting('chargeonce.erasing', true) = 'on' AND has_column_privilege('operation', 'customer', 'UPDATE') THEN
        RETURN NEW;
    END IF;
    NEW.proposed_by := session_user;
    NEW.proposed_at := clock_timestamp();
    NEW.approved_by := CASE WHEN too_much_alone(ARRAY['*', (SELECT currency FROM operation WHERE operation_id = NEW.operation_id)],
                                                ARRAY[1, (SELECT amount FROM operation WHERE operation_id = NEW.operation_id)])
                            THEN NULL ELSE session_user END;
    RETURN NEW;
END $$;

-- A finding that needs no other person counts as moved alone.
CREATE OR REPLACE FUNCTION it_counts_as_settled_alone() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    -- As above.
    IF current_setting('chargeonce.erasing', true) = 'on' AND has_column_privilege('operation', 'customer', 'UPDATE') THEN
        RETURN NULL;
    END IF;
    PERFORM moved_by_a_person(NEW.operation_id, 'settle');
    RETURN NULL;
END $$;

-- The person who proposes a finding does not decide on it.
CREATE OR REPLACE FUNCTION the_resolver_decides() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('payment_attempt', 'UPDATE') THEN
        RAISE EXCEPTION 'permission denied: this role may only propose; the resolver decides' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;

-- A person lists what has died, as its row says, or an imported record, which belongs to no payment and has no money. Each enters the queue
-- as dead: what comes in as moved was never counted by four eyes.
CREATE OR REPLACE FUNCTION a_person_lists_what_is_dead() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('payment_attempt', 'INSERT') AND NOT (NEW.state = 'dead' AND CASE
        WHEN NEW.operation_id IS NULL THEN num_nonnulls(NEW.payment_id, NEW.merchant_id, NEW.amount, NEW.currency, NEW.psp) = 0
        ELSE EXISTS (SELECT FROM operation_now AS its
                      WHERE its.operation_id = NEW.operation_id AND NEW.dead_letter_id = NEW.operation_id
                        AND its.state IN ('dead', 'unresolved')
                        AND (its.payment_id, its.merchant_id, its.amount, its.currency)
                          = (NEW.payment_id, NEW.merchant_id, NEW.amount, NEW.currency)) END) THEN
        RAISE EXCEPTION 'dead_letter: a person lists only what has died, as its row says, or a record without money'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;

-- Poison has no operation whose trigger would count the move.
CREATE OR REPLACE FUNCTION a_person_moves_poison() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('payment_attempt', 'INSERT') THEN
        PERFORM moved_by_a_person(NEW.dead_letter_id, CASE WHEN OLD.state = 'purged' THEN 'restore' WHEN NEW.state = 'purged' THEN 'purge'
                                                           ELSE 'merge' END);
    END IF;
    RETURN NULL;
END $$;

-- The login that leads a run is its session's, whatever the statement says.
CREATE OR REPLACE FUNCTION a_run_is_led_by_its_session() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM it_may_begin(NEW.run_id);
    NEW.leader := session_user;
    RETURN NEW;
END $$;

-- An end is dated now: these times decide when a purge can no longer be undone, and when rows are deleted.
CREATE OR REPLACE FUNCTION it_happens_now() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'dlq_run' THEN
        NEW.ended_at := CASE WHEN NEW.ended_at IS NOT NULL THEN clock_timestamp() END;
    ELSE
        NEW.changed_at := clock_timestamp();
        NEW.died_at := CASE WHEN NEW.died_at = OLD.died_at THEN OLD.died_at ELSE clock_timestamp() END;
    END IF;
    RETURN NEW;
END $$;

-- A seal over future records, or out of sequence, would silently end all sealing.
CREATE OR REPLACE FUNCTION a_seal_follows_the_last() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    last audit_seal;
BEGIN
    SELECT * INTO last FROM audit_seal ORDER BY seal DESC LIMIT 1;
    IF (NEW.seal, NEW.from_id) IS DISTINCT FROM (coalesce(last.seal, 0) + 1, coalesce(last.to_id, 0) + 1)
       OR NEW.previous IS DISTINCT FROM last.mark
       OR NEW.to_id > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_record_audit_id_seq)
       OR NEW.sealed_at NOT BETWEEN now() - interval '1 minute' AND now() THEN
        RAISE EXCEPTION 'audit_seal: a seal must follow the last one, cover existing ids, and have the present time'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- The functions of R__85_webhooks.sql begin a delivery again, as their owner. Who only sends, does not.
CREATE OR REPLACE FUNCTION only_a_function_begins_a_delivery_again() RETURNS trigger
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID) THEN
        RAISE EXCEPTION 'what has ended begins again only when it is redelivered' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- A person sends a receipt again. The service that mails must not: it could read the address of any payment.
CREATE OR REPLACE FUNCTION only_a_person_begins_a_receipt_again() RETURNS trigger
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    -- Only the service records what the mail server answered.
    IF has_column_privilege('receipt', 'last_error', 'UPDATE')
       AND NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID) THEN
        RAISE EXCEPTION 'a receipt that has ended begins again only when a person resends it' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- A payment that a person has settled as not charged may go out again in another file, so the first one never does.
CREATE OR REPLACE FUNCTION refuse_what_is_given_up() RETURNS trigger
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM bank_batch_item WHERE batch_id = NEW.batch_id AND given_up) THEN
        RAISE EXCEPTION 'file % has a payment that was settled as not charged, so it is never sent again', NEW.message_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
