-- SPDX-License-Identifier: Apache-2.0
-- What the policies of the outbox ask.

-- What people stage, who move operations and letters and make up none: a record says what its row says, and nothing else, in its value and
-- in its headers.

-- A name twice in an object would be read in one way here, and in another elsewhere.
CREATE OR REPLACE FUNCTION has_each_name_once(object json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT count(*) = count(DISTINCT name) FROM json_object_keys(object) AS name
$$;

-- The headers of an event without its time, which the caller compares, and without its source, which the relay adds.
CREATE OR REPLACE FUNCTION an_events_headers(type text, id text, trace text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object('ce_specversion', '1.0', 'ce_type', 'io.chargeonce.' || type, 'ce_id', id,
        'ce_dataschema', 'urn:chargeonce:schema:' || type || ':1', 'content-type', 'application/json', 'traceparent', trace))
$$;

-- A time in the one spelling that all readers take: Postgres alone would also read 'now', or a time without a zone.
CREATE OR REPLACE FUNCTION an_instant(spelled text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN spelled ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d{1,9})?(Z|[+-]\d\d:\d\d)$' THEN spelled
                WHEN spelled IS NOT NULL THEN 'no instant' END::timestamptz
$$;

-- Whether a record of work says what its operation's row says.
CREATE OR REPLACE FUNCTION a_request_says_what_was_accepted(id text, copy bytea, headers json) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    its operation_now;
    body json;
BEGIN
    body := convert_from(copy, 'UTF8');
    SELECT * INTO its FROM operation_now WHERE operation_id = id;
    -- JSON may be spaced out to the size that a broker refuses, and then it would hold back its payment.
    RETURN coalesce(octet_length(copy) < octet_length(body::jsonb::text) + 1000
       AND has_each_name_once(body) AND has_each_name_once(headers)
       AND (body::jsonb - '{step,customer}'::text[]) = jsonb_strip_nulls(jsonb_build_object('type', 'payment.request', 'version', 1,
               'payment_id', its.payment_id, 'operation', its.kind, 'operation_id', id, 'merchant', its.merchant_id,
               'idempotency_key', its.idempotency_key, 'amount', its.amount, 'currency', its.currency,
               'payment_method', its.payment_method, 'reference', its.reference))
       -- To Postgres 1 and 1.0 are the same number.
       AND (body ->> 'version', body ->> 'amount') = ('1', its.amount::text)
       AND json_typeof(body -> 'step') = 'number' AND body ->> 'step' ~ '^\d+$'
       AND (body ->> 'step')::int BETWEEN 1 AND its.step
       -- What a person has edited may be older than the erasure.
       AND (its.customer = '[erased]' OR body ->> 'customer' IS NOT DISTINCT FROM its.customer)
       AND CASE WHEN headers ->> 'chargeonce-step' IS NULL THEN
               -- A record that was edited; its id is its letter's.
               (headers::jsonb - 'ce_time') = an_events_headers('payment.request', headers ->> 'ce_id', NULL)
               AND abs(extract(epoch FROM an_instant(headers ->> 'ce_time') - clock_timestamp())) < 3600
               AND EXISTS (SELECT FROM dead_letter
                            WHERE dead_letter_id || '/edited' = headers ->> 'ce_id' AND operation_id IS NULL AND sealed_edit IS NOT NULL)
           ELSE
               (headers::jsonb - '{ce_time,chargeonce-accepted-at,chargeonce-failed-at,chargeonce-failure}'::text[])
                   = an_events_headers('payment.request', id || '/' || its.step, its.traceparent)
                     || jsonb_strip_nulls(jsonb_build_object('chargeonce-step', its.step::text,
                            'chargeonce-attempt', (its.sequence + 1)::text, 'chargeonce-tier', its.tier::text,
                            'chargeonce-failure-class', its.failure_cause))
               AND an_instant(headers ->> 'ce_time') = its.staged_at
               AND an_instant(headers ->> 'chargeonce-accepted-at') = its.accepted_at
               AND an_instant(headers ->> 'chargeonce-failed-at')
                   IS NOT DISTINCT FROM CASE WHEN its.failure_cause IS NOT NULL THEN its.staged_at END
               -- A long message is cut, with a sign at the end.
               AND starts_with(regexp_replace(coalesce(its.failure_message, ''), '[\x01-\x1f\x7f]', ' ', 'g'),
                               regexp_replace(coalesce(headers ->> 'chargeonce-failure', ''), '…$', ''))
               AND (its.failure_cause IS NULL) = (headers ->> 'chargeonce-failure' IS NULL)
           END, false);
EXCEPTION WHEN data_exception THEN
    RETURN false;
END $$;

-- Whether another system's record goes back in the transaction that takes its letter out of the queue, to the topic that the letter names,
-- and with the key and the value that the letter's id was derived from. What the id is derived from: FoundRecord.id.
CREATE OR REPLACE FUNCTION a_record_goes_back_as_it_came(id text, to_topic text, raw_key bytea, copy bytea, headers json) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM dead_letter AS letter
                    WHERE dead_letter_id = id AND state = 'merged' AND letter.xmin = pg_current_xact_id()::xid
                      AND target_topic = to_topic AND target_topic <> ''
                      AND id = 'psn_' || left(encode(sha256(
                              convert_to(format('%s|%s|%s|', source_topic, source_partition, source_offset), 'UTF8')
                              || int4send(coalesce(octet_length(raw_key), -1)) || coalesce(raw_key, '')
                              || int4send(coalesce(octet_length(copy), -1)) || coalesce(copy, '')), 'hex'), 26))
       AND headers::jsonb = jsonb_build_object('chargeonce-dead-letter', id)
$$;

-- Whether a record of the queue's topic says what its letter says.
CREATE OR REPLACE FUNCTION a_copy_says_what_its_letter_says(id text, copy bytea, headers json) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    letter record;
    body json;
BEGIN
    -- A copy says of the operation what its row says now.
    SELECT dead_letter.*, its.traceparent, its.psp AS its_psp, its.generation AS its_generation INTO letter
      FROM dead_letter LEFT JOIN operation_now AS its ON its.operation_id = dead_letter.operation_id WHERE dead_letter_id = id;
    IF NOT has_each_name_once(headers) THEN
        RETURN false;
    END IF;
    IF copy IS NULL THEN
        -- A letter that there never was has left as unknown, with the last revision.
        RETURN letter.state IS DISTINCT FROM 'dead' AND headers::jsonb = jsonb_build_object(
            'chargeonce-left', coalesce(letter.state, 'unknown'), 'chargeonce-revision', coalesce(letter.revision, 2147483647)::text);
    END IF;
    body := convert_from(copy, 'UTF8');
    RETURN coalesce(letter.state = 'dead' AND octet_length(copy) < octet_length(body::jsonb::text) + 1000
       AND has_each_name_once(body)
       AND (body::jsonb - '{died_at,source}'::text[]) = jsonb_strip_nulls(jsonb_build_object('type', 'payment.dead-letter', 'version', 1,
               'dead_letter_id', id, 'payment_id', letter.payment_id, 'merchant', letter.merchant_id, 'amount', letter.amount,
               'currency', letter.currency, 'psp', letter.its_psp, 'cause', letter.cause, 'message', letter.message,
               'generation', coalesce(letter.its_generation, 1), 'revision', letter.revision))
       AND body ->> 'version' = '1' AND body ->> 'amount' IS NOT DISTINCT FROM letter.amount::text
       AND body ->> 'revision' = letter.revision::text AND body ->> 'generation' = coalesce(letter.its_generation, 1)::text
       AND an_instant(body ->> 'died_at') = letter.died_at
       AND CASE WHEN body -> 'source' IS NULL THEN letter.source_topic IS NULL
                ELSE has_each_name_once(body -> 'source') AND (body -> 'source')::jsonb = jsonb_strip_nulls(jsonb_build_object(
                         'topic', letter.source_topic, 'partition', letter.source_partition, 'offset', letter.source_offset,
                         'sealed', translate(encode(letter.sealed_record, 'base64'), E'\n', ''))) END
       AND (headers::jsonb - 'ce_time')
           = an_events_headers('payment.dead-letter', format('%s/%s/dead-letter', id, letter.revision), letter.traceparent)
       AND an_instant(headers ->> 'ce_time') = letter.died_at, false);
EXCEPTION WHEN data_exception THEN
    RETURN false;
END $$;
