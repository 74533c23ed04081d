-- A PSP may say of money that it had taken: it never came. The payment stays as it is, for its customer was told; but it is not
-- silently well. One row per payment, of the first failure; without it, all is well.
CREATE TABLE capture_failure (
    operation_id  text PRIMARY KEY REFERENCES operation ON DELETE CASCADE,
    psp           text NOT NULL,
    -- The PSP's name for the capture.
    psp_reference text NOT NULL,
    -- In the PSP's words.
    reason        text NOT NULL,
    failed_at     timestamptz NOT NULL DEFAULT now(),
    -- When the PSP said that it has taken the money after all.
    recaptured_at timestamptz
);
