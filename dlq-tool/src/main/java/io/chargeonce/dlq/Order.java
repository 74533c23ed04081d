package io.chargeonce.dlq;

/** In which order dead letters are listed, by when they died. */
public enum Order {
    NEWEST_FIRST,
    OLDEST_FIRST
}
