-- SPDX-License-Identifier: Apache-2.0
-- How far operations are: what they wait for, which of them are late, and what their attempts may have done.

-- Whether one of its attempts has not failed.
CREATE OR REPLACE FUNCTION may_have_taken_money(operation text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    payment text := (SELECT payment_id FROM operation AS its WHERE its.operation_id = may_have_taken_money.operation);
BEGIN
    RETURN EXISTS (SELECT FROM attempt_of_payment
                    WHERE payment_id = payment AND operation_id = may_have_taken_money.operation
                      AND (NOT failed_definite OR state = 'succeeded'));
END $$;

-- Decides under the charge's lock whether it is canceled: the only way to cancel. If none of its attempts can have moved money, it is
-- canceled, which is final, and charge publishes that. If one may have, the request is stored and the PSP is queried now; no attempt begins
-- and no status query executes one any more. A charge that has ended stays as it is, also one that was purged and can
-- no longer be restored. "status" is the charge's state, or 'canceling'; NULL
-- if there is no such charge. "is_new" is false for a repeat.
CREATE OR REPLACE FUNCTION cancel_charge(payment text, OUT status text, OUT is_new boolean)
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    moment timestamptz;
    its operation_state;
BEGIN
    SELECT state.* INTO its FROM operation_state AS state JOIN operation USING (operation_id)
     WHERE operation_id = payment AND kind = 'charge' FOR UPDATE OF state;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    moment := clock_timestamp();
    is_new := its.cancel_requested_at IS NULL;
    status := its.state;
    IF its.state IN ('succeeded', 'failed', 'declined', 'canceled')
       OR its.state = 'purged' AND its.settled_at IS NOT NULL AND its.resolve_at IS NULL THEN
        is_new := false;
    ELSIF its.resolve_at IS NULL AND NOT may_have_taken_money(payment) THEN
        status := 'canceled';
        UPDATE operation_state
           SET state = 'canceled', step = its.step + 1, swept = 0, cancel_requested_at = coalesce(its.cancel_requested_at, moment),
               staged_at = moment, settled_at = NULL, represent_at = NULL, lease_token = NULL
         WHERE operation_id = payment;
    ELSE
        status := 'canceling';
        -- The worker that holds the lease is calling the PSP, and decides by its answer.
        IF is_new AND its.lease_token IS NOT NULL AND its.resolve_at > moment THEN
            UPDATE operation_state SET cancel_requested_at = moment WHERE operation_id = payment;
        ELSIF is_new THEN
            UPDATE operation_state
               SET cancel_requested_at = moment, lease_token = NULL, resolve_at = moment,
                   state = CASE its.state WHEN 'purged' THEN 'purged' ELSE 'unresolved' END,
                   unresolved_since = coalesce(its.unresolved_since, moment)
             WHERE operation_id = payment;
        END IF;
    END IF;
END $$;

-- For a merchant: only its own payment.
CREATE OR REPLACE FUNCTION cancel_payment(merchant text, payment text, OUT status text, OUT is_new boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM operation WHERE operation_id = payment AND merchant_id = merchant) THEN
        SELECT * INTO status, is_new FROM cancel_charge(payment);
    END IF;
END $$;

-- For a person on call, whose limits of four eyes it counts against.
CREATE OR REPLACE FUNCTION cancel_by_a_person(payment text, OUT status text, OUT is_new boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    SELECT * INTO status, is_new FROM cancel_charge(payment);
    IF is_new AND status LIKE 'cancel%' THEN
        PERFORM moved_by_a_person(payment, 'cancel');
    END IF;
END $$;

-- The PSPs that an operation in a tier waits for: the last attempt's, the capture's, or those that it may go to before its first attempt.
-- Every count, list and action of people goes by it.
CREATE OR REPLACE FUNCTION psps_awaited(its operation_state) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(string_to_array(its.awaited, ','), array_remove(ARRAY[coalesce(its.capture_psp, its.psp)], NULL))
$$;

-- What an operation waits for now.
CREATE OR REPLACE FUNCTION waits_for(its operation_state) RETURNS TABLE (list text, lane text, due_at timestamptz)
    LANGUAGE sql IMMUTABLE AS $$
    SELECT 'work', its.tier::text, its.not_before WHERE its.state IN ('accepted', 'scheduled', 'parked') AND its.represent_at IS NULL
     UNION ALL
    SELECT 'presentation', '', its.represent_at WHERE its.represent_at IS NOT NULL
     UNION ALL
    SELECT 'query', coalesce(its.psp, ''), its.resolve_at WHERE its.resolve_at IS NOT NULL
     UNION ALL
    SELECT CASE its.state WHEN 'purged' THEN 'purge' ELSE 'cancel' END, '', its.staged_at
     WHERE its.state IN ('purged', 'canceled') AND its.settled_at IS NULL
$$;

-- How far the scans for late operations have come: looked_through, or from the beginning.
CREATE OR REPLACE FUNCTION last_look(subject text) RETURNS looked_through LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT known FROM chargeonce.looked_through AS known WHERE what = subject),
                    ROW(subject, '0', '{}', (SELECT system_identifier FROM pg_control_system()))::chargeonce.looked_through)
$$;

-- The next acceptances after that point, and all that the remembered open transactions committed late. "since" is NULL for those that have
-- gone on or are listed. OFFSET 0 keeps each part as written, even without table statistics.
CREATE OR REPLACE FUNCTION acceptances_from(look looked_through, most int) RETURNS TABLE (xid xid8, operation_id text, since timestamptz)
    LANGUAGE sql STABLE AS $$
    SELECT accepted_xid, recent.operation_id, greatest(staged_at, not_before)
      FROM ((SELECT accepted_xid, operation_id FROM chargeonce.operation
              WHERE accepted_xid >= (look).before AND accepted_xid < pg_snapshot_xmax(pg_current_snapshot())
              ORDER BY accepted_xid FETCH FIRST most ROWS WITH TIES)
             UNION ALL
            SELECT accepted_xid, operation_id FROM chargeonce.operation
             WHERE accepted_xid = ANY ((look).open) AND accepted_xid < (look).before
           ) AS recent
      LEFT JOIN LATERAL (SELECT staged_at, not_before FROM chargeonce.operation_state AS its
                          WHERE its.operation_id = recent.operation_id AND state = 'accepted' AND NOT listed OFFSET 0) AS its ON true
$$;

-- The same for claims: only first claims are not listed. An expired lease is late at once. Attempts that were charged at once were settled
-- with it, so their state is not read.
CREATE OR REPLACE FUNCTION claims_from(look looked_through, most int) RETURNS TABLE (xid xid8, operation_id text, since timestamptz)
    LANGUAGE sql STABLE AS $$
    SELECT claimed_xid, recent.operation_id,
           CASE WHEN resolve_at <= statement_timestamp() THEN '-infinity' WHEN resolve_at IS NOT NULL THEN sent_at END
      FROM ((SELECT claimed_xid, operation_id, sent_at, charged_at_once FROM chargeonce.payment_attempt
              WHERE claimed_xid >= (look).before AND claimed_xid < pg_snapshot_xmax(pg_current_snapshot())
              ORDER BY claimed_xid FETCH FIRST most ROWS WITH TIES)
             UNION ALL
            SELECT claimed_xid, operation_id, sent_at, charged_at_once FROM chargeonce.payment_attempt
             WHERE claimed_xid = ANY ((look).open) AND claimed_xid < (look).before
           ) AS recent
      LEFT JOIN LATERAL (SELECT resolve_at FROM chargeonce.operation_state AS its
                          WHERE its.operation_id = recent.operation_id AND state = 'processing' AND NOT listed
                            AND NOT recent.charged_at_once OFFSET 0) AS its ON true
$$;

-- Lists late operations: accepted but not claimed within the patience, because Kafka may have lost the record; or claimed but not answered,
-- because the worker may be gone. Reads one part; "more" means that the next call has more to do. It writes only when it advances, so that
-- an idle pipeline stays idle. If several processes scan, the one that is behind leaves the row as it is. "restored" means that the mark
-- was another server's, or of a later time of this one: the scan then starts here and now, and list_what_was_missed finds the restored
-- operations. This server's numbers cannot say how old the mark is.
CREATE OR REPLACE FUNCTION list_late(subject text, patience interval, most int, OUT late int, OUT more boolean, OUT restored boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    -- Transactions in progress here may be missing in the rows that are read.
    seen pg_snapshot := pg_current_snapshot();
    usual text := CASE subject WHEN 'acceptances' THEN 'accepted' WHEN 'claims' THEN 'processing' END;
    look looked_through;
    next looked_through;
    overdue text[];
    theirs xid8[];
    walked int;
    reached xid8;
    oldest xid8;
    stuck xid8[];
BEGIN
    IF most < 1 OR most IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'list_late: a stretch has at least one row';
    END IF;
    UPDATE looked_through SET (before, open, server) = (pg_snapshot_xmax(seen), ARRAY(SELECT pg_snapshot_xip(seen)), system_identifier)
      FROM pg_control_system()
     WHERE what = subject AND (server <> system_identifier OR before > pg_snapshot_xmax(pg_current_snapshot()));
    restored := FOUND;
    look := last_look(subject);
    next := look;
    -- Rows that seem to be from the future were written before the clock was set back.
    SELECT count(*) FILTER (WHERE xid >= look.before), max(xid), min(xid) FILTER (WHERE xid >= look.before AND NOT is_late),
           array_agg(xid) FILTER (WHERE xid < look.before AND NOT is_late),
           array_agg(operation_id) FILTER (WHERE is_late), array_agg(xid) FILTER (WHERE is_late)
      INTO walked, reached, oldest, stuck, overdue, theirs
      FROM (SELECT * FROM acceptances_from(look, most) WHERE subject = 'acceptances'
             UNION ALL
            SELECT * FROM claims_from(look, most) WHERE subject = 'claims') AS stretch
     CROSS JOIN LATERAL (SELECT since NOT BETWEEN statement_timestamp() - patience AND statement_timestamp() + patience) AS its (is_late);
    UPDATE operation_state SET listed = true WHERE operation_id = ANY (ARRAY(
        SELECT operation_id FROM operation_state WHERE operation_id = ANY (overdue) AND state = usual AND NOT listed
         ORDER BY operation_id FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS late = ROW_COUNT;
    next.before := least(CASE WHEN walked >= most THEN (reached::text::numeric + 1)::text::xid8 END, oldest, pg_snapshot_xmax(seen));
    next.open := ARRAY(SELECT xid FROM pg_snapshot_xip(seen) AS xid WHERE xid < next.before
                        UNION
                       SELECT unnest(stuck)
                        UNION
                       -- Late, but locked by another transaction: it must not delay the rows behind it.
                       SELECT xid FROM unnest(overdue, theirs) AS held (id, xid) JOIN operation_state ON operation_id = id
                        WHERE xid < next.before AND state = usual AND NOT listed);
    more := walked >= most AND next.before > look.before;
    IF walked > 0 AND next.before > look.before OR cardinality(next.open) < cardinality(look.open) THEN
        INSERT INTO looked_through AS known SELECT next.*
        ON CONFLICT (what) DO UPDATE SET (before, open) = (excluded.before, excluded.open)
         WHERE (known.before, -cardinality(known.open)) < (excluded.before, -cardinality(excluded.open));
    END IF;
END $$;

-- Operations that have stood still for this long and are in no list: their rows were written with the triggers switched off, or one table
-- was restored without the other. Each call, of any process, searches the next pages of the table, and starts again at its end.
CREATE OR REPLACE FUNCTION list_what_was_missed(still interval, pages int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    parts bigint := pg_relation_size('operation_state') / current_setting('block_size')::int / pages + 1;
    first bigint := nextval('searched') % parts * pages;
    missed int;
BEGIN
    UPDATE operation_state SET listed = true WHERE operation_id = ANY (ARRAY(
        SELECT operation_id FROM operation_state AS its
         WHERE ctid >= format('(%s,0)', first)::tid AND ctid < format('(%s,0)', first + pages)::tid
           AND (state IN ('accepted', 'scheduled', 'parked') OR resolve_at IS NOT NULL
                OR state IN ('purged', 'canceled') AND settled_at IS NULL)
           AND staged_at < statement_timestamp() - still
           AND EXISTS (SELECT list, lane, due_at FROM waits_for(its)
                       EXCEPT SELECT list, lane, due_at FROM waiting WHERE waiting.operation_id = its.operation_id)
         ORDER BY operation_id FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS missed = ROW_COUNT;
    -- Listed operations that wait for nothing would delay the others.
    IF first = 0 THEN
        DELETE FROM waiting WHERE NOT EXISTS (
            SELECT FROM operation_state AS its CROSS JOIN LATERAL waits_for(its) AS due
             WHERE its.operation_id = waiting.operation_id AND due.list = waiting.list);
    END IF;
    RETURN missed;
END $$;

-- Knowledge only grows: in flight, unknown, definitely failed, succeeded; another unknown updates the cause. Inlined into its statement.
CREATE OR REPLACE FUNCTION knows_more(heard text, before text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT array_position('{in_flight,unknown,failed_definite,succeeded}'::text[], heard)
         > array_position('{in_flight,unknown,failed_definite,succeeded}'::text[], before)
        OR heard = 'unknown' AND before = 'unknown'
$$;

-- Which life of its key an operation belongs to: a payment that is accepted under a key whose last payment was forgotten has the same id,
-- and its events, webhooks and receipts must have others. No key is free again within 45 days, so two lives never have one number. Lives
-- are not counted: a payment that a restore lost and that is accepted again has its ids again, unless such a period has just ended.
CREATE OR REPLACE FUNCTION life_of(accepted timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT floor(extract(epoch FROM accepted) / (45 * 86400))::bigint
$$;

-- How many operations that were accepted this long ago are not finished: listed, dead, or still on the usual path because no consumer runs.
-- One whose bank still has time to answer is not late. At most 10,000 of each kind: people need no more, and a million take too long to
-- count.
CREATE OR REPLACE FUNCTION count_unfinished(since interval) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT (SELECT count(*) FROM (SELECT FROM waiting JOIN operation_now USING (operation_id)
                                   WHERE list <> 'purge' AND state NOT IN ('succeeded', 'failed', 'declined', 'purged', 'canceled')
                                     AND accepted_at < now() - since
                                     AND NOT EXISTS (SELECT FROM payment_attempt AS attempt JOIN bank_batch_item AS item USING (psp_key)
                                                      WHERE attempt.payment_id = operation_now.payment_id
                                                        AND attempt.operation = operation_now.kind
                                                        AND attempt.operation_ref = operation_now.operation_ref
                                                        AND NOT attempt.failed_definite AND item.answer_due > now())
                                   LIMIT 10000) AS listed)
         + (SELECT count(*) FROM (SELECT FROM dead_letter JOIN operation_now USING (operation_id)
                                   WHERE dead_letter.state = 'dead' AND operation_now.state = 'dead' AND accepted_at < now() - since
                                   LIMIT 10000) AS dead)
         + (SELECT count(*) FROM (SELECT operation_id, since AS waits FROM acceptances_from(last_look('acceptances'), 10000)
                                   UNION ALL
                                  SELECT operation_id, since FROM claims_from(last_look('claims'), 10000)) AS usual
              JOIN operation USING (operation_id) WHERE waits IS NOT NULL AND accepted_at < now() - $1)
$$;
