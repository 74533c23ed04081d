-- SPDX-License-Identifier: Apache-2.0
-- Bank files: docs/bank.md.

-- Each step of a file carries the number of its bank's only submitter.
CREATE OR REPLACE FUNCTION must_be_submitter(of_bank text, its_fence bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM FROM bank WHERE bank = of_bank AND fence = its_fence FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'another process submits to % now', of_bank USING ERRCODE = 'restrict_violation';
    END IF;
END $$;

-- Puts an attempt among those that the next file takes. The caller only names it: money, mandate and reference come from its rows. A repeat
-- changes nothing. Returns what became of it: collected, fenced, revoked, or no_mandate if this bank has none for it.
CREATE OR REPLACE FUNCTION collect_for_bank(attempt text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    known boolean := (SELECT fenced FROM bank_batch_item WHERE psp_key = attempt);
BEGIN
    IF known IS NULL THEN
        INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due)
        SELECT attempt, bank.bank, CASE its.kind WHEN 'charge' THEN 'debit' ELSE 'credit' END, its.amount, its.currency, mandate_id,
               its.payment_id, left(coalesce(its.reference, its.payment_id), 140),
               greatest(bank.next_cutoff, now()) + bank.answer_within_s * interval '1 second'
          FROM payment_attempt AS made
          JOIN operation AS its USING (operation_id)
          JOIN bank_mandate AS mandate ON mandate_id = its.payment_method AND mandate.merchant_id = its.merchant_id
          JOIN bank ON bank.bank = made.psp AND bank.bank = mandate.bank
         WHERE made.psp_key = attempt AND made.state IN ('in_flight', 'unknown') AND (its.kind <> 'charge' OR revoked_at IS NULL)
           -- Who revokes it waits for this, and then finds the item; or this waits, and collects nothing.
           FOR SHARE OF mandate
        ON CONFLICT (psp_key) DO NOTHING;
        known := (SELECT fenced FROM bank_batch_item WHERE psp_key = attempt);
    END IF;
    RETURN CASE known WHEN true THEN 'fenced' WHEN false THEN 'collected'
                      ELSE (SELECT CASE WHEN count(*) = 0 THEN 'no_mandate' ELSE 'revoked' END
                              FROM payment_attempt AS made
                              JOIN operation AS its USING (operation_id)
                              JOIN bank_mandate AS mandate ON mandate_id = its.payment_method AND mandate.merchant_id = its.merchant_id
                                                           AND mandate.bank = made.psp
                             WHERE made.psp_key = attempt AND revoked_at IS NOT NULL) END;
END $$;

-- Makes sure that an attempt that was never collected is never in a file. Returns false if it was collected.
CREATE OR REPLACE FUNCTION fence_for_bank(attempt text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due, fenced)
    SELECT attempt, bank.bank, CASE its.kind WHEN 'charge' THEN 'debit' ELSE 'credit' END, its.amount, its.currency, mandate_id,
           its.payment_id, 'fenced', now(), true
      FROM payment_attempt AS made
      JOIN operation AS its USING (operation_id)
      JOIN bank_mandate AS mandate ON mandate_id = its.payment_method AND mandate.merchant_id = its.merchant_id
      JOIN bank ON bank.bank = made.psp AND bank.bank = mandate.bank
     WHERE made.psp_key = attempt
    ON CONFLICT (psp_key) DO NOTHING;
    -- Without a mandate at this bank nothing can ever collect it.
    RETURN NOT EXISTS (SELECT FROM bank_batch_item WHERE psp_key = attempt AND NOT fenced);
END $$;

-- The same for an attempt whose payment is to be canceled: it is also removed while it waits for its file. False if a file has it.
CREATE OR REPLACE FUNCTION recall_for_bank(attempt text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE bank_batch_item SET fenced = true, answer_due = now()
     WHERE psp_key = attempt AND batch_id IS NULL AND NOT fenced
       AND EXISTS (SELECT FROM payment_attempt JOIN operation_state USING (operation_id)
                    WHERE psp_key = attempt AND cancel_requested_at IS NOT NULL);
    RETURN fence_for_bank(attempt);
END $$;

-- Revokes a mandate, and gives up its debits that wait for a file. Debits that are in a file already cannot be recalled here: in_files
-- counts those of which the bank has said nothing. Not done if there is no valid mandate of that id.
CREATE OR REPLACE FUNCTION revoke_mandate(mandate text, OUT done boolean, OUT given_up bigint, OUT in_files bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE bank_mandate SET revoked_at = now() WHERE mandate_id = mandate AND revoked_at IS NULL;
    done := FOUND;
    IF done THEN
        UPDATE bank_batch_item SET fenced = true, answer_due = now()
         WHERE mandate_id = mandate AND kind = 'debit' AND batch_id IS NULL AND NOT fenced;
        GET DIAGNOSTICS given_up = ROW_COUNT;
        in_files := (SELECT count(*) FROM bank_batch_item AS item
                      WHERE mandate_id = mandate AND kind = 'debit' AND batch_id IS NOT NULL
                        AND NOT EXISTS (SELECT FROM bank_line AS said WHERE said.psp_key = item.psp_key));
    END IF;
END $$;

-- A person has settled an attempt as not charged. Its file is at the bank, and from now on it is never sent again. Returns false if the
-- file may yet go out, or the next one may take the attempt: then it cannot be settled so.
CREATE OR REPLACE FUNCTION give_up_for_bank(attempt text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    its_state text;
BEGIN
    -- Its file is locked, so that no person has it sent again meanwhile.
    SELECT state INTO its_state FROM bank_batch
     WHERE batch_id = (SELECT batch_id FROM bank_batch_item WHERE psp_key = attempt) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NOT EXISTS (SELECT FROM bank_batch_item WHERE psp_key = attempt AND NOT fenced);
    END IF;
    IF its_state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming') THEN
        RETURN false;
    END IF;
    UPDATE bank_batch_item SET given_up = true WHERE psp_key = attempt AND NOT given_up;
    RETURN true;
END $$;

-- Gives up attempts that wait for a file, because the only submitter cannot read their mandates. None of them is ever in a file, so nothing
-- is sent, and the others go. Returns how many.
CREATE OR REPLACE FUNCTION set_aside_for_bank(of_bank text, its_fence bigint, keys text[], whys text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    set_aside text[];
BEGIN
    PERFORM must_be_submitter(of_bank, its_fence);
    WITH given AS (
        UPDATE bank_batch_item AS item SET fenced = true, answer_due = now(), note = left(asked.why, 500)
          FROM unnest(keys, whys) AS asked (key, why)
         WHERE item.psp_key = asked.key AND item.bank = of_bank AND batch_id IS NULL AND NOT fenced
        RETURNING psp_key
    )
    SELECT array_agg(psp_key ORDER BY psp_key) INTO set_aside FROM given;
    PERFORM append_audit(ARRAY[NULL], ARRAY['bank-files'], ARRAY['bank.set_aside'], ARRAY['payment_attempt'], ARRAY[each], NULL,
                         ARRAY[(SELECT json_build_object('bank', of_bank, 'mandate', mandate_id, 'why', note)::text
                                  FROM bank_batch_item WHERE psp_key = each)], NULL)
       FROM unnest(set_aside) AS each;
    RETURN coalesce(cardinality(set_aside), 0);
END $$;

-- What a person decides about a file that is set aside, or a line that fits nothing: closed is off the list for good. Released is read once
-- more, with the same checks as at first: a file by the process that talks to banks, from its bytes here, and a line by charge. Returns
-- false if there is no such file or line, or it cannot be read again because not all of its bytes are here.
CREATE OR REPLACE FUNCTION decide_unmatched(what text, id bigint, decision text, claim text, why text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    done boolean;
    was text;
BEGIN
    IF coalesce(btrim(why), '') = '' OR what NOT IN ('file', 'line') OR decision NOT IN ('released', 'closed')
       OR (what, id, decision) IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'decide_unmatched: a file or a line is released or closed, with a reason';
    END IF;
    IF what = 'file' THEN
        UPDATE bank_file_in SET decided = decision
         WHERE file_id = id AND quarantined IS NOT NULL AND decided IS DISTINCT FROM decision
           AND (decision = 'closed' OR whole AND EXISTS (SELECT FROM bank_file_part
                                                          WHERE file = 'in/' || bank || '/' || encode(sha256, 'hex')))
        RETURNING quarantined INTO was;
    ELSE
        SELECT note INTO was FROM bank_line WHERE line_id = id AND state = 'unmatched' FOR UPDATE;
        UPDATE bank_line SET state = CASE decision WHEN 'closed' THEN 'closed' ELSE 'new' END,
                             taken_at = CASE decision WHEN 'closed' THEN clock_timestamp() END,
                             note = CASE decision WHEN 'closed' THEN left(coalesce(note || '; ', '') || why, 500) END
         WHERE line_id = id AND state = 'unmatched';
    END IF;
    done := FOUND;
    IF done THEN
        PERFORM append_audit(ARRAY[NULL], NULL, ARRAY[format('dlq.bank_%s_%s', what, decision)],
                             ARRAY[CASE what WHEN 'file' THEN 'bank_file_in' ELSE 'bank_line' END], ARRAY[id::text], ARRAY[why],
                             ARRAY[json_build_object('was', was)::text], ARRAY[claim]);
    END IF;
    RETURN done;
END $$;

-- What came of reading a released file again: why it stays set aside, or which message it is. Returns false if it is not released any more.
CREATE OR REPLACE FUNCTION was_read_again(file bigint, its_message text, its_id text, why text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE bank_file_in SET message = its_message, message_id = its_id, quarantined = left(why, 500), decided = NULL
     WHERE file_id = file AND decided = 'released';
    RETURN FOUND;
END $$;

-- Whether what is known of one of its items forbids that this file goes to the bank once more.
CREATE OR REPLACE FUNCTION is_never_sent_again(batch bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM bank_batch_item AS item LEFT JOIN bank_line AS said USING (psp_key)
                    WHERE item.batch_id = batch AND (given_up OR said.kind IN ('booked', 'returned')))
$$;

-- A person has the same bytes sent once more. Returns false unless the file was sent and never answered, nothing of it was booked or
-- returned, and none of its payments was settled as not charged.
CREATE OR REPLACE FUNCTION resend_bank_batch(id bigint, claim text, why text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF coalesce(btrim(why), '') = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'resend_bank_batch: give a reason';
    END IF;
    UPDATE bank_batch SET state = 'rendered', resends = resends + 1, tries = 0, try_at = clock_timestamp(),
           answer_due = clock_timestamp() + (SELECT answer_within_s FROM bank WHERE bank = bank_batch.bank) * interval '1 second'
     WHERE batch_id = id AND state = 'sent' AND EXISTS (SELECT FROM bank_file_part WHERE file = 'out/' || message_id)
       AND NOT is_never_sent_again(batch_id);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM append_audit(ARRAY[NULL], NULL, ARRAY['dlq.bank_resend'], ARRAY['bank_batch'], ARRAY[id::text], ARRAY[why], ARRAY['{}'],
                         ARRAY[claim]);
    RETURN true;
END $$;

-- Whether a merchant may debit by this mandate: set_up says whether any bank is, and known whether it is this merchant's and valid.
CREATE OR REPLACE FUNCTION debits_by(merchant text, mandate text, OUT set_up boolean, OUT known boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM bank),
           EXISTS (SELECT FROM bank_mandate JOIN bank USING (bank)
                    WHERE mandate_id = mandate AND merchant_id = merchant AND revoked_at IS NULL)
$$;

-- What banks took back of a payment after it had succeeded, in minor units: no refund may give that back once more.
CREATE OR REPLACE FUNCTION returned_of(merchant text, payment text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT coalesce(sum(amount), 0)::bigint FROM operation
     WHERE payment_id = payment AND kind = 'return' AND merchant_id = merchant
$$;

-- The next file of a bank: its items are fixed here, in one transaction with the submitter's fence. Returns the batch; NULL if none waits.
CREATE OR REPLACE FUNCTION seal_bank_batch(of_bank text, its_fence bigint, of_kind text, of_currency text, until timestamptz,
                                           its_due_on date, prefix text, answer_by timestamptz, most int) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    keys text[];
    sum bigint;
    message text;
    sealed bigint;
BEGIN
    PERFORM must_be_submitter(of_bank, its_fence);
    SELECT array_agg(psp_key), sum(amount) INTO keys, sum
      FROM (SELECT psp_key, amount FROM bank_batch_item
             WHERE bank = of_bank AND kind = of_kind AND currency = of_currency AND batch_id IS NULL AND NOT fenced AND collected_at < until
             ORDER BY item_id LIMIT most FOR UPDATE) AS waiting;
    IF keys IS NULL THEN
        RETURN NULL;
    END IF;
    message := prefix || '-' || nextval('bank_message');
    INSERT INTO bank_batch (bank, kind, currency, message_id, file_name, due_on, items, total, answer_due)
    VALUES (of_bank, of_kind, of_currency, message, CASE of_kind WHEN 'debit' THEN 'pain.008-' ELSE 'pain.001-' END || message || '.xml',
            its_due_on, cardinality(keys), sum, answer_by)
    RETURNING batch_id INTO sealed;
    UPDATE bank_batch_item SET batch_id = sealed, answer_due = answer_by WHERE psp_key = ANY (keys);
    PERFORM append_audit(ARRAY[NULL], ARRAY['bank-files'], ARRAY['bank.sealed'], ARRAY['bank_batch'], ARRAY[sealed::text], NULL,
                         ARRAY[json_build_object('bank', of_bank, 'message', message, 'items', cardinality(keys), 'total', sum,
                                                 'currency', of_currency, 'due_on', its_due_on)::text], NULL);
    RETURN sealed;
END $$;

-- A file's next step on its way to the bank, by its bank's only submitter: from its items to its bytes, and then one state at a time.
-- Returns false if it is not in the state before.
CREATE OR REPLACE FUNCTION rendered_bank_batch(batch bigint, its_fence bigint, hash bytea, bytes bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM must_be_submitter((SELECT bank FROM bank_batch WHERE batch_id = batch), its_fence);
    UPDATE bank_batch SET state = 'rendered', sha256 = hash, size = bytes WHERE batch_id = batch AND state = 'sealed';
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION move_bank_batch(batch bigint, its_fence bigint, to_state text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM must_be_submitter((SELECT bank FROM bank_batch WHERE batch_id = batch), its_fence);
    UPDATE bank_batch SET state = to_state, tries = 0, last_error = NULL,
                          sent_at = CASE to_state WHEN 'sent' THEN clock_timestamp() ELSE sent_at END
     WHERE batch_id = batch
       AND state = CASE to_state WHEN 'uploading' THEN 'rendered' WHEN 'uploaded' THEN 'uploading' WHEN 'renaming' THEN 'uploaded'
                                 WHEN 'sent' THEN 'renaming' END;
    RETURN FOUND;
END $$;

-- The bank's first word about a whole file that it has, within the transaction that takes the word: its items wait for their bookings until
-- then, or it moved nothing. Returns false if it never had the file, or has answered before. Nor can it reject a file that was sent twice,
-- or of which it has booked or returned an item: what follows a rejection frees each item for another file.
CREATE OR REPLACE FUNCTION answer_bank_batch(batch bigint, answer text, until timestamptz, why text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF answer NOT IN ('accepted', 'partly_accepted', 'rejected') OR (answer = 'rejected') <> (until IS NULL)
       OR until > now() + interval '180 days' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'answer_bank_batch: accepted with a time for the bookings, within 180 days, or rejected';
    END IF;
    UPDATE bank_batch SET state = answer, answer_due = NULL, answered_at = clock_timestamp(),
                          last_error = CASE answer WHEN 'rejected' THEN left(why, 500) ELSE last_error END
     WHERE batch_id = batch AND sent_at IS NOT NULL AND state IN ('rendered', 'uploading', 'uploaded', 'renaming', 'sent')
       AND (answer <> 'rejected'
            OR resends = 0 AND NOT EXISTS (SELECT FROM bank_batch_item AS item JOIN bank_line AS said ON said.psp_key = item.psp_key
                                            WHERE item.batch_id = batch AND said.kind IN ('booked', 'returned')));
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE bank_batch_item SET answer_due = until WHERE batch_id = batch AND until IS NOT NULL;
    RETURN true;
END $$;

-- The bytes of the files that these attempts are in, if nothing needs them any more: our files that are never sent again, because the bank
-- has answered them or because what is known of an item forbids it, and the bank's files that were read.
CREATE OR REPLACE FUNCTION bank_bytes_of(attempts text[]) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT 'out/' || message_id FROM bank_batch AS batch
     WHERE batch_id IN (SELECT batch_id FROM bank_batch_item WHERE psp_key = ANY (attempts))
       AND (state IN ('accepted', 'partly_accepted', 'rejected')
            OR state = 'sent' AND is_never_sent_again(batch_id))
       AND EXISTS (SELECT FROM bank_file_part WHERE file = 'out/' || message_id)
     UNION
    SELECT 'in/' || bank || '/' || encode(sha256, 'hex') FROM bank_file_in
     WHERE file_id IN (SELECT file_id FROM bank_line WHERE psp_key = ANY (attempts)) AND quarantined IS NULL
       AND EXISTS (SELECT FROM bank_file_part WHERE file = 'in/' || bank || '/' || encode(sha256, 'hex'))
$$;

-- The mandates of these attempts that were revoked and by which no payment is unfinished. One that is valid may be used again.
CREATE OR REPLACE FUNCTION bank_debtors_of(attempts text[]) RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT mandate_id FROM bank_mandate AS mandate
     WHERE mandate_id IN (SELECT mandate_id FROM bank_batch_item WHERE psp_key = ANY (attempts))
       AND revoked_at IS NOT NULL AND sealed_debtor <> ''
       AND NOT EXISTS (SELECT FROM bank_batch_item AS other JOIN payment_attempt USING (psp_key)
                        WHERE other.mandate_id = mandate.mandate_id AND unfinished(payment_attempt.payment_id, '{}'))
$$;

-- Forgets names and accounts of banks' files and mandates as old as payments that are forgotten: the bytes of our files that the bank has
-- answered, and of its files that were read or that a person has closed; and the account of a mandate that was revoked, once no attempt by
-- it is left. A mandate that nothing was collected by for 36 months has lapsed by the rules of SEPA, so it is revoked first. Returns how
-- many.
CREATE OR REPLACE FUNCTION forget_bank_files(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := retention_began();
    files text[];
    debtors int;
    lapsed text[];
BEGIN
    PERFORM set_config('chargeonce.erasing', 'on', true);
    files := ARRAY(SELECT 'out/' || message_id FROM bank_batch AS batch
                    WHERE (state IN ('accepted', 'partly_accepted', 'rejected') AND answered_at < until
                           -- Never answered, and never sent again either.
                           OR state = 'sent' AND sent_at < until AND is_never_sent_again(batch_id))
                      AND EXISTS (SELECT FROM bank_file_part WHERE file = 'out/' || message_id)
                    ORDER BY batch_id LIMIT coalesce(most, 0))
          || ARRAY(SELECT 'in/' || bank || '/' || encode(sha256, 'hex') FROM bank_file_in
                    WHERE received_at < until AND (quarantined IS NULL OR decided = 'closed')
                      AND EXISTS (SELECT FROM bank_file_part WHERE file = 'in/' || bank || '/' || encode(sha256, 'hex'))
                    ORDER BY file_id LIMIT coalesce(most, 0));
    DELETE FROM bank_file_part WHERE file = ANY (files);
    lapsed := ARRAY(SELECT mandate_id FROM bank_mandate AS mandate
                     WHERE revoked_at IS NULL AND created_at < now() - interval '36 months'
                       AND NOT EXISTS (SELECT FROM bank_batch_item AS item
                                        WHERE item.mandate_id = mandate.mandate_id AND collected_at > now() - interval '36 months')
                     ORDER BY mandate_id LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    UPDATE bank_mandate SET revoked_at = now() WHERE mandate_id = ANY (lapsed);
    PERFORM append_audit(ARRAY[NULL], ARRAY['reaper'], ARRAY['mandate.lapsed'], ARRAY['bank_mandate'], ARRAY[each],
                         ARRAY['nothing was collected by it for 36 months'], ARRAY['{}'], NULL)
       FROM unnest(lapsed) AS each;
    UPDATE bank_mandate SET sealed_debtor = ''
     WHERE mandate_id = ANY (ARRAY(SELECT mandate_id FROM bank_mandate AS mandate
                                    WHERE revoked_at < until AND sealed_debtor <> ''
                                      AND NOT EXISTS (SELECT FROM bank_batch_item AS item JOIN payment_attempt USING (psp_key)
                                                       WHERE item.mandate_id = mandate.mandate_id)
                                    ORDER BY mandate_id LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS debtors = ROW_COUNT;
    PERFORM set_config('chargeonce.erasing', 'off', true);
    RETURN cardinality(files) + debtors;
END $$;
