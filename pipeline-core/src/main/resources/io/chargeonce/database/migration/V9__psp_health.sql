-- What each process that charges knows of each PSP that it is set up for, told to the others about once a second: an outage
-- that shows in three payments of three processes shows to all. No payment writes here. Times are by this database's clock.
CREATE TABLE psp_health (
    psp        text NOT NULL,
    process    uuid NOT NULL,
    -- When the latest call began that was answered with a success or a decline.
    good_at    timestamptz NOT NULL,
    -- When trouble was heard of last; NULL for never.
    bad_at     timestamptz,
    -- When the first of the failures came that opened its breaker last; NULL for never.
    unwell_from timestamptz,
    -- When its breaker opened last, or was found open again; NULL for never.
    unwell_at  timestamptz,
    open       boolean NOT NULL,
    -- Calls in a row that failed, and up to three of their payments, with commas between.
    failed_in_a_row int NOT NULL CHECK (failed_in_a_row >= 0),
    failed_payments text NOT NULL CHECK (length(failed_payments) <= 200),
    -- A PSP that no process has told of for a minute is set up nowhere.
    told_at    timestamptz NOT NULL,
    PRIMARY KEY (psp, process)
) WITH (fillfactor = 50);

-- Questions are taken PSP by PSP, by who is set up for it: none of them waits behind those of another.
DROP INDEX operation_to_resolve;
CREATE INDEX operation_to_resolve ON operation (psp, resolve_at) WHERE resolve_at IS NOT NULL;
