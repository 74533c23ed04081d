// SPDX-License-Identifier: Apache-2.0
/**
 * The console as a service. It starts the witness and shows its health and metrics.
 * May know the witness and the runtime; it has no way to Postgres.
 */
package io.chargeonce.console;
