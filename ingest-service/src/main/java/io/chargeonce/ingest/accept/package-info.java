// SPDX-License-Identifier: Apache-2.0
/**
 * One payment becomes one row, once, before its acceptance is answered. Its idempotency key is kept until the retention is over.
 * Knows merchants, transport and how a payment is read, and none of the doors besides its own.
 */
package io.chargeonce.ingest.accept;
