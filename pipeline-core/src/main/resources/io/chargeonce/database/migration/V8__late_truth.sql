-- Truth that comes late: from a PSP after our decision, about an attempt that we lost, or from a person who looked it up.

-- Several attempts can turn out to have captured while another one is open. Their own rows say so: failed_definite and succeeded.
ALTER TABLE operation DROP COLUMN late_capture;

-- A person's finding is an observation too. It ranks above unknown and below anything that the PSP says.
ALTER TABLE psp_observation
    DROP CONSTRAINT psp_observation_source_check,
    ADD CONSTRAINT psp_observation_source_check CHECK (source IN ('call', 'question', 'webhook', 'hand'));

-- Signed messages of PSPs about attempts that are not in payment_attempt: a database failover may have lost the row. They are
-- matched again and again. The number of rows is bounded by the statement that inserts; only what is signed comes here.
CREATE TABLE unmatched_notice (
    psp           text NOT NULL,
    notice_id     text NOT NULL CHECK (length(notice_id) <= 500),
    psp_key       text NOT NULL CHECK (length(psp_key) <= 100),
    -- What to ask the PSP for.
    psp_reference text CHECK (length(psp_reference) <= 500),
    -- What it said, from a PSP that cannot be asked; else all of these are NULL.
    amount        bigint,
    currency      text,
    gives_back    boolean,
    outcome       text CHECK (outcome IN ('charged', 'declined', 'failed', 'capture_failed', 'captured_again')),
    cause         text,
    detail        text,
    received_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (psp, notice_id),
    CONSTRAINT money_has_amount_and_currency CHECK ((amount IS NULL) = (currency IS NULL)),
    CONSTRAINT it_says_all_or_nothing CHECK (CASE WHEN outcome IS NULL THEN amount IS NULL AND gives_back IS NULL
                                                  ELSE gives_back IS NOT NULL END)
);
CREATE INDEX unmatched_notice_oldest ON unmatched_notice (received_at);

-- What a person found out about an attempt whose outcome no PSP tells. The resolver asks the PSP once more and decides then;
-- the person's word alone changes nothing. One row per attempt: a newer finding replaces one that was refused or still waits.
CREATE TABLE hand_settlement (
    psp_key       text PRIMARY KEY,
    operation_id  text NOT NULL,
    -- The operation's step that it was found at: after any later move it is out of date, and the resolver ignores it.
    step          int NOT NULL,
    verdict       text NOT NULL CHECK (verdict IN ('charged', 'not_charged')),
    -- The PSP's name for the money that moved.
    psp_reference text CHECK (length(psp_reference) BETWEEN 1 AND 200),
    evidence      text NOT NULL CHECK (length(evidence) BETWEEN 1 AND 500),
    proposed_by   text NOT NULL,
    -- Names the command that wrote it, as in audit_record.
    run           text NOT NULL,
    proposed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The resolver reads only what is approved.
    approved_by   text,
    state         text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'settled', 'confirmed', 'refused')),
    -- What the PSP answered when the resolver asked it, and so why the row is in its state.
    answer        text CHECK (length(answer) <= 500),
    answered_at   timestamptz,
    CONSTRAINT only_money_that_moved_has_a_reference CHECK ((verdict = 'charged') = (psp_reference IS NOT NULL)),
    CONSTRAINT only_what_is_approved_is_decided CHECK (state = 'waiting' OR approved_by IS NOT NULL)
);
