-- SPDX-License-Identifier: Apache-2.0
-- Four eyes: what one person does alone, and what another person approves. In these functions current_user is the owner.

-- Whether there are limits, and the session is no owner's.
CREATE OR REPLACE FUNCTION four_eyes_are_needed() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM four_eyes) AND NOT pg_has_role(session_user, current_user, 'USAGE')
$$;

-- Whether this exceeds the limits, together with what the session's login has already moved alone.
CREATE OR REPLACE FUNCTION too_much_alone(things text[], amounts numeric[]) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT four_eyes_are_needed() AND EXISTS (
        SELECT FROM four_eyes JOIN unnest(things, amounts) AS more (of_what, amount) USING (of_what)
         WHERE more.amount + coalesce((SELECT sum(amount) FROM moved_alone
                                        WHERE moved_alone.of_what = four_eyes.of_what AND login = session_user
                                          AND hour > clock_timestamp() - interval '25 hours'), 0) > most)
$$;

-- The contents of a run, or the rest of it, from the payments themselves and not from what was written about them.
CREATE OR REPLACE FUNCTION run_holds(run text, left_of_it boolean) RETURNS TABLE (of_what text, amount numeric)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT coalesce(operation.currency, '*'), CASE WHEN grouping(operation.currency) = 1 THEN count(*) ELSE sum(operation.amount) END
      FROM dlq_run JOIN dlq_run_item AS item USING (run_id, planned_xid) LEFT JOIN operation ON operation_id = dead_letter_id
     WHERE run_id = run AND (fate IS NULL OR NOT left_of_it)
     GROUP BY ROLLUP (operation.currency)
    HAVING operation.currency IS NOT NULL OR grouping(operation.currency) = 1
$$;

-- An approval is valid for 24 hours.
CREATE OR REPLACE FUNCTION is_approved(run text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM approval WHERE run_id = run AND approved_at > clock_timestamp() - interval '24 hours')
$$;

-- Whether what is left of a run is more than the session's login may move alone, and nobody has approved it.
CREATE OR REPLACE FUNCTION must_be_approved(run text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT four_eyes_are_needed() AND NOT is_approved(run)
       -- What is tried now would be tried all the same.
       AND NOT EXISTS (SELECT FROM dlq_run WHERE run_id = run AND kind = 'retry_now')
       AND too_much_alone(ARRAY(SELECT of_what FROM run_holds(run, true) ORDER BY 1),
                          ARRAY(SELECT amount FROM run_holds(run, true) ORDER BY of_what))
$$;

CREATE OR REPLACE FUNCTION it_may_begin(run text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF must_be_approved(run) THEN
        RAISE SQLSTATE 'X4EYE' USING MESSAGE = format('another person must approve %s first', run);
    END IF;
END $$;

-- Permits this transaction to move these items of a run, if another person has approved it.
CREATE OR REPLACE FUNCTION permit_moves(run text, positions int[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF four_eyes_are_needed() AND is_approved(run) THEN
        DELETE FROM permitted_move WHERE operation_id = ANY (ARRAY(
            SELECT operation_id FROM permitted_move WHERE xid <> pg_current_xact_id() FOR UPDATE SKIP LOCKED));
        INSERT INTO permitted_move (operation_id, kind)
        SELECT dead_letter_id, kind
          FROM dlq_run JOIN dlq_run_item AS item USING (run_id, planned_xid)
          LEFT JOIN dead_letter AS letter USING (dead_letter_id)
          LEFT JOIN operation_state AS its ON its.operation_id = dead_letter_id
         WHERE run_id = run AND position = ANY (positions) AND fate IS NULL
           -- What waits may be parked again before it is stopped: that changes neither the payment nor its money.
           AND CASE WHEN kind = 'stop' THEN its.generation = item.generation
                    ELSE letter.generation = item.generation AND letter.died_at = item.died_at END
         ORDER BY dead_letter_id
        ON CONFLICT (operation_id) DO UPDATE SET kind = excluded.kind, xid = excluded.xid;
    END IF;
END $$;

-- One move by the session: it belongs to an approved run, or counts as moved alone.
CREATE OR REPLACE FUNCTION moved_by_a_person(operation text, what text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT four_eyes_are_needed() THEN
        RETURN;
    END IF;
    DELETE FROM permitted_move WHERE operation_id = operation AND kind = what AND xid = pg_current_xact_id();
    IF FOUND THEN
        RETURN;
    END IF;
    -- Of two simultaneous moves the second must count the first; an older snapshot would not show it.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE SQLSTATE 'X4EYE' USING MESSAGE = 'a login with a limit must move at read committed';
    END IF;
    -- Its own row, and not an advisory lock, which any login could hold.
    INSERT INTO moved_alone (login, of_what, hour, amount) VALUES (session_user, '*', 'infinity', 0)
    ON CONFLICT (login, of_what, hour) DO UPDATE SET amount = 0;
    INSERT INTO moved_alone (login, of_what, hour, amount)
    SELECT session_user, of_what, date_trunc('hour', clock_timestamp()), moved.amount
      FROM (SELECT '*', 1::numeric
             UNION ALL
            SELECT currency, its.amount FROM operation AS its WHERE operation_id = operation) AS moved (of_what, amount)
    ON CONFLICT (login, of_what, hour) DO UPDATE SET amount = moved_alone.amount + excluded.amount;
    IF too_much_alone(ARRAY(SELECT of_what FROM four_eyes), ARRAY(SELECT 0::numeric FROM four_eyes)) THEN
        -- A cancel is no run, so no person can approve it: the payment would not wait.
        RAISE SQLSTATE 'X4EYE' USING MESSAGE = format(CASE WHEN what = 'cancel'
            THEN 'this is more than %s may cancel alone within 24 hours; another person may cancel the rest'
            ELSE 'this is more than %s may move alone within 24 hours; have another person approve it' END, session_user);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION has_a_login_of_their_own(name text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM person WHERE login = name AND role = 'chargeonce_dlq_operator')
$$;

-- A proposal as it is now: a run, or a finding.
CREATE OR REPLACE FUNCTION proposal(run text, OUT kind text, OUT proposed_by text, OUT proposed_at timestamptz, OUT open boolean,
                                    OUT fingerprint text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT kind, planned_by, planned_at, state IN ('planned', 'running', 'aborted'),
           (SELECT lpad(to_hex(coalesce(bit_xor(hashtextextended(
                       dead_letter_id || '/' || generation || '/' || extract(epoch FROM died_at), 0)), 0)), 16, '0')
              FROM dlq_run_item AS item WHERE item.run_id = dlq_run.run_id AND item.planned_xid = dlq_run.planned_xid)
      FROM dlq_run WHERE run_id = run
     UNION ALL
    SELECT 'settle', proposed_by, proposed_at, state = 'waiting' AND approved_by IS NULL,
           lpad(to_hex(hashtextextended(psp_key || '/' || step || '/' || verdict || '/' || coalesce(psp_reference, '') || '/' || evidence
                                        || '/' || extract(epoch FROM proposed_at), 0)), 16, '0')
      FROM hand_settlement WHERE hand_settlement.run = proposal.run
$$;

-- Another person's approval of a proposal, for the exact set that they saw.
CREATE OR REPLACE FUNCTION approve(run text, seen text, origin text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    it record;
    why text;
BEGIN
    -- If a run starts to be led or a finding is replaced at the same time, one waits for the other.
    PERFORM FROM dlq_run WHERE run_id = run FOR UPDATE;
    PERFORM FROM hand_settlement WHERE hand_settlement.run = approve.run FOR UPDATE;
    SELECT * INTO it FROM proposal(run);
    why := CASE
        WHEN it.kind IS NULL THEN 'there is no proposal of this name'
        WHEN NOT has_a_login_of_their_own(session_user) THEN 'only a person with their own login may approve'
        WHEN NOT has_a_login_of_their_own(it.proposed_by)
            THEN 'it was proposed under a shared login, so the proposer is unknown: propose it again with your own login'
        WHEN it.proposed_by = session_user THEN 'it is your own proposal: another person must approve it'
        WHEN NOT it.open THEN 'it has ended, or is approved already'
        WHEN it.proposed_at <= clock_timestamp() - interval '24 hours' AND NOT EXISTS (SELECT FROM approval WHERE run_id = run)
            THEN 'it was proposed more than 24 hours ago: propose it again'
        WHEN it.fingerprint IS DISTINCT FROM seen THEN 'it is not the set that you saw: its fingerprint is ' || it.fingerprint END;
    IF why IS NOT NULL THEN
        RAISE SQLSTATE 'X4EYE' USING MESSAGE = format('this cannot be approved: %s', why);
    END IF;
    IF it.kind = 'settle' THEN
        UPDATE hand_settlement SET approved_by = session_user WHERE hand_settlement.run = approve.run;
    ELSE
        INSERT INTO approval (run_id, approved_by, fingerprint) VALUES (run, session_user, seen)
        ON CONFLICT (run_id) DO UPDATE
           SET approved_by = excluded.approved_by, approved_at = excluded.approved_at, fingerprint = excluded.fingerprint;
        UPDATE dlq_run SET awaits_approval = false WHERE run_id = run;
    END IF;
    PERFORM append_audit(NULL, NULL, ARRAY['dlq.run.approved'], ARRAY['dlq_run'], ARRAY[run], NULL, ARRAY[json_build_object(
        'run', run, 'kind', it.kind, 'proposed_by', it.proposed_by, 'approved_by', session_user, 'fingerprint', seen)::text], ARRAY[origin]);
END $$;

-- Replaces the limits of four eyes. For the owner, by "migrate --four-eyes-above".
CREATE OR REPLACE FUNCTION limit_what_one_does_alone(things text[], limits bigint[]) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    DELETE FROM four_eyes;
    INSERT INTO four_eyes (of_what, most) SELECT * FROM unnest(things, limits);
    PERFORM append_audit(NULL, NULL, ARRAY['four_eyes.set'], ARRAY['four_eyes'], ARRAY['limits'], NULL,
                         ARRAY[coalesce((SELECT json_object_agg(of_what, most) FROM four_eyes), '{}')::text], NULL);
END $$;
