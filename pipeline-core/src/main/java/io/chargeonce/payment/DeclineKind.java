// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/** What may follow a decline. Soft ones are presented again only for a merchant who opted in. */
public enum DeclineKind {
    /** May succeed on another day. */
    SOFT,
    /** May succeed on another day; one more try at most. */
    SOFT_ONCE,
    /** Never again with this card. */
    HARD,
    /** The customer must act. */
    ACTION_REQUIRED,
    /** The issuer calls it a duplicate, so the PSP is asked before the decline is believed. */
    ASK_FIRST
}
