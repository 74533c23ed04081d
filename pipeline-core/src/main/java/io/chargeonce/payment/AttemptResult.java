package io.chargeonce.payment;

/** How an attempt stands, as far as it matters for what may follow it: the rows of the {@link FailoverTable}. */
public enum AttemptResult {
    CHARGED,
    /** No byte of it left us. */
    NOT_SENT,
    /** The PSP says that it refused it before executing it. */
    RATE_LIMITED,
    /** It reached the PSP, which provably did not execute it and never will. */
    NOT_EXECUTED,
    SOFT_DECLINE,
    HARD_DECLINE,
    /** This PSP does not do this currency, method or account; another one may. */
    REFUSED_HERE,
    /** The customer would have to authenticate or to correct the card's data. */
    ACTION_REQUIRED,
    KEY_IN_USE,
    /** 5xx, timeout, reset, end of file, unreadable answer, redirect, a crash after the attempt was stored. */
    MAYBE_EXECUTED,
    /** The PSP knows the key with another request: something with this key went out. */
    KEY_MISMATCH,
    CREDENTIAL_REFUSED,
    /** The request is wrong in itself. */
    REQUEST_REFUSED;

    public static AttemptResult of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Charged charged -> CHARGED;
            case Outcome.Declined declined -> of(declined.kind());
            case Outcome.Failed failed -> of(failed.cause());
            case Outcome.Unknown unknown -> of(unknown.cause());
        };
    }

    public static AttemptResult of(DeclineKind kind) {
        return switch (kind) {
            case SOFT, SOFT_ONCE -> SOFT_DECLINE;
            case HARD -> HARD_DECLINE;
            case ACTION_REQUIRED -> ACTION_REQUIRED;
            // The issuer has seen this purchase before: it may be ours.
            case ASK_FIRST -> MAYBE_EXECUTED;
        };
    }

    public static AttemptResult of(FailureCause cause) {
        return switch (cause.failureClass()) {
            case NOT_SENT -> NOT_SENT;
            case RATE_LIMITED -> RATE_LIMITED;
            case CONFIG -> CREDENTIAL_REFUSED;
            case RETRYABLE -> NOT_EXECUTED;
            case REFUSED_HERE -> REFUSED_HERE;
            case POISON -> REQUEST_REFUSED;
        };
    }

    public static AttemptResult of(UnknownCause cause) {
        return switch (cause) {
            case KEY_IN_USE -> KEY_IN_USE;
            case KEY_MISMATCH -> KEY_MISMATCH;
            case GATEWAY_TIMED_OUT, CONNECTION_LOST, PSP_ERROR, ANSWER_UNREADABLE, STILL_PROCESSING, ANSWER_MISMATCH,
                 NOT_FOUND, ANOTHER_SEND, KEY_FORGOTTEN, LEASE_RAN_OUT, INTERNAL_ERROR -> MAYBE_EXECUTED;
        };
    }
}
