// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP below the payments: listening, TLS, deadlines, limits of connections and bodies, and the end of a service.
 * Knows how problems are answered, and neither merchants nor payments.
 */
package io.chargeonce.ingest.transport;
