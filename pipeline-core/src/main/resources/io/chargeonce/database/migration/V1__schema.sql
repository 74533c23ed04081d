-- Everything that decides about money. Kafka only carries; these rows are the truth.
-- SPDX-License-Identifier: Apache-2.0
-- What each role may do is in roles.sql. What no role may do, not even the owner by mistake, is refused here.
-- Every text column of an index has COLLATE "C", whatever the database's collation is. Another collation belongs to a library of the
-- operating system: after an upgrade of that library, or on a standby with another version, an index no longer finds what it holds, and a
-- unique index lets the same key in again. It also makes two statements lock rows in one order.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;
REVOKE EXECUTE ON FUNCTION refuse() FROM PUBLIC;

-- The time before which rows may be deleted. Only the resulting time is compared: intervals are compared with months of 30 days, so that
-- '-1200 months 36014 days' would count as 14 days and yet mean next year.
CREATE FUNCTION cutoff(kept interval, at_least interval) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF (now() - kept <= now() - at_least) IS NOT TRUE THEN
        RAISE EXCEPTION '% is too short: this must be kept for at least %', coalesce(kept::text, 'NULL'), at_least
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN now() - kept;
END $$;
REVOKE EXECUTE ON FUNCTION cutoff(interval, interval) FROM PUBLIC;

-- People with their own login, which is a member of one of the roles for people, so that the audit log names the login. Only the owner
-- writes here, by "migrate --operator"; "migrate --roles" revokes every other membership.
CREATE TABLE person (
    login    text COLLATE "C" NOT NULL CHECK (login ~ '^[a-z][a-z0-9_.@-]{0,62}$' AND login !~ '^(pg_|chargeonce_)'
                                  AND login NOT IN ('charge-consumer', 'dead-letter-queue', 'webhook-sender', 'bank-files')),
    role     text COLLATE "C" NOT NULL CHECK (role IN ('chargeonce_dlq_reader', 'chargeonce_dlq_operator', 'chargeonce_dlq_unmask',
                                                 'chargeonce_eraser', 'chargeonce_merchant_admin')),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL DEFAULT session_user,
    PRIMARY KEY (login, role)
);

-- Settings that decide about the rows of all processes: one row. Only the owner writes it, by "migrate". With a shorter retention of its
-- own one process would free the keys of all, and one with fewer retry tiers would send on what another holds in a tier.
CREATE TABLE agreed (
    only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- How long an idempotency key stays taken after the last thing that happened to its payment. 45 days are longer than any PSP repeats
    -- its answer to a key and than a record may be on a topic, and life_of needs them.
    retention_days int NOT NULL DEFAULT 400 CHECK (retention_days BETWEEN 45 AND 3650),
    -- The delay of each retry tier in milliseconds; NULL until "migrate" has set them.
    tiers          bigint[] CHECK (cardinality(tiers) BETWEEN 1 AND 9)
);
INSERT INTO agreed DEFAULT VALUES;

-- What happened last before this time may be forgotten. Without the row it is NULL, and nothing may.
CREATE FUNCTION retention_began() RETURNS timestamptz LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT now() - retention_days * interval '24 hours' FROM agreed
$$;
REVOKE EXECUTE ON FUNCTION retention_began() FROM PUBLIC;

CREATE TABLE merchant (
    merchant_id         text COLLATE "C" PRIMARY KEY CHECK (merchant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    created_at          timestamptz NOT NULL DEFAULT now(),
    -- Opt-in, for subscriptions: soft declines are presented again, following the network's advice.
    represent_declines  boolean NOT NULL DEFAULT false,
    -- The largest number of requests per second that one ingest process accepts from this merchant; NULL is no limit.
    requests_per_second int CHECK (requests_per_second BETWEEN 1 AND 1000000),
    -- How long the same purchase under another key counts as a second click; 0 switches the guard off.
    duplicate_window_ms int NOT NULL DEFAULT 10000 CHECK (duplicate_window_ms BETWEEN 0 AND 86400000),
    -- For the receipts of its customers: its name, where answers go, and the language. NULL is the receipts service's own setting.
    receipt_name        text CHECK (length(receipt_name) BETWEEN 1 AND 100 AND receipt_name !~ '[[:cntrl:]]'),
    receipt_reply_to    text CHECK (length(receipt_reply_to) <= 254 AND receipt_reply_to ~ '^[!-?A-~]+@[!-?A-~]+$'),
    receipt_locale      text CHECK (receipt_locale ~ '^[a-z]{2,3}(-[A-Z]{2})?$')
);

-- Who may send payments as which merchant. The token itself is shown once and never stored.
CREATE TABLE merchant_token (
    token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
    merchant_id  text NOT NULL REFERENCES merchant,
    created_at   timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz,
    -- When it expires; NULL is never.
    expires_at   timestamptz,
    -- Its lifetime when it was created, which its replacement gets too.
    lives        interval CHECK (lives > interval '0'),
    -- What it allows.
    scopes       text[] NOT NULL DEFAULT '{pay,refund,read,webhooks}'
                 CHECK (scopes <@ '{pay,refund,read,webhooks}' AND cardinality(scopes) > 0),
    -- The addresses of connections that may use it; NULL allows all.
    addresses    cidr[] CHECK (cardinality(addresses) BETWEEN 1 AND 100)
);
CREATE TRIGGER a_token_is_one_merchants BEFORE UPDATE OF token_sha256, merchant_id, created_at, lives, scopes, addresses ON merchant_token
    EXECUTE FUNCTION refuse('a token never changes its merchant, its lifetime, its addresses or what it allows; create a new one');
CREATE TRIGGER an_expiry_only_comes_nearer BEFORE UPDATE OF expires_at ON merchant_token
    FOR EACH ROW WHEN (OLD.expires_at IS NOT NULL AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at))
    EXECUTE FUNCTION refuse('a token never expires later than it was created to; create a new one');
CREATE TRIGGER a_revoked_token_stays_revoked BEFORE UPDATE OF revoked_at ON merchant_token
    FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL)
    EXECUTE FUNCTION refuse('a revoked token stays revoked; create a new one');

-- When a token was last used, to within some minutes, so that people find unused ones. A separate table, because the role that faces the
-- internet may change no token.
CREATE TABLE token_use (
    token_sha256 bytea PRIMARY KEY REFERENCES merchant_token,
    used_at      timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE FUNCTION tokens_were_used(digests bytea[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    INSERT INTO token_use (token_sha256, used_at)
    SELECT token_sha256, now() FROM merchant_token WHERE token_sha256 = ANY (digests) ORDER BY token_sha256
    ON CONFLICT (token_sha256) DO UPDATE SET used_at = excluded.used_at WHERE token_use.used_at < excluded.used_at - interval '5 minutes'
$$;
REVOKE EXECUTE ON FUNCTION tokens_were_used(bytea[]) FROM PUBLIC;

-- One row per (merchant, idempotency key), for as long as the payment's row lives: a late repeat never charges again.
CREATE TABLE idempotency_key (
    merchant_id         text COLLATE "C" NOT NULL,
    -- Two plain checks: one bounded repetition would cost more than the rest of the row.
    idempotency_key     text COLLATE "C" NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255 AND idempotency_key !~ '[^!-~]'),
    fingerprint         bytea NOT NULL CHECK (length(fingerprint) = 32),
    -- Also the version of the answer: the same request and version give the same answer, byte for byte, so none is stored.
    fingerprint_version smallint NOT NULL,
    request_path        text NOT NULL CHECK (length(request_path) <= 200),
    -- The canonical request, to name the fields that differ when a key is reused. The json type keeps it byte for byte.
    request_params      json NOT NULL,
    resource_id         text COLLATE "C" NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, idempotency_key)
);
-- A role that inserts keys sees which of them are new, and sees no others: only rows of the same transaction, whose time no role can set.
ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY what_was_inserted_just_now ON idempotency_key FOR SELECT USING (created_at = now());
CREATE POLICY new_keys ON idempotency_key FOR INSERT WITH CHECK (true);
-- Rows are deleted in this order when their retention is over.
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);
-- Refunds have keys too. A payment's key needs no index: it is found by its own columns.
CREATE INDEX idempotency_key_of_refund ON idempotency_key (resource_id) WHERE request_path <> '/v1/payments';

-- The latest purchase, so that a second click under a new key is detected. It is a lock with a short life: a request that finds a live row
-- is the second one.
CREATE TABLE duplicate_guard (
    merchant_id text COLLATE "C" NOT NULL,
    -- A digest of customer, payment method, amount, currency and reference.
    purchase    bytea NOT NULL CHECK (length(purchase) = 32),
    payment_id  text NOT NULL,
    until       timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, purchase)
) WITH (fillfactor = 80);
CREATE INDEX duplicate_guard_over ON duplicate_guard (until);

-- Operations are in two tables and a list, because each is written in its own way:
--   operation        what was accepted. Inserted and never changed: every attempt is made from it, so none has another amount.
--   operation_state  its state. A narrow row, changed at every step, with no index on the columns that change.
--   waiting          what is due later. A short list, which a payment that succeeds at once never enters.
-- A charge's id is its payment's id. A refund pays back what a merchant requests; a reversal pays back what we captured twice,
-- outside the sum of refunds. A return is what a payer's bank took back.
CREATE TABLE operation (
    operation_id     text COLLATE "C" PRIMARY KEY,
    payment_id       text COLLATE "C" NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('charge', 'refund', 'reversal', 'return')),
    -- Which refund, reversal or return of its payment this is; '' for the charge and for the refund without a reference.
    operation_ref    text NOT NULL DEFAULT '' CHECK (length(operation_ref) <= 100),
    merchant_id      text COLLATE "C" NOT NULL,
    idempotency_key  text NOT NULL,
    amount           bigint NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
    currency         text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    payment_method   text NOT NULL CHECK (length(payment_method) BETWEEN 1 AND 500),
    customer         text CHECK (length(customer) <= 500),
    reference        text COLLATE "C" CHECK (length(reference) <= 500),
    description      text CHECK (length(description) <= 500),
    receipt_email    text CHECK (length(receipt_email) <= 500),
    accepted_at      timestamptz NOT NULL DEFAULT now(),
    -- The order of acceptance, independent of clocks: see list_late.
    accepted_xid     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- How long after acceptance its last attempt may begin. A merge and a presentation set a later deadline in the state.
    charge_within_s  int NOT NULL CHECK (charge_within_s >= 0),
    -- W3C's trace context of the span that accepted it; every record about it carries this on. For people only.
    traceparent      text CHECK (length(traceparent) = 55),
    CONSTRAINT only_charges_are_their_payment CHECK ((kind = 'charge') = (operation_id = payment_id)),
    -- Payment, kind and reference identify the only open attempt. With a reference a charge could be made twice.
    CONSTRAINT a_charge_has_no_reference CHECK (kind <> 'charge' OR operation_ref = '')
);
CREATE INDEX operation_in_order ON operation (accepted_xid);
CREATE INDEX operation_given_back ON operation (payment_id) WHERE kind <> 'charge';
-- A merchant searches payments by its own reference, newest first.
CREATE INDEX operation_by_reference ON operation (merchant_id, reference, accepted_at, operation_id)
    WHERE reference IS NOT NULL;

-- These triggers refuse a statement before it reads any row, so other statements pay nothing for them.
CREATE TRIGGER operation_never_changes BEFORE UPDATE OF operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount,
        currency, payment_method, reference, accepted_at, accepted_xid, charge_within_s, traceparent OR TRUNCATE ON operation
    EXECUTE FUNCTION refuse('what was accepted never changes');
CREATE TRIGGER what_is_personal_is_only_erased BEFORE UPDATE OF customer, description, receipt_email ON operation
    WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('what was accepted never changes; only erase_personal_data removes personal data');
CREATE TRIGGER it_is_forgotten_with_its_payment BEFORE DELETE ON operation
    WHEN (current_setting('chargeonce.forgetting', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');

-- An operation's state: one row each. A decision about an operation locks this row. Its columns are in no index but the primary key, and
-- its page has room for the versions of a claim and of a success. So both are written without a new entry in any index (HOT), and the table
-- needs few vacuums. Rows that are due later are found through the list "waiting".
CREATE TABLE operation_state (
    operation_id     text COLLATE "C" PRIMARY KEY,
    state            text NOT NULL DEFAULT 'accepted'
                         CHECK (state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved',
                                          'succeeded', 'failed', 'declined', 'dead', 'purged')),
    -- Raised by every transaction that stages work; a record with another step is superseded.
    step             int NOT NULL DEFAULT 1 CHECK (step >= 1),
    -- One more for each merge out of the dead-letter queue.
    generation       smallint NOT NULL DEFAULT 1 CHECK (generation >= 1),
    -- Attempts of this generation that reached a PSP and definitely failed.
    counted_attempts smallint NOT NULL DEFAULT 0 CHECK (counted_attempts BETWEEN 0 AND 1000),
    -- The last tier it waited in; parking moves up the tiers without counting an attempt.
    tier             smallint NOT NULL DEFAULT 0 CHECK (tier BETWEEN 0 AND 9),
    -- The last attempt's number. It never restarts: the PSP keys are derived from it.
    sequence         int NOT NULL DEFAULT 0 CHECK (sequence >= 0),
    -- How often a soft decline has been presented again.
    represented      smallint NOT NULL DEFAULT 0 CHECK (represented >= 0),
    -- How often the sweeper has staged this step again. Its pause doubles each time: the thirtieth would be longer than a lifetime.
    swept            smallint NOT NULL DEFAULT 0 CHECK (swept BETWEEN 0 AND 30),
    resolve_tries    int NOT NULL DEFAULT 0 CHECK (resolve_tries BETWEEN 0 AND 1000000000),
    -- Whether it has left the usual path, or was found late on it. From then on "waiting" follows each of its changes.
    listed           boolean NOT NULL DEFAULT false,
    -- The payment's own deadline for a new attempt. A merge and a presentation set a later one.
    charge_before    timestamptz NOT NULL,
    -- No claim before this time by this database's clock, regardless of a consumer's clock.
    not_before       timestamptz NOT NULL DEFAULT now(),
    staged_at        timestamptz NOT NULL DEFAULT now(),
    -- The PSP of the last attempt; pinned while that attempt has not definitely failed.
    psp              text,
    psp_reference    text,
    -- Chosen by the worker that claims, so that it recognises its own claim if the answer to COMMIT was lost.
    lease_token      uuid,
    -- When the resolver has to act: the lease's end while processing, the next question while unresolved.
    resolve_at       timestamptz,
    settled_at       timestamptz,
    -- Since when the outcome of the last attempt is unknown.
    unresolved_since timestamptz,
    -- When the next presentation is due. Until then Kafka has no record of it.
    represent_at     timestamptz,
    failure_cause    text,
    failure_message  text CHECK (length(failure_message) <= 500),
    -- PSPs that refused this kind of payment, separated by commas: it never goes there again.
    refused_by       text,
    -- The PSPs that a parked one waits for, separated by commas. Read by psps_awaited alone; NULL if its last attempt's PSP says it.
    awaited          text,
    -- The capture that a refund or reversal pays back: always at the PSP that made it. Known from the first attempt on.
    capture_psp      text,
    capture_reference text,
    CONSTRAINT a_capture_has_a_place_and_a_name CHECK ((capture_psp IS NULL) = (capture_reference IS NULL)),
    -- A purge ends the dead letter but not the question: while its attempt may have moved money, a purged operation has a next one.
    CONSTRAINT resolver_watches_every_open_attempt
        CHECK (state = 'purged' OR (state IN ('processing', 'unresolved')) = (resolve_at IS NOT NULL)),
    CONSTRAINT only_the_claimed_hold_a_lease
        CHECK (state <> 'processing' OR lease_token IS NOT NULL),
    CONSTRAINT only_waiting_operations_are_presented_again CHECK (represent_at IS NULL OR state = 'scheduled')
) WITH (fillfactor = 25);

-- Each operation as it is now: what was accepted, and its state. For reading; a decision locks operation_state.
CREATE VIEW operation_now AS SELECT * FROM operation JOIN operation_state USING (operation_id);

-- Accepting an operation writes no state directly: a trigger creates the state together with the operation, never without it. There is no
-- foreign key: the trigger costs nothing beyond the row, but foreign keys in both directions would cost half as much again as both rows.
CREATE FUNCTION begin_states() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO operation_state (operation_id, charge_before)
    SELECT operation_id, now() + charge_within_s * interval '1 second' FROM accepted;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION begin_states() FROM PUBLIC;
CREATE TRIGGER its_state_begins AFTER INSERT ON operation REFERENCING NEW TABLE AS accepted
    FOR EACH STATEMENT EXECUTE FUNCTION begin_states();
CREATE TRIGGER it_begins_with_its_operation BEFORE INSERT ON operation_state
    WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse('a state is created with its operation: insert the operation');
CREATE TRIGGER a_state_is_one_operations BEFORE UPDATE OF operation_id ON operation_state
    EXECUTE FUNCTION refuse('a state never changes its operation');
CREATE TRIGGER it_is_forgotten_with_its_payment BEFORE DELETE ON operation_state
    WHEN (current_setting('chargeonce.forgetting', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');
CREATE TRIGGER not_all_at_once BEFORE TRUNCATE ON operation_state EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');

-- The legal moves, as in OperationState.next() in Java. Without this, an operation that has ended could be charged again; only a late
-- capture outranks a decline. What was given back may fail after its success, and that is its end; a charge never does.
CREATE TRIGGER legal_transition AFTER UPDATE OF state ON operation_state
    FOR EACH ROW WHEN (NEW.state <> OLD.state AND NOT CASE OLD.state
        WHEN 'processing' THEN NEW.state IN ('succeeded', 'declined', 'scheduled', 'parked', 'unresolved', 'dead')
        WHEN 'unresolved' THEN NEW.state IN ('succeeded', 'declined', 'scheduled', 'parked', 'dead', 'purged')
        WHEN 'dead' THEN NEW.state IN ('accepted', 'succeeded', 'unresolved', 'purged')
        WHEN 'purged' THEN NEW.state IN ('succeeded', 'dead', 'unresolved')
        WHEN 'declined' THEN NEW.state = 'succeeded'
        WHEN 'succeeded' THEN NEW.state = 'failed' AND NEW.capture_reference IS NOT NULL
        WHEN 'failed' THEN false
        ELSE NEW.state IN ('processing', 'parked', 'scheduled', 'dead', 'succeeded', 'declined') END)
    EXECUTE FUNCTION refuse('no operation goes there from where this one is');

-- Where the money was captured, with which reference and when, is then known and stays. Only a reference that a person typed may be
-- corrected, because the PSP knows its own better.
CREATE FUNCTION only_a_typed_reference_is_corrected() RETURNS trigger
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
REVOKE EXECUTE ON FUNCTION only_a_typed_reference_is_corrected() FROM PUBLIC;
CREATE TRIGGER what_succeeded_stays_as_it_is AFTER UPDATE OF psp, psp_reference, settled_at ON operation_state
    FOR EACH ROW WHEN (OLD.state IN ('succeeded', 'failed')
                       AND (NEW.psp, NEW.psp_reference, CASE WHEN NEW.state = OLD.state THEN NEW.settled_at ELSE OLD.settled_at END)
                           IS DISTINCT FROM (OLD.psp, OLD.psp_reference, OLD.settled_at))
    EXECUTE FUNCTION only_a_typed_reference_is_corrected();

-- Only a merge and a presentation give a payment more time.
CREATE TRIGGER no_deadline_is_put_off AFTER UPDATE OF charge_before ON operation_state
    FOR EACH ROW WHEN (NEW.charge_before > OLD.charge_before AND NEW.represented = OLD.represented AND NEW.generation = OLD.generation)
    EXECUTE FUNCTION refuse('only a merge or a presentation sets a later deadline');

-- Only a person at the dead-letter queue charges a dead payment again: the services that charge never merge.
CREATE TRIGGER no_service_merges AFTER UPDATE OF state ON operation_state
    FOR EACH ROW WHEN (OLD.state = 'dead' AND NEW.state = 'accepted'
                       AND (current_user = 'chargeonce_charge' OR current_user = 'chargeonce_retry'))
    EXECUTE FUNCTION refuse('only a person at the dead-letter queue merges');

-- Nor do they purge: an unknown outcome would never be asked about again.
CREATE TRIGGER no_service_purges AFTER UPDATE OF state ON operation_state
    FOR EACH ROW WHEN (OLD.state <> 'purged' AND NEW.state = 'purged'
                       AND (current_user = 'chargeonce_charge' OR current_user = 'chargeonce_retry'))
    EXECUTE FUNCTION refuse('only a person at the dead-letter queue purges');

-- What had ended otherwise succeeds late only by an attempt that is known to have succeeded, with the PSP and reference of that attempt.
CREATE FUNCTION a_late_success_has_its_attempt() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM (SELECT * FROM payment_attempt WHERE failed_definite
                                 UNION ALL
                                SELECT * FROM payment_attempt WHERE NOT failed_definite) AS attempt
                    WHERE attempt.payment_id = (SELECT payment_id FROM operation WHERE operation_id = NEW.operation_id)
                      AND attempt.operation_id = NEW.operation_id
                      AND attempt.state = 'succeeded' AND attempt.psp = NEW.psp AND attempt.psp_reference = NEW.psp_reference) THEN
        RAISE EXCEPTION 'operation_state: no attempt of this operation is known to have succeeded with this PSP and reference'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION a_late_success_has_its_attempt() FROM PUBLIC;
CREATE TRIGGER a_late_success_has_its_attempt AFTER UPDATE OF state ON operation_state
    FOR EACH ROW WHEN (OLD.state IN ('dead', 'purged', 'declined') AND NEW.state = 'succeeded')
    EXECUTE FUNCTION a_late_success_has_its_attempt();

-- Whether one of its attempts has not failed. Each half uses its own partial index.
CREATE FUNCTION may_have_taken_money(operation text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    payment text := (SELECT payment_id FROM operation AS its WHERE its.operation_id = may_have_taken_money.operation);
BEGIN
    RETURN EXISTS (SELECT FROM payment_attempt AS attempt
                    WHERE payment_id = payment AND operation_id = may_have_taken_money.operation AND NOT failed_definite)
        OR EXISTS (SELECT FROM payment_attempt AS attempt
                    WHERE payment_id = payment AND operation_id = may_have_taken_money.operation AND failed_definite
                      AND state = 'succeeded');
END $$;
REVOKE EXECUTE ON FUNCTION may_have_taken_money(text) FROM PUBLIC;

-- A role that makes no attempts decides nothing about money. A person at the dead-letter queue may move what is listed there. The person
-- may not change where or how often it was tried, settles nothing, and may postpone nothing.
CREATE FUNCTION a_person_moves_what_is_listed() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
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
       -- Only a merge sets a new schedule: the PSP's answer to a question would follow that schedule.
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
        RAISE EXCEPTION 'permission denied: this role may neither end a question to the PSP nor postpone anything'
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
    -- Asking whether an attempt took the money moves none. If all attempts have failed, there is no question, and the next attempt follows.
    IF NEW.state <> OLD.state
       AND NOT (OLD.state = 'dead' AND NEW.state = 'unresolved' AND may_have_taken_money(NEW.operation_id)) THEN
        PERFORM moved_by_a_person(NEW.operation_id, CASE WHEN OLD.state = 'purged' THEN 'restore' WHEN NEW.state = 'purged' THEN 'purge'
                                                         WHEN OLD.state IN ('scheduled', 'parked') THEN 'stop' ELSE 'merge' END);
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION a_person_moves_what_is_listed() FROM PUBLIC;
-- Charging roles and superusers are not slowed down by a call.
CREATE TRIGGER a_person_moves_what_is_listed AFTER UPDATE ON operation_state
    FOR EACH ROW WHEN (current_user <> 'chargeonce_charge' AND current_user <> 'chargeonce_retry'
                       AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION a_person_moves_what_is_listed();

-- Accepting a refund needs a lock on the payment's row, but no right to change it. This function is that lock and no more.
CREATE FUNCTION lock_payment(payment text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT FROM operation_state WHERE operation_id = payment FOR UPDATE
$$;
REVOKE EXECUTE ON FUNCTION lock_payment(text) FROM PUBLIC;

-- A second click must leave nothing behind, but the role that faces the internet may not delete keys. This function deletes only keys that
-- the same transaction inserted. That is proved by the transaction's time, which the role cannot set in a row, and by the row's version,
-- because another transaction may have begun in the same microsecond. A key whose payment was accepted always stays.
CREATE FUNCTION take_back_keys(merchants text[], keys text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    DELETE FROM idempotency_key USING unnest(merchants, keys) AS ask (merchant_id, idempotency_key)
     WHERE idempotency_key.merchant_id = ask.merchant_id AND idempotency_key.idempotency_key = ask.idempotency_key
       AND created_at = now() AND idempotency_key.xmin = pg_current_xact_id()::xid
       AND NOT EXISTS (SELECT FROM operation WHERE operation_id = resource_id)
$$;
REVOKE EXECUTE ON FUNCTION take_back_keys(text[], text[]) FROM PUBLIC;

-- A role that inserts no idempotency keys accepts nothing: charging roles only reverse. Ingest and superusers are not slowed down by a
-- call.
CREATE FUNCTION it_was_asked_for() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('idempotency_key', 'INSERT') THEN
        RAISE EXCEPTION 'permission denied: this role may not accept a %', NEW.kind USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION it_was_asked_for() FROM PUBLIC;
CREATE TRIGGER it_was_asked_for AFTER INSERT ON operation
    FOR EACH ROW WHEN (NEW.kind NOT IN ('reversal', 'return') AND current_user <> 'chargeonce_ingest' AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION it_was_asked_for();

-- Money goes back only to the payment's merchant, and never more than was captured, for every writer of the row. The pipeline itself
-- reverses what an attempt took twice and records what a bank took back, up to the payment's amount. This runs as the schema's owner, because the role that accepts refunds
-- cannot read payments.
CREATE FUNCTION what_goes_back_has_come() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
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
REVOKE EXECUTE ON FUNCTION what_goes_back_has_come() FROM PUBLIC;
CREATE TRIGGER what_goes_back_has_come AFTER INSERT ON operation
    FOR EACH ROW WHEN (NEW.kind <> 'charge') EXECUTE FUNCTION what_goes_back_has_come();

-- And only to its source: a refund to its payment's capture, a reversal or a return at a PSP where the payment was tried.
CREATE FUNCTION it_goes_back_to_where_it_came_from() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    back operation;
BEGIN
    SELECT * INTO back FROM operation WHERE operation_id = NEW.operation_id;
    IF (CASE
           -- Each half uses its own partial index.
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
REVOKE EXECUTE ON FUNCTION it_goes_back_to_where_it_came_from() FROM PUBLIC;
CREATE TRIGGER it_goes_back_to_where_it_came_from AFTER UPDATE OF capture_psp, capture_reference ON operation_state
    FOR EACH ROW WHEN ((OLD.capture_psp, OLD.capture_reference) IS DISTINCT FROM (NEW.capture_psp, NEW.capture_reference))
    EXECUTE FUNCTION it_goes_back_to_where_it_came_from();

-- Each wait in a retry tier, for people who investigate a dead payment. Only failures are recorded here. An operation that is parked again
-- in the same tier, because its PSP is still unwell, stays on the same row: an outage of days leaves one row per tier.
CREATE TABLE tier_visit (
    operation_id text COLLATE "C" NOT NULL,
    -- The step of its last wait.
    step         int NOT NULL,
    generation   int NOT NULL,
    tier         int NOT NULL,
    -- 'scheduled' waits for its next counted attempt, 'parked' until a PSP is well.
    state        text NOT NULL,
    cause        text,
    began_at     timestamptz NOT NULL DEFAULT now(),
    -- The number of waits so far; and for the last one, when it began and when it ends.
    waits        int NOT NULL DEFAULT 1,
    staged_at    timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    PRIMARY KEY (operation_id, step)
);

-- A trigger instead of a statement of the services: every move of an operation to a tier is recorded, and success costs nothing. It runs as
-- the owner, so that no service can write such a row itself.
CREATE FUNCTION record_tier_visit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
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
REVOKE EXECUTE ON FUNCTION record_tier_visit() FROM PUBLIC;
CREATE TRIGGER operation_enters_a_tier AFTER UPDATE ON operation_state
    FOR EACH ROW WHEN (NEW.state IN ('scheduled', 'parked') AND NEW.step <> OLD.step)
    EXECUTE FUNCTION record_tier_visit();

-- One row per key that was ever sent to a PSP, committed before its first byte.
CREATE TABLE payment_attempt (
    psp_key         text COLLATE "C" PRIMARY KEY,
    operation_id    text NOT NULL,
    payment_id      text COLLATE "C" NOT NULL,
    operation       text COLLATE "C" NOT NULL CHECK (operation IN ('charge', 'refund', 'reversal')),
    operation_ref   text COLLATE "C" NOT NULL DEFAULT '',
    generation      int NOT NULL,
    sequence        int NOT NULL CHECK (sequence >= 1),
    psp             text NOT NULL,
    state           text NOT NULL CHECK (state IN ('in_flight', 'unknown', 'succeeded', 'failed_definite')),
    -- Set only by a definite failure and never cleared, so that success leaves every index untouched.
    failed_definite boolean NOT NULL DEFAULT false,
    -- The exact bytes, because a repeat must be a repeat for the PSP too.
    request         bytea NOT NULL,
    request_sha256  bytea NOT NULL CHECK (length(request_sha256) = 32),
    sends           int NOT NULL DEFAULT 1 CHECK (sends >= 1),
    sent_at         timestamptz NOT NULL,
    claimed_xid     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    key_valid_until timestamptz NOT NULL,
    psp_reference   text,
    cause           text,
    message         text,
    decided_at      timestamptz,
    -- How many times in a row the PSP has said that it knows no such attempt.
    not_found       int NOT NULL DEFAULT 0 CHECK (not_found >= 0),
    -- Its first answer was "charged", to its own call, and its operation was settled in the same transaction. That answer is stored here,
    -- in psp_reference and decided_at, and not in psp_observation.
    charged_at_once boolean NOT NULL DEFAULT false CHECK (NOT charged_at_once OR state = 'succeeded' AND psp_reference IS NOT NULL
                                                          AND decided_at IS NOT NULL),
    -- A success after a definite failure is the truth. The flag stays, because a later attempt may exist.
    CONSTRAINT failed_for_good_unless_a_success_came_late
        CHECK (state <> 'failed_definite' OR failed_definite),
    -- Otherwise one_open_attempt could be bypassed with another name for the same payment.
    CONSTRAINT a_charge_has_one_name
        CHECK (CASE WHEN operation = 'charge' THEN operation_id = payment_id AND operation_ref = '' ELSE operation_id <> payment_id END)
) WITH (fillfactor = 35);

-- The order of claims: see list_late.
CREATE INDEX payment_attempt_in_order ON payment_attempt (claimed_xid);
-- What a settlement report should have is found by time. Attempts are inserted in that order, so an index of ranges is enough, and costs
-- a payment nothing.
CREATE INDEX payment_attempt_by_time ON payment_attempt USING brin (sent_at);
-- The invariant: over all PSPs at most one attempt of an operation has not definitely failed. A second charge is refused here, for every
-- writer.
CREATE UNIQUE INDEX one_open_attempt ON payment_attempt (payment_id, operation, operation_ref) WHERE NOT failed_definite;
CREATE TRIGGER what_was_sent_stays BEFORE UPDATE OF psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp,
        request_sha256 ON payment_attempt
    EXECUTE FUNCTION refuse('what was sent never changes');
CREATE TRIGGER what_was_sent_is_only_erased BEFORE UPDATE OF request ON payment_attempt
    WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('what was sent never changes; only erase_personal_data removes it');
CREATE TRIGGER it_is_forgotten_with_its_payment BEFORE DELETE ON payment_attempt
    WHEN (current_setting('chargeonce.forgetting', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');
CREATE TRIGGER not_all_at_once BEFORE TRUNCATE ON payment_attempt EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');
-- An attempt makes room for the next one only by its own definite failure, and knowledge only grows.
CREATE TRIGGER what_is_known_stays_known AFTER UPDATE OF state, failed_definite ON payment_attempt
    FOR EACH ROW WHEN (NEW.failed_definite <> OLD.failed_definite
                           AND NOT (NEW.failed_definite AND NEW.state = 'failed_definite' AND OLD.state IN ('in_flight', 'unknown'))
                       OR OLD.state = 'succeeded' AND NEW.state <> 'succeeded'
                       OR OLD.state = 'failed_definite' AND NEW.state NOT IN ('failed_definite', 'succeeded'))
    EXECUTE FUNCTION refuse('an attempt fails once, and a success never changes');
CREATE TRIGGER its_first_answer_stays AFTER UPDATE OF charged_at_once, psp_reference, decided_at ON payment_attempt
    FOR EACH ROW WHEN (OLD.charged_at_once AND (NEW.charged_at_once, NEW.psp_reference, NEW.decided_at)
                           IS DISTINCT FROM (OLD.charged_at_once, OLD.psp_reference, OLD.decided_at)
                       OR NEW.charged_at_once AND NOT OLD.charged_at_once AND OLD.state <> 'in_flight')
    EXECUTE FUNCTION refuse('the first answer is stored in the row of its attempt and never changes');
-- History for people; success never touches it.
CREATE INDEX payment_attempt_failed ON payment_attempt (payment_id) WHERE failed_definite;

-- Operations that are due later, by what they wait for. The table is small, because a payment that succeeds at once never enters it. A
-- trigger writes it and no role may: so no waiting operation can be left out or removed.
CREATE TABLE waiting (
    -- 'work' waits for its record in Kafka, and is overdue if that is lost; 'question' waits for the resolver, when a question is due or
    -- its lease has expired; 'presentation' waits for the next presentation of a declined card; 'purge' for its end.
    list         text COLLATE "C" NOT NULL CHECK (list IN ('work', 'question', 'presentation', 'purge')),
    operation_id text COLLATE "C" NOT NULL,
    -- The PSP of a question, the tier of work: no lane delays another.
    lane         text COLLATE "C" NOT NULL DEFAULT '',
    -- For a purge, the time of the purge.
    due_at       timestamptz NOT NULL,
    PRIMARY KEY (operation_id, list)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX waiting_due ON waiting (list, lane, due_at, operation_id);

-- The PSPs that an operation in a tier waits for: the last attempt's, the capture's, or those that it may go to before its first attempt.
-- Every count, list and action of people goes by it.
CREATE FUNCTION psps_awaited(its operation_state) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(string_to_array(its.awaited, ','), array_remove(ARRAY[coalesce(its.capture_psp, its.psp)], NULL))
$$;
REVOKE EXECUTE ON FUNCTION psps_awaited(operation_state) FROM PUBLIC;

-- What an operation waits for now.
CREATE FUNCTION waits_for(its operation_state) RETURNS TABLE (list text, lane text, due_at timestamptz)
    LANGUAGE sql IMMUTABLE AS $$
    SELECT 'work', its.tier::text, its.not_before WHERE its.state IN ('accepted', 'scheduled', 'parked') AND its.represent_at IS NULL
     UNION ALL
    SELECT 'presentation', '', its.represent_at WHERE its.represent_at IS NOT NULL
     UNION ALL
    SELECT 'question', coalesce(its.psp, ''), its.resolve_at WHERE its.resolve_at IS NOT NULL
     UNION ALL
    SELECT 'purge', '', its.staged_at WHERE its.state = 'purged' AND its.settled_at IS NULL
$$;

CREATE FUNCTION list_what_waits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    NEW.listed := true;
    DELETE FROM waiting WHERE operation_id = NEW.operation_id;
    INSERT INTO waiting (list, operation_id, lane, due_at) SELECT list, NEW.operation_id, lane, due_at FROM waits_for(NEW);
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION waits_for(operation_state), list_what_waits() FROM PUBLIC;
-- Every change by any role updates the list, except on the usual path: accepted, claimed, and then succeeded, declined or dead.
CREATE TRIGGER it_waits_in_its_list BEFORE UPDATE OF state, tier, not_before, staged_at, represent_at, psp, resolve_at, settled_at, listed
    ON operation_state
    FOR EACH ROW WHEN (OLD.listed OR NEW.listed OR NOT (OLD.state = 'accepted' AND NEW.state = 'processing'
                       OR OLD.state = 'processing' AND NEW.state IN ('succeeded', 'declined', 'dead')))
    EXECUTE FUNCTION list_what_waits();

-- How far the scans for late operations on the usual path have come. They read what is under way, not history. They go by transaction
-- numbers and not by a clock, because a clock may be set back, and a transaction that began early may commit late. No row means from the
-- beginning.
CREATE TABLE looked_through (
    what   text COLLATE "C" PRIMARY KEY CHECK (what IN ('acceptances', 'claims')),
    -- Each acceptance (or first claim) by a transaction before this one has gone on or is listed,
    before xid8 NOT NULL,
    -- except those by these transactions, which were open at the last scan.
    open   xid8[] NOT NULL,
    -- The server of these transaction numbers. A restored dump is on another server.
    server bigint NOT NULL
) WITH (fillfactor = 10);

CREATE FUNCTION last_look(subject text) RETURNS looked_through LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT known FROM chargeonce.looked_through AS known WHERE what = subject),
                    ROW(subject, '0', '{}', (SELECT system_identifier FROM pg_control_system()))::chargeonce.looked_through)
$$;

-- The next acceptances after that point, and all that the remembered open transactions committed late. "since" is NULL for those that have
-- gone on or are listed. OFFSET 0 keeps each part as written, even without table statistics.
CREATE FUNCTION acceptances_from(look looked_through, most int) RETURNS TABLE (xid xid8, operation_id text, since timestamptz)
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
CREATE FUNCTION claims_from(look looked_through, most int) RETURNS TABLE (xid xid8, operation_id text, since timestamptz)
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
CREATE FUNCTION list_late(subject text, patience interval, most int, OUT late int, OUT more boolean, OUT restored boolean)
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
CREATE SEQUENCE searched CYCLE;
CREATE FUNCTION list_what_was_missed(still interval, pages int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    parts bigint := pg_relation_size('operation_state') / current_setting('block_size')::int / pages + 1;
    first bigint := nextval('searched') % parts * pages;
    missed int;
BEGIN
    UPDATE operation_state SET listed = true WHERE operation_id = ANY (ARRAY(
        SELECT operation_id FROM operation_state AS its
         WHERE ctid >= format('(%s,0)', first)::tid AND ctid < format('(%s,0)', first + pages)::tid
           AND (state IN ('accepted', 'scheduled', 'parked') OR resolve_at IS NOT NULL OR state = 'purged' AND settled_at IS NULL)
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

REVOKE EXECUTE ON FUNCTION last_look(text), acceptances_from(looked_through, int), claims_from(looked_through, int),
    list_late(text, interval, int), list_what_was_missed(interval, int) FROM PUBLIC;

-- Knowledge only grows: in flight, unknown, definitely failed, succeeded; another unknown updates the cause. Inlined into its statement.
CREATE FUNCTION knows_more(heard text, before text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT array_position('{in_flight,unknown,failed_definite,succeeded}'::text[], heard)
         > array_position('{in_flight,unknown,failed_definite,succeeded}'::text[], before)
        OR heard = 'unknown' AND before = 'unknown'
$$;
REVOKE EXECUTE ON FUNCTION knows_more(text, text) FROM PUBLIC;

-- Everything that was said about an attempt, late answers included, except a first answer that settled it at once. A person's finding ranks
-- above unknown and below everything that the PSP says. Append-only.
CREATE TABLE psp_observation (
    psp_key       text COLLATE "C" NOT NULL,
    observed_at   timestamptz NOT NULL DEFAULT now(),
    -- 'found': its PSP had the attempt, and a restored database did not.
    source        text NOT NULL CHECK (source IN ('call', 'question', 'webhook', 'settlement', 'hand', 'found')),
    outcome       text NOT NULL CHECK (outcome IN ('charged', 'declined', 'failed', 'unknown')),
    cause         text,
    detail        text,
    psp_reference text
);
CREATE INDEX psp_observation_by_attempt ON psp_observation (psp_key);
CREATE TRIGGER what_was_heard_stays BEFORE UPDATE OF psp_key, observed_at, source, outcome, cause, psp_reference ON psp_observation
    EXECUTE FUNCTION refuse('an observation never changes');
CREATE TRIGGER words_are_only_erased BEFORE UPDATE OF detail ON psp_observation
    WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('an observation never changes; only erase_personal_data removes a PSP''s words');
CREATE TRIGGER it_is_forgotten_with_its_payment BEFORE DELETE ON psp_observation
    WHEN (current_setting('chargeonce.forgetting', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');

-- All observations of an attempt.
CREATE VIEW psp_answer AS
    SELECT psp_key, observed_at, source, outcome, cause, detail, psp_reference FROM psp_observation
     UNION ALL
    SELECT psp_key, decided_at, 'call', 'charged', NULL, NULL, psp_reference FROM payment_attempt WHERE charged_at_once;

-- Webhooks that were accepted, because PSPs send them again and again.
CREATE TABLE psp_notice (
    psp         text COLLATE "C" NOT NULL,
    notice_id   text COLLATE "C" NOT NULL CHECK (length(notice_id) <= 500),
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (psp, notice_id)
);
CREATE INDEX psp_notice_old ON psp_notice (received_at);

-- Signed webhooks about attempts that are not in payment_attempt: a database failover may have lost the row. They are matched again and
-- again. The statement that inserts limits the number of rows; only signed messages are stored.
CREATE TABLE unmatched_notice (
    psp           text COLLATE "C" NOT NULL,
    notice_id     text COLLATE "C" NOT NULL CHECK (length(notice_id) <= 500),
    psp_key       text NOT NULL CHECK (length(psp_key) <= 100),
    -- The reference to ask the PSP about.
    psp_reference text CHECK (length(psp_reference) <= 500),
    -- The message's content, from a PSP that cannot be asked; for others all of these are NULL.
    amount        bigint,
    currency      text,
    gives_back    boolean,
    outcome       text CHECK (outcome IN ('charged', 'declined', 'failed', 'capture_failed', 'captured_again', 'taken_back')),
    cause         text,
    detail        text,
    -- When it happened, by the PSP's clock, if that matters.
    happened_at   timestamptz,
    received_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (psp, notice_id),
    CONSTRAINT money_has_amount_and_currency CHECK ((amount IS NULL) = (currency IS NULL)),
    CONSTRAINT it_says_all_or_nothing CHECK (CASE WHEN outcome IS NULL THEN amount IS NULL AND gives_back IS NULL
                                                  ELSE gives_back IS NOT NULL END)
);
CREATE INDEX unmatched_notice_oldest ON unmatched_notice (received_at);

-- A PSP may report that captured money never arrived. The payment stays as it is, because its customer was informed, but the failure must
-- be visible. One row per payment; without a row there is no failure. A PSP's messages arrive in any order: the newest one about a capture
-- is the one with the latest time. A message that the money arrived is stored too, because an earlier failure may arrive after it; then
-- nothing has failed, and there is no reason.
CREATE TABLE capture_failure (
    operation_id  text COLLATE "C" PRIMARY KEY REFERENCES operation ON DELETE CASCADE,
    psp           text NOT NULL,
    -- The PSP's id of the capture.
    psp_reference text NOT NULL,
    -- In the PSP's words.
    reason        text,
    failed_at     timestamptz DEFAULT now(),
    -- When the PSP said that the money arrived after all.
    recaptured_at timestamptz,
    -- The time in the newest message, by the PSP's clock.
    told_at       timestamptz,
    CONSTRAINT what_failed_has_a_reason CHECK ((reason IS NULL) = (failed_at IS NULL))
);

-- What a person found out about an attempt whose outcome no PSP knows. The resolver asks the PSP once more and then decides; the finding
-- alone changes nothing. One row per attempt: a newer finding replaces one that was refused or still waits.
CREATE TABLE hand_settlement (
    psp_key       text COLLATE "C" PRIMARY KEY,
    operation_id  text NOT NULL,
    -- The operation's step at that time: after any later move the finding is out of date, and the resolver ignores it.
    step          int NOT NULL,
    verdict       text NOT NULL CHECK (verdict IN ('charged', 'not_charged')),
    -- The PSP's reference of the money that moved.
    psp_reference text COLLATE "C" CHECK (length(psp_reference) BETWEEN 1 AND 200),
    evidence      text NOT NULL CHECK (length(evidence) BETWEEN 1 AND 500),
    -- The login of the session that proposed it, and below the login that approved it. A trigger sets both, whatever the statement says.
    proposed_by   text NOT NULL DEFAULT session_user,
    -- The command that wrote it, as in audit_record.
    run           text COLLATE "C" NOT NULL,
    proposed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The resolver reads only approved findings.
    approved_by   text,
    state         text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'settled', 'confirmed', 'refused')),
    -- The PSP's answer to the resolver, which is the reason for the row's state.
    answer        text CHECK (length(answer) <= 500),
    answered_at   timestamptz,
    CONSTRAINT only_money_that_moved_has_a_reference CHECK ((verdict = 'charged') = (psp_reference IS NOT NULL)),
    CONSTRAINT only_what_is_approved_is_decided CHECK (state = 'waiting' OR approved_by IS NOT NULL)
);
-- An approval is for one finding. Two findings of one name would be approved together.
CREATE UNIQUE INDEX a_finding_has_a_name_of_its_own ON hand_settlement (run);
-- Two people who name one reference for two payments at once: the second one is refused.
CREATE UNIQUE INDEX one_finding_of_a_reference ON hand_settlement (psp_reference) WHERE state = 'waiting';
-- A finding about another operation's attempt would settle the wrong money.
CREATE FUNCTION a_finding_is_about_its_operations_attempt() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payment_attempt WHERE psp_key = NEW.psp_key AND operation_id = NEW.operation_id) THEN
        RAISE EXCEPTION 'hand_settlement: a finding is about an attempt of its operation' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION a_finding_is_about_its_operations_attempt() FROM PUBLIC;
CREATE TRIGGER a_finding_is_about_its_operations_attempt AFTER INSERT ON hand_settlement
    FOR EACH ROW EXECUTE FUNCTION a_finding_is_about_its_operations_attempt();
-- A finding belongs to the session that wrote it, at each change.
CREATE FUNCTION a_finding_is_its_sessions() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
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
REVOKE EXECUTE ON FUNCTION a_finding_is_its_sessions() FROM PUBLIC;
CREATE TRIGGER a_finding_is_its_sessions BEFORE INSERT OR UPDATE OF step, verdict, psp_reference, evidence, run ON hand_settlement
    FOR EACH ROW EXECUTE FUNCTION a_finding_is_its_sessions();
CREATE FUNCTION it_counts_as_settled_alone() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    -- As above.
    IF current_setting('chargeonce.erasing', true) = 'on' AND has_column_privilege('operation', 'customer', 'UPDATE') THEN
        RETURN NULL;
    END IF;
    PERFORM moved_by_a_person(NEW.operation_id, 'settle');
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION it_counts_as_settled_alone() FROM PUBLIC;
CREATE TRIGGER it_counts_as_settled_alone AFTER INSERT OR UPDATE OF step, verdict, psp_reference, evidence, run ON hand_settlement
    FOR EACH ROW WHEN (NEW.approved_by IS NOT NULL) EXECUTE FUNCTION it_counts_as_settled_alone();
-- Except its text, which erase_personal_data removes. For every other writer the trigger above makes the change a new finding, with the new
-- login and time.
CREATE TRIGGER what_was_decided_stays AFTER UPDATE ON hand_settlement
    FOR EACH ROW WHEN (OLD.state IN ('settled', 'confirmed') AND (
        (NEW.psp_key, NEW.operation_id, NEW.step, NEW.verdict, NEW.psp_reference, NEW.proposed_by,
         NEW.run, NEW.proposed_at, NEW.approved_by, NEW.state, NEW.answered_at) IS DISTINCT FROM
        (OLD.psp_key, OLD.operation_id, OLD.step, OLD.verdict, OLD.psp_reference, OLD.proposed_by,
         OLD.run, OLD.proposed_at, OLD.approved_by, OLD.state, OLD.answered_at)
        OR NEW.evidence <> '[erased]' OR NEW.answer <> '[erased]'))
    EXECUTE FUNCTION refuse('a decision on a finding never changes');
-- The person who proposes a finding does not decide on it.
CREATE FUNCTION the_resolver_decides() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('payment_attempt', 'UPDATE') THEN
        RAISE EXCEPTION 'permission denied: this role may only propose; the resolver decides' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION the_resolver_decides() FROM PUBLIC;
CREATE TRIGGER the_resolver_decides AFTER INSERT OR UPDATE ON hand_settlement
    FOR EACH ROW WHEN (NEW.state <> 'waiting' OR NEW.answer IS NOT NULL) EXECUTE FUNCTION the_resolver_decides();

-- What PSPs and banks say that they booked: the lines of their settlement reports. A line is evidence about money, so it is inserted by
-- one function and never changes. Recording one settles nothing. Charge looks at the lines that its own rows contradict: it asks the PSP
-- about each, and where a PSP cannot be asked it believes only a line that was marked with a key that is not in this database.
CREATE TABLE settlement_line (
    psp           text COLLATE "C" NOT NULL CHECK (psp ~ '^[a-z][a-z0-9-]{0,39}$'),
    -- The PSP's id of the line, or one derived from what the line is about. The same report read twice has one effect.
    line_id       text COLLATE "C" NOT NULL CHECK (length(line_id) BETWEEN 1 AND 200 AND line_id !~ '[[:cntrl:]]'),
    -- Our key, as the line names it; without one no attempt here is known to be meant.
    psp_key       text COLLATE "C" CHECK (length(psp_key) BETWEEN 1 AND 100),
    moved         text NOT NULL CHECK (moved IN ('captured', 'capture_returned', 'given_back', 'give_back_returned')),
    amount        bigint NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
    currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- The reference to ask the PSP about.
    psp_reference text CHECK (length(psp_reference) BETWEEN 1 AND 200 AND psp_reference !~ '[[:cntrl:]]'),
    booked_at     timestamptz NOT NULL,
    -- The report that it was first read in, and where.
    source_sha256 bytea NOT NULL CHECK (length(source_sha256) = 32),
    line_number   bigint NOT NULL CHECK (line_number >= 1),
    -- Made from the columns above with a key that is not in the database.
    mark          bytea CHECK (length(mark) = 32),
    recorded_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by   text NOT NULL DEFAULT session_user,
    -- When charge has to look at it, because our rows do not say that its money moved; NULL for the others.
    due_at        timestamptz,
    tries         int NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 1000000),
    -- What charge found out about it, last.
    answer        text CHECK (length(answer) <= 500),
    answered_at   timestamptz,
    PRIMARY KEY (psp, line_id),
    CONSTRAINT what_is_answered_is_not_due CHECK (answered_at IS NULL OR due_at IS NULL)
);
CREATE INDEX settlement_line_of_attempt ON settlement_line (psp_key);
CREATE INDEX settlement_line_in_order ON settlement_line (psp, booked_at);
CREATE INDEX settlement_line_due ON settlement_line (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER what_was_booked_stays AFTER UPDATE ON settlement_line
    FOR EACH ROW WHEN ((NEW.psp, NEW.line_id, NEW.moved, NEW.amount, NEW.currency, NEW.psp_reference, NEW.booked_at, NEW.source_sha256,
                        NEW.line_number, NEW.recorded_at, NEW.recorded_by) IS DISTINCT FROM
                       (OLD.psp, OLD.line_id, OLD.moved, OLD.amount, OLD.currency, OLD.psp_reference, OLD.booked_at, OLD.source_sha256,
                        OLD.line_number, OLD.recorded_at, OLD.recorded_by)
                       OR OLD.psp_key IS NOT NULL AND NEW.psp_key IS DISTINCT FROM OLD.psp_key
                       OR OLD.answered_at IS NOT NULL AND (NEW.answered_at, NEW.answer) IS DISTINCT FROM (OLD.answered_at, OLD.answer))
    EXECUTE FUNCTION refuse('what was booked never changes');
CREATE TRIGGER it_is_forgotten_with_its_payment BEFORE DELETE ON settlement_line
    WHEN (current_setting('chargeonce.forgetting', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('what was booked is only forgotten with its payment');
CREATE TRIGGER not_all_at_once BEFORE TRUNCATE ON settlement_line EXECUTE FUNCTION refuse('what was booked is only forgotten with its payment');

-- Whether this line is about this attempt's own money, and our rows do not say that it moved.
CREATE FUNCTION is_news(line settlement_line) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT line.moved IN ('captured', 'given_back') AND EXISTS (
        SELECT FROM payment_attempt AS attempt JOIN operation USING (operation_id)
         WHERE attempt.psp_key = line.psp_key AND attempt.psp = line.psp AND attempt.state <> 'succeeded'
           AND (operation.kind = 'charge') = (line.moved = 'captured')
           AND operation.amount = line.amount AND operation.currency = line.currency)
$$;
REVOKE EXECUTE ON FUNCTION is_news(settlement_line) FROM PUBLIC;

-- Records lines; each is "new", "known", or "altered": another line was recorded under its id before. A known line may get what it lacked:
-- the key of its attempt, and a mark. Returns where the line that is kept was read.
CREATE FUNCTION book_lines(of_psp text, of_source bytea, ids text[], numbers bigint[], keys text[], moves text[], amounts bigint[],
                           currencies text[], refs text[], times timestamptz[], marks bytea[])
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
REVOKE EXECUTE ON FUNCTION book_lines(text, bytea, text[], bigint[], text[], text[], bigint[], text[], text[], timestamptz[], bytea[])
    FROM PUBLIC;

-- Has charge look at the lines of these attempts, where our rows do not say that their money moved: at three of an attempt at most, for
-- each may be a question to the PSP. Returns how many are due because of this call.
CREATE FUNCTION look_at_lines(of_psp text, keys text[]) RETURNS int
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
REVOKE EXECUTE ON FUNCTION look_at_lines(text, text[]) FROM PUBLIC;

-- One comparison of a PSP's lines with our rows, and what it found. Only its function inserts here.
CREATE TABLE reconciliation (
    run           uuid PRIMARY KEY,
    psp           text COLLATE "C" NOT NULL CHECK (psp ~ '^[a-z][a-z0-9-]{0,39}$'),
    covers_from   timestamptz NOT NULL,
    covers_to     timestamptz NOT NULL,
    read_lines    bigint NOT NULL CHECK (read_lines >= 0),
    -- The report, if one was read.
    source_sha256 bytea CHECK (length(source_sha256) = 32),
    ended_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_by      text NOT NULL DEFAULT session_user
);
CREATE INDEX reconciliation_newest ON reconciliation (psp, ended_at);
CREATE TABLE reconciliation_finding (
    run       uuid NOT NULL REFERENCES reconciliation ON DELETE CASCADE,
    finding   text COLLATE "C" NOT NULL CHECK (finding ~ '^[a-z_]{1,30}$'),
    currency  text COLLATE "C" NOT NULL CHECK (currency ~ '^([A-Z]{3})?$'),
    items     bigint NOT NULL CHECK (items >= 0),
    expected  numeric NOT NULL,
    booked    numeric NOT NULL,
    PRIMARY KEY (run, finding, currency)
);
CREATE FUNCTION record_reconciliation(of_run uuid, of_psp text, since timestamptz, until timestamptz, lines bigint, source bytea,
                                      findings text[], currencies text[], counts bigint[], here numeric[], there numeric[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO reconciliation (run, psp, covers_from, covers_to, read_lines, source_sha256)
    VALUES (of_run, of_psp, since, until, lines, source);
    INSERT INTO reconciliation_finding (run, finding, currency, items, expected, booked)
    SELECT of_run, * FROM unnest(findings, currencies, counts, here, there);
    DELETE FROM reconciliation WHERE psp = of_psp AND ended_at < now() - interval '400 days';
END $$;
REVOKE EXECUTE ON FUNCTION record_reconciliation(uuid, text, timestamptz, timestamptz, bigint, bytea, text[], text[], bigint[], numeric[],
                                                 numeric[]) FROM PUBLIC;

-- How often one credential and amount were presented again, over all PSPs: card networks fine too many.
CREATE TABLE retry_budget (
    credential_sha256 bytea NOT NULL CHECK (length(credential_sha256) = 32),
    amount            bigint NOT NULL,
    currency          text COLLATE "C" NOT NULL,
    day               date NOT NULL,
    presented         int NOT NULL CHECK (presented >= 1),
    PRIMARY KEY (credential_sha256, amount, currency, day)
);
CREATE INDEX retry_budget_old ON retry_budget (day);

-- What each charging process knows about each of its PSPs, reported to the others about once a second: an outage that shows in three
-- payments of three processes is visible to all. Payments do not write here. Times are by this database's clock.
CREATE TABLE psp_health (
    psp        text COLLATE "C" NOT NULL,
    process    uuid NOT NULL,
    -- When the latest call began that was answered with a success or a decline.
    good_at    timestamptz NOT NULL,
    -- When trouble was last noticed; NULL for never.
    bad_at     timestamptz,
    -- When the first of the failures came that last opened its breaker; NULL for never.
    unwell_from timestamptz,
    -- When its breaker last opened, or was found open again; NULL for never.
    unwell_at  timestamptz,
    open       boolean NOT NULL,
    -- Failed calls in a row, and up to three of their payments, separated by commas.
    failed_in_a_row int NOT NULL CHECK (failed_in_a_row >= 0),
    failed_payments text NOT NULL CHECK (length(failed_payments) <= 200),
    -- When a payment last wanted to go there; NULL for never. Processes that have such payments share the PSP's rate.
    asked_at   timestamptz,
    -- Where its process sends payments: what no PSP there can express is not accepted.
    routes     text NOT NULL DEFAULT '',
    -- The process's own retry tiers, as in "agreed": one that runs since before a change shows.
    tiers      bigint[] NOT NULL DEFAULT '{}',
    -- A PSP without a report for a minute is set up in no running process.
    told_at    timestamptz NOT NULL,
    PRIMARY KEY (psp, process)
) WITH (fillfactor = 50);

-- Records for Kafka, written by the transaction that decided about them.
CREATE TABLE outbox (
    outbox_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- A row of another shard would belong to no relay.
    shard      smallint NOT NULL CHECK (shard BETWEEN 0 AND 7),
    topic      text NOT NULL CHECK (topic ~ '^[A-Za-z0-9._-]{1,249}$'),
    record_key text COLLATE "C" NOT NULL CHECK (length(record_key) <= 1000),
    -- NULL is a tombstone. A producer sends at most 4 MiB, and a relay holds a row in memory as a whole.
    value      bytea CHECK (octet_length(value) <= 4194304),
    headers    json NOT NULL CHECK (octet_length(headers::text) <= 65536) CONSTRAINT headers_are_texts CHECK (
        json_typeof(headers) = 'object' AND NOT jsonb_path_exists(headers::jsonb, 'strict $.* ? (@.type() != "string")')),
    staged_at  timestamptz NOT NULL DEFAULT now(),
    -- Why the broker refuses this record; the row holds back only its own key.
    refusal    text
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000,
        -- The end of its file is filled again at once. Truncating it takes a lock that every payment waits for.
        vacuum_truncate = off);
CREATE INDEX outbox_refused ON outbox (record_key) WHERE refusal IS NOT NULL;
-- What people stage, who move operations and letters and make up none: a record says what its row says, and nothing else, in its value and
-- in its headers. A name twice in an object would be read in one way here, and in another elsewhere.
CREATE FUNCTION has_each_name_once(object json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT count(*) = count(DISTINCT name) FROM json_object_keys(object) AS name
$$;
-- But its time, which the caller compares.
CREATE FUNCTION an_events_headers(type text, id text, trace text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object('ce_specversion', '1.0', 'ce_type', 'io.chargeonce.' || type, 'ce_source', '/chargeonce',
        'ce_id', id, 'ce_dataschema', 'urn:chargeonce:schema:' || type || ':1', 'content-type', 'application/json', 'traceparent', trace))
$$;
-- In the one spelling that all readers take: Postgres alone would also read 'now', or a time without a zone.
CREATE FUNCTION an_instant(spelled text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN spelled ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d{1,9})?(Z|[+-]\d\d:\d\d)$' THEN spelled
                WHEN spelled IS NOT NULL THEN 'no instant' END::timestamptz
$$;
CREATE FUNCTION a_request_says_what_was_accepted(id text, copy bytea, headers json) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    its operation_now;
    body json;
BEGIN
    body := convert_from(copy, 'UTF8');
    SELECT * INTO its FROM operation_now WHERE operation_id = id;
    RETURN coalesce(has_each_name_once(body) AND has_each_name_once(headers)
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
CREATE FUNCTION a_copy_says_what_its_letter_says(id text, copy bytea, headers json) RETURNS boolean
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
    RETURN coalesce(letter.state = 'dead' AND has_each_name_once(body)
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
REVOKE EXECUTE ON FUNCTION has_each_name_once(json), an_events_headers(text, text, text), an_instant(text),
    a_request_says_what_was_accepted(text, bytea, json), a_copy_says_what_its_letter_says(text, bytea, json) FROM PUBLIC;
-- Grants decide who reads, stages and deletes; these policies decide on which topics. A role that accepts payments stages work and
-- refusals. A role that makes attempts stages outcomes and receipts, and writes the queue's topic and the tiers. People who move dead
-- letters stage what the rows say, as work and on the queue's topic.
-- The part after a topic's last dot is the same under any prefix.
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON outbox FOR SELECT USING (true);
CREATE POLICY relays_delete ON outbox FOR DELETE USING (true);
CREATE POLICY relays_set_aside ON outbox FOR UPDATE USING (true);
-- A CASE, so that the frequent ones, acceptances and outcomes, need few checks.
CREATE POLICY each_tells_what_it_decides ON outbox FOR INSERT WITH CHECK (CASE
    WHEN right(topic, 9) = '.requests' THEN (SELECT has_any_column_privilege('chargeonce.operation', 'INSERT'))
        OR a_request_says_what_was_accepted(record_key, value, headers)
    WHEN right(topic, 9) IN ('.outcomes', '.receipts') THEN (SELECT has_any_column_privilege('chargeonce.payment_attempt', 'INSERT'))
    WHEN right(topic, 4) = '.dlq' THEN (SELECT has_any_column_privilege('chargeonce.payment_attempt', 'INSERT'))
        OR (SELECT has_any_column_privilege('chargeonce.dead_letter', 'INSERT'))
           AND a_copy_says_what_its_letter_says(record_key, value, headers)
    WHEN topic ~ '[.]retry-[0-9]+$' THEN (SELECT has_any_column_privilege('chargeonce.payment_attempt', 'INSERT'))
        OR (SELECT has_any_column_privilege('chargeonce.dead_letter', 'INSERT'))
           AND a_request_says_what_was_accepted(record_key, value, headers)
    -- Only who makes attempts leaves one with an unknown outcome, or presents it again.
    WHEN right(topic, 8) = '.waiting' THEN (SELECT has_any_column_privilege('chargeonce.payment_attempt', 'INSERT'))
    WHEN right(topic, 12) = '.audit-seals' THEN (SELECT has_table_privilege('chargeonce.audit_seal', 'INSERT'))
    WHEN right(topic, 15) = '.intake-refused' THEN (SELECT has_any_column_privilege('chargeonce.idempotency_key', 'INSERT'))
    ELSE false END);

-- Which session's relay has a shard of the outbox, by the session's mark: an advisory lock of that number, which counts only while a login
-- holds it that may write here. 0 is none.
CREATE TABLE relay_shard (
    shard smallint PRIMARY KEY CHECK (shard BETWEEN 0 AND 7),
    mark  int NOT NULL CHECK (mark >= 0)
) WITH (fillfactor = 50);

-- The dead-letter queue. The compacted topic shows the same set to any Kafka tool.
CREATE TABLE dead_letter (
    -- An operation's id; for poison a hash of topic, partition, offset and bytes, which belongs to no operation.
    dead_letter_id text COLLATE "C" PRIMARY KEY,
    operation_id   text,
    payment_id     text,
    merchant_id    text,
    amount         bigint,
    currency       text,
    psp            text,
    state          text NOT NULL CHECK (state IN ('dead', 'merged', 'settled', 'purged')),
    cause          text NOT NULL,
    message        text NOT NULL CHECK (length(message) <= 500),
    generation     int NOT NULL,
    -- The last tier it waited in; 0 for none.
    tier           int NOT NULL DEFAULT 0,
    -- The payment's own deadline when it died. Poison has none.
    charge_before  timestamptz,
    -- Whether an attempt was open when it died, or was still being asked about. Only then can an attempt have taken the money, because a
    -- dead operation is not claimed. So a list of a million letters need not read the attempts of those without one.
    had_open_attempt boolean NOT NULL DEFAULT true,
    -- Raised by every change, so that a late copy on the topic never hides a newer one.
    revision       int NOT NULL DEFAULT 1,
    died_at        timestamptz NOT NULL DEFAULT now(),
    changed_at     timestamptz NOT NULL DEFAULT now(),
    source_topic     text,
    source_partition int,
    source_offset    bigint,
    -- Key, value and headers, which may contain card numbers, sealed for this row with a data key that is in no database.
    sealed_record    bytea,
    -- A person's edit of a poison record's value, sealed too; a merge sends this one. The original record stays.
    sealed_edit      bytea,
    CONSTRAINT only_poison_is_edited CHECK (sealed_edit IS NULL OR operation_id IS NULL),
    CONSTRAINT a_dead_letter_is_an_operation_or_a_record
        CHECK ((operation_id IS NULL) <> (source_topic IS NULL) AND (source_topic IS NULL) = (sealed_record IS NULL))
);
-- Poison has no operation whose trigger would count the move.
CREATE FUNCTION a_person_moves_poison() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('payment_attempt', 'INSERT') THEN
        PERFORM moved_by_a_person(NEW.dead_letter_id, CASE WHEN OLD.state = 'purged' THEN 'restore' WHEN NEW.state = 'purged' THEN 'purge'
                                                           ELSE 'merge' END);
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION a_person_moves_poison() FROM PUBLIC;
CREATE TRIGGER a_person_moves_poison AFTER UPDATE OF state ON dead_letter
    FOR EACH ROW WHEN (OLD.operation_id IS NULL AND NEW.state <> OLD.state AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION a_person_moves_poison();
CREATE INDEX dead_letter_live ON dead_letter (died_at, dead_letter_id) WHERE state = 'dead';
-- Letters that can still be restored.
CREATE INDEX dead_letter_purged ON dead_letter (died_at, dead_letter_id) WHERE state = 'purged';
-- Poison that left the queue: it is not deleted together with a payment.
CREATE INDEX dead_letter_poison_left ON dead_letter (changed_at) WHERE operation_id IS NULL AND state <> 'dead';

-- A merge of dead letters as a durable run: its plan, what was done, and the results.

CREATE TABLE dlq_run (
    run_id              text COLLATE "C" PRIMARY KEY CHECK (run_id ~ '^run_[0-9a-f]{10}$'),
    -- The login of the session that planned it.
    planned_by          text NOT NULL DEFAULT session_user,
    reason              text,
    planned_at          timestamptz NOT NULL DEFAULT now(),
    -- Equal for equal sets of dead letters, whichever person plans them; shown to the person who confirms.
    fingerprint         text NOT NULL,
    items               int NOT NULL CHECK (items >= 0),
    -- Their number and minor units by currency, for lists: {"EUR": [8, 11520]}.
    money               jsonb NOT NULL DEFAULT '{}',
    -- This many payments go first, and the rest only after these have ended well.
    canary              int NOT NULL CHECK (canary >= 0),
    -- Dead letters per second at first; NULL is as fast as possible. It doubles up to max_rate while all goes well.
    rate                int CHECK (rate >= 1),
    max_rate            int CHECK (max_rate >= rate),
    abort_above_percent int NOT NULL CHECK (abort_above_percent BETWEEN 0 AND 100),
    -- Whether payments that were already merged too often are merged once more.
    even_capped         boolean NOT NULL,
    -- Whether payments that a person stopped on purpose are merged: only a selection by id or by that cause means them.
    even_stopped        boolean NOT NULL DEFAULT false,
    state               text NOT NULL CHECK (state IN ('planned', 'running', 'finished', 'aborted', 'cancelled')),
    -- Why it was aborted or cancelled.
    verdict             text,
    -- The login of the session that leads it. A leader whose token is no longer here stops at its next batch.
    leader              text,
    leader_token        uuid,
    -- The leader's last heartbeat, by this database's clock.
    led_at              timestamptz,
    -- Items up to this position are no longer judged: a resumed run starts with its own canary.
    judged_after        int NOT NULL DEFAULT 0,
    ended_at            timestamptz,
    kind                text NOT NULL DEFAULT 'merge' CHECK (kind IN ('merge', 'purge', 'restore')),
    -- For a purge: whether payments whose money may have been taken are purged too.
    even_unresolved     boolean NOT NULL DEFAULT false,
    -- For people who read the list; whether the run may begin is checked when it does.
    awaits_approval     boolean NOT NULL DEFAULT false,
    -- Only items of the same transaction are its set: none is added later.
    planned_xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT a_leader_has_a_token CHECK ((leader IS NULL) = (leader_token IS NULL)),
    CONSTRAINT only_what_runs_is_led CHECK (leader IS NULL OR state = 'running')
);
CREATE INDEX dlq_run_newest ON dlq_run (planned_at);
CREATE FUNCTION a_run_is_led_by_its_session() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM it_may_begin(NEW.run_id);
    NEW.leader := session_user;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION a_run_is_led_by_its_session() FROM PUBLIC;
CREATE TRIGGER a_run_is_led_by_its_session BEFORE INSERT OR UPDATE OF leader ON dlq_run
    FOR EACH ROW WHEN (NEW.leader IS NOT NULL) EXECUTE FUNCTION a_run_is_led_by_its_session();

-- An end is dated now: these times decide when a purge can no longer be undone, and when rows are deleted.
CREATE FUNCTION it_happens_now() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'dlq_run' THEN
        NEW.ended_at := CASE WHEN NEW.ended_at IS NOT NULL THEN clock_timestamp() END;
    ELSE
        NEW.changed_at := clock_timestamp();
        NEW.died_at := CASE WHEN NEW.died_at = OLD.died_at THEN OLD.died_at ELSE clock_timestamp() END;
    END IF;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION it_happens_now() FROM PUBLIC;
CREATE TRIGGER it_happens_now BEFORE UPDATE OF changed_at, died_at ON dead_letter
    FOR EACH ROW WHEN (current_setting('is_superuser') = 'off') EXECUTE FUNCTION it_happens_now();
CREATE TRIGGER it_happens_now BEFORE UPDATE OF ended_at ON dlq_run
    FOR EACH ROW WHEN (current_setting('is_superuser') = 'off') EXECUTE FUNCTION it_happens_now();

-- The frozen set. No foreign key: one statement writes a million items, together with their run.
CREATE TABLE dlq_run_item (
    run_id         text COLLATE "C" NOT NULL,
    -- The order of moves: the canary first, then the oldest first. There may be gaps.
    position       int NOT NULL CHECK (position >= 1),
    dead_letter_id text NOT NULL,
    -- Which failure was meant: a letter that died again meanwhile is not moved.
    generation     int NOT NULL,
    died_at        timestamptz NOT NULL,
    standing       text NOT NULL,
    amount         bigint,
    currency       text,
    -- What the run did with it; NULL until then.
    fate           text CHECK (fate IN ('reentered', 'asked', 'resent', 'purged', 'restored', 'refused', 'closed', 'gone')),
    moved_at       timestamptz,
    -- Its result afterwards; 'unresolved' may still change.
    outcome        text CHECK (outcome IN ('succeeded', 'declined', 'failed_again', 'unresolved')),
    -- The transaction that inserted it: see planned_xid.
    planned_xid    xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (run_id, position),
    CHECK ((fate IS NULL) = (moved_at IS NULL)),
    CHECK (outcome IS NULL OR fate IN ('reentered', 'asked'))
);
-- Items that were moved and have not ended: few during a run, none after it.
CREATE INDEX dlq_run_item_open ON dlq_run_item (run_id, position)
    WHERE fate IN ('reentered', 'asked') AND (outcome IS NULL OR outcome = 'unresolved');

-- Four eyes: what one person may merge, purge, restore and settle alone within 24 hours. Anything more is a run that another person has
-- approved. No row is no limit. Only the owner writes here, by "migrate --four-eyes-above", and is not limited. Hours are those of the
-- clock and not of now(), which a transaction that is held open keeps for days. This rule refuses with the SQLSTATE X4EYE, which Postgres
-- does not use: no right is missing then, and nothing needs fixing.
CREATE TABLE four_eyes (
    -- A currency, in its minor units; or '*', the number of dead letters.
    of_what text COLLATE "C" PRIMARY KEY CHECK (of_what ~ '^([A-Z]{3}|[*])$'),
    most    bigint NOT NULL CHECK (most >= 0)
);
-- What each person has moved alone, per hour: many small runs count as one big one.
CREATE TABLE moved_alone (
    login   text COLLATE "C" NOT NULL,
    of_what text COLLATE "C" NOT NULL,
    hour    timestamptz NOT NULL,
    amount  numeric NOT NULL,
    PRIMARY KEY (login, of_what, hour)
) WITH (fillfactor = 50);
-- Who has approved another person's run. The approval is valid for 24 hours, and for the exact set that was seen.
CREATE TABLE approval (
    run_id      text COLLATE "C" PRIMARY KEY,
    approved_by text NOT NULL,
    approved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    fingerprint text NOT NULL
);
-- Moves of an approved run that this transaction may make; each move uses up its row.
CREATE TABLE permitted_move (
    operation_id text COLLATE "C" PRIMARY KEY,
    kind         text NOT NULL,
    xid          xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- In these functions current_user is the owner.
CREATE FUNCTION four_eyes_are_needed() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM four_eyes) AND NOT pg_has_role(session_user, current_user, 'USAGE')
$$;

-- Whether this exceeds the limits, together with what the session's login has already moved alone.
CREATE FUNCTION too_much_alone(things text[], amounts numeric[]) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT four_eyes_are_needed() AND EXISTS (
        SELECT FROM four_eyes JOIN unnest(things, amounts) AS more (of_what, amount) USING (of_what)
         WHERE more.amount + coalesce((SELECT sum(amount) FROM moved_alone
                                        WHERE moved_alone.of_what = four_eyes.of_what AND login = session_user
                                          AND hour > clock_timestamp() - interval '25 hours'), 0) > most)
$$;

-- The contents of a run, or the rest of it, from the payments themselves and not from what was written about them.
CREATE FUNCTION run_holds(run text, left_of_it boolean) RETURNS TABLE (of_what text, amount numeric)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT coalesce(operation.currency, '*'), CASE WHEN grouping(operation.currency) = 1 THEN count(*) ELSE sum(operation.amount) END
      FROM dlq_run JOIN dlq_run_item AS item USING (run_id, planned_xid) LEFT JOIN operation ON operation_id = dead_letter_id
     WHERE run_id = run AND (fate IS NULL OR NOT left_of_it)
     GROUP BY ROLLUP (operation.currency)
    HAVING operation.currency IS NOT NULL OR grouping(operation.currency) = 1
$$;

CREATE FUNCTION is_approved(run text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM approval WHERE run_id = run AND approved_at > clock_timestamp() - interval '24 hours')
$$;

CREATE FUNCTION must_be_approved(run text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT four_eyes_are_needed() AND NOT is_approved(run)
       AND too_much_alone(ARRAY(SELECT of_what FROM run_holds(run, true) ORDER BY 1),
                          ARRAY(SELECT amount FROM run_holds(run, true) ORDER BY of_what))
$$;

CREATE FUNCTION it_may_begin(run text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF must_be_approved(run) THEN
        RAISE SQLSTATE 'X4EYE' USING MESSAGE = format('another person must approve %s first', run);
    END IF;
END $$;

-- Permits this transaction to move these items of a run, if another person has approved it.
CREATE FUNCTION permit_moves(run text, positions int[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF four_eyes_are_needed() AND is_approved(run) THEN
        DELETE FROM permitted_move WHERE operation_id = ANY (ARRAY(
            SELECT operation_id FROM permitted_move WHERE xid <> pg_current_xact_id() FOR UPDATE SKIP LOCKED));
        INSERT INTO permitted_move (operation_id, kind)
        SELECT dead_letter_id, kind
          FROM dlq_run JOIN dlq_run_item AS item USING (run_id, planned_xid) JOIN dead_letter AS letter USING (dead_letter_id)
         WHERE run_id = run AND position = ANY (positions) AND fate IS NULL
           AND letter.generation = item.generation AND letter.died_at = item.died_at
         ORDER BY dead_letter_id
        ON CONFLICT (operation_id) DO UPDATE SET kind = excluded.kind, xid = excluded.xid;
    END IF;
END $$;

-- One move by the session: it belongs to an approved run, or counts as moved alone.
CREATE FUNCTION moved_by_a_person(operation text, what text) RETURNS void
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
        -- A stop is no run and needs no approval: what waits would not wait for one.
        RAISE SQLSTATE 'X4EYE' USING MESSAGE = format(CASE WHEN what = 'stop'
            THEN 'this is more than %s may stop alone within 24 hours; another person may stop the rest'
            ELSE 'this is more than %s may move alone within 24 hours; have another person approve it' END, session_user);
    END IF;
END $$;

CREATE FUNCTION has_a_login_of_their_own(name text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM person WHERE login = name AND role = 'chargeonce_dlq_operator')
$$;

-- A proposal as it is now: a run, or a finding.
CREATE FUNCTION proposal(run text, OUT kind text, OUT proposed_by text, OUT proposed_at timestamptz, OUT open boolean, OUT fingerprint text)
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
CREATE FUNCTION approve(run text, seen text, origin text) RETURNS void
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
REVOKE EXECUTE ON FUNCTION four_eyes_are_needed(), too_much_alone(text[], numeric[]), run_holds(text, boolean), is_approved(text),
    must_be_approved(text), it_may_begin(text), permit_moves(text, int[]), moved_by_a_person(text, text), has_a_login_of_their_own(text),
    proposal(text), approve(text, text, text) FROM PUBLIC;

-- Who did what, when and why. Append-only, and only through append_audit: no role may insert here. Ranges of it are sealed apart from the
-- payments (audit_seal), so that a record that is changed, added or removed later is detected. It is divided into tables by ranges of ids:
-- old records are dropped with their table. No role has a right to any of these tables.
CREATE SEQUENCE audit_record_audit_id_seq;
CREATE TABLE audit_record (
    audit_id      bigint PRIMARY KEY DEFAULT nextval('audit_record_audit_id_seq'),
    at            timestamptz NOT NULL DEFAULT now(),
    -- The role that the session logged in as, set by Postgres and not by the session.
    session_role  text NOT NULL DEFAULT session_user,
    merchant_id   text,
    -- A service by its name, a person by session_role.
    actor         text NOT NULL,
    action        text NOT NULL,
    resource_type text NOT NULL,
    resource_id   text COLLATE "C" NOT NULL,
    reason        text,
    data          json,
    -- A claim: the address of a merchant's request, or the account on the machine where a person ran the command.
    origin        text,
    -- Who reads the log, as the sealer does, holds many records in memory.
    CONSTRAINT a_record_has_an_end CHECK (length(merchant_id) <= 200 AND length(actor) <= 500 AND length(action) <= 200
        AND length(resource_type) <= 200 AND length(resource_id) <= 2000 AND length(reason) <= 4000 AND octet_length(data::text) <= 262144
        AND length(origin) <= 2000)
) PARTITION BY RANGE (audit_id);
ALTER SEQUENCE audit_record_audit_id_seq OWNED BY audit_record.audit_id;
CREATE INDEX audit_record_by_resource ON audit_record (resource_id, audit_id);
-- Actions of people, among everything that happened to payments.
CREATE INDEX audit_record_dlq ON audit_record (at) WHERE action LIKE 'dlq.%';
-- How many came into the dead-letter queue of late.
CREATE INDEX audit_record_entered ON audit_record (at) WHERE action = 'dead_letter.entered';

-- The last id of the table for a record: at 500 payments per second each table covers a day.
CREATE FUNCTION audit_table_end(id bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT (id / 100000000 + 1) * 100000000 - 1 $$;

-- The last ids of the existing tables.
CREATE FUNCTION audit_tables() RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT substring(relname FROM '^audit_record_to_([0-9]+)$')::bigint
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'chargeonce.audit_record'::regclass
$$;

-- Creates the table for the next million records and the one after it, if they are missing: an empty table is attached without a lock that
-- any append waits for. While there is room, it waits for no lock itself.
CREATE FUNCTION make_audit_room() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    this bigint := audit_table_end(coalesce(pg_sequence_last_value('audit_record_audit_id_seq'), 0) + 1000000);
    up_to bigint;
BEGIN
    IF to_regclass('chargeonce.audit_record_to_' || audit_table_end(this + 1)) IS NOT NULL THEN
        RETURN;
    END IF;
    IF to_regclass('chargeonce.audit_record_to_' || this) IS NULL THEN
        LOCK TABLE ONLY audit_record IN SHARE UPDATE EXCLUSIVE MODE;
    ELSE
        LOCK TABLE ONLY audit_record IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
    END IF;
    FOREACH up_to IN ARRAY ARRAY[this, audit_table_end(this + 1)] LOOP
        CONTINUE WHEN to_regclass('chargeonce.audit_record_to_' || up_to) IS NOT NULL;
        -- Rows are only inserted: the table is vacuumed a part at a time and frozen at once, so it is never read again because of its
        -- transactions' age.
        EXECUTE format('CREATE TABLE audit_record_to_%s (LIKE audit_record INCLUDING CONSTRAINTS) '
                       'WITH (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, autovacuum_freeze_min_age = 0)', up_to);
        EXECUTE format('ALTER TABLE audit_record ATTACH PARTITION audit_record_to_%s FOR VALUES FROM (%s) TO (%s)', up_to,
                       coalesce((SELECT max(audit_tables) + 1 FROM audit_tables())::text, 'MINVALUE'), up_to + 1);
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    RETURN;
END $$;
REVOKE EXECUTE ON FUNCTION audit_table_end(bigint), audit_tables(), make_audit_room() FROM PUBLIC;
SELECT make_audit_room();

-- Actions of people. Such a record has the login of its session, and nothing that the session claims.
CREATE FUNCTION is_a_persons(action text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT (action LIKE 'dlq.%' OR action LIKE 'merchant.%' OR action LIKE 'token.%' OR action LIKE 'person.%'
            OR action LIKE 'four_eyes.%' OR action LIKE 'personal_data.%' OR action LIKE 'webhook.%')
           -- The result of a person's finding is written by the resolver.
           AND action NOT IN ('dlq.settlement_settled', 'dlq.settlement_confirmed', 'dlq.settlement_refused')
$$;

-- Each action has one writer: merchants' requests belong to ingest, merchants and tokens to their admin, dlq.* to people on call,
-- webhook_endpoint.* to the service that sends webhooks, bank.* to the one that talks to banks, mandate.lapsed to ingest's reaper, the rest
-- to charge and retry. webhook.* has two: the admin, and ingest for a merchant that changes its own endpoints. A service has one name. A
-- person gives none.
CREATE FUNCTION may_append_audit(ingest boolean, charge boolean, on_call boolean, admin boolean, unmask boolean, eraser boolean,
                                 webhooks boolean, banks boolean, merchant text, actor text, action text)
    RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN action LIKE 'payment.%' OR action LIKE 'refund.%' OR ingest AND action LIKE 'webhook.%'
            THEN ingest AND actor = 'merchant:' || merchant
        WHEN action LIKE 'dead_letter.%' THEN (charge OR on_call) AND actor = 'dead-letter-queue'
        WHEN action LIKE 'webhook_endpoint.%' THEN webhooks AND actor = 'webhook-sender'
        WHEN action LIKE 'bank.%' THEN banks AND actor = 'bank-files'
        WHEN action = 'mandate.lapsed' THEN ingest AND actor = 'reaper'
        WHEN chargeonce.is_a_persons(action)
            THEN CASE WHEN action = 'dlq.unmasked' THEN unmask WHEN action LIKE 'dlq.%' THEN on_call
                      WHEN action LIKE 'personal_data.%' THEN eraser WHEN action LIKE 'person.%' OR action LIKE 'four_eyes.%' THEN false
                      ELSE admin END AND actor IS NULL
        ELSE charge AND actor = 'charge-consumer' END
$$;

-- The only way into the audit log. Time, id and role are set here. If a session appends a record that its role may not write, its
-- transaction is refused. In this function current_user is the schema's owner: for the owner's role and superusers the given actor is
-- accepted. Returns how many records were appended.
CREATE FUNCTION append_audit(merchants text[], actors text[], actions text[], types text[], resources text[], reasons text[],
                             details text[], origins text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owns boolean := pg_has_role(session_user, current_user, 'USAGE');
    ingest boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_ingest', 'USAGE');
    charge boolean := NOT owns AND (pg_has_role(session_user, 'chargeonce_charge', 'USAGE')
                                     OR pg_has_role(session_user, 'chargeonce_retry', 'USAGE'));
    on_call boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_dlq_operator', 'USAGE');
    admin boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_merchant_admin', 'USAGE');
    unmask boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_dlq_unmask', 'USAGE');
    eraser boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_eraser', 'USAGE');
    webhooks boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_webhooks', 'USAGE');
    banks boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_bank_files', 'USAGE');
    appended int;
    refused text;
BEGIN
    -- Charge normally creates tables long before. If it could not for days, this call does: no append ever fails for lack of a table.
    IF to_regclass('chargeonce.audit_record_to_'
                   || audit_table_end(coalesce(pg_sequence_last_value('audit_record_audit_id_seq'), 0) + 10000000)) IS NULL THEN
        PERFORM make_audit_room();
    END IF;
    INSERT INTO audit_record (at, session_role, merchant_id, actor, action, resource_type, resource_id, reason, data, origin)
    SELECT clock_timestamp(), session_user, entry.merchant,
           CASE WHEN NOT (ingest OR charge OR webhooks OR banks) AND is_a_persons(entry.action) THEN session_user ELSE entry.actor END,
           entry.action, entry.type, entry.resource, entry.reason, entry.detail::json, entry.origin
      FROM unnest(merchants, actors, actions, types, resources, reasons, details, origins)
        AS entry (merchant, actor, action, type, resource, reason, detail, origin)
     WHERE owns
        OR may_append_audit(ingest, charge, on_call, admin, unmask, eraser, webhooks, banks, entry.merchant, entry.actor, entry.action);
    GET DIAGNOSTICS appended = ROW_COUNT;
    IF appended < cardinality(actions) THEN
        SELECT format('%L as %L', entry.action, entry.actor) INTO refused
          FROM unnest(merchants, actors, actions) AS entry (merchant, actor, action)
         WHERE may_append_audit(ingest, charge, on_call, admin, unmask, eraser, webhooks, banks, entry.merchant, entry.actor, entry.action)
               IS NOT TRUE
         LIMIT 1;
        RAISE insufficient_privilege
              USING MESSAGE = format('permission denied: %s may not append %s to the audit log', session_user, refused);
    END IF;
    RETURN appended;
END $$;
REVOKE EXECUTE ON FUNCTION append_audit(text[], text[], text[], text[], text[], text[], text[], text[]) FROM PUBLIC;

-- Replaces the limits of four eyes. For the owner, by "migrate --four-eyes-above".
CREATE FUNCTION limit_what_one_does_alone(things text[], limits bigint[]) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    DELETE FROM four_eyes;
    INSERT INTO four_eyes (of_what, most) SELECT * FROM unnest(things, limits);
    PERFORM append_audit(NULL, NULL, ARRAY['four_eyes.set'], ARRAY['four_eyes'], ARRAY['limits'], NULL,
                         ARRAY[coalesce((SELECT json_object_agg(of_what, most) FROM four_eyes), '{}')::text], NULL);
END $$;
REVOKE EXECUTE ON FUNCTION limit_what_one_does_alone(text[], bigint[]) FROM PUBLIC;

-- What a session of this login may hold without going on: a transaction that nothing is done in, and, for a login that people use, a
-- statement that never ends and a session that was forgotten. Services limit their statements themselves. Only a default: a session may set
-- another. For the owner.
CREATE FUNCTION bound_sessions(login text, of_people boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    bound text[];
BEGIN
    FOREACH bound SLICE 1 IN ARRAY ARRAY[['idle_in_transaction_session_timeout', '30s']]
            || CASE WHEN of_people THEN ARRAY[['statement_timeout', '10min'], ['idle_session_timeout', '12h']] END LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login AND array_to_string(bound, '=') = ANY (rolconfig)) THEN
            EXECUTE format('ALTER ROLE %I SET %I = %L', login, bound[1], bound[2]);
        END IF;
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION bound_sessions(text, boolean) FROM PUBLIC;

-- Adds and removes a person's own login. For the owner, by "migrate --operator".
CREATE FUNCTION add_person(name text, of_role text) RETURNS void LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO person (login, role) VALUES (name, of_role) ON CONFLICT DO NOTHING;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
        EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name);
        PERFORM bound_sessions(name, true);
    END IF;
    EXECUTE format('GRANT %I TO %I', of_role, name);
    PERFORM append_audit(NULL, NULL, ARRAY['person.added'], ARRAY['person'], ARRAY[name], NULL,
                         ARRAY[json_build_object('role', of_role)::text], NULL);
END $$;
CREATE FUNCTION remove_person(name text) RETURNS void LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    gone text;
BEGIN
    FOR gone IN DELETE FROM person WHERE login = name RETURNING role LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('REVOKE %I FROM %I', gone, name);
        END IF;
        PERFORM append_audit(NULL, NULL, ARRAY['person.removed'], ARRAY['person'], ARRAY[name], NULL,
                             ARRAY[json_build_object('role', gone)::text], NULL);
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION add_person(text, text), remove_person(text) FROM PUBLIC;

-- What a person has paused or forced until it is resumed: one row each. The audit log has the history. A row whose time is over holds
-- nothing any more; the next change removes it. Only put_hold and lift_hold write here.
CREATE TABLE hold (
    -- A PSP gets no new attempts, a merchant's payments are not tried, a tier's records are not tried.
    kind    text COLLATE "C" NOT NULL CHECK (kind IN ('psp', 'merchant', 'tier')),
    -- For a tier, its number.
    name    text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- 'force' overrules the breaker of a PSP: it counts as closed.
    action  text NOT NULL CHECK (action IN ('pause', 'force')),
    reason  text NOT NULL CHECK (length(btrim(reason)) BETWEEN 1 AND 500),
    -- The login of the session.
    held_by text NOT NULL,
    since   timestamptz NOT NULL,
    -- NULL for until it is resumed.
    until   timestamptz,
    PRIMARY KEY (kind, name),
    CONSTRAINT only_a_psp_is_forced CHECK (action = 'pause' OR kind = 'psp'),
    -- A breaker that is overruled for ever protects from nothing.
    CONSTRAINT a_force_ends_within_a_day CHECK (action = 'pause' OR until <= since + interval '24 hours' AND until IS NOT NULL)
);

-- Pauses or forces for the session's login, in place of what held it before.
CREATE FUNCTION put_hold(of_kind text, of_name text, what text, why text, ends timestamptz, run text, claim text) RETURNS hold
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    is_known boolean;
    before hold;
    made hold;
BEGIN
    -- One after the other, so that the audit log tells what each one replaced.
    LOCK TABLE hold IN SHARE ROW EXCLUSIVE MODE;
    IF ends <= moment THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold cannot end in the past';
    END IF;
    is_known := CASE of_kind
        WHEN 'psp' THEN EXISTS (SELECT FROM psp_health WHERE psp = of_name) OR EXISTS (SELECT FROM dead_letter WHERE psp = of_name)
                        OR EXISTS (SELECT FROM waiting JOIN operation_state AS its USING (operation_id)
                                    WHERE of_name = ANY (psps_awaited(its)))
                        OR EXISTS (SELECT FROM hold WHERE kind = 'psp' AND name = of_name)
        WHEN 'merchant' THEN EXISTS (SELECT FROM merchant WHERE merchant_id = of_name)
                             OR EXISTS (SELECT FROM idempotency_key WHERE merchant_id = of_name)
        WHEN 'tier' THEN of_name ~ '^[1-9]$'
        ELSE false END;
    IF NOT is_known THEN
        RAISE invalid_parameter_value USING MESSAGE = format('there is no %s %L', of_kind, of_name);
    END IF;
    DELETE FROM hold WHERE until <= moment;
    SELECT * INTO before FROM hold WHERE kind = of_kind AND name = of_name;
    INSERT INTO hold (kind, name, action, reason, held_by, since, until)
    VALUES (of_kind, of_name, what, why, session_user, moment, ends)
    ON CONFLICT (kind, name) DO UPDATE
       SET action = excluded.action, reason = excluded.reason, held_by = excluded.held_by, since = excluded.since, until = excluded.until
    RETURNING * INTO made;
    PERFORM append_audit(ARRAY[CASE of_kind WHEN 'merchant' THEN of_name END], NULL,
                         ARRAY[CASE what WHEN 'force' THEN 'dlq.forced' ELSE 'dlq.paused' END], ARRAY['hold'],
                         ARRAY[of_kind || '/' || of_name], ARRAY[why],
                         ARRAY[json_build_object('run', run, 'until', ends, 'instead_of', before.action, 'of', before.held_by)::text],
                         ARRAY[claim]);
    RETURN made;
END $$;

-- Ends a hold before its time. No row if nothing held it.
CREATE FUNCTION lift_hold(of_kind text, of_name text, why text, run text, claim text) RETURNS SETOF hold
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    lifted hold;
BEGIN
    LOCK TABLE hold IN SHARE ROW EXCLUSIVE MODE;
    DELETE FROM hold WHERE until <= clock_timestamp();
    DELETE FROM hold WHERE kind = of_kind AND name = of_name RETURNING * INTO lifted;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF btrim(coalesce(why, '')) = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold is lifted for a reason';
    END IF;
    PERFORM append_audit(ARRAY[CASE of_kind WHEN 'merchant' THEN of_name END], NULL, ARRAY['dlq.resumed'], ARRAY['hold'],
                         ARRAY[of_kind || '/' || of_name], ARRAY[why],
                         ARRAY[json_build_object('run', run, 'action', lifted.action, 'of', lifted.held_by, 'since', lifted.since)::text],
                         ARRAY[claim]);
    RETURN NEXT lifted;
END $$;
REVOKE EXECUTE ON FUNCTION put_hold(text, text, text, text, timestamptz, text, text), lift_hold(text, text, text, text, text) FROM PUBLIC;

-- Clears records that the broker refuses, for the session's login: 'retry' has the relay offer them at once, 'drop' deletes them. It acts
-- only on what is still refused, so no record that is on its way is ever lost by it. A row that a relay holds right now is left to it. Each
-- one is in the audit log: a dropped one with its hash, not with its content, which may be personal. Returns how many were cleared.
CREATE FUNCTION clear_refusals(ids bigint[], what text, why text, run text, claim text) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    held bigint[];
BEGIN
    IF what IS NULL OR what NOT IN ('retry', 'drop') THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a refused record is retried or dropped';
    END IF;
    IF what = 'drop' AND btrim(coalesce(why, '')) = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a record is dropped for a reason';
    END IF;
    held := ARRAY(SELECT outbox_id FROM outbox WHERE outbox_id = ANY (ids) AND refusal IS NOT NULL
                   ORDER BY outbox_id FOR UPDATE SKIP LOCKED);
    -- A missing seal would hide that the log was rewritten.
    IF what = 'drop' AND EXISTS (SELECT FROM outbox WHERE outbox_id = ANY (held) AND right(topic, 12) = '.audit-seals') THEN
        RAISE restrict_violation USING MESSAGE = 'a seal of the audit log is never dropped';
    END IF;
    PERFORM append_audit(array_agg(merchant_id ORDER BY outbox_id), array_agg(NULL::text),
                         array_agg(CASE what WHEN 'drop' THEN 'dlq.record.dropped' ELSE 'dlq.record.retried' END), array_agg('outbox'::text),
                         array_agg(record_key ORDER BY outbox_id), array_agg(why),
                         array_agg(json_build_object('run', run, 'topic', topic, 'refusal', refusal, 'staged_at', staged_at,
                                                     'bytes', length(value), 'sha256', encode(sha256(value), 'hex'))::text ORDER BY outbox_id),
                         array_agg(claim))
       FROM outbox LEFT JOIN operation ON operation_id = record_key WHERE outbox_id = ANY (held) HAVING count(*) > 0;
    IF what = 'drop' THEN
        DELETE FROM outbox WHERE outbox_id = ANY (held);
    ELSE
        UPDATE outbox SET refusal = NULL WHERE outbox_id = ANY (held);
    END IF;
    RETURN cardinality(held);
END $$;
REVOKE EXECUTE ON FUNCTION clear_refusals(bigint[], text, text, text, text) FROM PUBLIC;

-- A sign of each password of our logins, which changes with it. Each login may change its own. Only where the owner may look at passwords,
-- as a superuser, or after GRANT SELECT (rolname, rolpassword) ON pg_authid.
CREATE FUNCTION password_signs() RETURNS TABLE (login name, sign text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF has_column_privilege('pg_authid', 'rolpassword', 'SELECT') AND has_column_privilege('pg_authid', 'rolname', 'SELECT') THEN
        RETURN QUERY SELECT rolname, left(encode(sha256(convert_to(coalesce(rolpassword, 'none'), 'UTF8')), 'hex'), 8) FROM pg_authid;
    END IF;
END $$;
-- What all roles but the owner may do in this schema, from Postgres's catalog, which settings and passwords the roles have (each may change
-- its own), and which triggers are off. Listed people may come and go, and so may parts of the audit log.
CREATE FUNCTION current_grants() RETURNS SETOF text LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    WITH ours AS (
        SELECT oid, rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles
         WHERE rolname IN ('chargeonce_ingest', 'chargeonce_charge', 'chargeonce_retry', 'chargeonce_dlq_reader', 'chargeonce_dlq_operator',
                           'chargeonce_dlq_unmask', 'chargeonce_eraser', 'chargeonce_merchant_admin', 'chargeonce_webhooks',
                           'chargeonce_receipts', 'chargeonce_reconciler', 'chargeonce_bank_files')
    ), object AS (
        SELECT relname::text AS name, relacl AS acl, relowner AS owner FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace
         UNION ALL
        SELECT format('%s (%s)', relname, attname), attacl, relowner
          FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'chargeonce'::regnamespace
         UNION ALL
        SELECT format('%s()', proname), coalesce(proacl, acldefault('f', proowner)), proowner
          FROM pg_proc WHERE pronamespace = 'chargeonce'::regnamespace
         UNION ALL
        SELECT 'the schema', nspacl, nspowner FROM pg_namespace WHERE nspname = 'chargeonce'
    )
    SELECT DISTINCT format('%s%s on %s to %s', privilege_type, CASE WHEN is_grantable THEN ' with the right to grant it' END, name,
                           CASE grantee WHEN 0 THEN 'everyone' ELSE pg_get_userbyid(grantee) END)
      FROM object, aclexplode(acl) WHERE grantee <> owner
     UNION
    SELECT format('membership of %s in %s', pg_get_userbyid(member), pg_get_userbyid(roleid))
      FROM pg_auth_members
     WHERE (member IN (SELECT oid FROM ours) OR roleid IN (SELECT oid FROM ours))
       AND NOT EXISTS (SELECT FROM person WHERE login = pg_get_userbyid(member) AND role = pg_get_userbyid(roleid) AND NOT admin_option)
     UNION
    SELECT format('%s of %s', attribute, rolname)
      FROM ours, LATERAL (VALUES ('SUPERUSER', rolsuper), ('CREATEDB', rolcreatedb), ('CREATEROLE', rolcreaterole),
                                 ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)) AS has (attribute, it) WHERE it
     UNION
    SELECT format('setting %s of %s', setting, rolname)
      FROM ours JOIN pg_db_role_setting ON setrole = ours.oid, unnest(setconfig) AS setting
     WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
     UNION
    SELECT format('password %s of %s', sign, rolname) FROM ours JOIN password_signs() ON login = rolname
     UNION
    SELECT format('trigger %s of %s switched off', tgname, relname)
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = 'chargeonce'::regnamespace AND NOT tgisinternal AND tgenabled <> 'O'
     UNION
    SELECT format('no row-level security of %s', relname)
      FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relname IN ('outbox', 'idempotency_key') AND NOT relrowsecurity
     UNION
    SELECT format('policy %s of %s for %s to %s: %s', policyname, tablename, cmd, roles,
                  regexp_replace(concat_ws(' and ', qual, with_check), '\s+', ' ', 'g'))
      FROM pg_policies WHERE schemaname = 'chargeonce'
$$;
-- As "migrate --roles" last left it. Empty if roles were never created.
CREATE TABLE intended_grant (line text COLLATE "C" PRIMARY KEY);
-- A password is intended if it was set now, or the first that is seen.
CREATE FUNCTION these_grants_are_intended(set_now text[]) RETURNS void LANGUAGE sql SET search_path = chargeonce, pg_temp AS $$
    DELETE FROM intended_grant WHERE line NOT LIKE 'password %' OR split_part(line, ' of ', 2) = ANY (set_now);
    INSERT INTO intended_grant SELECT * FROM current_grants() AS its (line)
     WHERE its.line NOT LIKE 'password %'
        OR NOT EXISTS (SELECT FROM intended_grant AS old
                        WHERE old.line LIKE 'password %' AND split_part(old.line, ' of ', 2) = split_part(its.line, ' of ', 2));
$$;
CREATE FUNCTION drifted_grants() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT 'too much: ' || line FROM (SELECT * FROM current_grants() EXCEPT SELECT line FROM intended_grant) AS more (line)
     WHERE EXISTS (SELECT FROM intended_grant)
     UNION ALL
    SELECT 'missing: ' || line FROM (SELECT line FROM intended_grant EXCEPT SELECT * FROM current_grants()) AS less (line)
$$;
REVOKE EXECUTE ON FUNCTION current_grants(), these_grants_are_intended(text[]), drifted_grants(), password_signs() FROM PUBLIC;

-- A field of a record's data, or NULL. The json type accepts escapes that text cannot hold, and reading any field of such a value fails:
-- one odd record must not keep people from reading the others.
CREATE FUNCTION audit_detail(data json, field text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN data::text !~ '\\u(0000|[dD][89a-fA-F])' THEN data ->> field END
$$;
REVOKE EXECUTE ON FUNCTION audit_detail(json, text), is_a_persons(text),
    may_append_audit(boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, text, text, text) FROM PUBLIC;

-- Seals of ranges of the audit log, in a chain. Each is also published and logged, so that a person who rewrites the database cannot
-- rewrite all copies. A range starts after the end of the previous one, gaps of ids included, so that no record can be inserted between
-- them. It is sealed once no transaction is left that could still append to it.
CREATE TABLE audit_seal (
    seal        bigint PRIMARY KEY CHECK (seal >= 1),
    from_id     bigint NOT NULL UNIQUE,
    to_id       bigint NOT NULL,
    records     int NOT NULL CHECK (records >= 1),
    -- Over the records in the order of their ids, each field preceded by its length.
    rows_sha256 bytea NOT NULL CHECK (length(rows_sha256) = 32),
    -- The mark of the previous seal; the first has none.
    previous    bytea CHECK (length(previous) = 32),
    -- The last id whose record retention had deleted when the seal was made; NULL for none. The database's owner cannot make such a mark,
    -- so records that are missing without one were removed illegally. Seals stay, and still prove what was there.
    forgotten_to bigint,
    -- Which key made the mark; NULL is none, and then the mark is a plain SHA-256.
    key_id      text CHECK (length(key_id) <= 64),
    -- HMAC-SHA256 over everything above and sealed_at.
    mark        bytea NOT NULL CHECK (length(mark) = 32),
    sealed_at   timestamptz NOT NULL,
    CONSTRAINT a_range_is_not_empty CHECK (to_id >= from_id),
    CONSTRAINT only_the_first_follows_none CHECK ((previous IS NULL) = (seal = 1)),
    CONSTRAINT only_what_was_sealed_is_forgotten CHECK (forgotten_to < from_id)
);
CREATE INDEX audit_seal_by_time ON audit_seal (sealed_at);
-- Whether no other process seals before this transaction ends. Only the owner and who may seal can hold a lock that this one waits for.
CREATE FUNCTION seals_alone() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    LOCK TABLE audit_seal IN SHARE ROW EXCLUSIVE MODE NOWAIT;
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
REVOKE EXECUTE ON FUNCTION seals_alone() FROM PUBLIC;
CREATE INDEX audit_seal_forgetting ON audit_seal (forgotten_to) WHERE forgotten_to IS NOT NULL;
-- A seal over future records, or out of sequence, would silently end all sealing.
CREATE FUNCTION a_seal_follows_the_last() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
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
REVOKE EXECUTE ON FUNCTION a_seal_follows_the_last() FROM PUBLIC;
CREATE TRIGGER a_seal_follows_the_last BEFORE INSERT ON audit_seal
    FOR EACH ROW WHEN (current_setting('is_superuser') = 'off') EXECUTE FUNCTION a_seal_follows_the_last();

-- What the role that faces the internet may read. It has no right to any table with payments, tokens or purchases. It calls these
-- functions, which run as the schema's owner and return one merchant's payment if the caller gives the merchant and the payment's id, key
-- or reference. No setting says which merchant a session serves, because a thief of the login could set it. They are plpgsql, which keeps
-- plans.
CREATE FUNCTION operation_of(merchant text, operation text) RETURNS SETOF operation_now
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM operation_now WHERE operation_id = operation AND merchant_id = merchant;
END $$;

CREATE FUNCTION refunds_of(merchant text, payment text) RETURNS SETOF operation_now
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM operation_now WHERE payment_id = payment AND kind = 'refund' AND merchant_id = merchant
                  ORDER BY accepted_at, operation_id;
END $$;

-- The newest first, at most a hundred and one: a page, and whether there are more.
CREATE FUNCTION payments_with_reference(merchant text, wanted text, before timestamptz, before_id text, most int)
    RETURNS SETOF operation_now
    LANGUAGE plpgsql STABLE ROWS 20 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM operation_now
                  WHERE merchant_id = merchant AND reference = wanted AND kind = 'charge'
                    AND (accepted_at, operation_id) < (before, before_id)
                  ORDER BY accepted_at DESC, operation_id DESC LIMIT least(most, 101);
END $$;

-- Keys that are taken, by payments and refunds, with the present state of those.
CREATE FUNCTION keys_taken(merchants text[], keys text[])
    RETURNS TABLE (merchant_id text, idempotency_key text, fingerprint bytea, fingerprint_version smallint, request_path text,
                   request_params json, created_at timestamptz, state text, generation smallint, sequence int, amount bigint,
                   refunded numeric, resource_id text)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT taken.merchant_id, taken.idempotency_key, taken.fingerprint, taken.fingerprint_version, taken.request_path, taken.request_params,
           taken.created_at, charge.state, charge.generation, charge.sequence, charge.amount,
           (SELECT coalesce(sum(back.amount), 0) FROM operation_now AS back
             WHERE back.payment_id = charge.operation_id AND back.kind = 'refund' AND back.state = 'succeeded'), taken.resource_id
      FROM unnest(merchants, keys) AS ask (merchant_id, idempotency_key)
      JOIN idempotency_key AS taken USING (merchant_id, idempotency_key)
      JOIN operation_now AS charge ON charge.operation_id = taken.resource_id;
END $$;

-- An attempt as its merchant may see it: without the request, the PSP's key and the PSP's exact words. Each half uses its own partial
-- index.
CREATE FUNCTION attempts_of(merchant text, payment text)
    RETURNS TABLE (sequence int, psp text, state text, cause text, sends int, sent_at timestamptz, decided_at timestamptz)
    LANGUAGE plpgsql STABLE ROWS 2 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF EXISTS (SELECT FROM operation WHERE operation_id = payment AND merchant_id = merchant) THEN
        RETURN QUERY
        SELECT tried.sequence, tried.psp, tried.state, tried.cause, tried.sends::int, tried.sent_at, tried.decided_at
          FROM (SELECT * FROM payment_attempt WHERE payment_id = payment AND operation = 'charge' AND NOT failed_definite
                 UNION ALL
                SELECT * FROM payment_attempt WHERE payment_id = payment AND operation = 'charge' AND failed_definite) AS tried
         ORDER BY tried.sequence;
    END IF;
END $$;

CREATE FUNCTION capture_failure_of(merchant text, payment text) RETURNS SETOF capture_failure
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT failure.* FROM capture_failure AS failure JOIN operation USING (operation_id)
                  WHERE operation_id = payment AND merchant_id = merchant;
END $$;

-- Those of these payments, for which clients wait, that have settled. The caller knows their ids, which prove whose they are.
CREATE FUNCTION settled_among(payments text[]) RETURNS TABLE (operation_id text, state text, failure_cause text)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT settled.operation_id, settled.state, settled.failure_cause FROM operation_state AS settled
                  WHERE settled.operation_id = ANY (payments) AND settled.state IN ('succeeded', 'declined');
END $$;

-- The merchants of these tokens, what each token allows, from which addresses, and for how many milliseconds more. Without a token's digest
-- the caller learns nothing.
CREATE FUNCTION merchants_of(digests bytea[])
    RETURNS TABLE (token_sha256 bytea, merchant_id text, requests_per_second int, revoked boolean, scopes text[], addresses text[],
                   lives bigint)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT token.token_sha256, merchant_id, merchant.requests_per_second, token.revoked_at IS NOT NULL, token.scopes,
                        token.addresses::text[],
                        (least(extract(epoch FROM token.expires_at - clock_timestamp()), 1000000000) * 1000)::bigint
                   FROM merchant_token AS token JOIN merchant USING (merchant_id)
                  WHERE token.token_sha256 = ANY (digests);
END $$;

-- Those of these payments that are the first of their purchase: each takes its purchase's row for its merchant's time window. All callers
-- use the same order, so two batches cannot deadlock.
CREATE FUNCTION take_purchases(merchants text[], purchases bytea[], payments text[]) RETURNS SETOF text
    LANGUAGE plpgsql STRICT ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    INSERT INTO duplicate_guard AS guard (merchant_id, purchase, payment_id, until)
    SELECT DISTINCT ON (merchant_id, purchase) merchant_id, purchase, payment_id, now() + duplicate_window_ms * interval '1 millisecond'
      FROM unnest(merchants, purchases, payments) AS ask (merchant_id, purchase, payment_id) JOIN merchant USING (merchant_id)
     WHERE duplicate_window_ms > 0
     ORDER BY merchant_id, purchase, payment_id
    ON CONFLICT (merchant_id, purchase) DO UPDATE SET payment_id = excluded.payment_id, until = excluded.until WHERE guard.until <= now()
    RETURNING payment_id;
END $$;

-- The first payments of purchases that were requested again.
CREATE FUNCTION first_purchases(payments text[], merchants text[], purchases bytea[]) RETURNS TABLE (asked text, first text)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT ask.payment_id, guard.payment_id
      FROM unnest(payments, merchants, purchases) AS ask (payment_id, merchant_id, purchase)
      JOIN duplicate_guard AS guard USING (merchant_id, purchase);
END $$;

-- Deletes purchases whose time is over.
CREATE FUNCTION forget_purchases(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    forgotten int;
BEGIN
    DELETE FROM duplicate_guard
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM duplicate_guard WHERE until < now() LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
REVOKE EXECUTE ON FUNCTION operation_of(text, text), refunds_of(text, text), payments_with_reference(text, text, timestamptz, text, int),
    keys_taken(text[], text[]), attempts_of(text, text), capture_failure_of(text, text), settled_among(text[]), merchants_of(bytea[]),
    take_purchases(text[], bytea[], text[]), first_purchases(text[], text[], bytea[]), forget_purchases(int) FROM PUBLIC;

-- Whether a payment may still move money, or its outcome is still to be published: then nothing of it is erased. "staged" lists the keys
-- that are on their way to Kafka.
CREATE FUNCTION unfinished(payment text, staged text[]) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM (SELECT operation_id FROM operation WHERE operation_id = payment
                                 UNION ALL
                                SELECT operation_id FROM operation WHERE payment_id = payment AND kind <> 'charge') AS its
                     JOIN operation_state USING (operation_id)
                    WHERE state NOT IN ('succeeded', 'failed', 'declined', 'purged') OR state = 'purged' AND settled_at IS NULL
                       OR resolve_at IS NOT NULL
                       OR its.operation_id = ANY (staged)
                       OR EXISTS (SELECT FROM dead_letter WHERE dead_letter_id = its.operation_id AND dead_letter.state = 'dead'))
        OR EXISTS (SELECT FROM payment_attempt WHERE payment_id = payment AND NOT failed_definite AND state IN ('in_flight', 'unknown'))
$$;

-- Since when a payment is at rest: the latest of its acceptance, settlement, attempts, moves in the dead-letter queue and evidence that came
-- late, and the same of its refunds, reversals and returns. A retention that began at the acceptance would be over before a late success.
-- 'infinity' while it is unfinished or charge still has to look at a booked line.
CREATE FUNCTION at_rest_since(payment text) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = chargeonce, pg_temp AS $$
DECLARE
    -- Each half uses its own partial index.
    attempts text[] := ARRAY(SELECT psp_key FROM payment_attempt WHERE payment_id = payment AND failed_definite
                              UNION ALL
                             SELECT psp_key FROM payment_attempt WHERE payment_id = payment AND NOT failed_definite);
    operations text[] := ARRAY(SELECT payment
                                UNION ALL
                               SELECT operation_id FROM operation WHERE payment_id = payment AND kind <> 'charge');
BEGIN
    IF unfinished(payment, '{}') OR EXISTS (SELECT FROM settlement_line WHERE psp_key = ANY (attempts) AND due_at IS NOT NULL) THEN
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
        SELECT greatest(failed_at, recaptured_at) FROM capture_failure WHERE operation_id = ANY (operations)) AS latest (at));
END $$;
REVOKE EXECUTE ON FUNCTION at_rest_since(text) FROM PUBLIC;

-- Which life of its key an operation belongs to: a payment that is accepted under a key whose last payment was forgotten has the same id,
-- and its events, webhooks and receipts must have others. No key is free again within 45 days, so two lives never have one number. Lives
-- are not counted: a payment that a restore lost and that is accepted again has its ids again, unless such a period has just ended.
CREATE FUNCTION life_of(accepted timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT floor(extract(epoch FROM accepted) / (45 * 86400))::bigint
$$;
REVOKE EXECUTE ON FUNCTION life_of(timestamptz) FROM PUBLIC;

-- Forgetting is the only deletion of payment history, and the role that faces the internet triggers it. So that role may not delete; it may
-- only call these functions. They run as the schema's owner and refuse to delete what is too young or not settled. No service can write a
-- row's age. The outcomes of deleted payments were published long before; the audit log stays. It reads the next keys after that time and
-- returns how far it came, so that a million old payments that are not at rest are read once and not each time. Payments that come to rest
-- later are found when the scan starts again.
CREATE FUNCTION forget_settled_payments(most int, after timestamptz DEFAULT '-infinity',
                                        OUT walked int, OUT reached timestamptz, OUT forgotten int)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := retention_began();
    due text[];
    ended text[];
BEGIN
    SELECT count(*), coalesce(max(created_at), after), coalesce(array_agg(resource_id), '{}') INTO walked, reached, due
      FROM (SELECT created_at, resource_id FROM idempotency_key WHERE created_at < until AND created_at > after
             ORDER BY created_at FETCH FIRST coalesce(most, 0) ROWS WITH TIES) AS old;
    -- A refund is accepted under its payment's lock, and so is late evidence: after a separate statement has taken the lock, the next one sees
    -- all of it. If another process deleted a payment meanwhile, it may have been made again under its key; then it is young.
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
        -- Each half uses its own partial index.
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
REVOKE EXECUTE ON FUNCTION forget_settled_payments(int, timestamptz) FROM PUBLIC;

-- The same for rows that belong to no payment: poison that left the dead-letter queue, and ended runs.
CREATE FUNCTION forget_dead_letter_runs(most int) RETURNS int
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
    RETURN letters + items;
END $$;
REVOKE EXECUTE ON FUNCTION forget_dead_letter_runs(int) FROM PUBLIC;

-- Whether names and accounts are still stored that only this payment's attempts at banks keep here.
CREATE FUNCTION banks_keep(payment text) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = chargeonce, pg_temp AS $$
DECLARE
    attempts text[] := ARRAY(SELECT psp_key FROM payment_attempt WHERE payment_id = payment AND failed_definite
                              UNION ALL
                             SELECT psp_key FROM payment_attempt WHERE payment_id = payment AND NOT failed_definite);
BEGIN
    RETURN EXISTS (SELECT FROM bank_bytes_of(attempts)) OR EXISTS (SELECT FROM bank_debtors_of(attempts));
END $$;
REVOKE EXECUTE ON FUNCTION banks_keep(text) FROM PUBLIC;

-- Whether anything that may identify a person is still stored.
CREATE FUNCTION is_personal(payment text) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM operation WHERE (operation_id = payment OR payment_id = payment AND kind <> 'charge')
                      AND (customer <> '[erased]' OR description <> '[erased]' OR receipt_email <> '[erased]'))
        OR EXISTS (SELECT FROM (SELECT * FROM payment_attempt WHERE payment_id = payment AND failed_definite
                                 UNION ALL
                                SELECT * FROM payment_attempt WHERE payment_id = payment AND NOT failed_definite) AS attempt
                     LEFT JOIN psp_observation AS heard USING (psp_key)
                     LEFT JOIN hand_settlement AS finding USING (psp_key)
                     LEFT JOIN unmatched_notice AS notice USING (psp_key)
                    WHERE request <> '' OR attempt.message IS NOT NULL OR heard.detail <> '[erased]'
                       OR evidence <> '[erased]' OR answer <> '[erased]' OR notice.detail <> '[erased]')
        OR banks_keep(payment)
$$;

-- A key's request without personal data. It still names the fields that it had, because a repeat is compared by its fingerprint.
CREATE FUNCTION erased_request(params json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
    SELECT json_object_agg(key, CASE WHEN key IN ('customer', 'description', 'receipt_email') THEN to_json('[erased]'::text) ELSE value END)
      FROM json_each(params)
$$;
REVOKE EXECUTE ON FUNCTION unfinished(text, text[]), is_personal(text), erased_request(json) FROM PUBLIC;

-- Removes what identifies a person from finished payments and their refunds, for good: from the rows, the keys' requests, the requests to
-- PSPs, the texts of PSPs, and those of people who settled by hand. Amounts, merchants, ids, methods, references and states stay, and so do
-- the logins and times of findings. Fingerprints stay too, so a repeat gets its answer. The result says for each payment what was done; an
-- unfinished payment is left whole, because an attempt may still be made from it. A second call changes nothing.
CREATE FUNCTION erase_personal_data(merchant text, payments text[], claim text, why text, run text, really boolean)
    RETURNS TABLE (payment text, fate text, state_now text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    gone CONSTANT text := '[erased]';
    charges text[];
    operations text[];
    attempts text[];
    staged text[];
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
        SELECT asked, CASE WHEN charge.operation_id IS NULL THEN 'unknown'
                           WHEN unfinished(asked, staged) THEN 'unfinished'
                           WHEN is_personal(asked) THEN CASE WHEN really THEN 'erased' ELSE 'erasable' END
                           ELSE 'nothing_left' END,
               charge.state
          FROM (SELECT DISTINCT unnest(payments) AS asked) AS ask
          LEFT JOIN operation_now AS charge ON charge.operation_id = asked AND kind = 'charge' AND merchant_id = merchant
         ORDER BY asked
    LOOP
        IF fate = 'erased' THEN
            charges := charges || payment;
        END IF;
        RETURN NEXT;
    END LOOP;
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
    -- Each half uses its own partial index.
    attempts := ARRAY(SELECT psp_key FROM payment_attempt WHERE payment_id = ANY (charges) AND failed_definite
                       UNION ALL
                      SELECT psp_key FROM payment_attempt WHERE payment_id = ANY (charges) AND NOT failed_definite);
    UPDATE psp_observation SET detail = NULL WHERE psp_key = ANY (attempts) AND detail IS NOT NULL;
    UPDATE payment_attempt SET request = '', message = NULL WHERE psp_key = ANY (attempts);
    UPDATE hand_settlement SET evidence = gone, answer = CASE WHEN answer IS NOT NULL THEN gone END WHERE psp_key = ANY (attempts);
    -- A PSP's message that waits for its attempt to reappear will be recorded without its words.
    UPDATE unmatched_notice SET detail = gone WHERE psp_key = ANY (attempts) AND detail IS NOT NULL;
    UPDATE capture_failure SET reason = gone WHERE operation_id = ANY (charges) AND reason IS NOT NULL;
    UPDATE dead_letter SET message = gone WHERE dead_letter_id = ANY (operations);
    PERFORM end_receipts_without_an_address(operations);
    -- A file's bytes hold others too, and nothing needs them any more.
    DELETE FROM bank_file_part WHERE file IN (SELECT * FROM bank_bytes_of(attempts));
    UPDATE bank_mandate SET sealed_debtor = '' WHERE mandate_id IN (SELECT * FROM bank_debtors_of(attempts));
    UPDATE idempotency_key AS key SET request_params = erased_request(request_params) FROM operation
     WHERE operation.operation_id = ANY (charges) AND key.merchant_id = operation.merchant_id
       AND key.idempotency_key = operation.idempotency_key;
    PERFORM set_config('chargeonce.erasing', 'off', true);
    PERFORM append_audit(array_fill(merchant, ARRAY[cardinality(charges)]), NULL,
                         array_fill('personal_data.erased'::text, ARRAY[cardinality(charges)]),
                         array_fill('payment'::text, ARRAY[cardinality(charges)]), charges, array_fill(why, ARRAY[cardinality(charges)]),
                         array_fill(json_build_object('run', run)::text, ARRAY[cardinality(charges)]),
                         array_fill(claim, ARRAY[cardinality(charges)]));
END $$;
REVOKE EXECUTE ON FUNCTION erase_personal_data(text, text[], text, text, text, boolean) FROM PUBLIC;

-- Drops the oldest table of the audit log, if that seal, which reaches to that id, is old enough and covers the whole table. Returns the
-- last dropped id, or NULL. The caller makes the seal that says so in the same transaction: records that are missing without one are
-- detected. It delays an append no longer than a migration does. It first locks the table itself, which no append needs.
CREATE FUNCTION forget_audit_records(kept interval, sealed bigint, sealed_to bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    -- Far longer than a purge can be undone. In hours, because a day in spring has 23.
    until timestamptz := cutoff(kept, interval '2160 hours');
    oldest bigint := (SELECT min(audit_tables) FROM audit_tables());
BEGIN
    IF EXISTS (SELECT FROM audit_seal WHERE seal = sealed AND to_id = sealed_to AND sealed_at < until) AND sealed_to >= oldest THEN
        EXECUTE format('LOCK TABLE audit_record_to_%s', oldest);
        EXECUTE format('DROP TABLE audit_record_to_%s', oldest);
        RETURN oldest;
    END IF;
    RETURN NULL;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION forget_audit_records(interval, bigint, bigint) FROM PUBLIC;

-- Presentations that the budget of 30 days no longer counts, in the calendar of any time zone.
CREATE FUNCTION forget_presentations(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    forgotten int;
BEGIN
    DELETE FROM retry_budget WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM retry_budget WHERE day < current_date - 32 ORDER BY day LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
REVOKE EXECUTE ON FUNCTION forget_presentations(int) FROM PUBLIC;

-- Webhooks to merchants: docs/webhooks.md. The process that sends them connects to hosts that strangers choose, so its role reads no
-- payment: the functions here read them, and say what a webhook says.
CREATE TABLE webhook_endpoint (
    endpoint_id   text COLLATE "C" PRIMARY KEY CHECK (endpoint_id ~ '^whe_[0-9a-f]{24}$'),
    merchant_id   text COLLATE "C" NOT NULL REFERENCES merchant,
    url           text NOT NULL CHECK (url ~ '^https?://' AND length(url) <= 2000),
    -- The types of events that it gets; '*' is all.
    events        text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 20),
    created_at    timestamptz NOT NULL DEFAULT now(),
    -- Who disabled it: a person with the role for merchants, its merchant, or the service after long failure. A removed one stays until its
    -- deliveries are forgotten. NULL while it is enabled.
    disabled_by   text CHECK (disabled_by IN ('person', 'merchant', 'failing', 'removed')),
    disabled_at   timestamptz,
    -- Since when all tries have failed, and when the last one did. NULL after a success.
    failing_since timestamptz,
    failed_at     timestamptz,
    -- When it was last not disabled for its failures, because most merchants' endpoints failed with it.
    excused_at    timestamptz NOT NULL DEFAULT '-infinity',
    -- How many tests and single redeliveries its merchant has asked for in the minute that began then.
    asked_from    timestamptz NOT NULL DEFAULT '-infinity',
    asked         int NOT NULL DEFAULT 0,
    CONSTRAINT a_disabled_one_has_a_time CHECK ((disabled_by IS NULL) = (disabled_at IS NULL))
);
CREATE INDEX webhook_endpoint_of_merchant ON webhook_endpoint (merchant_id);

-- What requests to an endpoint are signed with. Several are valid while one replaces another.
CREATE TABLE webhook_secret (
    endpoint_id   text COLLATE "C" NOT NULL REFERENCES webhook_endpoint,
    sealed_secret bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- NULL is never.
    expires_at    timestamptz,
    PRIMARY KEY (endpoint_id, created_at)
);

-- One event for one endpoint.
CREATE TABLE webhook_delivery (
    -- Derived from the endpoint, the event and its life, so that a second insert finds the first row. A receiver drops repeats by it.
    webhook_id  text COLLATE "C" PRIMARY KEY,
    endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoint,
    event_type  text NOT NULL,
    -- NULL for an event that is about no payment.
    payment_id  text COLLATE "C",
    body        text NOT NULL,
    state       text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'dead')),
    -- How many tries counted since it was staged or redelivered.
    attempts    int NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- Raised by each claim and each redelivery, and never lowered: a worker whose claim is over holds an older number.
    fence       bigint NOT NULL DEFAULT 0,
    -- The next try.
    due_at      timestamptz NOT NULL DEFAULT now(),
    -- Until then a worker tries it. In no index, so that a claim writes one row and nothing else.
    claimed_until timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    last_status int,
    last_error  text CHECK (length(last_error) <= 200),
    CONSTRAINT only_an_ended_one_has_an_end CHECK ((state = 'waiting') = (ended_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at, webhook_id) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_of_endpoint ON webhook_delivery (endpoint_id, created_at, webhook_id);
CREATE INDEX webhook_delivery_of_payment ON webhook_delivery (payment_id) WHERE payment_id IS NOT NULL;
-- For lists of an endpoint's dead ones, and to count them all.
CREATE INDEX webhook_delivery_dead ON webhook_delivery (endpoint_id, created_at, webhook_id) WHERE state = 'dead';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE TRIGGER what_is_said_never_changes BEFORE UPDATE OF webhook_id, endpoint_id, event_type, payment_id, body, created_at
        ON webhook_delivery
    EXECUTE FUNCTION refuse('what a webhook says never changes');
-- The functions of this file begin a delivery again, as their owner. Who only sends, does not.
CREATE FUNCTION only_a_function_begins_a_delivery_again() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID) THEN
        RAISE EXCEPTION 'what has ended begins again only when it is redelivered' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION only_a_function_begins_a_delivery_again() FROM PUBLIC;
CREATE TRIGGER an_ended_delivery_begins_again_only_by_function BEFORE UPDATE OF state ON webhook_delivery
    FOR EACH ROW WHEN (OLD.state <> 'waiting' AND NEW.state = 'waiting') EXECUTE FUNCTION only_a_function_begins_a_delivery_again();
CREATE TRIGGER an_endpoint_is_one_merchants BEFORE UPDATE OF endpoint_id, merchant_id, url, events, created_at ON webhook_endpoint
    EXECUTE FUNCTION refuse('an endpoint never changes its merchant, its address or its events; add a new one');

CREATE FUNCTION webhook_id_of(endpoint text, event text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'msg_' || left(encode(sha256(convert_to(endpoint || ' ' || event, 'UTF8')), 'hex'), 32)
$$;
CREATE FUNCTION webhook_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Inserts the deliveries for these operations, as far as they have ended. The caller only names operations: what a webhook says comes from
-- their rows, so no record of Kafka can invent an outcome or an amount. A repeat inserts nothing. A disabled endpoint gets dead deliveries,
-- which can be redelivered, and a removed one none. Returns how many were inserted.
CREATE FUNCTION stage_webhooks(operations text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    inserted int;
BEGIN
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, ended_at, last_error)
    SELECT webhook_id_of(endpoint_id, operation_id || '/' || life_of(accepted_at) || '/' || status), endpoint_id, event, payment_id,
           json_build_object('type', event, 'timestamp', webhook_time(at), 'data', json_strip_nulls(json_build_object(
               'payment_id', payment_id, 'id', operation_id, 'kind', kind, 'status', status, 'amount', amount, 'currency', currency,
               'decline_code', CASE WHEN status = 'declined' THEN failure_cause END, 'revision', revision)))::text,
           CASE WHEN disabled_by IS NULL THEN 'waiting' ELSE 'dead' END, CASE WHEN disabled_by IS NOT NULL THEN now() END,
           CASE WHEN disabled_by IS NOT NULL THEN 'endpoint_disabled' END
      FROM operation_now
     CROSS JOIN LATERAL (SELECT state, settled_at, step
                          UNION ALL
                         -- Of what failed after its success the success is told too, or a receiver's sum is wrong; not if its webhook
                         -- may have been sent and forgotten.
                         SELECT 'succeeded', decided_at, step - 1
                           FROM (SELECT * FROM payment_attempt WHERE failed_definite
                                  UNION ALL
                                 SELECT * FROM payment_attempt WHERE NOT failed_definite) AS attempt
                          WHERE operation_now.state = 'failed' AND attempt.payment_id = operation_now.payment_id
                            AND attempt.operation_id = operation_now.operation_id AND attempt.state = 'succeeded'
                            AND decided_at > now() - interval '480 hours') AS ended (status, at, revision)
     CROSS JOIN LATERAL (SELECT CASE kind WHEN 'charge' THEN 'payment' ELSE kind END || '.' || status) AS named (event)
      JOIN webhook_endpoint AS endpoint USING (merchant_id)
     WHERE operation_id = ANY (operations) AND status IN ('succeeded', 'failed', 'declined', 'purged')
       AND at >= endpoint.created_at AND disabled_by IS DISTINCT FROM 'removed' AND events && ARRAY['*', event]
     ORDER BY 1
    ON CONFLICT (webhook_id) DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    RETURN inserted;
END $$;

-- For a person, when Kafka has lost outcomes: the deliveries that these payments and their refunds lack. Returns how many there were.
CREATE FUNCTION stage_missed_webhooks(payments text[]) RETURNS int
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT stage_webhooks(ARRAY(SELECT operation_id FROM operation WHERE payment_id = ANY (payments)))
$$;

-- Whose endpoints the caller may manage. With a merchant's token, which must be valid now and allow it: this merchant's. Without one: any
-- merchant's, which is NULL, and only for the role for merchants. So the role that faces the internet manages nothing that no merchant has
-- asked for.
CREATE FUNCTION webhook_owner(token bytea, needs text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text;
BEGIN
    IF token IS NULL AND pg_has_role(session_user, current_user, 'USAGE') THEN
        RETURN NULL;
    ELSIF token IS NULL AND pg_has_role(session_user, 'chargeonce_merchant_admin', 'USAGE') THEN
        RETURN NULL;
    END IF;
    SELECT merchant_id INTO owner FROM merchant_token
     WHERE token_sha256 = token AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) AND needs = ANY (scopes);
    IF owner IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('permission denied: this token does not allow %s', needs);
    END IF;
    RETURN owner;
END $$;

CREATE FUNCTION host_of(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT rtrim(lower(substring(url FROM '^https?://(\[[^]]*\]|[^/:?#]*)')), '.')
$$;

-- Adds an endpoint, up to 20 of a merchant. A merchant cannot add one at a host at which a person has disabled one of its endpoints.
-- Returns 'done', 'no_merchant', 'held' or 'too_many'.
CREATE FUNCTION add_webhook_endpoint(token bytea, of_merchant text, endpoint text, address text, wanted text[], secret bytea) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := coalesce(webhook_owner(token, 'webhooks'), of_merchant);
BEGIN
    -- Two additions at once must not both see room for one.
    PERFORM FROM merchant WHERE merchant_id = owner FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'no_merchant';
    END IF;
    IF webhook_owner(token, 'webhooks') IS NOT NULL AND EXISTS (
           SELECT FROM webhook_endpoint WHERE merchant_id = owner AND disabled_by = 'person' AND host_of(url) = host_of(address)) THEN
        RETURN 'held';
    END IF;
    IF (SELECT count(*) FROM webhook_endpoint WHERE merchant_id = owner AND disabled_by IS DISTINCT FROM 'removed') >= 20 THEN
        RETURN 'too_many';
    END IF;
    INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events) VALUES (endpoint, owner, address, wanted);
    INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES (endpoint, secret);
    RETURN 'done';
END $$;

-- Adds a secret and ends the earlier ones after the overlap. Every request is signed with each that is valid, so there are at most 5.
-- Returns 'done', 'no_endpoint' or 'too_many'.
CREATE FUNCTION rotate_webhook_secret(token bytea, endpoint text, secret bytea, overlap_ms bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
BEGIN
    -- Two rotations at once must see each other's secret, or one of them would never expire.
    PERFORM FROM webhook_endpoint
      WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS DISTINCT FROM 'removed'
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'no_endpoint';
    END IF;
    UPDATE webhook_secret SET expires_at = least(expires_at, clock_timestamp() + overlap_ms * interval '1 millisecond')
     WHERE endpoint_id = endpoint AND (overlap_ms = 0 OR (SELECT count(*) FROM webhook_secret AS valid
                                                           WHERE valid.endpoint_id = endpoint
                                                             AND (expires_at IS NULL OR expires_at > clock_timestamp())) < 5);
    IF NOT FOUND THEN
        RETURN 'too_many';
    END IF;
    DELETE FROM webhook_secret WHERE endpoint_id = endpoint AND expires_at <= clock_timestamp();
    INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES (endpoint, secret);
    RETURN 'done';
END $$;

-- Enables or disables an endpoint. A merchant cannot enable what a person with the role for merchants has disabled. Returns 'done',
-- 'unchanged', 'no_endpoint' or 'held'.
CREATE FUNCTION switch_webhook_endpoint(token bytea, endpoint text, to_enabled boolean) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    whom text := CASE WHEN owner IS NULL THEN 'person' ELSE 'merchant' END;
    present webhook_endpoint;
BEGIN
    SELECT * INTO present FROM webhook_endpoint
     WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS DISTINCT FROM 'removed'
       FOR NO KEY UPDATE;
    IF present.endpoint_id IS NULL THEN
        RETURN 'no_endpoint';
    ELSIF to_enabled AND present.disabled_by IS NULL OR NOT to_enabled AND present.disabled_by IN ('person', whom) THEN
        RETURN 'unchanged';
    ELSIF to_enabled AND present.disabled_by = 'person' AND owner IS NOT NULL THEN
        RETURN 'held';
    END IF;
    UPDATE webhook_endpoint
       SET disabled_by = CASE WHEN NOT to_enabled THEN whom END, disabled_at = CASE WHEN NOT to_enabled THEN now() END,
           failing_since = CASE WHEN NOT to_enabled THEN failing_since END, failed_at = CASE WHEN NOT to_enabled THEN failed_at END
     WHERE endpoint_id = endpoint;
    RETURN 'done';
END $$;

-- Removes an endpoint: it gets nothing more, and its secrets are deleted. Its deliveries stay until they are forgotten. A merchant cannot
-- remove what a person has disabled, because it could then add it again. Returns 'done', 'no_endpoint' or 'held'.
CREATE FUNCTION remove_webhook_endpoint(token bytea, endpoint text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
BEGIN
    UPDATE webhook_endpoint SET disabled_by = 'removed', disabled_at = now()
     WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS DISTINCT FROM 'removed'
       AND (owner IS NULL OR disabled_by IS DISTINCT FROM 'person');
    IF NOT FOUND THEN
        RETURN CASE WHEN EXISTS (SELECT FROM webhook_endpoint WHERE endpoint_id = endpoint AND merchant_id = owner
                                    AND disabled_by = 'person') THEN 'held' ELSE 'no_endpoint' END;
    END IF;
    DELETE FROM webhook_secret WHERE endpoint_id = endpoint;
    RETURN 'done';
END $$;

-- Counts a test or a redelivery that was asked for. An address may be a stranger's, so there are at most 10 of both in a minute, and 30 of
-- all endpoints of a merchant, removed ones too. Returns whether it may be sent.
CREATE FUNCTION may_ask_of_endpoint(endpoint text) RETURNS boolean
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE webhook_endpoint SET asked = CASE WHEN asked_from > now() - interval '1 minute' THEN asked + 1 ELSE 1 END,
           asked_from = CASE WHEN asked_from > now() - interval '1 minute' THEN asked_from ELSE now() END
     WHERE endpoint_id = endpoint AND (asked < 10 OR asked_from <= now() - interval '1 minute')
       AND (SELECT coalesce(sum(asked), 0) FROM webhook_endpoint AS each
             WHERE each.merchant_id = webhook_endpoint.merchant_id AND asked_from > now() - interval '1 minute') < 30;
    RETURN FOUND;
END $$;

-- Stages an event that is about no payment. Returns the delivery's id, 'too_many', or NULL if no enabled endpoint has this id.
CREATE FUNCTION stage_test_webhook(token bytea, endpoint text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    id text := webhook_id_of(endpoint, 'test/' || gen_random_uuid());
BEGIN
    PERFORM FROM webhook_endpoint WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF NOT may_ask_of_endpoint(endpoint) THEN
        RETURN 'too_many';
    END IF;
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body)
    VALUES (id, endpoint, 'endpoint.test',
            json_build_object('type', 'endpoint.test', 'timestamp', webhook_time(now()), 'data', json_build_object('endpoint', endpoint)));
    RETURN id;
END $$;

-- Begins a delivery again under its id, also a delivered one. A disabled endpoint gets nothing. Only a merchant's are counted. Returns
-- 'done', 'no_endpoint' or 'too_many'.
CREATE FUNCTION redeliver_webhook(token bytea, webhook text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    its_endpoint text := (SELECT endpoint_id FROM webhook_delivery JOIN webhook_endpoint AS endpoint USING (endpoint_id)
                           WHERE webhook_id = webhook AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS NULL);
BEGIN
    -- Before the endpoint, in the order in which the service records what it has tried.
    PERFORM FROM webhook_delivery WHERE webhook_id = webhook AND its_endpoint IS NOT NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'no_endpoint';
    ELSIF owner IS NOT NULL AND NOT may_ask_of_endpoint(its_endpoint) THEN
        RETURN 'too_many';
    END IF;
    UPDATE webhook_delivery SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), claimed_until = NULL, ended_at = NULL
     WHERE webhook_id = webhook;
    RETURN 'done';
END $$;

-- Begins some of an endpoint's dead deliveries again under their ids, the oldest first. A disabled endpoint gets nothing. Returns how many.
CREATE FUNCTION redeliver_webhooks(token bytea, of_endpoint text, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    moved int;
BEGIN
    UPDATE webhook_delivery SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), claimed_until = NULL, ended_at = NULL
     WHERE webhook_id IN (SELECT webhook_id FROM webhook_delivery AS dead JOIN webhook_endpoint AS endpoint USING (endpoint_id)
                           WHERE merchant_id = coalesce(owner, merchant_id) AND disabled_by IS NULL
                             AND endpoint_id = of_endpoint AND state = 'dead'
                           ORDER BY dead.created_at, webhook_id LIMIT coalesce(most, 0));
    GET DIAGNOSTICS moved = ROW_COUNT;
    RETURN moved;
END $$;

-- The endpoints that the caller may manage, without their secrets.
CREATE FUNCTION webhook_endpoints(token bytea, of_merchant text, endpoint text)
    RETURNS TABLE (endpoint_id text, merchant_id text, url text, events text[], created_at timestamptz, failing_since timestamptz,
                   state text, secrets bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner text := coalesce(webhook_owner(token, 'webhooks'), of_merchant);
BEGIN
    RETURN QUERY
    SELECT endpoint_id, merchant_id, url, events, created_at, failing_since,
           CASE WHEN disabled_by = 'person' THEN 'disabled_by_a_person' WHEN disabled_by = 'merchant' THEN 'disabled_by_its_merchant'
                WHEN disabled_by = 'failing' THEN 'disabled_after_failure' WHEN failing_since IS NOT NULL THEN 'failing'
                ELSE 'enabled' END,
           (SELECT count(*) FROM webhook_secret AS secret
             WHERE secret.endpoint_id = one.endpoint_id AND (expires_at IS NULL OR expires_at > now()))
      FROM webhook_endpoint AS one
     WHERE merchant_id = coalesce(owner, merchant_id) AND endpoint_id = coalesce(endpoint, endpoint_id)
       AND disabled_by IS DISTINCT FROM 'removed'
     ORDER BY merchant_id, created_at, endpoint_id;
END $$;

-- Deliveries, the newest first, without their bodies. Those of a payment need a token that may read payments. The plan depends on which
-- parameters are NULL.
CREATE FUNCTION webhook_deliveries(token bytea, of_endpoint text, of_payment text, of_state text, webhook text, before_at timestamptz,
                                   before_id text, most int)
    RETURNS TABLE (webhook_id text, endpoint_id text, event_type text, payment_id text, state text, attempts int, last_status int,
                   last_error text, created_at timestamptz, due_at timestamptz, ended_at timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    owner text := webhook_owner(token, CASE WHEN of_payment IS NULL THEN 'webhooks' ELSE 'read' END);
BEGIN
    RETURN QUERY
    SELECT webhook_id, endpoint_id, event_type, payment_id, state, attempts, last_status, last_error, delivery.created_at, due_at, ended_at
      FROM webhook_delivery AS delivery JOIN webhook_endpoint AS endpoint USING (endpoint_id)
     WHERE (owner IS NULL OR merchant_id = owner) AND (of_endpoint IS NULL OR endpoint_id = of_endpoint)
       AND (of_payment IS NULL OR payment_id = of_payment) AND (of_state IS NULL OR state = of_state)
       AND (webhook IS NULL OR webhook_id = webhook)
       AND (before_at IS NULL OR (delivery.created_at, webhook_id) < (before_at, before_id))
     ORDER BY delivery.created_at DESC, webhook_id DESC LIMIT coalesce(most, 0);
END $$;

-- Tells the merchant's other endpoints that one was disabled, and records it.
CREATE FUNCTION tell_of_disabled_endpoint(gone webhook_endpoint, why text) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body)
    SELECT webhook_id_of(endpoint_id, gone.endpoint_id || '/disabled/' || gone.disabled_at), endpoint_id, 'endpoint.disabled',
           json_build_object('type', 'endpoint.disabled', 'timestamp', webhook_time(gone.disabled_at), 'data', json_build_object(
               'endpoint', gone.endpoint_id, 'failing_since', webhook_time(gone.failing_since)))
      FROM webhook_endpoint WHERE merchant_id = gone.merchant_id AND disabled_by IS NULL AND endpoint_id <> gone.endpoint_id
    ON CONFLICT (webhook_id) DO NOTHING;
    PERFORM append_audit(ARRAY[gone.merchant_id], ARRAY['webhook-sender'], ARRAY['webhook_endpoint.disabled'],
                         ARRAY['webhook_endpoint'], ARRAY[gone.endpoint_id], ARRAY[why],
                         ARRAY[json_build_object('failing_since', gone.failing_since)::text], NULL);
END $$;

-- How many merchants have an enabled endpoint that was tried since then, and how many of them are not reached: all their endpoints fail. By
-- merchants, because one with many endpoints that are wrong says nothing about our own way to the internet.
CREATE FUNCTION merchants_reached(since timestamptz, OUT tried bigint, OUT unreached bigint)
    LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT count(*), count(*) FILTER (WHERE fails)
      FROM (SELECT bool_and(failing_since IS NOT NULL) AS fails
              FROM webhook_endpoint AS endpoint
              LEFT JOIN LATERAL (SELECT true
                                   FROM webhook_delivery AS delivery
                                  WHERE failing_since IS NULL AND delivery.endpoint_id = endpoint.endpoint_id
                                    AND delivery.created_at >= since AND state = 'delivered'
                                  ORDER BY created_at DESC LIMIT 1) AS reached (is_reached) ON true
             WHERE disabled_by IS NULL AND (failed_at >= since OR is_reached)
             GROUP BY merchant_id) AS merchant
$$;

-- Disables the endpoints whose tries have all failed for so long. Returns them. If more than half of at least three merchants were not
-- reached in this time, the fault may be ours (a firewall, the names of hosts, the list of trusted certificates). Then none is disabled,
-- and for those that would have been, the time begins again, unless they have failed for three times as long: none is kept for ever.
CREATE FUNCTION disable_failing_endpoints(failing interval) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    since timestamptz := cutoff(failing, interval '1 hour');
    too_long text[] := ARRAY(SELECT endpoint_id FROM webhook_endpoint
                              WHERE disabled_by IS NULL AND failing_since <= since
                                AND (failed_at - failing >= greatest(failing_since, excused_at)
                                     OR failed_at - 3 * failing >= failing_since));
    gone webhook_endpoint;
BEGIN
    IF cardinality(too_long) = 0 THEN
        RETURN;
    ELSIF (SELECT tried >= 3 AND unreached * 2 > tried FROM merchants_reached(since)) THEN
        UPDATE webhook_endpoint SET excused_at = now() WHERE endpoint_id = ANY (too_long) AND failed_at - 3 * failing < failing_since;
        too_long := ARRAY(SELECT endpoint_id FROM webhook_endpoint
                           WHERE endpoint_id = ANY (too_long) AND failed_at - 3 * failing >= failing_since);
    END IF;
    FOR gone IN UPDATE webhook_endpoint SET disabled_by = 'failing', disabled_at = now()
                 WHERE endpoint_id = ANY (too_long) AND disabled_by IS NULL AND failing_since <= since
             RETURNING * LOOP
        PERFORM tell_of_disabled_endpoint(gone, 'every try has failed for too long');
        RETURN NEXT gone.endpoint_id;
    END LOOP;
END $$;

-- Disables endpoints that answered 410 Gone. A try must have failed at them just before.
CREATE FUNCTION disable_gone_endpoints(endpoints text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    gone webhook_endpoint;
BEGIN
    FOR gone IN UPDATE webhook_endpoint SET disabled_by = 'failing', disabled_at = now()
                 WHERE endpoint_id = ANY (endpoints) AND disabled_by IS NULL AND failing_since IS NOT NULL
             RETURNING * LOOP
        PERFORM tell_of_disabled_endpoint(gone, 'it answered 410 Gone');
    END LOOP;
END $$;

-- Ends what still waits for disabled endpoints. It stays listed, and can be redelivered. Returns how many.
CREATE FUNCTION end_webhooks_of_disabled(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    ended int;
BEGIN
    -- A row whose result is just being recorded is left for the next call: waiting for it could deadlock.
    UPDATE webhook_delivery SET state = 'dead', ended_at = now(), last_error = 'endpoint_disabled'
     WHERE webhook_id IN (SELECT found.webhook_id FROM webhook_endpoint AS endpoint
                           CROSS JOIN LATERAL (SELECT webhook_id FROM webhook_delivery AS delivery
                                                WHERE delivery.endpoint_id = endpoint.endpoint_id AND state = 'waiting'
                                                LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED) AS found
                           WHERE disabled_by IS NOT NULL LIMIT coalesce(most, 0));
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END $$;

-- Deletes what ended long ago, and removed endpoints that have no delivery left.
-- Longer than payments.outcomes keeps records: a repeat of a record must find its row.
CREATE FUNCTION forget_webhooks(kept interval, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := cutoff(kept, interval '480 hours');
    forgotten int;
BEGIN
    DELETE FROM webhook_delivery WHERE webhook_id IN (SELECT webhook_id FROM webhook_delivery WHERE ended_at < until
                                                       ORDER BY ended_at LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    DELETE FROM webhook_endpoint AS endpoint
     WHERE disabled_by = 'removed'
       AND NOT EXISTS (SELECT FROM webhook_delivery AS delivery WHERE delivery.endpoint_id = endpoint.endpoint_id);
    RETURN forgotten;
END $$;
REVOKE EXECUTE ON FUNCTION webhook_id_of(text, text), webhook_time(timestamptz), stage_webhooks(text[]), stage_missed_webhooks(text[]),
    webhook_owner(bytea, text),
    add_webhook_endpoint(bytea, text, text, text, text[], bytea), rotate_webhook_secret(bytea, text, bytea, bigint),
    switch_webhook_endpoint(bytea, text, boolean), remove_webhook_endpoint(bytea, text), may_ask_of_endpoint(text),
    stage_test_webhook(bytea, text), redeliver_webhook(bytea, text), redeliver_webhooks(bytea, text, int),
    webhook_endpoints(bytea, text, text), webhook_deliveries(bytea, text, text, text, text, timestamptz, text, int),
    tell_of_disabled_endpoint(webhook_endpoint, text), disable_failing_endpoints(interval), disable_gone_endpoints(text[]),
    end_webhooks_of_disabled(int), forget_webhooks(interval, int), host_of(text), merchants_reached(timestamptz)
    FROM PUBLIC;

-- Receipts to customers: docs/receipts.md. The address stays in the payment's row, where it can be erased: here are only a digest of it and
-- how the sending went.
CREATE TABLE receipt (
    -- Derived from the operation, its life and the recipient, so that a second insert finds the first row. Also the id of the message.
    receipt_id   text COLLATE "C" PRIMARY KEY CHECK (receipt_id ~ '^rcp_[0-9a-f]{32}$'),
    operation_id text COLLATE "C" NOT NULL,
    payment_id   text COLLATE "C" NOT NULL,
    merchant_id  text NOT NULL,
    -- 'refund_failed' corrects the receipt of a refund.
    kind         text COLLATE "C" NOT NULL CHECK (kind IN ('charge', 'refund', 'refund_failed')),
    state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'dead', 'erased')),
    -- How many tries counted since it was staged or resent.
    attempts     int NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- Raised by each claim and each resending, and never lowered: a worker whose claim is over holds an older number.
    fence        bigint NOT NULL DEFAULT 0,
    -- When it may be claimed: the next try, or the end of the present claim.
    due_at       timestamptz NOT NULL DEFAULT now(),
    created_at   timestamptz NOT NULL DEFAULT now(),
    ended_at     timestamptz,
    -- The mail server's code and our word for it. Never its text, which quotes the address.
    last_status  int,
    last_error   text CHECK (last_error ~ '^[a-z_]{1,50}$'),
    -- One of each kind, even if the recipient could change.
    UNIQUE (operation_id, kind),
    CONSTRAINT only_an_ended_one_has_an_end CHECK ((state = 'waiting') = (ended_at IS NULL))
);
CREATE INDEX receipt_due ON receipt (due_at, receipt_id) WHERE state = 'waiting';
CREATE INDEX receipt_dead ON receipt (ended_at) WHERE state = 'dead';
CREATE INDEX receipt_ended ON receipt (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX receipt_of_payment ON receipt (payment_id);
CREATE TRIGGER what_a_receipt_is_about_never_changes BEFORE UPDATE OF operation_id, payment_id, merchant_id, kind, created_at ON receipt
    EXECUTE FUNCTION refuse('what a receipt is about never changes');
-- A person sends a receipt again. The service that mails must not: it could read the address of any payment.
CREATE FUNCTION only_a_person_begins_a_receipt_again() RETURNS trigger LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    -- Only the service records what the mail server answered.
    IF has_column_privilege('receipt', 'last_error', 'UPDATE')
       AND NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID) THEN
        RAISE EXCEPTION 'a receipt that has ended begins again only when a person resends it' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION only_a_person_begins_a_receipt_again() FROM PUBLIC;
CREATE TRIGGER an_ended_receipt_begins_again_only_by_hand BEFORE UPDATE OF state ON receipt
    FOR EACH ROW WHEN (OLD.state <> 'waiting' AND NEW.state = 'waiting') EXECUTE FUNCTION only_a_person_begins_a_receipt_again();

-- Upper and lower case name the same mailbox. Under "C" the id is the same in every database.
CREATE FUNCTION receipt_id_of(operation text, life bigint, recipient text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'rcp_' || left(encode(sha256(convert_to(operation || '/' || life || ' ' || lower(btrim(recipient) COLLATE "C"), 'UTF8')),
                                 'hex'), 32)
$$;

-- Whether the request that took the money gave the address to the PSP, which has mailed a receipt then: CHARGEONCE_RECEIPTS had another
-- value when it was made. Each half uses its own partial index.
CREATE FUNCTION mailed_by_the_psp(payment text) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM (SELECT * FROM payment_attempt WHERE failed_definite
                                 UNION ALL
                                SELECT * FROM payment_attempt WHERE NOT failed_definite) AS attempt
                    WHERE payment_id = payment AND operation = 'charge' AND state = 'succeeded'
                      AND position('receipt_email='::bytea IN request) > 0)
$$;

-- Inserts the receipts of these operations, as far as they have succeeded, or failed after that, and their payment has an address. The
-- caller only names operations, so no record of Kafka can invent a payment, an amount or a recipient. A repeat inserts nothing. Returns
-- how many were inserted.
CREATE FUNCTION stage_receipts(operations text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    inserted int;
BEGIN
    INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind)
    SELECT receipt_id_of(its.operation_id || CASE its.state WHEN 'failed' THEN '/failed' ELSE '' END, life_of(its.accepted_at),
                         charge.receipt_email),
           its.operation_id, its.payment_id, its.merchant_id, CASE its.state WHEN 'failed' THEN 'refund_failed' ELSE its.kind END
      FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
     WHERE its.operation_id = ANY (operations)
       AND (its.state = 'succeeded' AND its.kind IN ('charge', 'refund') OR its.state = 'failed' AND its.kind = 'refund')
       AND charge.receipt_email <> '[erased]' AND NOT (its.kind = 'charge' AND mailed_by_the_psp(its.payment_id))
     ORDER BY 1
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    RETURN inserted;
END $$;

-- Ends the receipts of these operations that still wait. A digest of an address can be guessed, so it goes with the address.
CREATE FUNCTION end_receipts_without_an_address(operations text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    UPDATE receipt SET receipt_id = 'rcp_' || replace(gen_random_uuid()::text, '-', ''),
                       state = CASE WHEN state = 'waiting' THEN 'erased' ELSE state END, ended_at = coalesce(ended_at, now())
     WHERE operation_id = ANY (operations)
$$;

-- For a person, when Kafka has lost records: the receipts that these payments and their refunds lack. Returns how many there were. None of
-- what settled so long ago that its receipt may have been sent and forgotten.
CREATE FUNCTION stage_missed_receipts(payments text[]) RETURNS int
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT stage_receipts(ARRAY(SELECT operation_id FROM operation_now
                                 WHERE payment_id = ANY (payments) AND settled_at > now() - interval '480 hours'))
$$;

-- What a claimed receipt says and where it goes, read just before it is sent. Without an address any more, it ends here and the result is
-- empty; so it is for a claim that is over.
CREATE FUNCTION receipt_to_send(receipt text, its_fence bigint)
    RETURNS TABLE (recipient text, of_kind text, of_payment text, of_amount bigint, of_currency text, of_reference text,
                   of_description text, at timestamptz, name text, reply_to text, locale text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    claimed text;
    told text;
BEGIN
    SELECT claim.operation_id, claim.kind INTO claimed, told FROM receipt AS claim
     WHERE claim.receipt_id = receipt AND claim.state = 'waiting' AND claim.fence = its_fence AND claim.attempts > 0
       AND claim.due_at > now();
    IF claimed IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT charge.receipt_email, told, its.payment_id, its.amount, its.currency, charge.reference,
           nullif(charge.description, '[erased]'), its.settled_at, coalesce(merchant.receipt_name, its.merchant_id),
           merchant.receipt_reply_to, merchant.receipt_locale
      FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
      LEFT JOIN merchant ON merchant.merchant_id = its.merchant_id
     WHERE its.operation_id = claimed AND its.state IN ('succeeded', 'failed') AND charge.receipt_email <> '[erased]';
    IF NOT FOUND THEN
        PERFORM end_receipts_without_an_address(ARRAY[claimed]);
    END IF;
END $$;

-- Deletes what ended long ago. Longer than payments.receipts keeps records: a repeat of a record must find its row.
CREATE FUNCTION forget_receipts(kept interval, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := cutoff(kept, interval '480 hours');
    forgotten int;
BEGIN
    DELETE FROM receipt WHERE receipt_id IN (SELECT receipt_id FROM receipt WHERE ended_at < until
                                              ORDER BY ended_at LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
REVOKE EXECUTE ON FUNCTION receipt_id_of(text, bigint, text), mailed_by_the_psp(text), stage_receipts(text[]), stage_missed_receipts(text[]),
    end_receipts_without_an_address(text[]), receipt_to_send(text, bigint), forget_receipts(interval, int) FROM PUBLIC;

-- Bank files: docs/bank.md. A bank is one more PSP: its attempts are rows of payment_attempt. Here is what becomes of them on their
-- way through files. The process that talks to banks reads no payment and decides about no money: charge puts an attempt in, and charge
-- reads what the bank's lines say about it.
CREATE TABLE bank (
    -- The name of the account at the bank, as stored with every attempt.
    bank            text COLLATE "C" PRIMARY KEY CHECK (bank ~ '^bank(-[a-z0-9]{1,20})?$'),
    -- When the file that is collected now is sealed, and how long after that the bank may be silent. By the process that talks to the bank.
    next_cutoff     timestamptz NOT NULL,
    answer_within_s int NOT NULL CHECK (answer_within_s > 0),
    -- Raised by each process that becomes the bank's only submitter: an older one holds a lower number and can write nothing more.
    fence           bigint NOT NULL DEFAULT 0 CHECK (fence >= 0),
    -- Whose session is the submitter's, as in relay_shard.
    mark            int NOT NULL DEFAULT 0 CHECK (mark >= 0),
    told_at         timestamptz NOT NULL DEFAULT now()
);

-- What allows a merchant to debit an account. The payment method of the rail is a mandate's id.
CREATE TABLE bank_mandate (
    mandate_id    text COLLATE "C" PRIMARY KEY CHECK (mandate_id ~ '^mandate_[A-Za-z0-9-]{1,27}$'),
    merchant_id   text NOT NULL REFERENCES merchant,
    bank          text COLLATE "C" NOT NULL CHECK (bank ~ '^bank(-[a-z0-9]{1,20})?$'),
    signed_on     date NOT NULL CHECK (signed_on BETWEEN '1900-01-01' AND '9999-12-31'),
    -- The name and the account of who pays, sealed for this row. Empty once they were erased or forgotten.
    sealed_debtor bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    -- After this no debit is collected. Money still goes back.
    revoked_at    timestamptz
);
-- For the accounts that are to be forgotten.
CREATE INDEX bank_mandate_revoked ON bank_mandate (revoked_at) WHERE revoked_at IS NOT NULL AND sealed_debtor <> '';
CREATE INDEX bank_mandate_valid ON bank_mandate (created_at) WHERE revoked_at IS NULL;
CREATE TRIGGER a_mandate_never_changes BEFORE UPDATE OF mandate_id, merchant_id, bank, signed_on, created_at OR DELETE ON bank_mandate
    EXECUTE FUNCTION refuse('a mandate never changes; revoke it and add another');
CREATE TRIGGER an_account_is_only_erased BEFORE UPDATE OF sealed_debtor ON bank_mandate
    FOR EACH ROW WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on' OR NEW.sealed_debtor <> '')
    EXECUTE FUNCTION refuse('a mandate never changes; its account is only erased');
CREATE TRIGGER a_revoked_mandate_stays_revoked BEFORE UPDATE OF revoked_at ON bank_mandate
    FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION refuse('a revoked mandate stays revoked; add another');

-- One file for a bank. Each state is written before its step and after it, so that a process that dies between two goes on from here:
-- sealed (its items are fixed), rendered (its bytes are stored, once), uploading, uploaded (the temporary file is there, with its size),
-- renaming, sent; then what the bank says.
CREATE SEQUENCE bank_message;
CREATE TABLE bank_batch (
    batch_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bank       text COLLATE "C" NOT NULL REFERENCES bank,
    kind       text COLLATE "C" NOT NULL CHECK (kind IN ('debit', 'credit')),
    currency   text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- The bank takes a message once.
    message_id text COLLATE "C" NOT NULL UNIQUE CHECK (message_id ~ '^[A-Za-z0-9-]{1,35}$'),
    file_name  text NOT NULL CHECK (file_name ~ '^[A-Za-z0-9.-]{1,100}$'),
    -- The day on which the bank moves the money.
    due_on     date NOT NULL,
    items      int NOT NULL CHECK (items BETWEEN 1 AND 100000),
    total      bigint NOT NULL CHECK (total > 0),
    state      text NOT NULL DEFAULT 'sealed'
                   CHECK (state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming', 'sent',
                                    'accepted', 'partly_accepted', 'rejected')),
    sha256     bytea CHECK (length(sha256) = 32),
    size       bigint CHECK (size > 0),
    -- Until when the bank has to answer. NULL once it has.
    answer_due timestamptz,
    sealed_at  timestamptz NOT NULL DEFAULT now(),
    sent_at    timestamptz,
    answered_at timestamptz,
    -- How often its upload failed in a row, why, and when it is tried again.
    tries      int NOT NULL DEFAULT 0 CHECK (tries >= 0),
    last_error text CHECK (length(last_error) <= 500),
    try_at     timestamptz NOT NULL DEFAULT now(),
    -- How often a person had the same bytes sent once more.
    resends    int NOT NULL DEFAULT 0 CHECK (resends >= 0),
    CONSTRAINT a_rendered_file_has_its_bytes CHECK (state = 'sealed' OR sha256 IS NOT NULL AND size IS NOT NULL)
);
CREATE INDEX bank_batch_to_send ON bank_batch (bank, batch_id) WHERE state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming');
CREATE INDEX bank_batch_unanswered ON bank_batch (answer_due) WHERE answer_due IS NOT NULL;
CREATE TRIGGER what_is_sealed_never_changes BEFORE UPDATE OF batch_id, bank, kind, currency, message_id, file_name, due_on, items, total,
        sealed_at OR DELETE ON bank_batch
    EXECUTE FUNCTION refuse('what a file is never changes');
CREATE TRIGGER a_file_is_rendered_once BEFORE UPDATE OF sha256, size ON bank_batch
    FOR EACH ROW WHEN (OLD.sha256 IS NOT NULL) EXECUTE FUNCTION refuse('a file is rendered once: only its own bytes are sent again');

-- One attempt on its way through one file. Its key is the EndToEndId. An attempt is in one file only, ever.
CREATE TABLE bank_batch_item (
    psp_key      text COLLATE "C" PRIMARY KEY CHECK (length(psp_key) <= 35),
    -- The order in which they were collected.
    item_id      bigint GENERATED ALWAYS AS IDENTITY,
    bank         text COLLATE "C" NOT NULL REFERENCES bank,
    kind         text COLLATE "C" NOT NULL CHECK (kind IN ('debit', 'credit')),
    amount       bigint NOT NULL CHECK (amount > 0),
    currency     text COLLATE "C" NOT NULL,
    mandate_id   text COLLATE "C" NOT NULL REFERENCES bank_mandate,
    -- Told to the bank as the instruction's id, so that its people and ours speak of the same payment.
    payment_id   text NOT NULL CHECK (length(payment_id) <= 35),
    -- What the account's holder reads: the merchant's reference.
    remittance   text NOT NULL CHECK (length(remittance) BETWEEN 1 AND 140),
    -- Whether the attempt was given up before it was in a file. Then it is never in one.
    fenced       boolean NOT NULL DEFAULT false,
    batch_id     bigint REFERENCES bank_batch,
    -- Whether a person has settled it as not charged. Its payment may go out again, so its file never does.
    given_up     boolean NOT NULL DEFAULT false,
    -- Why it was given up before it was in a file, if its mandate could not be read. For people.
    note         text CHECK (length(note) <= 500),
    -- Until when the bank has to say more about it.
    answer_due   timestamptz NOT NULL,
    collected_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT a_fenced_item_is_in_no_file CHECK (NOT fenced OR batch_id IS NULL)
);
CREATE INDEX bank_batch_item_collected ON bank_batch_item (bank, kind, currency, item_id) WHERE batch_id IS NULL AND NOT fenced;
CREATE INDEX bank_batch_item_of_batch ON bank_batch_item (batch_id, item_id) WHERE batch_id IS NOT NULL;
CREATE INDEX bank_batch_item_of_mandate ON bank_batch_item (mandate_id, collected_at);
CREATE TRIGGER what_is_collected_never_changes BEFORE UPDATE OF psp_key, item_id, bank, kind, amount, currency, mandate_id, payment_id,
        remittance, collected_at OR DELETE ON bank_batch_item
    EXECUTE FUNCTION refuse('what is collected for a bank never changes');
CREATE TRIGGER an_item_is_in_one_file BEFORE UPDATE OF batch_id, fenced ON bank_batch_item
    FOR EACH ROW WHEN (OLD.fenced OR OLD.batch_id IS NOT NULL) EXECUTE FUNCTION refuse('an attempt is in one file only, and stays there');
CREATE TRIGGER what_is_given_up_stays_so BEFORE UPDATE OF given_up ON bank_batch_item
    FOR EACH ROW WHEN (OLD.given_up) EXECUTE FUNCTION refuse('an attempt that was settled as not charged stays so for its file');
CREATE FUNCTION refuse_what_is_given_up() RETURNS trigger
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM bank_batch_item WHERE batch_id = NEW.batch_id AND given_up) THEN
        RAISE EXCEPTION 'file % has a payment that was settled as not charged, so it is never sent again', NEW.message_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER what_is_given_up_is_not_sent BEFORE UPDATE OF state ON bank_batch
    FOR EACH ROW WHEN (NEW.state IN ('rendered', 'uploading', 'uploaded', 'renaming')) EXECUTE FUNCTION refuse_what_is_given_up();

-- Each step of a file carries the number of its bank's only submitter.
CREATE FUNCTION must_be_submitter(of_bank text, its_fence bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM FROM bank WHERE bank = of_bank AND fence = its_fence FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'another process submits to % now', of_bank USING ERRCODE = 'restrict_violation';
    END IF;
END $$;

-- Puts an attempt among those that the next file takes. The caller only names it: money, mandate and reference come from its rows. A repeat
-- changes nothing. Returns what became of it: collected, fenced, revoked, or no_mandate if this bank has none for it.
CREATE FUNCTION collect_for_bank(attempt text) RETURNS text
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
CREATE FUNCTION fence_for_bank(attempt text) RETURNS boolean
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

-- Revokes a mandate, and gives up its debits that wait for a file. Debits that are in a file already cannot be recalled here: in_files counts
-- those of which the bank has said nothing. Not done if there is no valid mandate of that id.
CREATE FUNCTION revoke_mandate(mandate text, OUT done boolean, OUT given_up bigint, OUT in_files bigint)
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
CREATE FUNCTION give_up_for_bank(attempt text) RETURNS boolean
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
CREATE FUNCTION set_aside_for_bank(of_bank text, its_fence bigint, keys text[], whys text[]) RETURNS int
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

-- The bytes of a file, in parts, each sealed for its place: they hold names and accounts.
CREATE TABLE bank_file_part (
    -- out/ and our message id, or in/, the bank's name and the hash of what it left.
    file   text COLLATE "C" NOT NULL CHECK (file ~ '^(out/[A-Za-z0-9-]{1,64}|in/[a-z0-9-]{1,25}/[0-9a-f]{64})$'),
    part   int NOT NULL CHECK (part >= 0),
    sealed bytea NOT NULL,
    PRIMARY KEY (file, part)
);
CREATE TRIGGER bytes_never_change BEFORE UPDATE OR TRUNCATE ON bank_file_part EXECUTE FUNCTION refuse('the bytes of a file never change');
CREATE TRIGGER bytes_are_only_erased BEFORE DELETE ON bank_file_part
    WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('the bytes of a file are only erased and forgotten once nothing needs them');

-- What a bank left for us: read once, even if it comes again under another name. What cannot be read is kept, and a person looks.
CREATE SEQUENCE bank_file_number;
CREATE TABLE bank_file_in (
    -- Taken before the row is written: what a file is called inside is known only when it is read.
    file_id     bigint PRIMARY KEY,
    bank        text COLLATE "C" NOT NULL REFERENCES bank,
    file_name   text NOT NULL CHECK (length(file_name) <= 255),
    sha256      bytea NOT NULL CHECK (length(sha256) = 32),
    size        bigint NOT NULL CHECK (size >= 0),
    -- pain.002, camt.053 or camt.054; NULL if it is none of them.
    message     text COLLATE "C" CHECK (message IN ('pain.002', 'camt.053', 'camt.054')),
    message_id  text COLLATE "C" CHECK (length(message_id) <= 100),
    -- Why it is set aside; NULL for one that was read.
    quarantined text CHECK (length(quarantined) <= 500),
    -- What a person has decided about one that is set aside: released is read again, closed needs no person any more. NULL waits for a person.
    decided     text CHECK (decided IN ('released', 'closed')),
    -- Whether all of its bytes are here. One that is too long is not, and stays at the bank.
    whole       boolean NOT NULL DEFAULT true,
    received_at timestamptz NOT NULL DEFAULT now(),
    -- When it was removed at the bank.
    removed_at  timestamptz,
    UNIQUE (bank, sha256),
    CONSTRAINT only_what_is_set_aside_is_decided CHECK (decided IS NULL OR quarantined IS NOT NULL)
);
CREATE INDEX bank_file_in_set_aside ON bank_file_in (bank, file_id) WHERE quarantined IS NOT NULL;
CREATE UNIQUE INDEX a_banks_message_is_read_once ON bank_file_in (bank, message, message_id) WHERE quarantined IS NULL;
CREATE TRIGGER what_came_never_changes BEFORE UPDATE OF file_id, bank, file_name, sha256, size, whole, received_at OR DELETE ON bank_file_in
    EXECUTE FUNCTION refuse('what a bank has sent never changes');
CREATE TRIGGER only_what_is_released_is_read_again BEFORE UPDATE OF message, message_id, quarantined ON bank_file_in
    FOR EACH ROW WHEN (OLD.decided IS DISTINCT FROM 'released' OR NEW.decided IS NOT NULL)
    EXECUTE FUNCTION refuse('a file is read once, and again only after a person has released it');

-- What a bank says about one item, in the order of its files. Charge takes each once. One that fits nothing stays here for a person.
CREATE TABLE bank_line (
    line_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file_id     bigint NOT NULL REFERENCES bank_file_in DEFERRABLE INITIALLY DEFERRED,
    bank        text COLLATE "C" NOT NULL REFERENCES bank,
    -- rejected: the bank does not move it. file_rejected: it moves nothing of that file, and the item may go in another one.
    -- booked: the money is on our account, or has left it for a refund. returned: it went back.
    kind        text NOT NULL CHECK (kind IN ('rejected', 'file_rejected', 'booked', 'returned')),
    -- The EndToEndId; empty if the line has none.
    psp_key     text COLLATE "C" NOT NULL CHECK (length(psp_key) <= 100),
    amount      bigint,
    currency    text CHECK (length(currency) <= 3),
    -- Whether the money came to us.
    credit      boolean,
    code        text CHECK (length(code) <= 35),
    -- The bank's own reference of the booking.
    reference   text CHECK (length(reference) <= 100),
    happened_on date,
    -- Made from the columns above with a key that is not in the database, so a login here makes none that charge believes.
    mark        bytea CHECK (length(mark) = 32),
    state       text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'taken', 'repeated', 'unmatched', 'closed')),
    -- What was made of it, for people.
    note        text CHECK (length(note) <= 500),
    taken_at    timestamptz,
    CONSTRAINT booked_money_is_said CHECK (kind IN ('rejected', 'file_rejected')
                                           OR amount IS NOT NULL AND currency IS NOT NULL AND credit IS NOT NULL)
);
CREATE INDEX bank_line_new ON bank_line (line_id) WHERE state = 'new';
CREATE INDEX bank_line_unmatched ON bank_line (line_id) WHERE state = 'unmatched';
CREATE INDEX bank_line_of_key ON bank_line (psp_key);
CREATE TRIGGER what_a_bank_says_never_changes BEFORE UPDATE OF line_id, file_id, bank, kind, psp_key, amount, currency, credit, code,
        reference, happened_on, mark OR DELETE ON bank_line
    EXECUTE FUNCTION refuse('what a bank has said never changes');
CREATE TRIGGER a_line_is_taken_once BEFORE UPDATE OF state ON bank_line
    FOR EACH ROW WHEN (OLD.state <> 'new' AND NOT (OLD.state = 'unmatched' AND NEW.state IN ('closed', 'new')))
    EXECUTE FUNCTION refuse('a line of a bank is taken once');

-- What a person decides about a file that is set aside, or a line that fits nothing: closed is off the list for good. Released is read once
-- more, with the same checks as at first: a file by the process that talks to banks, from its bytes here, and a line by charge. Returns false
-- if there is no such file or line, or it cannot be read again because not all of its bytes are here.
CREATE FUNCTION decide_unmatched(what text, id bigint, decision text, claim text, why text) RETURNS boolean
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
CREATE FUNCTION was_read_again(file bigint, its_message text, its_id text, why text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE bank_file_in SET message = its_message, message_id = its_id, quarantined = left(why, 500), decided = NULL
     WHERE file_id = file AND decided = 'released';
    RETURN FOUND;
END $$;

-- Whether what is known of one of its items forbids that this file goes to the bank once more.
CREATE FUNCTION is_never_sent_again(batch bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM bank_batch_item AS item LEFT JOIN bank_line AS said USING (psp_key)
                    WHERE item.batch_id = batch AND (given_up OR said.kind IN ('booked', 'returned')))
$$;

-- A person has the same bytes sent once more. Returns false unless the file was sent and never answered, nothing of it was booked or
-- returned, and none of its payments was settled as not charged.
CREATE FUNCTION resend_bank_batch(id bigint, claim text, why text) RETURNS boolean
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
CREATE FUNCTION debits_by(merchant text, mandate text, OUT set_up boolean, OUT known boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM bank),
           EXISTS (SELECT FROM bank_mandate JOIN bank USING (bank)
                    WHERE mandate_id = mandate AND merchant_id = merchant AND revoked_at IS NULL)
$$;

-- What banks took back of a payment after it had succeeded, in minor units: no refund may give that back once more.
CREATE FUNCTION returned_of(merchant text, payment text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT coalesce(sum(amount), 0)::bigint FROM operation
     WHERE payment_id = payment AND kind = 'return' AND merchant_id = merchant
$$;

-- The next file of a bank: its items are fixed here, in one transaction with the submitter's fence. Returns the batch; NULL if none waits.
CREATE FUNCTION seal_bank_batch(of_bank text, its_fence bigint, of_kind text, of_currency text, until timestamptz, its_due_on date,
                                prefix text, answer_by timestamptz, most int) RETURNS bigint
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
CREATE FUNCTION rendered_bank_batch(batch bigint, its_fence bigint, hash bytea, bytes bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    PERFORM must_be_submitter((SELECT bank FROM bank_batch WHERE batch_id = batch), its_fence);
    UPDATE bank_batch SET state = 'rendered', sha256 = hash, size = bytes WHERE batch_id = batch AND state = 'sealed';
    RETURN FOUND;
END $$;
CREATE FUNCTION move_bank_batch(batch bigint, its_fence bigint, to_state text) RETURNS boolean
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
-- then, or it moved nothing. Returns false if it never had the file, or has answered before. Nor can it reject a file that was sent twice, or
-- of which it has booked or returned an item: what follows a rejection frees each item for another file.
CREATE FUNCTION answer_bank_batch(batch bigint, answer text, until timestamptz, why text) RETURNS boolean
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
CREATE FUNCTION bank_bytes_of(attempts text[]) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
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
CREATE FUNCTION bank_debtors_of(attempts text[]) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT mandate_id FROM bank_mandate AS mandate
     WHERE mandate_id IN (SELECT mandate_id FROM bank_batch_item WHERE psp_key = ANY (attempts))
       AND revoked_at IS NOT NULL AND sealed_debtor <> ''
       AND NOT EXISTS (SELECT FROM bank_batch_item AS other JOIN payment_attempt USING (psp_key)
                        WHERE other.mandate_id = mandate.mandate_id AND unfinished(payment_attempt.payment_id, '{}'))
$$;

-- Forgets names and accounts of banks' files and mandates as old as payments that are forgotten: the bytes of our files that the bank has
-- answered, and of its files that were read or that a person has closed; and the account of a mandate that was revoked, once no attempt by
-- it is left. A mandate that nothing was collected by for 36 months has lapsed by the rules of SEPA, so it is revoked first. Returns how many.
CREATE FUNCTION forget_bank_files(most int) RETURNS int
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

REVOKE EXECUTE ON FUNCTION is_never_sent_again(bigint), bank_bytes_of(text[]), bank_debtors_of(text[]), forget_bank_files(int),
    refuse_what_is_given_up(), collect_for_bank(text), fence_for_bank(text), revoke_mandate(text),
    give_up_for_bank(text), debits_by(text, text), returned_of(text, text), must_be_submitter(text, bigint),
    set_aside_for_bank(text, bigint, text[], text[]), decide_unmatched(text, bigint, text, text, text),
    was_read_again(bigint, text, text, text), resend_bank_batch(bigint, text, text), rendered_bank_batch(bigint, bigint, bytea, bigint),
    move_bank_batch(bigint, bigint, text), answer_bank_batch(bigint, text, timestamptz, text),
    seal_bank_batch(text, bigint, text, text, timestamptz, date, text, timestamptz, int) FROM PUBLIC;

-- Autovacuum of tables that grow for years, by a number of rows: with a share of the table, the pauses and the vacuums would grow with it.
-- New rows are frozen at the first vacuum, because otherwise all of them would be read every few days for their transactions' age.
DO $$
DECLARE
    each text;
BEGIN
    FOREACH each IN ARRAY ARRAY['operation', 'operation_state', 'payment_attempt', 'psp_observation', 'idempotency_key'] LOOP
        EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, '
                       'autovacuum_freeze_min_age = 0)', each);
    END LOOP;
END $$;
-- Each payment leaves dead rows in these: of the claim, of the success, and of deletions. Each vacuum reads all indexes, so some millions
-- of rows gather first, but not a fifth of four hundred days.
ALTER TABLE operation_state SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE payment_attempt SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE idempotency_key SET (autovacuum_vacuum_scale_factor = 0.02);
-- A short table, always full of dead rows.
ALTER TABLE duplicate_guard SET (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);

-- How many operations that were accepted this long ago are not finished: listed, dead, or still on the usual path because no consumer runs.
-- One whose bank still has time to answer is not late.
-- At most 10,000 of each kind: people need no more, and a million take too long to count.
CREATE FUNCTION count_unfinished(since interval) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT (SELECT count(*) FROM (SELECT FROM waiting JOIN operation_now USING (operation_id)
                                   WHERE list <> 'purge' AND state NOT IN ('succeeded', 'failed', 'declined', 'purged')
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
REVOKE EXECUTE ON FUNCTION count_unfinished(interval) FROM PUBLIC;
