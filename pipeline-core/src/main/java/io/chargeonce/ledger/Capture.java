// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

/** Where money was taken: what a refund gives back. */
public record Capture(String psp, String reference) {}
