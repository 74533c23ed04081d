// SPDX-License-Identifier: Apache-2.0
/**
 * Ingest's own limits on HTTP, and what clients get that reach no route.
 * Knows how problems are answered, and neither merchants nor payments.
 */
package io.chargeonce.ingest.transport;
