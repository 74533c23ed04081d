// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP below any interface: listening, TLS, deadlines, limits of connections and bodies, and the end of a service.
 * Knows settings and workers, and nothing of what is asked for.
 */
package io.chargeonce.http;
