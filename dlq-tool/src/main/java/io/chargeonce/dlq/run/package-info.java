// SPDX-License-Identifier: Apache-2.0
/**
 * Runs: frozen in the database, led by one process at a time, resumed where they ended; and what each kind of them does. Beside them, the
 * cancel of one payment.
 * May know query, move, waiting, story's edited records and approval.
 */
package io.chargeonce.dlq.run;
