// SPDX-License-Identifier: Apache-2.0
/**
 * A merchant cancels a payment. The database decides what becomes of it, and charge carries that out.
 * Knows how a payment's body is read and how a payment is shown.
 */
package io.chargeonce.ingest.cancel;
