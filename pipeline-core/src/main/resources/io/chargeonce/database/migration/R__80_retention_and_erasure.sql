-- SPDX-License-Identifier: Apache-2.0
-- What is forgotten after its time, and what is erased of a person.

-- The time before which rows may be deleted. Only the resulting time is compared: intervals are compared with months of 30 days, so that
-- '-1200 months 36014 days' would count as 14 days and yet mean next year.
CREATE OR REPLACE FUNCTION cutoff(kept interval, at_least interval) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF (now() - kept <= now() - at_least) IS NOT TRUE THEN
        RAISE EXCEPTION '% is too short: this must be kept for at least %', coalesce(kept::text, 'NULL'), at_least
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN now() - kept;
END $$;

-- What happened last before this time may be forgotten. Without the row it is NULL, and nothing may.
CREATE OR REPLACE FUNCTION retention_began() RETURNS timestamptz LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT now() - retention_days * interval '24 hours' FROM agreed
$$;

-- Whether a payment may still move money, or its outcome is still to be published: then nothing of it is erased. "staged" lists the keys
-- that are on their way to Kafka.
CREATE OR REPLACE FUNCTION unfinished(payment text, staged text[]) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM (SELECT operation_id FROM operation WHERE operation_id = payment
                                 UNION ALL
                                SELECT operation_id FROM operation WHERE payment_id = payment AND kind <> 'charge') AS its
                     JOIN operation_state USING (operation_id)
                    WHERE state NOT IN ('succeeded', 'failed', 'declined', 'purged', 'canceled')
                       OR state IN ('purged', 'canceled') AND settled_at IS NULL
                       OR resolve_at IS NOT NULL
                       OR its.operation_id = ANY (staged)
                       OR EXISTS (SELECT FROM dead_letter WHERE dead_letter_id = its.operation_id AND dead_letter.state = 'dead'))
        OR EXISTS (SELECT FROM payment_attempt WHERE payment_id = payment AND NOT failed_definite AND state IN ('in_flight', 'unknown'))
$$;

-- Since when a payment is at rest: the latest of its acceptance, settlement, attempts, moves in the dead-letter queue and evidence that
-- came late, and the same of its refunds, reversals and returns. A retention that began at the acceptance would be over before a late
-- success. 'infinity' while it is unfinished, charge still has to look at a booked line, or a dispute may go on. Not every dispute gets a
-- closing message: Adyen sends none after a notification of fraud or a request for information. So one that is not final may go on for 540
-- days after its last change and after its time to answer. That is the longest course of a dispute at the schemes.
CREATE OR REPLACE FUNCTION at_rest_since(payment text) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = chargeonce, pg_temp AS $$
DECLARE
    attempts text[] := ARRAY(SELECT psp_key FROM attempt_of_payment WHERE payment_id = payment);
    operations text[] := ARRAY(SELECT payment
                                UNION ALL
                               SELECT operation_id FROM operation WHERE payment_id = payment AND kind <> 'charge');
BEGIN
    IF unfinished(payment, '{}') OR EXISTS (SELECT FROM settlement_line WHERE psp_key = ANY (attempts) AND due_at IS NOT NULL)
       OR EXISTS (SELECT FROM dispute WHERE dispute.payment_id = payment AND NOT final
                     AND greatest(changed_at, due_by) + interval '540 days' > now()) THEN
        RETURN 'infinity';
    END IF;
    RETURN (SELECT max(at) FROM (
        SELECT greatest(accepted_at, settled_at) FROM operation_now WHERE operation_id = ANY (operations)
         UNION ALL
        SELECT greatest(sent_at, decided_at) FROM payment_attempt WHERE psp_key = ANY (attempts)
         UNION ALL
        SELECT changed_at FROM dead_letter WHERE dead_letter_id = ANY (operations)
         UNION ALL
        SELECT observed_at FROM psp_observation WHERE psp_key = ANY (attempts)
         UNION ALL
        SELECT greatest(proposed_at, answered_at) FROM hand_settlement WHERE psp_key = ANY (attempts)
         UNION ALL
        SELECT greatest(recorded_at, answered_at) FROM settlement_line WHERE psp_key = ANY (attempts)
         UNION ALL
        SELECT changed_at FROM dispute WHERE dispute.payment_id = payment
         UNION ALL
        SELECT greatest(failed_at, recaptured_at) FROM capture_failure WHERE operation_id = ANY (operations)) AS latest (at));
END $$;

-- Forgetting is the only deletion of payment history, and the role that faces the internet triggers it. So that role may not delete; it may
-- only call these functions. They run as the schema's owner and refuse to delete what is too young or not settled. No service can write a
-- row's age. The outcomes of deleted payments were published long before; the audit log stays. It reads the next keys after that time and
-- returns how far it came, so that a million old payments that are not at rest are read once and not each time. Payments that come to rest
-- later are found when the scan starts again.
CREATE OR REPLACE FUNCTION forget_settled_payments(most int, after timestamptz DEFAULT '-infinity', OUT walked int, OUT reached timestamptz,
                                                   OUT forgotten int)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := retention_began();
    due text[];
    ended text[];
BEGIN
    SELECT count(*), coalesce(max(created_at), after), coalesce(array_agg(resource_id), '{}') INTO walked, reached, due
      FROM (SELECT created_at, resource_id FROM idempotency_key WHERE created_at < until AND created_at > after
             ORDER BY created_at FETCH FIRST coalesce(most, 0) ROWS WITH TIES) AS old;
    -- A refund is accepted under its payment's lock, and so is late evidence: after a separate statement has taken the lock, the next one
    -- sees all of it. If another process deleted a payment meanwhile, it may have been made again under its key; then it is young.
    ended := ARRAY(
        SELECT operation_id FROM operation JOIN operation_state USING (operation_id)
         WHERE operation_id = ANY (due) AND kind = 'charge'
           AND at_rest_since(operation_id) < until
           FOR UPDATE OF operation_state SKIP LOCKED);
    PERFORM set_config('chargeonce.forgetting', 'on', true);
    WITH due AS (
        SELECT merchant_id, idempotency_key, operation_id AS payment_id
          FROM operation WHERE operation_id = ANY (ended) AND at_rest_since(operation_id) < until
    ), back AS (
        SELECT operation_id FROM operation JOIN due USING (payment_id) WHERE kind <> 'charge'
    ), gone AS (
        SELECT payment_id AS operation_id FROM due UNION ALL SELECT operation_id FROM back
    ), known AS (
        -- As attempt_of_payment, but each half is joined by its own partial index: over the view this join reads the table.
        SELECT psp_key FROM payment_attempt JOIN due USING (payment_id) WHERE failed_definite
         UNION ALL
        SELECT psp_key FROM payment_attempt JOIN due USING (payment_id) WHERE NOT failed_definite
    ), observation AS (
        DELETE FROM psp_observation USING known WHERE psp_observation.psp_key = known.psp_key
    ), finding AS (
        DELETE FROM hand_settlement USING known WHERE hand_settlement.psp_key = known.psp_key
    ), line AS (
        DELETE FROM settlement_line USING known WHERE settlement_line.psp_key = known.psp_key
    ), attempt AS (
        DELETE FROM payment_attempt USING known WHERE payment_attempt.psp_key = known.psp_key
    ), list AS (
        DELETE FROM waiting USING gone WHERE waiting.operation_id = gone.operation_id
    ), visit AS (
        DELETE FROM tier_visit USING gone WHERE tier_visit.operation_id = gone.operation_id
    ), letter AS (
        DELETE FROM dead_letter USING gone WHERE dead_letter.dead_letter_id = gone.operation_id
    ), progress AS (
        DELETE FROM operation_state USING gone WHERE operation_state.operation_id = gone.operation_id
    ), mail AS (
        DELETE FROM receipt USING gone WHERE receipt.operation_id = gone.operation_id
    ), webhook AS (
        DELETE FROM webhook_delivery USING due WHERE webhook_delivery.payment_id = due.payment_id
    ), money AS (
        DELETE FROM operation USING gone WHERE operation.operation_id = gone.operation_id
    ), key_of_refund AS (
        DELETE FROM idempotency_key AS key USING back WHERE key.resource_id = back.operation_id AND request_path <> '/v1/payments'
    )
    DELETE FROM idempotency_key AS key USING due
     WHERE key.merchant_id = due.merchant_id AND key.idempotency_key = due.idempotency_key;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    PERFORM set_config('chargeonce.forgetting', 'off', true);
END $$;

-- The same for rows that belong to no payment: poison that left the dead-letter queue, ended runs, and detached payment methods.
CREATE OR REPLACE FUNCTION forget_dead_letter_runs(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    -- Longer ago than a purge can be undone.
    until timestamptz := retention_began();
    letters int;
    items int;
BEGIN
    DELETE FROM dead_letter WHERE dead_letter_id IN (
        SELECT dead_letter_id FROM dead_letter WHERE operation_id IS NULL AND state <> 'dead' AND changed_at < until
         LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS letters = ROW_COUNT;
    DELETE FROM dlq_run_item WHERE (run_id, position) IN (
        SELECT run_id, position FROM dlq_run JOIN dlq_run_item USING (run_id)
         WHERE state <> 'running' AND coalesce(ended_at, planned_at) < until
         LIMIT coalesce(most, 0));
    GET DIAGNOSTICS items = ROW_COUNT;
    DELETE FROM dlq_run WHERE state <> 'running' AND coalesce(ended_at, planned_at) < until
       AND NOT EXISTS (SELECT FROM dlq_run_item WHERE dlq_run_item.run_id = dlq_run.run_id);
    DELETE FROM approval WHERE approved_at < until AND NOT EXISTS (SELECT FROM dlq_run WHERE dlq_run.run_id = approval.run_id);
    DELETE FROM moved_alone WHERE hour < now() - interval '3 days';
    DELETE FROM payment_method WHERE payment_method_id IN (
        SELECT payment_method_id FROM payment_method WHERE detached_at < until LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    RETURN letters + items;
END $$;

-- Whether names and accounts are still stored that only this payment's attempts at banks keep here.
CREATE OR REPLACE FUNCTION banks_keep(payment text) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = chargeonce, pg_temp AS $$
DECLARE
    attempts text[] := ARRAY(SELECT psp_key FROM attempt_of_payment WHERE payment_id = payment);
BEGIN
    RETURN EXISTS (SELECT FROM bank_bytes_of(attempts)) OR EXISTS (SELECT FROM bank_debtors_of(attempts));
END $$;

-- Whether anything that may identify a person is still stored.
CREATE OR REPLACE FUNCTION is_personal(payment text) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM operation WHERE (operation_id = payment OR payment_id = payment AND kind <> 'charge')
                      AND (customer <> '[erased]' OR description <> '[erased]' OR receipt_email <> '[erased]'))
        OR EXISTS (SELECT FROM (SELECT * FROM attempt_of_payment WHERE payment_id = payment) AS attempt
                     LEFT JOIN psp_observation AS heard USING (psp_key)
                     LEFT JOIN hand_settlement AS finding USING (psp_key)
                     LEFT JOIN unmatched_notice AS notice USING (psp_key)
                    WHERE request <> '' OR attempt.message IS NOT NULL OR heard.detail <> '[erased]'
                       OR evidence <> '[erased]' OR answer <> '[erased]' OR notice.detail <> '[erased]'
                       OR notice.dispute ->> 'reason' <> '[erased]')
        OR EXISTS (SELECT FROM dispute WHERE payment_id = payment AND reason <> '[erased]')
        OR EXISTS (SELECT FROM capture_failure WHERE operation_id = payment AND reason <> '[erased]')
        OR EXISTS (SELECT FROM operation AS its JOIN payment_method AS stored ON stored.payment_method_id = its.payment_method
                                                                            AND stored.merchant_id = its.merchant_id
                    WHERE its.operation_id = payment AND stored.customer <> '[erased]')
        OR banks_keep(payment)
$$;

-- Removes what identifies a person from finished payments and their refunds, for good: from the rows, the requests to PSPs, the texts of
-- PSPs, and those of people who settled by hand. Amounts, merchants, ids, methods, references and states stay, and so do the logins and
-- times of findings. Fingerprints stay too, so a repeat gets its answer. The result says for each payment what was done; an unfinished
-- payment is left whole, because an attempt may still be made from it. A second call changes nothing. "payments" may also name stored
-- payment methods: what charged nothing is in no payment.
CREATE OR REPLACE FUNCTION erase_personal_data(merchant text, payments text[], claim text, why text, run text, really boolean)
    RETURNS TABLE (payment text, fate text, state_now text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    gone CONSTANT text := '[erased]';
    charges text[];
    operations text[];
    attempts text[];
    staged text[];
    methods text[];
BEGIN
    IF coalesce(btrim(why), '') = '' OR cardinality(payments) > 1000 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'erase_personal_data: give a reason, and at most 1000 payments';
    END IF;
    -- A refund is accepted under its payment's lock: after a separate statement has taken the lock, the next one sees every refund.
    IF really THEN
        PERFORM FROM operation_state JOIN operation USING (operation_id)
          WHERE operation_id = ANY (payments) AND kind = 'charge' AND merchant_id = merchant
          ORDER BY operation_id FOR UPDATE OF operation_state;
    END IF;
    staged := ARRAY(SELECT record_key FROM outbox WHERE record_key = ANY (payments)
                        OR record_key IN (SELECT operation_id FROM operation WHERE payment_id = ANY (payments) AND kind <> 'charge'));
    FOR payment, fate, state_now IN
        SELECT asked, CASE WHEN method.customer = gone THEN 'nothing_left'
                           WHEN method.customer IS NOT NULL THEN CASE WHEN really THEN 'erased' ELSE 'erasable' END
                           WHEN charge.operation_id IS NULL THEN 'unknown'
                           WHEN unfinished(asked, staged) THEN 'unfinished'
                           WHEN is_personal(asked) THEN CASE WHEN really THEN 'erased' ELSE 'erasable' END
                           ELSE 'nothing_left' END,
               coalesce(charge.state, CASE WHEN method.detached_at IS NOT NULL THEN 'detached' WHEN method.customer IS NOT NULL THEN 'stored' END)
          FROM (SELECT DISTINCT unnest(payments) AS asked) AS ask
          LEFT JOIN operation_now AS charge ON charge.operation_id = asked AND kind = 'charge' AND charge.merchant_id = merchant
          LEFT JOIN payment_method AS method ON payment_method_id = asked AND method.merchant_id = merchant
         ORDER BY asked
    LOOP
        IF fate = 'erased' AND payment LIKE 'pmt%' THEN
            methods := methods || payment;
        ELSIF fate = 'erased' THEN
            charges := charges || payment;
        END IF;
        RETURN NEXT;
    END LOOP;
    IF methods IS NOT NULL THEN
        PERFORM set_config('chargeonce.erasing', 'on', true);
        PERFORM erase_payment_methods(methods);
        PERFORM set_config('chargeonce.erasing', 'off', true);
        PERFORM append_audit(array_fill(merchant, ARRAY[cardinality(methods)]), NULL,
                             array_fill('personal_data.erased'::text, ARRAY[cardinality(methods)]),
                             array_fill('payment_method'::text, ARRAY[cardinality(methods)]), methods,
                             array_fill(why, ARRAY[cardinality(methods)]),
                             array_fill(json_build_object('run', run)::text, ARRAY[cardinality(methods)]),
                             array_fill(claim, ARRAY[cardinality(methods)]));
    END IF;
    IF charges IS NULL THEN
        RETURN;
    END IF;
    operations := charges || ARRAY(SELECT operation_id FROM operation WHERE payment_id = ANY (charges) AND kind <> 'charge');
    PERFORM set_config('chargeonce.erasing', 'on', true);
    UPDATE operation SET customer = CASE WHEN customer IS NOT NULL THEN gone END,
                         description = CASE WHEN description IS NOT NULL THEN gone END,
                         receipt_email = CASE WHEN receipt_email IS NOT NULL THEN gone END
     WHERE operation_id = ANY (operations);
    UPDATE operation_state SET failure_message = NULL WHERE operation_id = ANY (operations) AND failure_message IS NOT NULL;
    attempts := ARRAY(SELECT psp_key FROM attempt_of_payment WHERE payment_id = ANY (charges));
    UPDATE psp_observation SET detail = NULL WHERE psp_key = ANY (attempts) AND detail IS NOT NULL;
    UPDATE payment_attempt SET request = '', message = NULL WHERE psp_key = ANY (attempts);
    UPDATE hand_settlement SET evidence = gone, answer = CASE WHEN answer IS NOT NULL THEN gone END WHERE psp_key = ANY (attempts);
    -- A PSP's message that waits for its attempt to reappear will be recorded without its words.
    UPDATE unmatched_notice SET detail = gone WHERE psp_key = ANY (attempts) AND detail IS NOT NULL;
    UPDATE unmatched_notice SET dispute = (dispute::jsonb || '{"reason": "[erased]"}')::json
     WHERE dispute IS NOT NULL
       AND (psp_key = ANY (attempts)
            OR EXISTS (SELECT FROM dispute AS known WHERE known.psp = unmatched_notice.psp AND known.payment_id = ANY (charges)
                                                     AND known.reference = unmatched_notice.dispute ->> 'reference')
            OR EXISTS (SELECT FROM psp_observation AS heard
                        WHERE heard.psp_key = ANY (attempts) AND heard.psp_reference = unmatched_notice.dispute ->> 'capture'));
    UPDATE capture_failure SET reason = gone WHERE operation_id = ANY (charges) AND reason IS NOT NULL;
    UPDATE dispute SET reason = gone WHERE payment_id = ANY (charges);
    UPDATE dead_letter SET message = gone WHERE dead_letter_id = ANY (operations);
    PERFORM end_receipts_without_an_address(operations);
    PERFORM erase_payment_methods(charges);
    -- A file's bytes hold others too, and nothing needs them any more.
    DELETE FROM bank_file_part WHERE file IN (SELECT * FROM bank_bytes_of(attempts));
    UPDATE bank_mandate SET sealed_debtor = '' WHERE mandate_id IN (SELECT * FROM bank_debtors_of(attempts));
    PERFORM set_config('chargeonce.erasing', 'off', true);
    PERFORM append_audit(array_fill(merchant, ARRAY[cardinality(charges)]), NULL,
                         array_fill('personal_data.erased'::text, ARRAY[cardinality(charges)]),
                         array_fill('payment'::text, ARRAY[cardinality(charges)]), charges, array_fill(why, ARRAY[cardinality(charges)]),
                         array_fill(json_build_object('run', run)::text, ARRAY[cardinality(charges)]),
                         array_fill(claim, ARRAY[cardinality(charges)]));
END $$;

-- Presentations that the budget of 30 days no longer counts, in the calendar of any time zone.
CREATE OR REPLACE FUNCTION forget_presentations(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    forgotten int;
BEGIN
    DELETE FROM retry_budget WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM retry_budget WHERE day < current_date - 32 ORDER BY day LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
