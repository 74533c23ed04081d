// SPDX-License-Identifier: Apache-2.0
/**
 * Where a payment or a refund stands, as its merchant may see it: read, listed, or waited for.
 * Changes nothing. Knows answers, and of transport only how many may wait.
 */
package io.chargeonce.ingest.reading;
