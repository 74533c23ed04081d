-- Everything that decides about money. Kafka only carries; these rows are the truth.
-- SPDX-License-Identifier: Apache-2.0
-- Here is what the database holds and refuses: tables, indexes, views, triggers and policies. Functions are in the R__ files, by subject;
-- those of triggers in R__10_guards.sql. On a new database Flyway runs those files after all versions, in the order of their names, so no
-- version calls a function of theirs. Later it runs one again when its text has changed. They hold functions alone, so that locks no table.
-- What each role may do is in roles.sql. What no role may do, not even the owner by mistake, is refused here.
-- Every text column of an index has COLLATE "C", whatever the database's collation is. Another collation belongs to a library of the
-- operating system: after an upgrade of that library, or on a standby with another version, an index no longer finds what it holds, and a
-- unique index lets the same key in again. It also makes two statements lock rows in one order.
-- Autovacuum of tables that grow for years goes by a number of rows: with a share of the table, the pauses and the vacuums would grow with
-- it. New rows are frozen at the first vacuum, because otherwise all of them would be read every few days for their transactions' age.
-- Where each payment leaves dead rows, of its claim, its success and its deletion, some millions gather first, because each vacuum reads
-- all indexes, but not a fifth of four hundred days.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;

-- Triggers and policies need their functions first. These refuse until R__10_guards.sql and R__50_outbox_policies.sql replace them.
DO $$
DECLARE
    each text;
BEGIN
    FOREACH each IN ARRAY ARRAY[
        'begin_states', 'only_a_typed_reference_is_corrected', 'a_late_success_has_its_attempt', 'a_person_moves_what_is_listed',
        'it_was_asked_for', 'what_goes_back_has_come', 'it_goes_back_to_where_it_came_from', 'record_tier_visit', 'list_what_waits',
        'a_finding_is_about_its_operations_attempt', 'a_finding_is_its_sessions', 'it_counts_as_settled_alone', 'the_resolver_decides',
        'a_person_lists_what_is_dead', 'a_person_moves_poison', 'a_run_is_led_by_its_session', 'it_happens_now', 'a_seal_follows_the_last',
        'only_a_function_begins_a_delivery_again', 'only_a_person_begins_a_receipt_again', 'refuse_what_is_given_up'] LOOP
        EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', each, 'BEGIN RAISE ''run migrate again''; END');
    END LOOP;
END $$;
CREATE FUNCTION a_request_says_what_was_accepted(id text, copy bytea, headers json) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE FUNCTION a_copy_says_what_its_letter_says(id text, copy bytea, headers json) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE FUNCTION a_record_goes_back_as_it_came(id text, to_topic text, raw_key bytea, copy bytea, headers json) RETURNS boolean
    LANGUAGE sql AS 'SELECT false';

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
-- own one process would free the keys of all, one with fewer retry tiers would send on what another holds in a tier, and with two sources
-- two copies of one event would be two events.
CREATE TABLE agreed (
    only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- How long an idempotency key stays taken after the last thing that happened to its payment. 45 days are longer than any PSP repeats
    -- its answer to a key and than a record may be on a topic, and life_of needs them.
    retention_days int NOT NULL DEFAULT 400 CHECK (retention_days BETWEEN 45 AND 3650),
    -- The delay of each retry tier in milliseconds; NULL until "migrate" has set them.
    tiers          bigint[] CHECK (cardinality(tiers) BETWEEN 1 AND 9),
    -- Who says the events on Kafka; NULL until "migrate" has set it.
    event_source   text CHECK (length(event_source) BETWEEN 1 AND 200)
);
INSERT INTO agreed DEFAULT VALUES;

CREATE TABLE merchant (
    merchant_id         text COLLATE "C" PRIMARY KEY CHECK (merchant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    created_at          timestamptz NOT NULL DEFAULT now(),
    -- Opt-in, for subscriptions: soft declines are presented again, following the network's advice.
    represent_declines  boolean NOT NULL DEFAULT false,
    -- Opt-in: which declines go to another PSP, once and at once.
    decline_failover    text NOT NULL DEFAULT 'never' CHECK (decline_failover IN ('never', 'technical', 'soft')),
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

-- One row per (merchant, idempotency key), for as long as the payment's row lives: a late repeat never charges again.
CREATE TABLE idempotency_key (
    merchant_id         text COLLATE "C" NOT NULL,
    -- Two plain checks: one bounded repetition would cost more than the rest of the row.
    idempotency_key     text COLLATE "C" NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255 AND idempotency_key !~ '[^!-~]'),
    fingerprint         bytea NOT NULL CHECK (length(fingerprint) = 32),
    -- Also the version of the answer: the same request and version give the same answer, byte for byte, so none is stored.
    fingerprint_version smallint NOT NULL,
    request_path        text NOT NULL CHECK (length(request_path) <= 200),
    -- The canonical request, to name the fields that differ when a key is reused. NULL for a payment, whose operation says it all.
    request_params      json,
    resource_id         text COLLATE "C" NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, idempotency_key),
    CONSTRAINT a_payments_request_is_its_operation CHECK ((request_params IS NULL) = (request_path = '/v1/payments'))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, autovacuum_freeze_min_age = 0,
        autovacuum_vacuum_scale_factor = 0.02);
-- A role that inserts keys sees which of them are new, and sees no others: only rows of the same transaction, whose time no role can set.
ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY what_was_inserted_just_now ON idempotency_key FOR SELECT USING (created_at = now());
CREATE POLICY new_keys ON idempotency_key FOR INSERT WITH CHECK (true);
-- Rows are deleted in this order when their retention is over.
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);
-- Refunds have keys too. A payment's key needs no index: it is found by its own columns.
CREATE INDEX idempotency_key_of_refund ON idempotency_key (resource_id) WHERE request_path <> '/v1/payments';

-- The latest purchase, so that a second click under a new key is detected. It is a lock with a short life: a request that finds a live row
-- is the second one. So the table is short, and always full of dead rows.
CREATE TABLE duplicate_guard (
    merchant_id text COLLATE "C" NOT NULL,
    -- A digest of customer, payment method, amount, currency and reference.
    purchase    bytea NOT NULL CHECK (length(purchase) = 32),
    payment_id  text NOT NULL,
    until       timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, purchase)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX duplicate_guard_over ON duplicate_guard (until);

-- A stored payment method, whose id a payment gives in place of a PSP's token. It is derived from merchant and
-- idempotency key, so a repeat of the request is the same method.
CREATE TABLE payment_method (
    payment_method_id text COLLATE "C" PRIMARY KEY CHECK (payment_method_id ~ '^pmt_[a-z2-7]{26}$'),
    merchant_id       text COLLATE "C" NOT NULL REFERENCES merchant,
    -- The merchant's name for the customer.
    customer          text COLLATE "C" NOT NULL CHECK (length(customer) BETWEEN 1 AND 500),
    -- The accounts at PSPs that it has tokens of, or had before it was detached.
    psps              text[] NOT NULL CHECK (cardinality(psps) BETWEEN 1 AND 20),
    -- Of the request that stored it: a repeat has the same, another request under its key has not.
    fingerprint       bytea NOT NULL CHECK (length(fingerprint) = 32),
    created_at        timestamptz NOT NULL DEFAULT now(),
    -- After this no attempt is made with it, and its tokens are gone.
    detached_at       timestamptz
);
CREATE INDEX payment_method_of_customer ON payment_method (merchant_id, customer, created_at) WHERE detached_at IS NULL;
CREATE INDEX payment_method_detached ON payment_method (detached_at) WHERE detached_at IS NOT NULL;
CREATE TRIGGER a_payment_method_never_changes BEFORE UPDATE OF payment_method_id, merchant_id, psps, fingerprint, created_at
    ON payment_method EXECUTE FUNCTION refuse('a stored payment method never changes; detach it and store another');
CREATE TRIGGER its_customer_is_only_erased BEFORE UPDATE OF customer ON payment_method
    WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('a stored payment method never changes; only erase_personal_data removes its customer');
CREATE TRIGGER a_detached_method_stays_detached BEFORE UPDATE OF detached_at ON payment_method
    FOR EACH ROW WHEN (OLD.detached_at IS NOT NULL) EXECUTE FUNCTION refuse('a detached payment method stays detached; store another');

-- What a PSP calls a stored payment method. No login reads this table: charge gets the tokens of an operation from tokens_of.
CREATE TABLE payment_method_token (
    payment_method_id text COLLATE "C" NOT NULL REFERENCES payment_method,
    psp               text COLLATE "C" NOT NULL CHECK (psp ~ '^[a-z][a-z0-9]{1,19}(-[a-z0-9]{1,20})?$'),
    -- The PSP's name for the customer, without which it charges no stored method.
    customer          text NOT NULL CHECK (length(customer) BETWEEN 1 AND 500),
    token             text NOT NULL CHECK (length(token) BETWEEN 1 AND 500),
    PRIMARY KEY (payment_method_id, psp)
);
CREATE TRIGGER a_token_never_changes BEFORE UPDATE ON payment_method_token
    EXECUTE FUNCTION refuse('a stored payment method never changes; detach it and store another');

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
    merchant_id      text COLLATE "C" NOT NULL CHECK (length(merchant_id) <= 63),
    idempotency_key  text NOT NULL CHECK (length(idempotency_key) <= 500),
    amount           bigint NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
    currency         text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    payment_method   text NOT NULL CHECK (length(payment_method) BETWEEN 1 AND 500),
    customer         text CHECK (length(customer) <= 500),
    reference        text COLLATE "C" CHECK (length(reference) <= 500),
    description      text CHECK (length(description) <= 500),
    receipt_email    text CHECK (length(receipt_email) <= 500),
    -- Who started the charge; NULL counts as the customer.
    initiator        text CHECK (initiator IN ('customer', 'scheduled', 'unscheduled')),
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
) WITH (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, autovacuum_freeze_min_age = 0,
        autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX operation_in_order ON operation (accepted_xid);
CREATE INDEX operation_given_back ON operation (payment_id) WHERE kind <> 'charge';
-- A merchant searches payments by its own reference, newest first.
CREATE INDEX operation_by_reference ON operation (merchant_id, reference, accepted_at, operation_id)
    WHERE reference IS NOT NULL;

-- These triggers refuse a statement before it reads any row, so other statements pay nothing for them.
CREATE TRIGGER operation_never_changes BEFORE UPDATE OF operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount,
        currency, payment_method, reference, initiator, accepted_at, accepted_xid, charge_within_s, traceparent OR TRUNCATE ON operation
    EXECUTE FUNCTION refuse('what was accepted never changes');
CREATE TRIGGER what_is_personal_is_only_erased BEFORE UPDATE OF customer, description, receipt_email ON operation
    WHEN (current_setting('chargeonce.erasing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('what was accepted never changes; only erase_personal_data removes personal data');
CREATE TRIGGER it_is_forgotten_with_its_payment BEFORE DELETE ON operation
    WHEN (current_setting('chargeonce.forgetting', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse('only forget_settled_payments deletes one');

CREATE TRIGGER its_state_begins AFTER INSERT ON operation REFERENCING NEW TABLE AS accepted
    FOR EACH STATEMENT EXECUTE FUNCTION begin_states();
-- Ingest and superusers are not slowed down by a call.
CREATE TRIGGER it_was_asked_for AFTER INSERT ON operation
    FOR EACH ROW WHEN (NEW.kind NOT IN ('reversal', 'return') AND current_user <> 'chargeonce_ingest'
                       AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION it_was_asked_for();
CREATE TRIGGER what_goes_back_has_come AFTER INSERT ON operation
    FOR EACH ROW WHEN (NEW.kind <> 'charge') EXECUTE FUNCTION what_goes_back_has_come();

-- An operation's state: one row each. A decision about an operation locks this row. Its columns are in no index but the primary key, and
-- its page has room for the versions of a claim and of a success. So both are written without a new entry in any index (HOT), and the table
-- needs few vacuums. Rows that are due later are found through the list "waiting".
CREATE TABLE operation_state (
    operation_id     text COLLATE "C" PRIMARY KEY,
    -- The payment's own deadline for a new attempt. A merge and a presentation set a later one.
    charge_before    timestamptz NOT NULL,
    -- No claim before this time by this database's clock, regardless of a consumer's clock.
    not_before       timestamptz NOT NULL DEFAULT now(),
    staged_at        timestamptz NOT NULL DEFAULT now(),
    resolve_tries    int NOT NULL DEFAULT 0 CHECK (resolve_tries BETWEEN 0 AND 1000000000),
    -- One more for each merge out of the dead-letter queue.
    generation       smallint NOT NULL DEFAULT 1 CHECK (generation >= 1),
    -- Attempts of this generation that reached a PSP and definitely failed.
    counted_attempts smallint NOT NULL DEFAULT 0 CHECK (counted_attempts BETWEEN 0 AND 1000),
    -- The last tier it waited in; parking moves up the tiers without counting an attempt.
    tier             smallint NOT NULL DEFAULT 0 CHECK (tier BETWEEN 0 AND 9),
    -- How often a soft decline has been presented again.
    represented      smallint NOT NULL DEFAULT 0 CHECK (represented >= 0),
    -- How often the sweeper has staged this step again. Its pause doubles each time: the thirtieth would be longer than a lifetime.
    swept            smallint NOT NULL DEFAULT 0 CHECK (swept BETWEEN 0 AND 30),
    -- Whether it has left the usual path, or was found late on it. From then on "waiting" follows each of its changes.
    listed           boolean NOT NULL DEFAULT false,
    -- What the usual path changes is together: an update writes the row from the first change to the last one into the log.
    state            text NOT NULL DEFAULT 'accepted'
                         CHECK (state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved',
                                          'succeeded', 'failed', 'declined', 'dead', 'purged', 'canceled')),
    -- Raised by every transaction that stages work; a record with another step is superseded.
    step             int NOT NULL DEFAULT 1 CHECK (step >= 1),
    -- The last attempt's number. It never restarts: the PSP keys are derived from it.
    sequence         int NOT NULL DEFAULT 0 CHECK (sequence >= 0),
    -- The PSP of the last attempt; pinned while that attempt has not definitely failed.
    psp              text,
    psp_reference    text,
    -- Chosen by the worker that claims, so that it recognises its own claim if the answer to COMMIT was lost.
    lease_token      uuid,
    -- When the resolver has to act: the lease's end while processing, the next status query while unresolved.
    resolve_at       timestamptz,
    settled_at       timestamptz,
    -- When its merchant or a person requested its cancel. From then on no attempt begins, and no status query executes one.
    cancel_requested_at timestamptz,
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
    -- A purge ends the dead letter but not the status query: while its attempt may have moved money, a purged operation has a next one.
    CONSTRAINT resolver_watches_every_open_attempt
        CHECK (state = 'purged' OR (state IN ('processing', 'unresolved')) = (resolve_at IS NOT NULL)),
    CONSTRAINT only_the_claimed_hold_a_lease
        CHECK (state <> 'processing' OR lease_token IS NOT NULL),
    CONSTRAINT a_cancel_was_requested CHECK (state <> 'canceled' OR cancel_requested_at IS NOT NULL),
    CONSTRAINT only_waiting_operations_are_presented_again CHECK (represent_at IS NULL OR state = 'scheduled')
) WITH (fillfactor = 25, autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000,
        autovacuum_freeze_min_age = 0, autovacuum_vacuum_scale_factor = 0.02);
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
        WHEN 'processing' THEN NEW.state IN ('succeeded', 'declined', 'scheduled', 'parked', 'unresolved', 'dead', 'canceled')
        WHEN 'unresolved' THEN NEW.state IN ('succeeded', 'declined', 'scheduled', 'parked', 'dead', 'purged', 'canceled')
        WHEN 'dead' THEN NEW.state IN ('accepted', 'succeeded', 'unresolved', 'purged', 'canceled')
        WHEN 'purged' THEN NEW.state IN ('succeeded', 'dead', 'unresolved', 'canceled')
        WHEN 'declined' THEN NEW.state = 'succeeded'
        WHEN 'succeeded' THEN NEW.state = 'failed' AND NEW.capture_reference IS NOT NULL
        WHEN 'failed' THEN false
        WHEN 'canceled' THEN false
        ELSE NEW.state IN ('processing', 'parked', 'scheduled', 'dead', 'succeeded', 'declined', 'canceled') END)
    EXECUTE FUNCTION refuse('no operation goes there from where this one is');

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

CREATE TRIGGER what_succeeded_stays_as_it_is AFTER UPDATE OF psp, psp_reference, settled_at ON operation_state
    FOR EACH ROW WHEN (OLD.state IN ('succeeded', 'failed')
                       AND (NEW.psp, NEW.psp_reference, CASE WHEN NEW.state = OLD.state THEN NEW.settled_at ELSE OLD.settled_at END)
                           IS DISTINCT FROM (OLD.psp, OLD.psp_reference, OLD.settled_at))
    EXECUTE FUNCTION only_a_typed_reference_is_corrected();
CREATE TRIGGER a_late_success_has_its_attempt AFTER UPDATE OF state ON operation_state
    FOR EACH ROW WHEN (OLD.state IN ('dead', 'purged', 'declined') AND NEW.state = 'succeeded')
    EXECUTE FUNCTION a_late_success_has_its_attempt();
-- Charging roles and superusers are not slowed down by a call.
CREATE TRIGGER a_person_moves_what_is_listed AFTER UPDATE ON operation_state
    FOR EACH ROW WHEN (current_user <> 'chargeonce_charge' AND current_user <> 'chargeonce_retry'
                       AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION a_person_moves_what_is_listed();
CREATE TRIGGER it_goes_back_to_where_it_came_from AFTER UPDATE OF capture_psp, capture_reference ON operation_state
    FOR EACH ROW WHEN ((OLD.capture_psp, OLD.capture_reference) IS DISTINCT FROM (NEW.capture_psp, NEW.capture_reference))
    EXECUTE FUNCTION it_goes_back_to_where_it_came_from();
CREATE TRIGGER operation_enters_a_tier AFTER UPDATE ON operation_state
    FOR EACH ROW WHEN (NEW.state IN ('scheduled', 'parked') AND NEW.step <> OLD.step)
    EXECUTE FUNCTION record_tier_visit();
-- Every change by any role updates the list, except on the usual path: accepted, claimed, and then succeeded, declined or dead.
CREATE TRIGGER it_waits_in_its_list BEFORE UPDATE OF state, tier, not_before, staged_at, represent_at, psp, resolve_at, settled_at, listed
    ON operation_state
    FOR EACH ROW WHEN (OLD.listed OR NEW.listed OR NOT (OLD.state = 'accepted' AND NEW.state = 'processing'
                       OR OLD.state = 'processing' AND NEW.state IN ('succeeded', 'declined', 'dead')))
    EXECUTE FUNCTION list_what_waits();

-- Each operation as it is now: what was accepted, and its state. For reading; a decision locks operation_state.
CREATE VIEW operation_now AS SELECT * FROM operation JOIN operation_state USING (operation_id);

-- Each wait in a retry tier, for people who investigate a dead payment. Only failures are recorded here. An operation that is parked again
-- in the same tier, because its PSP is still unwell, stays on the same row: an outage of days leaves one row per tier. A trigger writes it.
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
    -- The exact bytes, because a repeat must be a repeat for the PSP too.
    request         bytea NOT NULL,
    request_sha256  bytea NOT NULL CHECK (length(request_sha256) = 32),
    sent_at         timestamptz NOT NULL,
    claimed_xid     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    key_valid_until timestamptz NOT NULL,
    -- What changes comes last: an update then writes only the end of the row into the log.
    sends           int NOT NULL DEFAULT 1 CHECK (sends >= 1),
    state           text NOT NULL CHECK (state IN ('in_flight', 'unknown', 'succeeded', 'failed_definite')),
    -- Set only by a definite failure and never cleared, so that success leaves every index untouched.
    failed_definite boolean NOT NULL DEFAULT false,
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
) WITH (fillfactor = 35, autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000,
        autovacuum_freeze_min_age = 0, autovacuum_vacuum_scale_factor = 0.02);

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

-- All attempts, for functions that look for those of given payments: each half uses its own partial index.
CREATE VIEW attempt_of_payment AS
    SELECT * FROM payment_attempt WHERE failed_definite
     UNION ALL
    SELECT * FROM payment_attempt WHERE NOT failed_definite;

-- Operations that are due later, by what they wait for. The table is small, because a payment that succeeds at once never enters it. A
-- trigger writes it and no role may: so no waiting operation can be left out or removed.
CREATE TABLE waiting (
    -- 'work' waits for its record in Kafka, and is overdue if that is lost; 'query' waits for the resolver, when a status query is due or
    -- its lease has expired; 'presentation' waits for the next presentation of a declined card; 'purge' for its end; 'cancel' for the
    -- publication of its outcome.
    list         text COLLATE "C" NOT NULL CHECK (list IN ('work', 'query', 'presentation', 'purge', 'cancel')),
    operation_id text COLLATE "C" NOT NULL,
    -- The PSP of a status query, the tier of work: no lane delays another.
    lane         text COLLATE "C" NOT NULL DEFAULT '',
    -- For a purge, the time of the purge.
    due_at       timestamptz NOT NULL,
    PRIMARY KEY (operation_id, list)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX waiting_due ON waiting (list, lane, due_at, operation_id);

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

-- The next pages that list_what_was_missed searches.
CREATE SEQUENCE searched CYCLE;

-- Everything that was said about an attempt, late answers included, except a first answer that settled it at once. A person's finding ranks
-- above unknown and below everything that the PSP says. Append-only.
CREATE TABLE psp_observation (
    psp_key       text COLLATE "C" NOT NULL,
    observed_at   timestamptz NOT NULL DEFAULT now(),
    -- 'found': its PSP had the attempt, and a restored database did not.
    source        text NOT NULL CHECK (source IN ('call', 'query', 'webhook', 'settlement', 'hand', 'found')),
    outcome       text NOT NULL CHECK (outcome IN ('charged', 'declined', 'failed', 'unknown')),
    cause         text,
    detail        text,
    psp_reference text
) WITH (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, autovacuum_freeze_min_age = 0,
        autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX psp_observation_by_attempt ON psp_observation (psp_key);
-- A dispute may name only the PSP's reference of a payment. Only webhooks are in this index, so it costs a payment nothing.
CREATE INDEX psp_observation_of_webhook ON psp_observation (psp_reference COLLATE "C") WHERE source = 'webhook';
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
    outcome       text CHECK (outcome IN ('charged', 'declined', 'failed', 'capture_failed', 'captured_again', 'taken_back', 'disputed')),
    cause         text,
    detail        text,
    -- What it says about a dispute.
    dispute       json,
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

-- What customers dispute at their banks: one row for each dispute of a PSP, folded from messages that arrive late, doubled and in any
-- order. Stage and funds have a rank each, and the message of the highest rank counts: a late one re-opens nothing. Amounts are never added
-- up.
CREATE TABLE dispute (
    psp        text COLLATE "C" NOT NULL,
    -- The PSP's id of the dispute.
    reference  text COLLATE "C" NOT NULL CHECK (length(reference) BETWEEN 1 AND 200),
    payment_id text COLLATE "C" NOT NULL REFERENCES operation ON DELETE CASCADE,
    -- NULL if the PSP names no amount of a payment: the whole payment may be disputed.
    amount     bigint CHECK (amount BETWEEN 1 AND 999999999999),
    currency   text CHECK (currency ~ '^[A-Z]{3}$'),
    -- In the PSP's words.
    reason     text NOT NULL CHECK (length(reason) <= 500),
    stage      text NOT NULL CHECK (stage IN ('inquiry', 'opened', 'won', 'lost')),
    stage_rank int NOT NULL CHECK (stage_rank >= 0),
    -- Whether the PSP says that nothing follows.
    final      boolean NOT NULL,
    funds      text NOT NULL CHECK (funds IN ('not_taken', 'taken', 'returned')),
    funds_rank int NOT NULL CHECK (funds_rank >= 0),
    -- Whether the PSP still refunds the payment, which ends the loss.
    refundable boolean NOT NULL,
    -- Whether the PSP waits for no answer, and until when it takes one.
    answered   boolean NOT NULL,
    due_by     timestamptz,
    -- When its stage began and when somebody last answered, by the PSP's clock. An answer names no stage, and may arrive before its question.
    asked_at   timestamptz,
    answered_at timestamptz,
    -- Raised by every change that is published. An erasure is not.
    revision   int NOT NULL CHECK (revision >= 1),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (psp, reference),
    CONSTRAINT money_has_amount_and_currency CHECK ((amount IS NULL) = (currency IS NULL))
);
CREATE INDEX dispute_of_payment ON dispute (payment_id);
CREATE INDEX dispute_to_answer ON dispute (due_by) WHERE NOT final AND NOT answered;
CREATE TRIGGER a_dispute_never_goes_back AFTER UPDATE ON dispute
    FOR EACH ROW WHEN (NEW.stage_rank < OLD.stage_rank OR NEW.funds_rank < OLD.funds_rank OR NEW.revision < OLD.revision
                       OR NEW.revision = OLD.revision
                          AND (NEW.reason <> '[erased]' OR to_jsonb(NEW) - 'reason' <> to_jsonb(OLD) - 'reason')
                       OR NEW.payment_id <> OLD.payment_id OR NEW.psp <> OLD.psp OR NEW.reference <> OLD.reference)
    EXECUTE FUNCTION refuse('a dispute never goes back to an earlier stage, nor to another payment, nor changes under its revision');

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
-- Except its text, which erase_personal_data removes. For every other writer a_finding_is_its_sessions makes the change a new finding, with
-- the new login and time.
CREATE TRIGGER what_was_decided_stays AFTER UPDATE ON hand_settlement
    FOR EACH ROW WHEN (OLD.state IN ('settled', 'confirmed') AND (
        (NEW.psp_key, NEW.operation_id, NEW.step, NEW.verdict, NEW.psp_reference, NEW.proposed_by,
         NEW.run, NEW.proposed_at, NEW.approved_by, NEW.state, NEW.answered_at) IS DISTINCT FROM
        (OLD.psp_key, OLD.operation_id, OLD.step, OLD.verdict, OLD.psp_reference, OLD.proposed_by,
         OLD.run, OLD.proposed_at, OLD.approved_by, OLD.state, OLD.answered_at)
        OR NEW.evidence <> '[erased]' OR NEW.answer <> '[erased]'))
    EXECUTE FUNCTION refuse('a decision on a finding never changes');
CREATE TRIGGER a_finding_is_about_its_operations_attempt AFTER INSERT ON hand_settlement
    FOR EACH ROW EXECUTE FUNCTION a_finding_is_about_its_operations_attempt();
CREATE TRIGGER a_finding_is_its_sessions BEFORE INSERT OR UPDATE OF step, verdict, psp_reference, evidence, run ON hand_settlement
    FOR EACH ROW EXECUTE FUNCTION a_finding_is_its_sessions();
CREATE TRIGGER it_counts_as_settled_alone AFTER INSERT OR UPDATE OF step, verdict, psp_reference, evidence, run ON hand_settlement
    FOR EACH ROW WHEN (NEW.approved_by IS NOT NULL) EXECUTE FUNCTION it_counts_as_settled_alone();
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
) WITH (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, autovacuum_freeze_min_age = 0,
        autovacuum_vacuum_scale_factor = 0.02);
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
CREATE TRIGGER not_all_at_once BEFORE TRUNCATE ON settlement_line
    EXECUTE FUNCTION refuse('what was booked is only forgotten with its payment');

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
    -- Until when the process queries the PSPs before each attempt, after a restore that lost rows; NULL if it does not.
    ask_first_until timestamptz,
    -- A PSP without a report for a minute is set up in no running process.
    told_at    timestamptz NOT NULL,
    PRIMARY KEY (psp, process)
) WITH (fillfactor = 50);

-- Records for Kafka, written by the transaction that decided about them.
CREATE TABLE outbox (
    outbox_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- A row of another shard would belong to no relay.
    shard      smallint NOT NULL CHECK (shard BETWEEN 0 AND 7),
    -- Two plain checks: one bounded repetition would cost more than the rest of the row.
    topic      text NOT NULL CHECK (length(topic) BETWEEN 1 AND 249 AND topic !~ '[^A-Za-z0-9._-]'),
    record_key text COLLATE "C" NOT NULL CHECK (length(record_key) <= 1000),
    -- NULL is a tombstone. A producer sends at most 4 MiB, and a relay holds a row in memory as a whole.
    value      bytea CHECK (octet_length(value) <= 4194304),
    headers    json CHECK (octet_length(headers::text) <= 65536) CONSTRAINT headers_are_texts CHECK (
        json_typeof(headers) = 'object' AND NOT jsonb_path_exists(headers::jsonb, 'strict $.* ? (@.type() != "string")')),
    staged_at  timestamptz NOT NULL DEFAULT now(),
    -- An operation's first request is without value and headers: outbox_to_relay shows what they are made of.
    staged_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Why the broker refuses this record; the row holds back only its own key.
    refusal    text,
    -- Only of another system's record that goes back to its topic: its own key, and its headers with their order. They may be any bytes. Its
    -- "record_key" is then its dead letter's id.
    raw_key     bytea CHECK (octet_length(raw_key) <= 4194304),
    raw_headers bytea CHECK (octet_length(raw_headers) <= 4194304),
    CONSTRAINT a_raw_key_has_raw_headers CHECK (raw_key IS NULL OR raw_headers IS NOT NULL),
    CONSTRAINT only_a_request_has_no_headers
        CHECK (headers IS NOT NULL OR value IS NULL AND raw_headers IS NULL AND right(topic, 9) = '.requests')
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000,
        -- The end of its file is filled again at once. Truncating it takes a lock that every payment waits for.
        vacuum_truncate = off);
CREATE INDEX outbox_refused ON outbox (record_key) WHERE refusal IS NOT NULL;
-- Grants decide who reads, stages and deletes; these policies decide on which topics.
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON outbox FOR SELECT USING (true);
CREATE POLICY relays_delete ON outbox FOR DELETE USING (true);
CREATE POLICY relays_set_aside ON outbox FOR UPDATE USING (true);
-- A role that accepts payments stages first requests, of which it tells nothing, and refusals. A role that makes attempts stages work,
-- outcomes and receipts, and writes the queue's topic and the tiers. People who move dead letters stage what the rows say, as work and on
-- the queue's topic. The part after a topic's last dot is the same under any prefix. A CASE, so that the frequent ones, acceptances and
-- outcomes, need few checks.
CREATE POLICY each_tells_what_it_decides ON outbox FOR INSERT WITH CHECK (CASE
    WHEN headers IS NULL THEN (SELECT has_any_column_privilege('chargeonce.operation', 'INSERT'))
    -- The topics of other systems: see "target_topic".
    WHEN raw_headers IS NOT NULL THEN (SELECT has_any_column_privilege('chargeonce.dead_letter', 'INSERT'))
        AND a_record_goes_back_as_it_came(record_key, topic, raw_key, value, headers)
    WHEN right(topic, 9) = '.requests' THEN (SELECT has_any_column_privilege('chargeonce.payment_attempt', 'INSERT'))
        OR a_request_says_what_was_accepted(record_key, value, headers)
    WHEN right(topic, 9) IN ('.outcomes', '.receipts') THEN (SELECT has_any_column_privilege('chargeonce.payment_attempt', 'INSERT'))
    WHEN right(topic, 9) = '.disputes' THEN (SELECT has_any_column_privilege('chargeonce.dispute', 'INSERT'))
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

-- What relays read. Of a row without headers, what its operation's first request is made of: columns that never change. Only of an
-- operation that the same transaction has accepted: a login that stages a row of another operation must not read that one by it. A
-- transaction's number may come again on another server, and its time then differs. LIMIT keeps a reader's condition out of the look-up,
-- and IS TRUE has it go by the key, whatever Postgres takes the tables' sizes for.
CREATE VIEW outbox_to_relay AS
    SELECT outbox_id, shard, topic, record_key, value, headers, raw_key, raw_headers, refusal,
           -- What of a row can be large. People see it, and nothing else of this view but the id.
           coalesce(octet_length(value), 0) + coalesce(octet_length(raw_key), 0) + coalesce(octet_length(raw_headers), 0) AS bytes,
           request.*
      FROM outbox LEFT JOIN LATERAL (
            SELECT payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, customer, reference, accepted_at,
                   traceparent
              FROM operation
             WHERE operation_id = CASE WHEN headers IS NULL THEN record_key END
               AND (accepted_xid = staged_xid AND accepted_at = staged_at) IS TRUE
             LIMIT 1) AS request ON true;

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
    -- Of another system's dead letter: the topic that its headers name, to which a merge sends it back; empty if they name none. Never a
    -- name that a topic of this pipeline could have under some prefix, nor one of the console's or of Kafka's own.
    target_topic     text CHECK (target_topic ~ '^[A-Za-z0-9._-]{0,249}$'
        AND target_topic !~ '^(__|[.]{1,2}$|chargeonce-console)|[.]intake[.]' AND target_topic
        !~ '[.](requests|outcomes|receipts|disputes|dlq|retry-[0-9]+|waiting|overdue|audit-seals|intake-refused)$'),
    CONSTRAINT only_poison_is_edited CHECK (sealed_edit IS NULL OR operation_id IS NULL),
    CONSTRAINT no_payment_goes_to_another_systems_topic CHECK (target_topic IS NULL OR operation_id IS NULL),
    CONSTRAINT a_dead_letter_is_an_operation_or_a_record
        CHECK ((operation_id IS NULL) <> (source_topic IS NULL) AND (source_topic IS NULL) = (sealed_record IS NULL))
);
CREATE INDEX dead_letter_live ON dead_letter (died_at, dead_letter_id) WHERE state = 'dead';
-- Letters that can still be restored.
CREATE INDEX dead_letter_purged ON dead_letter (died_at, dead_letter_id) WHERE state = 'purged';
-- Poison that left the queue: it is not deleted together with a payment.
CREATE INDEX dead_letter_poison_left ON dead_letter (changed_at) WHERE operation_id IS NULL AND state <> 'dead';
CREATE TRIGGER a_person_lists_what_is_dead AFTER INSERT ON dead_letter
    FOR EACH ROW WHEN (current_user NOT IN ('chargeonce_charge', 'chargeonce_retry') AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION a_person_lists_what_is_dead();
CREATE TRIGGER a_person_moves_poison AFTER UPDATE OF state ON dead_letter
    FOR EACH ROW WHEN (OLD.operation_id IS NULL AND NEW.state <> OLD.state AND current_setting('is_superuser') = 'off')
    EXECUTE FUNCTION a_person_moves_poison();
CREATE TRIGGER it_happens_now BEFORE UPDATE OF changed_at, died_at ON dead_letter
    FOR EACH ROW WHEN (current_setting('is_superuser') = 'off') EXECUTE FUNCTION it_happens_now();

-- A change of many dead letters, or of many payments that wait, as a durable run: its plan, what was done, and the results.
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
    -- This many go first, and the rest only after these have ended well, or a person has looked at them.
    canary              int NOT NULL CHECK (canary >= 0),
    -- Dead letters per second at first; NULL is as fast as possible. Of a merge it doubles up to max_rate while all goes well.
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
    kind                text NOT NULL DEFAULT 'merge' CHECK (kind IN ('merge', 'purge', 'restore', 'retry_now', 'stop')),
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
CREATE TRIGGER a_run_is_led_by_its_session BEFORE INSERT OR UPDATE OF leader ON dlq_run
    FOR EACH ROW WHEN (NEW.leader IS NOT NULL) EXECUTE FUNCTION a_run_is_led_by_its_session();
CREATE TRIGGER it_happens_now BEFORE UPDATE OF ended_at ON dlq_run
    FOR EACH ROW WHEN (current_setting('is_superuser') = 'off') EXECUTE FUNCTION it_happens_now();

-- The frozen set. No foreign key: one statement writes a million items, together with their run.
CREATE TABLE dlq_run_item (
    run_id         text COLLATE "C" NOT NULL,
    -- The order of moves: the canary first, then the oldest first. There may be gaps.
    position       int NOT NULL CHECK (position >= 1),
    -- Of a payment or refund that waits: the id that its dead letter would have.
    dead_letter_id text NOT NULL,
    -- Which failure was meant: a letter that died again meanwhile is not moved. Of what waits, "died_at" is when it was due; and of what is
    -- to be tried now, "generation" is how often it was tried.
    generation     int NOT NULL,
    died_at        timestamptz NOT NULL,
    -- NULL for what waits.
    standing       text,
    amount         bigint,
    currency       text,
    -- What the run did with it; NULL until then.
    fate           text CHECK (fate IN ('reentered', 'asked', 'resent', 'purged', 'restored', 'retried', 'stopped', 'refused', 'closed',
                                    'no_topic', 'too_large', 'gone')),
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

-- Four eyes: what one person may merge, purge, restore, stop and settle alone within 24 hours. Anything more is a run that another person
-- has approved. No row is no limit. Only the owner writes here, by "migrate --four-eyes-above", and is not limited. Hours are those of the
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

-- The rights of all roles as "migrate --roles" last left them. Empty if roles were never created.
CREATE TABLE intended_grant (line text COLLATE "C" PRIMARY KEY);

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
CREATE INDEX audit_seal_forgetting ON audit_seal (forgotten_to) WHERE forgotten_to IS NOT NULL;
CREATE TRIGGER a_seal_follows_the_last BEFORE INSERT ON audit_seal
    FOR EACH ROW WHEN (current_setting('is_superuser') = 'off') EXECUTE FUNCTION a_seal_follows_the_last();

-- Webhooks to merchants: docs/webhooks.md. The process that sends them connects to hosts that strangers choose, so its role reads no
-- payment: the functions of R__85_webhooks.sql read them, and say what a webhook says.
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
CREATE TRIGGER an_ended_delivery_begins_again_only_by_function BEFORE UPDATE OF state ON webhook_delivery
    FOR EACH ROW WHEN (OLD.state <> 'waiting' AND NEW.state = 'waiting') EXECUTE FUNCTION only_a_function_begins_a_delivery_again();
CREATE TRIGGER an_endpoint_is_one_merchants BEFORE UPDATE OF endpoint_id, merchant_id, url, events, created_at ON webhook_endpoint
    EXECUTE FUNCTION refuse('an endpoint never changes its merchant, its address or its events; add a new one');

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
    -- The next try.
    due_at       timestamptz NOT NULL DEFAULT now(),
    -- Until then a worker tries it. In no index, so that a claim writes one row and nothing else.
    claimed_until timestamptz,
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
-- For lists of the newest, and to count the dead ones.
CREATE INDEX receipt_newest ON receipt (created_at DESC, receipt_id);
CREATE INDEX receipt_dead ON receipt (created_at DESC, receipt_id) WHERE state = 'dead';
CREATE INDEX receipt_ended ON receipt (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX receipt_of_payment ON receipt (payment_id);
CREATE TRIGGER what_a_receipt_is_about_never_changes BEFORE UPDATE OF operation_id, payment_id, merchant_id, kind, created_at ON receipt
    EXECUTE FUNCTION refuse('what a receipt is about never changes');
CREATE TRIGGER an_ended_receipt_begins_again_only_by_hand BEFORE UPDATE OF state ON receipt
    FOR EACH ROW WHEN (OLD.state <> 'waiting' AND NEW.state = 'waiting') EXECUTE FUNCTION only_a_person_begins_a_receipt_again();

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
CREATE TRIGGER what_is_given_up_is_not_sent BEFORE UPDATE OF state ON bank_batch
    FOR EACH ROW WHEN (NEW.state IN ('rendered', 'uploading', 'uploaded', 'renaming')) EXECUTE FUNCTION refuse_what_is_given_up();

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
    -- What a person has decided about one that is set aside: released is read again, closed needs no person any more. NULL waits for one.
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
