// SPDX-License-Identifier: Apache-2.0
/**
 * A request for a refund becomes one row; equal requests are one refund.
 * Knows how a payment's key and body are read and how a refund is shown; a refund is decided in the ledger.
 */
package io.chargeonce.ingest.refunds;
