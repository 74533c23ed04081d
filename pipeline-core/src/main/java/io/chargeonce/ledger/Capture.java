// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

/** Where money was captured, and so where a refund gives it back. */
public record Capture(String psp, String reference) {}
