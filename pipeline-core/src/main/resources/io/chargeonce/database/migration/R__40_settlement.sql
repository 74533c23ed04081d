-- SPDX-License-Identifier: Apache-2.0
-- What PSPs and banks say that they booked, and its comparison with our rows.

-- Whether this line is about this attempt's own money, and our rows do not say that it moved.
CREATE OR REPLACE FUNCTION is_news(line settlement_line) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT line.moved IN ('captured', 'given_back') AND EXISTS (
        SELECT FROM payment_attempt AS attempt JOIN operation USING (operation_id)
         WHERE attempt.psp_key = line.psp_key AND attempt.psp = line.psp AND attempt.state <> 'succeeded'
           AND (operation.kind = 'charge') = (line.moved = 'captured')
           AND operation.amount = line.amount AND operation.currency = line.currency)
$$;

-- Records lines; each is "new", "known", or "altered": another line was recorded under its id before. A known line may get what it lacked:
-- the key of its attempt, and a mark. Returns where the line that is kept was read.
CREATE OR REPLACE FUNCTION book_lines(of_psp text, of_source bytea, ids text[], numbers bigint[], keys text[], moves text[],
                                      amounts bigint[], currencies text[], refs text[], times timestamptz[], marks bytea[])
    RETURNS TABLE (place bigint, fate text, same_source boolean, kept_number bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    fresh text[];
BEGIN
    IF coalesce(array_length(ids, 1), 0) > 10000 THEN
        RAISE EXCEPTION 'book_lines: at most 10000 lines at once' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    WITH given AS (
        SELECT * FROM unnest(ids, numbers, keys, moves, amounts, currencies, refs, times, marks)
                   AS line (id, number, key, moved, amount, currency, ref, at, mark)
    ), added AS (
        INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at, source_sha256, line_number,
                                     mark)
        SELECT DISTINCT ON (id) of_psp, id, key, given.moved, given.amount, given.currency, ref, at, of_source, number, given.mark
          FROM given ORDER BY id, number
            ON CONFLICT DO NOTHING
        RETURNING line_id
    )
    SELECT coalesce(array_agg(line_id), '{}') INTO fresh FROM added;
    UPDATE settlement_line AS kept
       SET psp_key = coalesce(kept.psp_key, given.key), mark = coalesce(given.mark, kept.mark)
      FROM unnest(ids, keys, moves, amounts, currencies, refs, marks) AS given (id, key, moved, amount, currency, ref, mark)
     WHERE kept.psp = of_psp AND kept.line_id = given.id AND NOT (given.id = ANY (fresh))
       AND (kept.moved, kept.amount, kept.currency) = (given.moved, given.amount, given.currency)
       AND kept.psp_reference IS NOT DISTINCT FROM given.ref
       AND (kept.psp_key IS NULL OR kept.psp_key IS NOT DISTINCT FROM given.key)
       AND (kept.psp_key IS DISTINCT FROM given.key AND given.key IS NOT NULL
            OR given.mark IS NOT NULL AND kept.mark IS DISTINCT FROM given.mark);
    RETURN QUERY
    SELECT given.place,
           CASE WHEN (kept.moved, kept.amount, kept.currency) IS DISTINCT FROM (given.moved, given.amount, given.currency)
                     OR kept.psp_key IS DISTINCT FROM given.key OR kept.psp_reference IS DISTINCT FROM given.ref THEN 'altered'
                WHEN kept.line_id = ANY (fresh) AND kept.line_number = given.number THEN 'new'
                ELSE 'known' END,
           kept.source_sha256 = of_source, kept.line_number
      FROM unnest(ids, numbers, keys, moves, amounts, currencies, refs)
               WITH ORDINALITY AS given (id, number, key, moved, amount, currency, ref, place)
      JOIN settlement_line AS kept ON kept.psp = of_psp AND kept.line_id = given.id;
END $$;

-- Has charge look at the lines of these attempts, where our rows do not say that their money moved: at three of an attempt at most, for
-- each may be a status query to the PSP. Returns how many are due because of this call.
CREATE OR REPLACE FUNCTION look_at_lines(of_psp text, keys text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    woken int;
BEGIN
    UPDATE settlement_line AS line SET due_at = now()
      FROM (SELECT line_id, row_number() OVER (PARTITION BY psp_key ORDER BY mark IS NULL, due_at IS NULL AND answered_at IS NULL, line_id)
                       AS place
              FROM settlement_line WHERE psp = of_psp AND psp_key = ANY (keys)) AS its
     WHERE line.psp = of_psp AND line.line_id = its.line_id AND its.place <= 3 AND due_at IS NULL AND answered_at IS NULL
       AND is_news(line);
    GET DIAGNOSTICS woken = ROW_COUNT;
    RETURN woken;
END $$;

-- Records one comparison, and forgets the PSP's of 400 days ago.
CREATE OR REPLACE FUNCTION record_reconciliation(of_run uuid, of_psp text, since timestamptz, until timestamptz, lines bigint, source bytea,
                                                 findings text[], currencies text[], counts bigint[], here numeric[], there numeric[])
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO reconciliation (run, psp, covers_from, covers_to, read_lines, source_sha256)
    VALUES (of_run, of_psp, since, until, lines, source);
    INSERT INTO reconciliation_finding (run, finding, currency, items, expected, booked)
    SELECT of_run, * FROM unnest(findings, currencies, counts, here, there);
    DELETE FROM reconciliation WHERE psp = of_psp AND ended_at < now() - interval '400 days';
END $$;
