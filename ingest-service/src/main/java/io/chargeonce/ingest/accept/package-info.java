// SPDX-License-Identifier: Apache-2.0
/**
 * One payment becomes one row, once, before its client is told so; and its idempotency key is kept until it is forgotten.
 * Knows merchants, transport and how a payment is read, and none of the doors besides its own.
 */
package io.chargeonce.ingest.accept;
