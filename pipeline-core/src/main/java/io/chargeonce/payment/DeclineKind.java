// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/** What a decline allows. Only a merchant who opted in has soft ones presented again. */
public enum DeclineKind {
    /** May pass on another day. */
    SOFT,
    /** May pass on another day; one more try at most. */
    SOFT_ONCE,
    /** Never again with this card. */
    HARD,
    /** The customer must act. */
    ACTION_REQUIRED,
    /** The issuer takes it for a repeat: asked about before it is believed. */
    ASK_FIRST
}
